"""Frozen NumPy columns: how every table of Boxlens keeps its values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.errors import ParameterError

Bools = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Boxes = npt.NDArray[np.float64]
Bits = npt.NDArray[np.uint64]
# +1 true positive, -1 false positive, 0 don't care (METHODS 0.4).
Labels = npt.NDArray[np.int8]
# File ids: int64, or object holding str. They come in at the border and go out there.
Ids = npt.NDArray[Any]
# An attribute: float64 with NaN for missing, or object holding str with None for missing.
Attribute = npt.NDArray[Any]


def frozen(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values as a read-only array of the dtype.

    An array that its owner may still write on is copied, so that nothing changes a table later;
    `owned` spares the copy where there is no other owner.
    """
    array: npt.NDArray[Any] = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable:
        if isinstance(values, np.ndarray) and np.may_share_memory(array, values):
            array = array.copy()
        array.flags.writeable = False
    return array


def owned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Makes an array read-only that nobody else holds."""
    array.flags.writeable = False
    return array


def row_column(values: npt.ArrayLike, name: str) -> Rows:
    """Row numbers: whole numbers only; a fraction or a boolean is not a position in a table."""
    array = _array(values, name, "whole numbers, one per row")
    if array.shape == (0,):
        return frozen([], np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ParameterError(
            f"column {name}: expected whole numbers (an integer dtype), one per row, got "
            f"{array.dtype} of shape {array.shape}"
        )
    limit = np.iinfo(np.int32)
    if array.dtype != np.int32 and (array.min() < limit.min or array.max() > limit.max):
        raise ParameterError(
            f"column {name}: expected rows up to {limit.max}, got {array.min()}..{array.max()}"
        )
    return frozen(array, np.int32)


def box_column(values: npt.ArrayLike) -> Boxes:
    """Boxes as n rows of x, y, width, height; none may also come as an empty list."""
    array = _array(values, "box", "shape (n, 4)", np.float64)
    if array.shape == (0,):
        array = array.reshape(0, 4)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ParameterError(
            f"column box: expected shape (n, 4) with columns x, y, width, height, got {array.shape}"
        )
    return frozen(array, np.float64)


def value_column(values: npt.ArrayLike, dtype: npt.DTypeLike, name: str) -> npt.NDArray[Any]:
    """One value per row."""
    array = _array(values, name, "one number per row", dtype)
    if array.ndim != 1:
        raise ParameterError(
            f"column {name}: expected one number per row, got an array of shape {array.shape}"
        )
    return frozen(array, dtype)


def _array(
    values: npt.ArrayLike, name: str, expected: str, dtype: npt.DTypeLike | None = None
) -> npt.NDArray[Any]:
    try:
        return np.asarray(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"column {name}: expected {expected}, got {error}") from None


def id_column(values: Sequence[int | str] | Ids) -> Ids:
    """Ids as int64 when all are integers, otherwise as an object column of str."""
    if isinstance(values, np.ndarray) and values.dtype == np.int64:
        return frozen(values, np.int64)
    items = list(values)
    if all(isinstance(item, (int, np.integer)) for item in items):
        return frozen(np.array(items, dtype=np.int64), np.int64)
    column = np.empty(len(items), dtype=object)
    column[:] = [str(item) for item in items]
    return frozen(column, object)


def attribute_column(values: Sequence[Any] | Attribute) -> Attribute:
    """Numbers and booleans as float64 with NaN, anything else as str with None."""
    items = list(values)
    if all(item is None or isinstance(item, (int, float, np.number, np.bool_)) for item in items):
        numbers = [np.nan if item is None else float(item) for item in items]
        return frozen(np.array(numbers, dtype=np.float64), np.float64)
    column = np.empty(len(items), dtype=object)
    column[:] = [None if item is None or item != item else str(item) for item in items]  # noqa: PLR0124
    return frozen(column, object)


def offsets_of(sorted_rows: Rows, n_groups: int) -> Offsets:
    """CSR offsets of rows that ascend: group g owns offsets[g]:offsets[g + 1]."""
    return frozen(np.searchsorted(sorted_rows, np.arange(n_groups + 1)), np.int64)


def stable_order(rows: Rows, n_groups: int) -> npt.NDArray[np.int64] | None:
    """The stable order that sorts rows, or None where they ascend already."""
    if len(rows) < 2 or bool(np.all(rows[1:] >= rows[:-1])):
        return None
    # NumPy sorts 16-bit keys by radix, several times faster than wider ones.
    narrow = np.uint16 if n_groups <= 1 << 16 else np.int32
    return np.argsort(rows.astype(narrow), kind="stable")


def check_lengths(lengths: Mapping[str, int], of: str, n: int) -> None:
    """Checks that the columns of a table are as long as this one."""
    for name, length in lengths.items():
        if length != n:
            raise ParameterError(
                f"column {name}: expected {n} rows, as many as {of} has, got {length}"
            )


def check_table(columns: Mapping[str, npt.NDArray[Any]], image_row: Rows, n_images: int) -> None:
    """Checks that the columns of a table are equally long, and that their images exist."""
    lengths = {name: len(column) for name, column in columns.items()}
    check_lengths(lengths, "image_row", len(image_row))
    if len(image_row) and (image_row.min() < 0 or image_row.max() >= n_images):
        span = f"{image_row.min()}..{image_row.max()}"
        raise ParameterError(f"image rows must be between 0 and {n_images - 1}, got {span}")


def check_class_rows(rows: Rows, column: str, table: str, n_classes: int) -> None:
    """Checks that class rows exist."""
    if len(rows) and not (rows.min() >= 0 and rows.max() < n_classes):
        raise ParameterError(
            f"column {column} of {table!r}: class rows must be between 0 and {n_classes - 1}, got "
            f"{rows.min()}..{rows.max()}",
        )


def check_boxes(box: Boxes) -> None:
    """Refuses what file readers refuse as well: NaN, infinity, negative sizes (METHODS 10)."""
    with np.errstate(over="ignore", invalid="ignore"):
        if len(box) == 0 or (np.isfinite(box.sum()) and box.min() >= 0):
            return
    bad = np.flatnonzero(~np.isfinite(box).all(axis=1) | (box[:, 2:] < 0).any(axis=1))
    if len(bad):
        raise ParameterError(
            f"box {box[bad[0]].tolist()} of row {bad[0]}: x, y, width and height must be finite, "
            "width and height 0 or more",
        )


def take(column: npt.NDArray[Any], order: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows of a column, frozen."""
    return owned(np.ascontiguousarray(column[order]))


@dataclass(frozen=True, slots=True)
class Links:
    """A sparse relation in CSR form: left row i is linked with right[offsets[i]:offsets[i + 1]]."""

    offsets: Offsets
    right: Rows

    @classmethod
    def of(cls, lists: Iterable[Iterable[int]]) -> Links:
        groups = [list(group) for group in lists]
        offsets = np.cumsum([0, *(len(group) for group in groups)])
        right = [row for group in groups for row in group]
        return cls(frozen(offsets, np.int64), frozen(right, np.int32))

    @classmethod
    def empty(cls, n_left: int) -> Links:
        return cls(frozen(np.zeros(n_left + 1), np.int64), frozen([], np.int32))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, left_row: int) -> Rows:
        return self.right[self.offsets[left_row] : self.offsets[left_row + 1]]

    def left(self) -> Rows:
        """The left row of every link."""
        counts = np.diff(self.offsets)
        return np.repeat(np.arange(len(self), dtype=np.int32), counts)

    def select(self, left_rows: Rows, right_row_of: Rows) -> Links:
        """Links of some left rows, with right rows renumbered (-1: dropped)."""
        kept: list[list[int]] = []
        for row in left_rows:
            new_rows = right_row_of[self[int(row)]]
            kept.append([int(value) for value in new_rows if value >= 0])
        return Links.of(kept)


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike, otherwise: float = float("nan")) -> Floats:
    """`otherwise` where there is nothing to divide by."""
    below = np.asarray(whole)
    quotient: Floats = np.divide(part, below, out=np.full(below.shape, otherwise), where=below > 0)
    return quotient

"""Masks of objects as pixels, from what COCO files say of them: polygons, or run lengths.

A pixel belongs to a polygon where its centre does. Run lengths say it themselves.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Notice, Spans
from boxlens.data.columns import Bools, Floats
from boxlens.formats.coco.scanned import bytes_between
from boxlens.formats.files import DATA_BYTES, is_gzip, read_bytes
from boxlens.wording import counted

_BITS_A_CHARACTER = 5
_FIRST_CHARACTER = 48
# No corner of a polygon lies further out.
_FARTHEST_PX = 1e6
# Larger pictures are not read either.
_MOST_PIXELS = 178_956_970


@dataclass(frozen=True, slots=True)
class MaskReader:
    """Called with the row of an object: its mask, height x width; None where there is none."""

    spans: Spans
    # Of the object's picture; NaN where it is not known.
    width_px: Floats
    height_px: Floats

    def __call__(self, row: int) -> Bools | None:
        width, height = float(self.width_px[row]), float(self.height_px[row])
        try:
            return _mask(self._stated(row), width, height)
        except _DamagedError:
            return None

    def damaged(self, row: int) -> bool:
        """Whether the file has a mask that is damaged."""
        width, height = float(self.width_px[row]), float(self.height_px[row])
        try:
            _checked(self._stated(row), width, height)
        except _DamagedError:
            return True
        return False

    def digest(self) -> str:
        """Changes with any of the masks."""
        found = hashlib.sha256()
        for row in range(len(self.spans.begin)):
            text = self._text(row)
            found.update(b"%d:" % len(text) + text)
        return found.hexdigest()

    def _stated(self, row: int) -> Any:
        try:
            return json.loads(self._text(row) or b"null")
        except (ValueError, RecursionError) as problem:
            raise _DamagedError from problem

    def _text(self, row: int) -> bytes:
        """As the file has it; empty where it has none."""
        begin, end = int(self.spans.begin[row]), int(self.spans.end[row])
        if begin < 0:
            return b""
        return _bytes(self.spans.files[self.spans.file_row[row]], begin, end)


def mask_reader(dataset: Dataset) -> tuple[MaskReader | None, tuple[Notice, ...]]:
    """Masks stay in their files until they are asked for; damaged ones are counted here.

    None where the data set has no masks. Polygons need the sizes of their pictures.
    """
    spans = dataset.gt.spans.get("segmentation")
    if spans is None or not (spans.begin >= 0).any():
        return None, ()
    sizes = dataset.images.known_sizes()[dataset.gt.image_row]
    reader = MaskReader(spans, sizes[:, 0], sizes[:, 1])
    n_damaged = sum(reader.damaged(row) for row in range(len(dataset.gt)))
    if not n_damaged:
        return reader, ()
    message = f"{counted(n_damaged, 'mask')} damaged or of another size: boxes are used instead"
    return reader, (Notice("damaged_mask", n_damaged, message),)


class _DamagedError(Exception):
    """Of a mask."""


def _bytes(path: Path, begin: int, end: int) -> bytes:
    if is_gzip(path):
        return _unpacked(path, path.stat().st_mtime_ns)[begin:end]
    return bytes_between(path, begin, end)


@lru_cache(maxsize=1)
def _unpacked(path: Path, _modified_ns: int) -> bytes:
    return read_bytes(path, DATA_BYTES)


def _mask(stated: Any, width: float, height: float) -> Bools | None:
    shape = _checked(stated, width, height)
    if shape is None:
        return None
    if isinstance(shape, list):
        return _filled(shape, int(width), int(height))
    # Runs of 0 and of 1 in turn, down the columns.
    flat = np.repeat(np.arange(len(shape)) % 2 == 1, shape)
    return np.ascontiguousarray(flat.reshape(int(width), int(height)).T)


def _checked(
    stated: Any, width: float, height: float
) -> list[Floats] | npt.NDArray[np.int64] | None:
    """Polygons, or run lengths that fill the picture."""
    if stated is None or stated == []:
        return None
    if np.isnan(width) or width * height > _MOST_PIXELS:
        raise _DamagedError
    if isinstance(stated, list):
        return [_corners(one) for one in stated]
    try:
        size, counts = stated["size"], stated["counts"]
        lengths = np.array(_unpacked_lengths(counts) if isinstance(counts, str) else counts)
        fits = [float(side) for side in size] == [height, width]
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as problem:
        raise _DamagedError from problem
    whole = lengths.dtype == np.int64 and lengths.ndim == 1 and lengths.min(initial=0) >= 0
    if not (fits and whole and lengths.sum() == width * height):
        raise _DamagedError
    return lengths


def _corners(polygon: Any) -> Floats:
    try:
        corners = np.array(polygon, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise _DamagedError from problem
    pairs = corners.ndim == 1 and len(corners) >= 6 and len(corners) % 2 == 0
    if not (pairs and (np.abs(corners) < _FARTHEST_PX).all()):
        raise _DamagedError
    return corners.reshape(-1, 2)


def _unpacked_lengths(text: str) -> list[int]:
    """The inverse of how COCO packs run lengths into text.

    Five bits per character, the lowest first; a sixth says that more follow, and the highest bit of
    the last is the sign. From the fourth length on, the difference to the one two before is kept.
    """
    lengths: list[int] = []
    value = shift = 0
    for character in text.encode():
        bits = character - _FIRST_CHARACTER
        if not 0 <= bits < 64:
            raise ValueError(text)
        value |= (bits & 31) << shift
        shift += _BITS_A_CHARACTER
        if bits & 32:
            continue
        if bits & 16:
            value -= 1 << shift
        lengths.append(value + (lengths[-2] if len(lengths) > 2 else 0))
        value = shift = 0
    if shift:
        raise ValueError(text)
    return lengths


def _filled(polygons: list[Floats], width_px: int, height_px: int) -> Bools:
    """The pixels whose centre lies in any of the polygons."""
    mask = np.zeros((height_px, width_px), dtype=np.bool_)
    for polygon in polygons:
        left, top = np.floor(polygon.min(axis=0)).clip(0, (width_px, height_px)).astype(int)
        right, bottom = np.ceil(polygon.max(axis=0)).clip(0, (width_px, height_px)).astype(int)
        if right > left and bottom > top:
            part = _inside(polygon - (left, top), int(right - left), int(bottom - top))
            mask[top:bottom, left:right] |= part
    return mask


def _inside(polygon: Floats, width_px: int, height_px: int) -> Bools:
    """Down a column of pixel centres, every edge that is crossed leads in or out."""
    begin, end = polygon, np.roll(polygon, -1, axis=0)
    left, right = np.where(begin[:, :1] <= end[:, :1], [begin, end], [end, begin])
    # Columns whose centre lies between the ends of an edge, the right end excluded.
    first = np.ceil(left[:, 0] - 0.5).clip(0, width_px).astype(np.int64)
    beyond = np.ceil(right[:, 0] - 0.5).clip(0, width_px).astype(np.int64)
    n_crossed = beyond - first
    edge = np.repeat(np.arange(len(polygon)), n_crossed)
    column = np.arange(len(edge)) - np.repeat(np.cumsum(n_crossed) - n_crossed, n_crossed)
    column += first[edge]
    along = (column + 0.5 - left[edge, 0]) / (right[edge, 0] - left[edge, 0])
    crossing = left[edge, 1] + along * (right[edge, 1] - left[edge, 1])
    row = np.ceil(crossing - 0.5).clip(0, height_px).astype(np.int64)
    n_edges_above = np.zeros((height_px + 1, width_px), dtype=np.int32)
    np.add.at(n_edges_above, (row, column), 1)
    return np.asarray(np.cumsum(n_edges_above[:-1], axis=0) % 2 == 1)

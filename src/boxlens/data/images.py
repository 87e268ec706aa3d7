"""The images of a data set, ids ascending: the order that breaks ties of score (METHODS 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.classes import id_order
from boxlens.data.columns import (
    Floats,
    Ids,
    Links,
    Rows,
    check_lengths,
    id_column,
    take,
    value_column,
)
from boxlens.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Images:
    """One row per image. Sizes are NaN where the file does not give them.

    >>> images = read_dataset(gt).images
    >>> images.file_name[0], float(images.width_px[0]), float(images.height_px[0])
    ('000001.jpg', 480.0, 360.0)
    """

    id: Ids
    """Ids as in the file, ascending."""
    width_px: Floats
    """Widths in pixels; NaN or 0 where unknown."""
    height_px: Floats
    """Heights in pixels; NaN or 0 where unknown."""
    file_name: tuple[str, ...]
    """Names of the picture files, one per image; empty where unknown."""
    negative: Links | None = None
    """Rows of the classes verified absent from each image (LVIS, Open Images)."""
    positive: Links | None = None
    """Rows of the classes verified present in each image (Open Images)."""
    not_exhaustive: Links | None = None
    """Rows of the classes of which not every object is annotated (LVIS)."""

    @classmethod
    def of(
        cls,
        ids: Sequence[int | str] | Ids,
        width_px: npt.ArrayLike,
        height_px: npt.ArrayLike,
        file_name: Sequence[str],
        *,
        negative: Links | None = None,
        positive: Links | None = None,
        not_exhaustive: Links | None = None,
        sort: bool = False,
    ) -> tuple[Images, npt.NDArray[np.int64]]:
        """Images in ascending order of id; in another order with `sort`, which moves their rows.

        Also returns the order (row -> place in the lists given). Rows are those of `row_of_id()`.
        """
        column = id_column(ids)
        width = _sizes(width_px, "width_px")
        height = _sizes(height_px, "height_px")
        lengths = {"width_px": len(width), "height_px": len(height), "file_name": len(file_name)}
        links = {"negative": negative, "positive": positive, "not_exhaustive": not_exhaustive}
        lengths |= {name: len(one) for name, one in links.items() if one is not None}
        check_lengths(lengths, "ids", len(column))
        order = id_order(column, "image", sort=sort)
        in_file_order = cls(column, width, height, tuple(file_name), **links)
        return in_file_order.select(order.astype(np.int32), None), order

    def __len__(self) -> int:
        return len(self.id)

    def known_sizes(self) -> Floats:
        """Width and height of every image in px, NaN where unknown; a file may write 0 for that."""
        size: Floats = np.stack([self.width_px, self.height_px], axis=1)
        size[~((size > 0) & np.isfinite(size)).all(axis=1)] = np.nan
        return size

    def sizes_by_id(self) -> dict[int | str, tuple[float, float]]:
        """Width and height in px by image id, of images whose size is known."""
        known = ~np.isnan(self.known_sizes()[:, 0])
        sizes = zip(self.width_px[known].tolist(), self.height_px[known].tolist(), strict=True)
        return dict(zip(self.id[known].tolist(), sizes, strict=True))

    def row_of_id(self) -> dict[int | str, int]:
        """Image row by id."""
        return {key: row for row, key in enumerate(self.id.tolist())}

    def select(self, rows: Rows, class_row_of: Rows | None) -> Images:
        """Some images, in the order given; class rows renumbered (-1: dropped, None: kept)."""

        def chosen(links: Links | None) -> Links | None:
            if links is None:
                return None
            top = int(links.right.max()) + 1 if len(links.right) else 0
            renumber = np.arange(top, dtype=np.int32) if class_row_of is None else class_row_of
            return links.select(rows, renumber)

        return Images(
            id=take(self.id, rows),
            width_px=take(self.width_px, rows),
            height_px=take(self.height_px, rows),
            file_name=tuple(self.file_name[row] for row in rows),
            negative=chosen(self.negative),
            positive=chosen(self.positive),
            not_exhaustive=chosen(self.not_exhaustive),
        )


def _sizes(values: npt.ArrayLike, name: str) -> Floats:
    """Widths or heights; NaN and 0 stand for unknown."""
    sizes = value_column(values, np.float64, name)
    bad = np.flatnonzero((sizes < 0) | np.isinf(sizes))
    if len(bad):
        raise ParameterError(
            f"column {name}: expected sizes of 0 or more, NaN for unknown, got "
            f"{sizes[bad[0]]:g} in row {bad[0]}"
        )
    return sizes

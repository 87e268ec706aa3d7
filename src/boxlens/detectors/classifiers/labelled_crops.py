"""The objects of a data set as crops with their classes: what a classifier learns from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data import Classes, Dataset
from boxlens.data.columns import Offsets, Rows, frozen
from boxlens.images import Pixels
from boxlens.images.crops import cut_inside


@dataclass(frozen=True, slots=True)
class LabelledCrops:
    """One row per object that is neither a crowd nor a group, grouped by image."""

    dataset: Dataset
    # Pixels by image row; read when asked for.
    images: Sequence[Pixels]
    object_row: Rows

    @classmethod
    def of(cls, dataset: Dataset, images: Sequence[Pixels]) -> LabelledCrops:
        """Those without a pixel, too: whoever cuts the crops counts them."""
        countable = ~dataset.gt.crowd & ~dataset.gt.group_of
        return cls(dataset, images, frozen(np.flatnonzero(countable), np.int32))

    def __len__(self) -> int:
        return len(self.object_row)

    @property
    def classes(self) -> Classes:
        return self.dataset.classes

    @property
    def class_row(self) -> Rows:
        return self.dataset.gt.class_row[self.object_row]

    @property
    def image_row(self) -> Rows:
        return self.dataset.gt.image_row[self.object_row]

    def in_images(self, image_rows: Rows) -> LabelledCrops:
        """The crops of some images."""
        kept = np.isin(self.image_row, image_rows)
        return LabelledCrops(self.dataset, self.images, frozen(self.object_row[kept], np.int32))

    def by_image(self) -> Iterator[tuple[Offsets, list[Pixels]]]:
        """Image after image: rows of this table, and their crops; each picture is read once.

        A box that has no area, or lies outside its picture, has no crop and is skipped.
        """
        image_row = self.image_row
        starts = np.flatnonzero(np.diff(image_row, prepend=-1))
        for rows in np.split(np.arange(len(self), dtype=np.int64), starts[1:]):
            if len(rows) == 0:
                continue
            pixels = self.images[int(image_row[rows[0]])]
            boxes = self.dataset.gt.box[self.object_row[rows]]
            crops = [cut_inside(pixels, box) for box in boxes]
            kept = [place for place, crop in enumerate(crops) if crop is not None]
            yield rows[kept], [crop for crop in crops if crop is not None]

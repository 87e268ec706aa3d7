"""The ground that detections are planted on: a data set, a recipe, and room inside each image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset, GroundTruth
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.data.similarity import similar_classes
from boxlens.matching import COCO
from boxlens.scenes.planting.recipe import Recipe

USUAL_SIZE = (640.0, 480.0)


@dataclass(frozen=True, slots=True)
class Ground:
    dataset: Dataset
    recipe: Recipe
    seed: int
    # Class by class.
    similar: Bools
    # Objects that count neither as found nor as missed.
    ignored: Bools
    # Width and height by image, NaN where unknown.
    size: Floats

    @classmethod
    def of(cls, dataset: Dataset, recipe: Recipe, seed: int) -> Ground:
        size = np.stack([dataset.images.width_px, dataset.images.height_px], axis=1)
        if dataset.relative:
            size = np.nan_to_num(size, nan=1.0)
        similar = similar_classes(dataset.classes, recipe.similar)
        return cls(dataset, recipe, seed, similar, COCO.ignored(dataset.gt), size)

    @property
    def gt(self) -> GroundTruth:
        return self.dataset.gt

    def rng(self, purpose: str) -> np.random.Generator:
        """A stream for every purpose: to change one rate leaves what others plant as it is."""
        return np.random.default_rng([self.seed, *purpose.encode()])

    def room(self, gt_row: Rows) -> tuple[Floats, Floats]:
        """Where boxes of an object may lie: its image, and no less than its own box."""
        low, size = self.gt.box[gt_row, :2], self.gt.box[gt_row, 2:]
        image = np.nan_to_num(self.size[self.gt.image_row[gt_row]], nan=np.inf, posinf=np.inf)
        return np.minimum(low, 0.0), np.maximum(low + size, image)

    def known_size(self) -> Floats:
        """Width and height by image; where unknown, as far as objects reach in any image."""
        reach = (self.gt.box[:, :2] + self.gt.box[:, 2:]).max(axis=0, initial=0.0)
        usual = np.where(reach > 0, reach, USUAL_SIZE)
        return np.where(np.isnan(self.size), usual, self.size)

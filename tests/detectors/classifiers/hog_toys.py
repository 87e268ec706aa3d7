"""Toy pictures as labelled crops, and classifiers simple enough to check by eye."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data import Dataset, GroundTruth
from boxlens.data.columns import frozen
from boxlens.detectors.classifiers.hog_classifier import HogClassifier, train_hog_classifier
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from toy_pictures import toy_set


@cache
def toy_crops(n: int = 16, seed: int = 1) -> LabelledCrops:
    pictures, dataset = toy_set(n, seed=seed)
    return LabelledCrops.of(dataset, pictures)


@cache
def toy_classifier() -> HogClassifier:
    return train_hog_classifier(toy_crops(), seed=2)


def pixels_of(crops: LabelledCrops) -> list[np.ndarray]:
    return [pixels for _, some in crops.by_image() for pixels in some]


def with_objects(dataset: Dataset, **columns: object) -> Dataset:
    """The data set with some columns of its objects replaced."""
    gt = dataset.gt
    kept = {"image_row": gt.image_row, "class_row": gt.class_row, "box": gt.box}
    return replace(dataset, gt=GroundTruth.of(len(dataset.images), **(kept | columns)))


def only_classes(crops: LabelledCrops, *class_rows: int) -> LabelledCrops:
    """Objects of some classes; all classes stay in the table."""
    kept = np.isin(crops.class_row, class_rows)
    return LabelledCrops(crops.dataset, crops.images, frozen(crops.object_row[kept], np.int32))

"""A detector that names regions: segments of alike pixels and their unions, by look and colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data import Classes, Detections, Notice
from boxlens.data.columns import Boxes, Floats, Rows
from boxlens.detectors.batches import LOWEST_SCORE, Findings, detect_each
from boxlens.detectors.calibration import scores_of
from boxlens.detectors.hog import cut, opencv, resized
from boxlens.detectors.region_features import region_features
from boxlens.detectors.training import Features
from boxlens.images import Pixels

# Larger images are segmented at this size: regions do not need every pixel.
LONGEST_SIDE_PX = 480
SEGMENT_COARSENESS = 100
SEGMENT_BLUR = 0.8
SMALLEST_SIDE_PX = 8.0
# Boxes are not moved by more than this part of their size, nor stretched by more than its power.
MOST_SHIFT = 0.5


@dataclass(frozen=True, slots=True)
class RegionModel:
    """One row per class; whole weights, so that margins are exact (see `hog`)."""

    class_row: Rows
    weights: npt.NDArray[np.int16]
    # What a weight of 1 stands for, and what is added.
    step: Floats
    bias: Floats
    # The sigmoid that makes a score of a margin.
    slope: Floats
    offset: Floats
    # Classes x 4 (x features): how to move and stretch the box of a region.
    shift_weights: npt.NDArray[np.int16]
    shift_step: Floats
    shift_bias: Floats

    def margins(self, features: Features) -> Floats:
        """Regions x classes."""
        return _products(features, self.weights) * self.step + self.bias

    def shifts(self, features: Features) -> Floats:
        """Regions x classes x 4."""
        flat = self.shift_weights.reshape(-1, self.shift_weights.shape[2])
        products = _products(features, flat).reshape(len(features), -1, 4)
        return products * self.shift_step + self.shift_bias


def _products(features: Features, weights: npt.NDArray[np.int16]) -> Floats:
    return features.astype(np.float64) @ weights.T.astype(np.float64)


@dataclass(frozen=True, slots=True)
class RegionDetector:
    """Regions of an image, named; also a `Classifier` of crops and a `ProposalGenerator`."""

    name: str
    classes: Classes
    model: RegionModel
    notices: tuple[Notice, ...] = ()

    def detect(self, images: Sequence[Pixels]) -> Detections:
        return detect_each(self.name, images, self._found)

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        """Scores between 0 and 1; 0 for a class that was not learnt."""
        scores = np.zeros((len(crops), len(self.classes)))
        scores[:, self.model.class_row] = self._scores(region_features(crops))
        return scores

    def propose(self, image: Pixels, limit: int) -> tuple[Boxes, Floats]:
        """Regions as they were segmented, by the score of their likeliest class."""
        boxes = find_regions(image)
        scores = self._scores(region_features(crops_of(image, boxes))).max(axis=1, initial=0.0)
        best = np.argsort(-scores, kind="stable")[:limit]
        return boxes[best], scores[best]

    def _scores(self, features: Features) -> Floats:
        return scores_of(self.model.margins(features), self.model.slope, self.model.offset)

    def _found(self, pixels: Pixels) -> Findings:
        boxes = find_regions(pixels)
        features = region_features(crops_of(pixels, boxes))
        scores = self._scores(features)
        region, column = np.nonzero(scores >= LOWEST_SCORE)
        shifts = self.model.shifts(features)[region, column]
        return Findings(
            self.model.class_row[column],
            moved(boxes[region], shifts, pixels.shape[1], pixels.shape[0]),
            scores[region, column],
        ).best()


def find_regions(pixels: Pixels) -> Boxes:
    """Boxes of segments and of their unions, from few to many, by selective search.

    OpenCV shuffles them by C's rand(): they are sorted here (METHODS 7.6).
    """
    cv2 = opencv()
    height, width = pixels.shape[:2]
    if min(height, width) < SMALLEST_SIDE_PX:
        return np.array([[0.0, 0.0, width, height]])
    scale = min(1.0, LONGEST_SIDE_PX / max(height, width))
    small_width, small_height = max(round(width * scale), 1), max(round(height * scale), 1)
    small = resized(pixels, small_width, small_height)
    search = cv2.ximgproc.segmentation.createSelectiveSearchSegmentation()
    search.setBaseImage(np.ascontiguousarray(small[..., ::-1]))
    search.switchToSingleStrategy(SEGMENT_COARSENESS, SEGMENT_BLUR)
    found = np.unique(np.asarray(search.process(), dtype=np.float64).reshape(-1, 4), axis=0)
    stretch_x, stretch_y = width / small_width, height / small_height
    boxes = found * [stretch_x, stretch_y, stretch_x, stretch_y]
    return np.asarray(boxes[boxes[:, 2:].min(axis=1) >= SMALLEST_SIDE_PX])


def crops_of(pixels: Pixels, boxes: Boxes) -> list[Pixels]:
    return [cut(pixels, box) for box in boxes]


def shifts_between(boxes: Boxes, objects: Boxes) -> Floats:
    """How far the centre lies off, in sizes of the box, and the logarithm of the stretch."""
    off = objects[:, :2] + objects[:, 2:] / 2 - boxes[:, :2] - boxes[:, 2:] / 2
    return np.concatenate([off / boxes[:, 2:], np.log(objects[:, 2:] / boxes[:, 2:])], axis=1)


def moved(boxes: Boxes, shifts: Floats, width_px: int, height_px: int) -> Boxes:
    """The inverse of `shifts_between`, within limits and inside the image."""
    near = np.clip(shifts, -MOST_SHIFT, MOST_SHIFT)
    centre = boxes[:, :2] + boxes[:, 2:] / 2 + near[:, :2] * boxes[:, 2:]
    half = boxes[:, 2:] / 2 * np.exp(near[:, 2:])
    low = np.maximum(centre - half, 0.0)
    high = np.minimum(centre + half, [width_px, height_px])
    return np.concatenate([low, np.maximum(high - low, 0.0)], axis=1)

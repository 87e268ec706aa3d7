"""The upper bound of recognition (METHODS 4.1 to 4.4) rule by rule, in plain loops.

A label is a class and a score; None where an object or a sampled box has none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oracles import coco
from oracles.average_precision import ap_coco101
from oracles.model import Box, Detection, Scene, count_positives, ranked_labels

Label = tuple[int, float]


@dataclass(frozen=True)
class Bound:
    """Strategy 1, or 2 after relabelling; NaN where a class has no object to be found."""

    # [threshold][class]
    by_iou: list[list[float]]

    def at(self, threshold: int) -> float:
        return mean_of_defined(self.by_iou[threshold])

    def classes(self) -> list[float]:
        return [mean_of_defined(list(values)) for values in zip(*self.by_iou, strict=True)]

    @property
    def uap(self) -> float:
        return mean_of_defined([value for values in self.by_iou for value in values])


def is_labelled(scene: Scene, g: int) -> bool:
    """METHODS 4.1: crowds and groups are excluded, difficult objects are not."""
    return not coco.is_region(scene.objects[g])


def as_detections(scene: Scene, labels: Sequence[Label | None]) -> Scene:
    """METHODS 4.1: one detection per object, on its very box."""
    found = []
    for g, label in enumerate(labels):
        if is_labelled(scene, g) and label is not None:
            target = scene.objects[g]
            found.append(Detection(target.image, label[0], target.box, label[1]))
    return replace(scene, detections=tuple(found))


def bound(scene: Scene, labels: Sequence[Label | None]) -> Bound:
    labelled = as_detections(scene, labels)
    return Bound([average_precisions(labelled, t, "all") for t in coco.THRESHOLDS])


def in_size(scene: Scene, labels: Sequence[Label | None], size: str) -> list[float]:
    """UAP by class, of small, medium or large objects."""
    labelled = as_detections(scene, labels)
    tables = [average_precisions(labelled, t, size) for t in coco.THRESHOLDS]
    return Bound(tables).classes()


def average_precisions(labelled: Scene, threshold: float, area: str) -> list[float]:
    """By class. Every box counts, however many there are in an image."""
    everything = len(labelled.detections)
    matching = coco.match(labelled, threshold, coco.AREAS[area], everything)
    return [
        ap_coco101(ranked_labels(labelled, cls, matching), count_positives(labelled, cls, matching))
        for cls in labelled.classes
    ]


def class_accuracy(scene: Scene, labels: Sequence[Label | None]) -> list[float]:
    """METHODS 4.1: of the objects of a class, how many get its label; not of the labels given."""
    accuracy = []
    for cls in scene.classes:
        rows = [g for g in range(len(labels)) if scene.objects[g].cls == cls]
        accuracy.append(accuracy_of(scene, labels, rows))
    return accuracy


def accuracy_of(scene: Scene, labels: Sequence[Label | None], rows: Sequence[int]) -> float:
    counted = [g for g in rows if is_labelled(scene, g)]
    right = 0
    for g in counted:
        label = labels[g]
        right += label is not None and label[0] == scene.objects[g].cls
    return right / len(counted) if counted else math.nan


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Where both are defined; NaN for fewer than three, or where one of them does not vary."""
    pairs = [
        (one, other)
        for one, other in zip(first, second, strict=True)
        if not math.isnan(one) and not math.isnan(other)
    ]
    if len(pairs) < 3:
        return math.nan
    mean = [sum(values) / len(pairs) for values in zip(*pairs, strict=True)]
    both = sum((one - mean[0]) * (other - mean[1]) for one, other in pairs)
    spread = [sum((pair[side] - mean[side]) ** 2 for pair in pairs) for side in (0, 1)]
    if min(spread) < 1e-24:
        return math.nan
    return both / math.sqrt(spread[0] * spread[1])


def sampled_boxes(box: Box, gamma: float, n_shifts: int) -> list[Box]:
    """METHODS 4.2: boxes of the same size, towards each of the four corners."""
    x, y, wide, high = box
    least = 2 * gamma / (1 + gamma)
    boxes = []
    for i in range(1, n_shifts + 1):
        alpha = least + (1 - least) * i / (n_shifts + 1)
        beta = least / alpha
        for across in (-1, 1):
            for down in (-1, 1):
                left = x + across * (1 - alpha) * wide
                top = y + down * (1 - beta) * high
                boxes.append((left, top, wide, high))
    return boxes


def most_confident(votes: Sequence[Label | None]) -> Label | None:
    """METHODS 4.3 (a); the first of equally confident ones."""
    best: Label | None = None
    for vote in votes:
        if vote is not None and (best is None or vote[1] > best[1]):
            best = vote
    return best


def most_frequent(votes: Sequence[Label | None]) -> Label | None:
    """METHODS 4.3 (b): the confidence is that of the surest box that votes for the label.

    Of labels with as many votes the surer one wins, of equally sure ones the first seen.
    """
    cast = [vote for vote in votes if vote is not None]
    if not cast:
        return None
    count = Counter(cls for cls, _ in cast)
    surest = {cls: max(score for label, score in cast if label == cls) for cls in count}
    return max(((cls, surest[cls]) for cls in count), key=lambda one: (count[one[0]], one[1]))


def scaled(box: Box, scale: float) -> Box:
    """METHODS 4.4: about the centre."""
    x, y, wide, high = box
    return (
        x + wide / 2 - scale * wide / 2,
        y + high / 2 - scale * high / 2,
        scale * wide,
        scale * high,
    )


def pixels_between(begin: float, end: float, side: int) -> list[int]:
    """The pixels of an interval in a picture: its sides rounded, and never fewer than one pixel."""
    begin, end = max(begin, 0.0), min(end, float(side))
    if end <= begin:
        return []
    first, last = math.floor(begin + 0.5), math.floor(end + 0.5)
    inside = [pixel for pixel in range(side) if first <= pixel < last]
    if inside:
        return inside
    middle = (begin + end) / 2
    return [pixel for pixel in range(side) if pixel <= middle < pixel + 1]


def rows_and_columns(box: Box, width: int, height: int) -> tuple[list[int], list[int]]:
    x, y, wide, high = box
    return pixels_between(y, y + high, height), pixels_between(x, x + wide, width)


def crop(pixels: np.ndarray, box: Box) -> np.ndarray | None:
    """METHODS 4.2: what is inside the picture."""
    rows, columns = rows_and_columns(box, pixels.shape[1], pixels.shape[0])
    return pixels[rows][:, columns] if rows and columns else None


def without_box(pixels: np.ndarray, box: Box) -> np.ndarray:
    """METHODS 4.4: context only zeroes the inner box."""
    emptied = pixels.copy()
    rows, columns = rows_and_columns(box, pixels.shape[1], pixels.shape[0])
    for row in rows:
        for column in columns:
            emptied[row, column] = 0
    return emptied


def mean_of_defined(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan

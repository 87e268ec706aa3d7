"""Trains the region detector: an SVM a class over all regions, and a ridge that moves boxes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.detectors.hog import LARGEST_VALUE
from boxlens.detectors.region_features import region_features
from boxlens.detectors.regions import (
    RegionDetector,
    RegionModel,
    crops_of,
    find_regions,
    moved,
    shifts_between,
)
from boxlens.detectors.training import (
    NEGATIVE_IOU,
    Features,
    Lesson,
    fit_svm,
    judged_sigmoids,
    one_thread_a_worker,
    overlaps,
    whole_weights,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from boxlens.data import Dataset
    from boxlens.data.columns import Bools, Boxes, Floats, Rows
    from boxlens.formats.files import Progress
    from boxlens.images import Pixels

POSITIVE_IOU = 0.6
# Regions this near an object tell how to move a box onto it.
MOVABLE_IOU = 0.45
FIRST_NEGATIVES = 1_500
HARD_NEGATIVES = 1_500
MINING_ROUNDS = 2
PENALTY = 0.03
POSITIVE_WEIGHT = 2.0
RIDGE = 50.0
LARGEST_WEIGHT = 2_047


class Regions(NamedTuple):
    """Regions and objects of all images to learn from."""

    box: Boxes
    features: Features
    # The example each overlaps most of each class: classes x regions.
    example_row: npt.NDArray[np.int32]
    example_iou: Floats
    # The largest overlap with any object of each class, examples or not.
    any_iou: Floats


def train_regions(
    images: Sequence[Pixels],
    dataset: Dataset,
    *,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> RegionDetector:
    """Learns from `images`, one for each row of `dataset.images`; each is asked for once."""
    lesson = Lesson.of(images, dataset, seed=seed, workers=workers, progress=progress)
    with one_thread_a_worker():
        parts = lesson.over_images(
            lambda row: _seen(lesson, row), lesson.learn_rows, "reading regions"
        )
        regions = Regions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        model = _fitted(lesson, regions)
        model = _judged(lesson, model)
    return RegionDetector("region", dataset.classes, model, lesson.notices)


def _seen(lesson: Lesson, image_row: int) -> Regions:
    pixels = lesson.images[image_row]
    gt = lesson.dataset.gt
    here = lesson.objects(image_row)
    examples = np.flatnonzero(lesson.example[here]) + here.start
    objects = gt.box[examples]
    regions = np.concatenate([find_regions(pixels), objects])
    box = np.concatenate([regions, objects])
    mirrored = [crop[:, ::-1] for crop in crops_of(pixels, objects)]
    shape = (len(box), len(lesson.dataset.classes))
    example_row = np.full(shape, -1, dtype=np.int32)
    example_iou, any_iou = np.zeros(shape), np.zeros(shape)
    found = overlaps(box, gt.box[here], gt.crowd[here] | gt.group_of[here])
    for column, row in enumerate(range(here.start, here.stop)):
        of_class = gt.class_row[row]
        any_iou[:, of_class] = np.maximum(any_iou[:, of_class], found[:, column])
        if lesson.example[row]:
            nearer = found[:, column] > example_iou[:, of_class]
            example_row[nearer, of_class] = row
            example_iou[nearer, of_class] = found[nearer, column]
    features = region_features([*crops_of(pixels, regions), *mirrored])
    return Regions(box, features, example_row, example_iou, any_iou)


def _fitted(lesson: Lesson, regions: Regions) -> RegionModel:
    class_rows = np.flatnonzero((regions.example_iou >= POSITIVE_IOU).any(axis=0)).astype(np.int32)

    def fit(class_row: int) -> tuple[Floats, float, Floats, Floats]:
        weights, bias = _mined_svm(lesson, regions, class_row)
        near = np.flatnonzero(regions.example_iou[:, class_row] >= MOVABLE_IOU)
        objects = lesson.dataset.gt.box[regions.example_row[near, class_row]]
        shifts = shifts_between(regions.box[near], objects)
        return weights, bias, *_ridge(regions.features[near], shifts)

    answers = lesson.in_parallel(fit, class_rows.tolist(), "fitting classes")
    whole = [whole_weights(weights, LARGEST_WEIGHT) for weights, _, _, _ in answers]
    shifts = [
        [whole_weights(weights, LARGEST_WEIGHT) for weights in four] for _, _, four, _ in answers
    ]
    return RegionModel(
        class_row=class_rows,
        weights=np.stack([weights for weights, _ in whole]).astype(np.int16),
        step=np.array([step for _, step in whole]),
        bias=np.array([bias for _, bias, _, _ in answers]),
        slope=np.ones(len(class_rows)),
        offset=np.zeros(len(class_rows)),
        shift_weights=np.array([[weights for weights, _ in four] for four in shifts], np.int16),
        shift_step=np.array([[step for _, step in four] for four in shifts]),
        shift_bias=np.stack([bias for _, _, _, bias in answers]),
    )


def _mined_svm(lesson: Lesson, regions: Regions, class_row: int) -> tuple[Floats, float]:
    """Begins with negatives drawn by lot, and adds those that come nearest to the class."""
    positives = regions.features[regions.example_iou[:, class_row] >= POSITIVE_IOU]
    off = np.flatnonzero(regions.any_iou[:, class_row] < NEGATIVE_IOU)
    random = np.random.RandomState([lesson.seed, class_row])
    chosen = np.sort(random.permutation(off)[:FIRST_NEGATIVES])
    fitted = _svm(positives, regions.features[chosen])
    for _ in range(MINING_ROUNDS):
        weights, bias = fitted
        margins = regions.features[off].astype(np.float64) @ weights + bias
        best = np.argsort(-margins, kind="stable")[:HARD_NEGATIVES]
        chosen = np.union1d(chosen, off[best[margins[best] > -1.0]])
        fitted = _svm(positives, regions.features[chosen])
    return fitted


def _svm(positives: Features, negatives: Features) -> tuple[Floats, float]:
    return fit_svm(
        positives,
        negatives,
        scale=1 / LARGEST_VALUE,
        penalty=PENALTY,
        positive_weight=POSITIVE_WEIGHT,
    )


def _ridge(features: Features, targets: Floats) -> tuple[Floats, Floats]:
    """Weights (targets x features) and biases of a ridge regression, in its dual form."""
    scaled = features / LARGEST_VALUE
    middle, mean = scaled.mean(axis=0), targets.mean(axis=0)
    centred = scaled - middle
    products = centred @ centred.T + RIDGE * np.eye(len(centred))
    weights = np.linalg.solve(products, targets - mean).T @ centred
    return weights / LARGEST_VALUE, mean - weights @ middle


def _judged(lesson: Lesson, model: RegionModel) -> RegionModel:
    """With the sigmoids that say how often a margin is right on images held back."""

    def look(image_row: int) -> tuple[Rows, Floats, Bools]:
        pixels = lesson.images[image_row]
        boxes = find_regions(pixels)
        features = region_features(crops_of(pixels, boxes))
        margins, shifts = model.margins(features), model.shifts(features)
        region, column = (index.ravel() for index in np.indices(margins.shape))
        placed = moved(boxes[region], shifts[region, column], pixels.shape[1], pixels.shape[0])
        return lesson.judged(
            image_row,
            model.class_row[column],
            column.astype(np.int32),
            placed,
            margins[region, column],
        )

    parts = lesson.over_images(look, lesson.judge_rows, "judging scores")
    slope, offset = judged_sigmoids(parts, len(model.class_row))
    return replace(model, slope=slope, offset=offset)

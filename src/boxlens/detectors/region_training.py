"""Trains the region detector: one SVM per class over all regions, and a ridge that moves boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Boxes, Floats, Rows
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
from boxlens.detectors.threads import one_thread_a_worker
from boxlens.detectors.training import (
    NEGATIVE_IOU,
    Features,
    TrainingSet,
    fit_svm,
    overlaps,
    whole_weights,
)
from boxlens.images import Pixels
from boxlens.progress import Progress

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
# Margins above -1 are those that an SVM is moved by.
LOWEST_MARGIN = -1.0
# Regions are kept of at most so many images: a quarter of a megabyte each.
MOST_IMAGES = 1_000
_REGIONS_AT_A_TIME = 4_096


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
    training = TrainingSet.of(
        images, dataset, seed=seed, workers=workers, progress=progress, most_images=MOST_IMAGES
    )
    with one_thread_a_worker():
        parts = training.over_images(
            lambda row: _seen(training, row), training.learn_rows, "reading regions"
        )
        regions = Regions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        model = _fitted(training, regions)
        model = _judged(training, model)
    return RegionDetector("region", dataset.classes, model, training.notices)


def _seen(training: TrainingSet, image_row: int) -> Regions:
    pixels = training.images[image_row]
    gt = training.dataset.gt
    here = training.objects(image_row)
    examples = np.flatnonzero(training.example[here]) + here.start
    objects = gt.box[examples]
    regions = np.concatenate([find_regions(pixels), objects])
    box = np.concatenate([regions, objects])
    mirrored = [crop[:, ::-1] for crop in crops_of(pixels, objects)]
    shape = (len(box), len(training.dataset.classes))
    example_row = np.full(shape, -1, dtype=np.int32)
    example_iou, any_iou = np.zeros(shape), np.zeros(shape)
    found = overlaps(box, gt.box[here], gt.crowd[here] | gt.group_of[here])
    for column, row in enumerate(range(here.start, here.stop)):
        of_class = gt.class_row[row]
        any_iou[:, of_class] = np.maximum(any_iou[:, of_class], found[:, column])
        if training.example[row]:
            nearer = found[:, column] > example_iou[:, of_class]
            example_row[nearer, of_class] = row
            example_iou[nearer, of_class] = found[nearer, column]
    features = region_features([*crops_of(pixels, regions), *mirrored])
    return Regions(box, features, example_row, example_iou, any_iou)


def _fitted(training: TrainingSet, regions: Regions) -> RegionModel:
    class_rows = np.flatnonzero((regions.example_iou >= POSITIVE_IOU).any(axis=0)).astype(np.int32)
    svms = _mined_svms(training, regions, class_rows)
    whole = [whole_weights(weights, LARGEST_WEIGHT) for weights, _ in svms]
    ridges = [_mover(training, regions, class_row) for class_row in class_rows.tolist()]
    movers = [[whole_weights(one, LARGEST_WEIGHT) for one in weights] for weights, _ in ridges]
    return RegionModel(
        class_row=class_rows,
        weights=np.stack([weights for weights, _ in whole]).astype(np.int16),
        step=np.array([step for _, step in whole]),
        bias=np.array([bias for _, bias in svms]),
        slope=np.ones(len(class_rows)),
        offset=np.zeros(len(class_rows)),
        shift_weights=np.array([[weights for weights, _ in four] for four in movers], np.int16),
        shift_step=np.array([[step for _, step in four] for four in movers]),
        shift_bias=np.stack([bias for _, bias in ridges]),
    )


def _mined_svms(
    training: TrainingSet, regions: Regions, class_rows: Rows
) -> list[tuple[Floats, float]]:
    """Starts with random negatives, and adds those that come nearest to the class."""
    features = regions.features
    positives = [np.flatnonzero(regions.example_iou[:, row] >= POSITIVE_IOU) for row in class_rows]
    negatives = [np.flatnonzero(regions.any_iou[:, row] < NEGATIVE_IOU) for row in class_rows]
    random = np.random.RandomState(training.seed)
    chosen = [np.sort(random.permutation(rows)[:FIRST_NEGATIVES]) for rows in negatives]

    def fit(number: int) -> tuple[Floats, float]:
        return fit_svm(
            features[positives[number]],
            features[chosen[number]],
            penalty=PENALTY,
            positive_weight=POSITIVE_WEIGHT,
        )

    svms = training.in_parallel(fit, range(len(class_rows)), "fitting classes")
    for _ in range(MINING_ROUNDS):
        margins = _margins(training, features, svms)
        for number, rows in enumerate(negatives):
            mine = margins[rows, number]
            best = np.argsort(-mine, kind="stable")[:HARD_NEGATIVES]
            chosen[number] = np.union1d(chosen[number], rows[best[mine[best] > LOWEST_MARGIN]])
        svms = training.in_parallel(fit, range(len(class_rows)), "fitting classes")
    return svms


def _margins(training: TrainingSet, features: Features, svms: list[tuple[Floats, float]]) -> Floats:
    """Regions x classes."""
    weights = np.stack([weights for weights, _ in svms], axis=1)
    starts = range(0, len(features), _REGIONS_AT_A_TIME)

    def product(start: int) -> Floats:
        part = features[start : start + _REGIONS_AT_A_TIME].astype(np.float64)
        return part @ weights + [bias for _, bias in svms]

    return np.concatenate(training.in_parallel(product, starts, "mining hard negatives"))


def _mover(training: TrainingSet, regions: Regions, class_row: int) -> tuple[Floats, Floats]:
    """How the box of a region moves onto the object it overlaps."""
    near = np.flatnonzero(regions.example_iou[:, class_row] >= MOVABLE_IOU)
    objects = training.dataset.gt.box[regions.example_row[near, class_row]]
    return _ridge(regions.features[near], shifts_between(regions.box[near], objects))


def _ridge(features: Features, targets: Floats) -> tuple[Floats, Floats]:
    """Weights (targets x features) and biases of a ridge regression, in its dual form."""
    scaled = features / LARGEST_VALUE
    middle, mean = scaled.mean(axis=0), targets.mean(axis=0)
    centred = scaled - middle
    products = centred @ centred.T + RIDGE * np.eye(len(centred))
    weights = np.linalg.solve(products, targets - mean).T @ centred
    return weights / LARGEST_VALUE, mean - weights @ middle


def _judged(training: TrainingSet, model: RegionModel) -> RegionModel:
    """With the sigmoids that say how often a margin is right on held-out images."""

    def look(image_row: int) -> tuple[Rows, Floats, Bools]:
        pixels = training.images[image_row]
        boxes = find_regions(pixels)
        features = region_features(crops_of(pixels, boxes))
        margins, shifts = model.margins(features), model.shifts(features)
        region, column = (index.ravel() for index in np.indices(margins.shape))
        placed = moved(boxes[region], shifts[region, column], pixels.shape[1], pixels.shape[0])
        return training.judged(
            image_row,
            model.class_row[column],
            column.astype(np.int32),
            placed,
            margins[region, column],
        )

    slope, offset = training.sigmoids(look, len(model.class_row))
    return replace(model, slope=slope, offset=offset)

"""Trains the sliding-window detector: components by shape and look, SVMs, hard negatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.detectors.hog import N_CHANNELS
from boxlens.detectors.suppression import suppress
from boxlens.detectors.threads import one_thread_a_worker
from boxlens.detectors.training import NEGATIVE_IOU, Features, TrainingSet, fit_svm, whole_weights
from boxlens.detectors.window_components import (
    SHAPES,
    Component,
    find_components,
    finest_scale,
    shapes_of_objects,
)
from boxlens.detectors.windows import (
    MARGIN,
    Templates,
    View,
    WindowDetector,
    Windows,
    scan,
    window_boxes,
)
from boxlens.images import Pixels
from boxlens.progress import Progress

BACKGROUND_IMAGES = 60
BACKGROUND_AN_IMAGE = 20
MINING_ROUNDS = 2
MINING_IMAGES = 80
HARD_AN_IMAGE = 5
# Margins above -1 are those that an SVM is moved by.
LOWEST_MARGIN = -1.0
MOST_CANDIDATES = 5_000

PENALTY = 0.01
POSITIVE_WEIGHT = 3.0
LARGEST_WEIGHT = 127


def train_windows(
    images: Sequence[Pixels],
    dataset: Dataset,
    *,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> WindowDetector:
    """Learns from `images`, one for each row of `dataset.images`; each is asked for repeatedly."""
    training = TrainingSet.of(images, dataset, seed=seed, workers=workers, progress=progress)
    with one_thread_a_worker():
        shape_row = shapes_of_objects(training)
        finest = finest_scale(training, shape_row)
        components = find_components(training, shape_row)
        negatives = _first_negatives(training, components, finest)
        templates = _fitted(training, components, negatives)
        for number in range(MINING_ROUNDS):
            rows = training.some(MINING_IMAGES, number)
            hard = _mined(training, rows, templates, finest)
            negatives = [np.concatenate(pair) for pair in zip(negatives, hard, strict=True)]
            templates = _fitted(training, components, negatives)
        templates = _judged(training, templates, finest)
    return WindowDetector("window", dataset.classes, templates, finest, training.notices)


def _first_negatives(
    training: TrainingSet, components: list[Component], finest: float
) -> list[Features]:
    """For each component: windows of the background, and objects of other classes."""

    def look(image_row: int) -> list[Features]:
        view = View.of(training.images[image_row], finest)
        return [_random_windows(training, image_row, view, row) for row in range(len(SHAPES))]

    parts = training.over_images(look, training.some(BACKGROUND_IMAGES, 0), "reading background")
    background = [np.concatenate(column) for column in zip(*parts, strict=True)]

    def others(one: Component) -> list[Features]:
        return [
            other.positives[::2]
            for other in components
            if other.shape_row == one.shape_row and other.class_row != one.class_row
        ]

    return [np.concatenate([background[one.shape_row], *others(one)]) for one in components]


def _random_windows(training: TrainingSet, image_row: int, view: View, shape_row: int) -> Features:
    rows, columns = (SHAPES[shape_row] + 2 * MARGIN).tolist()
    random = np.random.RandomState([training.seed, image_row, shape_row])
    found = [np.zeros((0, rows * columns * N_CHANNELS), dtype=np.uint8)]
    fitting = [
        level
        for level in view.levels
        if level.cells.shape[0] >= rows and level.cells.shape[1] >= columns
    ]
    for _ in range(BACKGROUND_AN_IMAGE if fitting else 0):
        level = fitting[random.randint(len(fitting))]
        row = random.randint(level.cells.shape[0] - rows + 1, size=1)
        column = random.randint(level.cells.shape[1] - columns + 1, size=1)
        box = window_boxes(view, level, row, column, (rows, columns))
        if training.is_background(box, image_row)[0]:
            cells = level.cells[row[0] : row[0] + rows, column[0] : column[0] + columns]
            found.append(cells.reshape(1, -1).astype(np.uint8))
    return np.concatenate(found)


def _fitted(
    training: TrainingSet, components: list[Component], negatives: list[Features]
) -> Templates:
    def fit(number: int) -> tuple[Floats, float]:
        return fit_svm(
            components[number].positives,
            negatives[number],
            penalty=PENALTY,
            positive_weight=POSITIVE_WEIGHT,
        )

    answers = training.in_parallel(fit, range(len(components)), "fitting templates")
    whole = [whole_weights(weights, LARGEST_WEIGHT) for weights, _ in answers]
    return Templates(
        class_row=np.array([one.class_row for one in components], dtype=np.int32),
        shape=np.stack([SHAPES[one.shape_row] + 2 * MARGIN for one in components]),
        weights=np.concatenate([weights for weights, _ in whole]).astype(np.int8),
        step=np.array([step for _, step in whole]),
        bias=np.array([bias for _, bias in answers]),
        slope=np.ones(len(components)),
        offset=np.zeros(len(components)),
    )


def _mined(
    training: TrainingSet, image_rows: Rows, templates: Templates, finest: float
) -> list[Features]:
    """For each template, the windows off its class that it likes best."""
    banks = templates.banks()
    lowest = np.full(len(templates), LOWEST_MARGIN)

    def look(image_row: int) -> list[tuple[int, Features]]:
        view = View.of(training.images[image_row], finest)
        windows = _top(scan(view, templates, banks, lowest))
        class_row = templates.class_row[windows.template]
        overlap = training.overlap(windows.box, class_row, image_row, examples_only=False)
        rows = _best_apart(windows, np.flatnonzero(overlap < NEGATIVE_IOU))
        return [
            (int(windows.template[row]), _cells_at(view, windows, templates, row)) for row in rows
        ]

    parts = training.over_images(look, image_rows, "mining hard negatives")
    sizes = templates.shape.prod(axis=1) * N_CHANNELS
    hard: list[list[Features]] = [[np.zeros((0, size), dtype=np.uint8)] for size in sizes]
    for template, features in (pair for part in parts for pair in part):
        hard[template].append(features)
    return [np.concatenate(found) for found in hard]


def _top(windows: Windows) -> Windows:
    """The best, best first."""
    best = np.argsort(-windows.margin, kind="stable")[:MOST_CANDIDATES]
    return windows.select(best)


def _best_apart(windows: Windows, rows: npt.NDArray[np.int64]) -> list[int]:
    """Of each template the best few windows that do not overlap much; rows come best first."""
    template = windows.template[rows].astype(np.int32)
    kept = suppress(windows.box[rows], windows.margin[rows], iou=0.5, groups=template)
    taken: dict[int, list[int]] = {}
    for row in rows[kept].tolist():
        found = taken.setdefault(int(windows.template[row]), [])
        if len(found) < HARD_AN_IMAGE:
            found.append(row)
    return [row for found in taken.values() for row in found]


def _cells_at(view: View, windows: Windows, templates: Templates, window: int) -> Features:
    rows, columns = templates.shape[windows.template[window]].tolist()
    row, column = windows.row[window], windows.column[window]
    cells = view.levels[windows.level[window]].cells[row : row + rows, column : column + columns]
    features: Features = cells.reshape(1, -1).astype(np.uint8)
    return features


def _judged(training: TrainingSet, templates: Templates, finest: float) -> Templates:
    """With the sigmoids that say how often a margin is right on held-out images."""
    banks = templates.banks()
    lowest = np.full(len(templates), LOWEST_MARGIN)

    def look(image_row: int) -> tuple[Rows, Floats, Bools]:
        view = View.of(training.images[image_row], finest)
        windows = _top(scan(view, templates, banks, lowest))
        template = windows.template.astype(np.int32)
        class_row = templates.class_row[template]
        return training.judged(image_row, class_row, template, windows.box, windows.margin)

    slope, offset = training.sigmoids(look, len(templates))
    return replace(templates, slope=slope, offset=offset)

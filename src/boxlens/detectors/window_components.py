"""Which objects one template of the sliding-window detector is to find: alike in shape and look."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Boxes, Floats, Rows
from boxlens.detectors.hog import CELL_PX, cut, hog_cells, resized
from boxlens.detectors.training import Features, TrainingSet
from boxlens.detectors.windows import MARGIN
from boxlens.images import Pixels

# Rows and columns of cells that an object fills, from tall to wide; each about 36 cells.
SHAPES = np.array([[10, 3], [9, 4], [7, 5], [6, 6], [5, 7], [4, 9], [3, 10]], dtype=np.int32)
# A class has a shape where this many objects are nearest to it; the others take what there is.
FEWEST_OF_A_SHAPE = 20
# Of a shape, a class has a look (a template) for this many objects, mirror images included.
OBJECTS_A_LOOK = 60
MOST_LOOKS = 4
FINEST_SCALES = (0.25, 2.0)


class Component(NamedTuple):
    """Objects of a class that one template is to find."""

    class_row: int
    shape_row: int
    positives: Features


def shapes_of_objects(training: TrainingSet) -> Rows:
    """The row of SHAPES each example is learnt with; -1 for what is not learnt from."""
    gt = training.dataset.gt
    learnt = training.example & np.isin(gt.image_row, training.learn_rows)
    shape_row = np.full(len(gt), -1, dtype=np.int32)
    for class_row in np.unique(gt.class_row[learnt]):
        rows = np.flatnonzero(learnt & (gt.class_row == class_row))
        nearest = _nearest_shape(gt.box[rows], np.ones(len(SHAPES), dtype=np.bool_))
        n_each = np.bincount(nearest, minlength=len(SHAPES))
        enough = n_each >= min(FEWEST_OF_A_SHAPE, n_each.max())
        shape_row[rows] = _nearest_shape(gt.box[rows], enough)
    return shape_row


def _nearest_shape(boxes: Boxes, allowed: Bools) -> Rows:
    ratio = np.log(boxes[:, 3] / boxes[:, 2])[:, None] - np.log(SHAPES[:, 0] / SHAPES[:, 1])
    nearest: Rows = np.where(allowed, np.abs(ratio), np.inf).argmin(axis=1).astype(np.int32)
    return nearest


def finest_scale(training: TrainingSet, shape_row: Rows) -> float:
    """The scale at which all but the smallest examples are as large as their template."""
    rows = np.flatnonzero(shape_row >= 0)
    cells = SHAPES[shape_row[rows]].prod(axis=1)
    scales = CELL_PX * np.sqrt(cells / training.dataset.gt.box[rows, 2:].prod(axis=1))
    return float(np.clip(np.percentile(scales, 97), *FINEST_SCALES))


def find_components(training: TrainingSet, shape_row: Rows) -> list[Component]:
    """Examples of one class and shape, parted by look."""
    gt = training.dataset.gt

    def look(image_row: int) -> list[tuple[int, Features]]:
        here = training.objects(image_row)
        rows = (np.flatnonzero(shape_row[here] >= 0) + here.start).tolist()
        if not rows:
            return []
        pixels = training.images[image_row]
        return [(row, object_cells(pixels, gt.box[row], SHAPES[shape_row[row]])) for row in rows]

    parts = training.over_images(look, training.learn_rows, "reading examples")
    seen = dict(pair for part in parts for pair in part)
    components: list[Component] = []
    for class_row, shape in sorted({(int(gt.class_row[row]), int(shape_row[row])) for row in seen}):
        alike = np.flatnonzero((gt.class_row == class_row) & (shape_row == shape))
        positives = np.concatenate([seen[row] for row in alike.tolist()])
        looks = _looks(positives, training.seed)
        components += [
            Component(class_row, shape, positives[looks == look]) for look in np.unique(looks)
        ]
    return components


def object_cells(pixels: Pixels, box: Floats, shape: npt.NDArray[np.int32]) -> Features:
    """Two rows: an object stretched to a shape, with the margin around it, and its mirror image."""
    # One more cell around, so that no edge of the crop is taken for one of the picture.
    ring = MARGIN + 1
    cell = box[[2, 3]] / shape[::-1]
    wide = np.concatenate([box[:2] - ring * cell, box[2:] + 2 * ring * cell])
    height, width = ((shape + 2 * ring) * CELL_PX).tolist()
    patch = resized(cut(pixels, wide), width, height)
    views = [hog_cells(view)[1:-1, 1:-1].ravel() for view in (patch, patch[:, ::-1])]
    return np.stack(views).astype(np.uint8)


def _looks(positives: Features, seed: int) -> Rows:
    """Which of a few looks (left and right, front and side ...) each example has."""
    n_looks = min(MOST_LOOKS, len(positives) // OBJECTS_A_LOOK)
    if n_looks < 2:
        return np.zeros(len(positives), dtype=np.int32)
    from sklearn.cluster import KMeans

    grouping = KMeans(n_looks, n_init=3, random_state=seed)
    labels: Rows = grouping.fit_predict(positives.astype(np.float64))
    return labels

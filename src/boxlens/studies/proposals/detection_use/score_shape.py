"""How scores fall off around objects: by overlap, and by where a box lies (METHODS 6.8).

A detection belongs to the object of its class that it overlaps most; crowds are no objects.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Boxes, Floats, Offsets, Rows, owned
from boxlens.data.row_sums import group_sums
from boxlens.matching import VOC, find_overlaps
from boxlens.metrics.means import mean_defined
from boxlens.studies.proposals.detection_use.oracle_result import ScoreMap, ScoresByIou
from boxlens.studies.proposals.recall.matched import countable_objects

LOWEST_IOU, IOU_STEP, N_BINS = 0.2, 0.05, 16
# A class with fewer bins filled would be stretched to 0 and 1 by chance.
FEWEST_BINS = 8
# Odd, so that a box right on its object lies in the middle of a cell.
N_CELLS = 21
# Width of a cell: in object widths and heights; in powers of 2.
SHIFT_STEP, SCALE_STEP = 0.1, 0.2


@dataclass(frozen=True, slots=True)
class _Owned:
    """One row per detection that has an object."""

    class_row: Rows
    score: Floats
    iou: Floats
    det_box: Boxes
    gt_box: Boxes


def scores_by_iou(dataset: Dataset, detections: Detections, *, threads: int = 0) -> ScoresByIou:
    """Mean score of each bin of overlap, from 0 to 1 in every class; then the mean of classes."""
    edges = np.round(LOWEST_IOU + IOU_STEP * np.arange(N_BINS + 1), 10)
    found = _with_objects(dataset, detections, LOWEST_IOU, threads)
    n_classes = len(dataset.classes)
    # The last bin holds an IoU of 1, too.
    bin_row = np.minimum(np.searchsorted(edges, found.iou, side="right") - 1, N_BINS - 1)
    cell = found.class_row * N_BINS + bin_row
    shape, n_cells = (n_classes, N_BINS), n_classes * N_BINS
    n: Offsets = np.bincount(cell, minlength=n_cells).reshape(shape)
    means = _ratio(group_sums(cell, found.score, n_cells).reshape(shape), n)
    low = np.where(n > 0, means, np.inf).min(axis=1)
    high = np.where(n > 0, means, -np.inf).max(axis=1)
    used = ((n > 0).sum(axis=1) >= FEWEST_BINS) & (low < high)
    scaled = (means[used] - low[used, None]) / (high[used] - low[used])[:, None]
    quarters = np.array([_quarters(column) for column in scaled.T])
    return ScoresByIou(
        edges=owned(edges),
        mean=owned(np.array([mean_defined(column) for column in scaled.T])),
        spread=owned((quarters[:, 1] - quarters[:, 0]) / 2),
        n_detections=tuple(n[used].sum(axis=0).tolist()),
        n_classes=int(used.sum()),
        n_classes_skipped=int(((n.sum(axis=1) > 0) & ~used).sum()),
    )


def score_maps(
    dataset: Dataset, detections: Detections, *, threads: int = 0
) -> tuple[ScoreMap, ScoreMap]:
    """Mean score, from 0 to 1 in every class, by the shift and by the scale of boxes."""
    found = _with_objects(dataset, detections, 0.0, threads)
    score = _scaled_by_class(found, len(dataset.classes))
    det, gt = found.det_box, found.gt_box
    shift = (det[:, :2] + det[:, 2:] / 2 - gt[:, :2] - gt[:, 2:] / 2) / gt[:, 2:]
    scale = np.log2(det[:, 2:] / gt[:, 2:])
    return _map("shift", SHIFT_STEP, shift, score), _map("scale", SCALE_STEP, scale, score)


def _with_objects(dataset: Dataset, detections: Detections, floor: float, threads: int) -> _Owned:
    """Detections that overlap an object by more than 0 and at least `floor`; of ties the first."""
    single = dataset.where(countable_objects(dataset))
    overlaps = find_overlaps(single, detections, VOC, floor=floor, threads=threads)
    rows = np.flatnonzero(np.diff(overlaps.offsets))
    det_row = np.repeat(np.arange(len(detections)), np.diff(overlaps.offsets))
    # Stable: pairs of a detection by falling overlap, equal ones by object.
    order = np.lexsort((-overlaps.iou, det_row))
    best = order[overlaps.offsets[rows]]
    return _Owned(
        class_row=detections.class_row[rows],
        score=detections.score[rows],
        iou=overlaps.iou[best],
        det_box=detections.box[rows],
        gt_box=single.gt.box[overlaps.gt_row[best]],
    )


def _scaled_by_class(found: _Owned, n_classes: int) -> Floats:
    """Scores from 0 to 1 in every class; where all are alike they are NaN."""
    low, high = np.full(n_classes, np.inf), np.full(n_classes, -np.inf)
    np.minimum.at(low, found.class_row, found.score)
    np.maximum.at(high, found.class_row, found.score)
    above, span = found.score - low[found.class_row], (high - low)[found.class_row]
    return _ratio(above, span)


def _map(kind: str, step: float, place: Floats, score: Floats) -> ScoreMap:
    """Place: x and y of every detection."""
    edges = np.round(step * (np.arange(N_CELLS + 1) - N_CELLS / 2), 10)
    # By score, so that sums do not depend on the order of detections.
    known = np.argsort(score)[: np.count_nonzero(~np.isnan(score))]
    x, y = place[known].T
    n, _, _ = np.histogram2d(y, x, bins=(edges, edges))
    total, _, _ = np.histogram2d(y, x, bins=(edges, edges), weights=score[known])
    return ScoreMap(
        kind=kind,
        x_edges=owned(edges),
        y_edges=owned(edges),
        mean=owned(_ratio(total, n)),
        n_detections=owned(n),
        n_left_out=len(score) - int(n.sum()),
    )


def _quarters(values: Floats) -> Floats:
    """What a quarter and three quarters of the defined values lie below."""
    defined = values[~np.isnan(values)]
    return np.quantile(defined, (0.25, 0.75)) if len(defined) else np.full(2, np.nan)


def _ratio(total: Floats, n: Floats | Offsets) -> Floats:
    """NaN where there is nothing to divide by."""
    ratio: Floats = np.divide(total, n, out=np.full(np.shape(total), np.nan), where=n > 0)
    return ratio

"""Labelled true boxes, and detectors, scored in one way: at every IoU, by class and by size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bools, Floats
from boxlens.matching import COCO
from boxlens.metrics.grid import AREA_RANGES, IOU_THRESHOLDS, MAX_DETS, GridChoice, count_grid
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import prepare, prepare_dataset
from boxlens.metrics.resampling import Sampler, grid_sampler, replicate
from boxlens.studies.upper_bound.relabelling import ObjectLabels

SIZES = {"s": "small", "m": "medium", "l": "large"}


@dataclass(frozen=True, slots=True)
class Scores:
    """AP of COCO's protocol, taken apart."""

    ap: float
    by_iou: Mapping[float, float]
    by_size: Mapping[str, float]
    by_class: Floats
    by_class_50: Floats


def labelled_boxes(dataset: Dataset, labels: ObjectLabels) -> Detections:
    """One detection per object that has a label: its own box (METHODS 4.1)."""
    gt = dataset.gt
    kept = np.flatnonzero((labels.class_row >= 0) & ~np.isnan(labels.score) & ~COCO.regions(gt))
    return Detections.of(
        labels.strategy,
        len(dataset.images),
        image_row=gt.image_row[kept],
        class_row=labels.class_row[kept],
        box=gt.box[kept],
        score=labels.score[kept],
    )


def bound_scores(dataset: Dataset, boxes: Detections, *, threads: int = 0) -> Scores:
    """Labelled true boxes: all are counted, however many an image has.

    Without the spacing that COCO adds to every count, so that a perfect classifier reaches 1.
    Where every threshold gives the same, the means over them are that very number.
    """
    walk = sampler(dataset, boxes, limited=False, threads=threads).walk
    once = np.ones((1, walk.n_units), dtype=np.int32)
    # [threshold, class, area]
    ap = replicate(walk, once, threads=threads).ap[0].transpose(2, 0, 1)
    scores, of_all = _scores(dataset, ap[:, None]), ap[..., 0]
    by_iou = np.array(list(scores.by_iou.values()))
    return replace(
        scores,
        ap=float(np.where(_is_steady(by_iou), by_iou[0], scores.ap)),
        by_class=np.where(_is_steady(of_all), of_all[0], scores.by_class),
    )


def _is_steady(by_threshold: Floats) -> Bools:
    """Whether all values along the first axis are equal: a sum of them would round."""
    steady: Bools = (by_threshold == by_threshold[0]).all(axis=0)
    return steady


def detector_scores(dataset: Dataset, detections: Detections, *, threads: int = 0) -> Scores:
    """As COCO scores a detector, to the last bit."""
    prepared = prepare(prepare_dataset(dataset, "coco"), detections, "coco")
    grid = count_grid(
        prepared.dataset, prepared.detections, prepared.rule, GridChoice(), threads=threads
    )
    return _scores(dataset, grid.precision[..., -1])


def _scores(dataset: Dataset, precision: Floats) -> Scores:
    """Of [threshold, recall, class, area]."""
    return Scores(
        ap=mean_defined(precision[..., 0]),
        by_iou={
            iou: mean_defined(precision[row, ..., 0]) for row, iou in enumerate(IOU_THRESHOLDS)
        },
        by_size={
            SIZES[name]: float("nan") if dataset.relative else mean_defined(precision[..., area])
            for area, name in enumerate(AREA_RANGES)
            if area
        },
        by_class=precision[..., 0].mean(axis=(0, 1)),
        by_class_50=precision[0, ..., 0].mean(axis=0),
    )


def sampler(
    dataset: Dataset, detections: Detections, *, limited: bool, threads: int = 0
) -> Sampler:
    """COCO's grid over the detections, ready to be counted on any weighted images."""
    choice = GridChoice()
    if not limited:
        most = int(np.diff(detections.offsets).max(initial=0))
        choice = GridChoice(max_dets=(*MAX_DETS[:-1], max(MAX_DETS[-1], most)))
    prepared = prepare(
        prepare_dataset(dataset, "coco"), detections, "coco", max_dets=choice.max_dets[-1]
    )
    found = grid_sampler(prepared, choice, threads=threads)
    return found if limited else replace(found, walk=replace(found.walk, spacing=False))

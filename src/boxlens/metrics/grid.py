"""Precision on a grid of recalls for all classes, thresholds and areas, as COCO and LVIS count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from boxlens import _kernel
from boxlens.data import Dataset, Detections, check_tables
from boxlens.data.columns import Bools, Floats
from boxlens.errors import ParameterError
from boxlens.matching import MAX_CELLS, Matches, Rule, assign, find_overlaps, reachable
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.means import mean_defined
from boxlens.metrics.ranking import Ranking, rank

IOU_THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
# Closed at both ends: an area of 1024 is small and medium (METHODS 10).
AREA_RANGES: Mapping[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "s": (0.0, 32.0**2),
    "m": (32.0**2, 96.0**2),
    "l": (96.0**2, 1e10),
}
MAX_DETS = (1, 10, 100)


@dataclass(frozen=True, slots=True)
class GridChoice:
    """What to count: thresholds ascend, the last of max_dets is the one precision is counted at."""

    iou_thresholds: tuple[float, ...] = IOU_THRESHOLDS
    area_ranges: Mapping[str, tuple[float, float]] = field(default_factory=lambda: AREA_RANGES)
    max_dets: tuple[int, ...] = MAX_DETS
    recalls: tuple[float, ...] = tuple(COCO_RECALLS.tolist())
    with_scores: bool = False
    all_max_dets: bool = False
    tie_band: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Undefined (a class without objects) is NaN.

    precision, score: [threshold, recall, class, area, max_dets]; recall: without the recall axis.
    """

    choice: GridChoice
    precision: Floats
    score: Floats | None
    recall: Floats
    n_positive: npt.NDArray[np.int64]
    # AP over all areas with ties in their worst and best order, if asked for.
    tie_band: tuple[float, float] | None


def count_grid(
    dataset: Dataset,
    detections: Detections,
    rule: Rule,
    choice: GridChoice,
    *,
    det_dropped: Bools | None = None,
    det_unmatched_ignored: Bools | None = None,
    threads: int = 0,
) -> Grid:
    """Matches and counts; more cells than fit one word are done in several rounds."""
    _check(choice)
    check_tables(dataset, detections)
    ranking = rank(detections, len(dataset.classes), threads=threads)
    floor = reachable(choice.iou_thresholds[0])
    overlaps = find_overlaps(dataset, detections, rule, floor=floor, threads=threads)
    per_round = MAX_CELLS // len(choice.area_ranges)
    parts = []
    for start in range(0, len(choice.iou_thresholds), per_round):
        part = replace(choice, iou_thresholds=choice.iou_thresholds[start : start + per_round])
        matches = assign(
            dataset,
            detections,
            overlaps,
            rule,
            iou_thresholds=part.iou_thresholds,
            area_ranges=tuple(part.area_ranges.values()),
            max_dets=part.max_dets[-1],
            det_dropped=det_dropped,
            det_unmatched_ignored=det_unmatched_ignored,
            threads=threads,
        )
        parts.append(_count(dataset, detections, ranking, matches, part, threads=threads))
    return parts[0] if len(parts) == 1 else _join(parts, choice)


def positives_by_class_and_area(dataset: Dataset, matches: Matches) -> npt.NDArray[np.int64]:
    """[class, area]: objects that count."""
    n_classes = len(dataset.classes)
    columns = [
        np.bincount(dataset.gt.class_row[matches.positives(0, area)], minlength=n_classes)
        for area in range(len(matches.area_ranges))
    ]
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int64)


def _count(
    dataset: Dataset,
    detections: Detections,
    ranking: Ranking,
    matches: Matches,
    choice: GridChoice,
    *,
    threads: int,
) -> Grid:
    n_positive = positives_by_class_and_area(dataset, matches)

    counted_at = choice.max_dets if choice.all_max_dets else choice.max_dets[-1:]
    layers = [
        _kernel.accumulate(
            order=ranking.order,
            class_offsets=ranking.offsets,
            det_score=detections.score,
            det_tp=matches.det_tp,
            det_ignored=matches.det_ignored,
            det_rank=matches.det_rank,
            n_positive=n_positive,
            n_thresholds=len(choice.iou_thresholds),
            max_dets=max_dets,
            recalls=list(choice.recalls),
            with_scores=choice.with_scores,
            with_tie_band=choice.tie_band and max_dets == choice.max_dets[-1],
            threads=threads,
        )
        for max_dets in counted_at
    ]
    band = layers[-1][2]
    return Grid(
        choice=choice,
        precision=_threshold_first([precision for precision, _, _ in layers]),
        score=_threshold_first([score for _, score, _ in layers]) if choice.with_scores else None,
        recall=_recall(dataset, detections, matches, n_positive, choice),
        n_positive=n_positive,
        tie_band=(mean_defined(band[..., 0]), mean_defined(band[..., 1]))
        if choice.tie_band
        else None,
    )


def _threshold_first(layers: Sequence[Floats]) -> Floats:
    """[class, area, threshold, recall] of each limit -> [threshold, recall, class, area, limit]."""
    if len(layers) == 1:
        return layers[0].transpose(2, 3, 0, 1)[..., np.newaxis]
    return np.stack([layer.transpose(2, 3, 0, 1) for layer in layers], axis=-1)


def _recall(
    dataset: Dataset,
    detections: Detections,
    matches: Matches,
    n_positive: npt.NDArray[np.int64],
    choice: GridChoice,
) -> Floats:
    n_found = _kernel.count_true_positives(
        det_class=detections.class_row,
        det_tp=matches.det_tp,
        det_rank=matches.det_rank,
        n_classes=len(dataset.classes),
        n_areas=n_positive.shape[1],
        n_thresholds=len(choice.iou_thresholds),
        max_dets=list(choice.max_dets),
    )
    n_objects = np.where(n_positive > 0, n_positive, np.nan)
    by_limit: Floats = n_found / n_objects[np.newaxis, :, :, np.newaxis]
    return by_limit.transpose(3, 1, 2, 0)


def _join(parts: Sequence[Grid], choice: GridChoice) -> Grid:
    band = None
    if choice.tie_band:
        weights = [len(part.choice.iou_thresholds) for part in parts]
        ends = [part.tie_band or (float("nan"), float("nan")) for part in parts]
        low, high = np.average(ends, axis=0, weights=weights)
        band = (float(low), float(high))
    scores = [part.score for part in parts if part.score is not None]
    return Grid(
        choice=choice,
        precision=np.concatenate([part.precision for part in parts]),
        score=np.concatenate(scores) if scores else None,
        recall=np.concatenate([part.recall for part in parts]),
        n_positive=parts[0].n_positive,
        tie_band=band,
    )


def _check(choice: GridChoice) -> None:
    if len(choice.area_ranges) > MAX_CELLS:
        raise ParameterError(f"at most {MAX_CELLS} area ranges, got {len(choice.area_ranges)}")
    if not choice.max_dets or list(choice.max_dets) != sorted(set(choice.max_dets)):
        raise ParameterError(f"max_dets must ascend, got {list(choice.max_dets)}")
    if list(choice.recalls) != sorted(choice.recalls):
        raise ParameterError("recalls must ascend")

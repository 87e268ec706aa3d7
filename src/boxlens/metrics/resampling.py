"""Numbers of weighted copies of a test set: the ground that intervals and tests stand on.

What is weighted is a unit, usually an image: drawn twice it counts twice (METHODS 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens import _kernel
from boxlens.data.columns import Bits, Bools, Floats, Labels, Offsets, Rows
from boxlens.errors import ParameterError
from boxlens.matching import MAX_CELLS, Matches
from boxlens.metrics.average_precision import VOC07_RECALLS
from boxlens.metrics.grid import GridChoice
from boxlens.metrics.means import means_defined
from boxlens.metrics.protocols import Prepared
from boxlens.metrics.ranking import Ranking, rank
from boxlens.metrics.readings import Mean, Readings, grid_readings, ranked_readings

Weights = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Walk:
    """Detections in rank order, class after class, and the objects that count."""

    n_units: int
    class_offsets: Offsets
    det_unit: Rows
    det_score: Floats
    det_tp: Bits
    det_ignored: Bits
    # The first limit on detections that lets it pass.
    det_limit: npt.NDArray[np.uint8]
    # What a hit, and an object, counts; None: 1.
    det_value: Floats | None
    gt_class: Rows
    gt_unit: Rows
    # Bit: group of cells that share their positives.
    gt_positive: Bits
    gt_value: Floats | None
    n_thresholds: int
    n_groups: int
    n_limits: int
    # None: the area under the envelope.
    recalls: tuple[float, ...]
    # pycocotools adds one spacing to every count.
    spacing: bool

    @property
    def n_classes(self) -> int:
        return len(self.class_offsets) - 1


@dataclass(frozen=True, slots=True)
class Replicates:
    """NaN where a class has no objects in a replicate.

    ap: [replicate, class, group, threshold]; recall: the same and the limit; precision, if asked
    for: the same as ap and the recall.
    """

    ap: Floats
    recall: Floats
    precision: Floats | None


def replicate(
    walk: Walk,
    weights: Weights,
    *,
    normal: Floats | None = None,
    with_precision: bool = False,
    threads: int = 0,
) -> Replicates:
    """Counts every row of weights [replicate, unit]; `normal` is N of P_N, one per replicate."""
    ap, recall, precision = _kernel.resample(
        class_offsets=walk.class_offsets,
        det_unit=walk.det_unit,
        det_tp=walk.det_tp,
        det_ignored=walk.det_ignored,
        det_limit=walk.det_limit,
        det_value=walk.det_value,
        gt_class=walk.gt_class,
        gt_unit=walk.gt_unit,
        gt_positive=walk.gt_positive,
        gt_value=walk.gt_value,
        weights=np.ascontiguousarray(weights, dtype=np.int32),
        n_thresholds=walk.n_thresholds,
        n_groups=walk.n_groups,
        n_limits=walk.n_limits,
        recalls=list(walk.recalls),
        spacing=walk.spacing,
        normal=normal,
        with_precision=with_precision,
        threads=threads,
    )
    shape = (len(weights), walk.n_classes, walk.n_groups, walk.n_thresholds)
    return Replicates(
        ap=ap.reshape(shape),
        recall=recall.reshape(*shape, walk.n_limits),
        precision=precision.reshape(*shape, len(walk.recalls)) if with_precision else None,
    )


def read_whole(found: Replicates, mean: Mean) -> Floats:
    """[replicate]: over what is defined there."""
    values = _cells(found, mean)[:, mean.of]
    if not mean.known:
        return np.full(len(values), np.nan)
    return means_defined(values, (1, 2))


def read_classes(found: Replicates, mean: Mean) -> Floats:
    """[replicate, class]."""
    values: Floats = _cells(found, mean).mean(axis=-1)
    return values if mean.known else np.full_like(values, np.nan)


def _cells(found: Replicates, mean: Mean) -> Floats:
    """[replicate, class, threshold] of one area."""
    if mean.limit is None:
        return found.ap[:, :, mean.area, mean.at]
    return found.recall[:, :, mean.area, mean.at, mean.limit]


@dataclass(frozen=True, slots=True)
class Sampler:
    """One detector under one protocol: its walk, and the numbers that are read off it."""

    name: str
    walk: Walk
    readings: Readings


def grid_sampler(prepared: Prepared, choice: GridChoice, *, threads: int = 0) -> Sampler:
    """COCO and LVIS: all thresholds and areas."""
    areas = tuple(choice.area_ranges.values())
    n_cells = len(areas) * len(choice.iou_thresholds)
    if n_cells > MAX_CELLS:
        raise ParameterError(
            f"intervals are for at most {MAX_CELLS} pairs of IoU threshold and area, got {n_cells}"
        )
    matches = prepared.match(
        choice.iou_thresholds, area_ranges=areas, max_dets=choice.max_dets[-1], threads=threads
    )
    walk = walk_of(
        prepared,
        matches,
        limits=choice.max_dets,
        recalls=choice.recalls,
        spacing=True,
        threads=threads,
    )
    return Sampler(prepared.detections.name, walk, grid_readings(prepared, choice))


def ranked_sampler(
    prepared: Prepared, iou_thresholds: tuple[float, ...], *, threads: int = 0
) -> Sampler:
    """VOC and Open Images."""
    matches = prepared.match(iou_thresholds, threads=threads)
    recalls = tuple(VOC07_RECALLS.tolist()) if prepared.protocol == "voc07" else ()
    walk = walk_of(prepared, matches, recalls=recalls, threads=threads)
    return Sampler(prepared.detections.name, walk, ranked_readings(iou_thresholds))


def walk_of(
    prepared: Prepared,
    matches: Matches,
    *,
    limits: Sequence[int] = (),
    recalls: tuple[float, ...] = (),
    spacing: bool = False,
    threads: int = 0,
) -> Walk:
    """Images are the units; cells are those of the matches."""
    gt, detections = prepared.dataset.gt, prepared.detections
    ranking = rank(detections, len(prepared.dataset.classes), threads=threads)
    ranked, offsets = counted_rows(ranking, matches)
    n_areas = len(matches.area_ranges)
    positive = np.zeros(len(gt), dtype=np.uint64)
    for area in range(n_areas):
        positive |= matches.positives(0, area).astype(np.uint64) << np.uint64(area)
    det_tp, ignored = matches.det_tp[ranked], matches.det_ignored[ranked]
    det_value, gt_value = None, None
    if matches.counts_groups:
        weight, group = prepared.group_of_weight, matches.det_group[ranked]
        det_tp, ignored = (det_tp | group, ignored) if weight else (det_tp, ignored | group)
        det_value = np.where(group != 0, weight, 1.0)
        gt_value = np.where(gt.group_of, weight, 1.0)
    return Walk(
        n_units=len(prepared.dataset.images),
        class_offsets=offsets,
        det_unit=detections.image_row[ranked],
        det_score=detections.score[ranked],
        det_tp=det_tp,
        det_ignored=ignored,
        det_limit=np.searchsorted(limits, matches.det_rank[ranked], side="right").astype(np.uint8),
        det_value=det_value,
        gt_class=gt.class_row,
        gt_unit=gt.image_row,
        gt_positive=positive,
        gt_value=gt_value,
        n_thresholds=len(matches.iou_thresholds),
        n_groups=n_areas,
        n_limits=len(limits),
        recalls=recalls,
        spacing=spacing,
    )


def images_with_objects(walk: Walk, mean: Mean) -> int:
    """Units, usually images, that hold an object which counts for this mean."""
    counted = _counted(walk, mean)
    if mean.class_rows is not None:
        counted &= np.isin(walk.gt_class, mean.class_rows)
    return len(np.unique(walk.gt_unit[counted]))


def class_images_with_objects(walk: Walk, mean: Mean) -> npt.NDArray[np.int64]:
    """The same of every class."""
    counted = _counted(walk, mean)
    pairs = walk.gt_class[counted].astype(np.int64) * walk.n_units + walk.gt_unit[counted]
    return np.bincount(np.unique(pairs) // max(walk.n_units, 1), minlength=walk.n_classes)


def _counted(walk: Walk, mean: Mean) -> Bools:
    counted: Bools = (walk.gt_positive >> np.uint64(mean.area)) & np.uint64(1) == 1
    return counted


def top_kinds(
    walk: Walk, kind: Labels, n_kinds: int, weights: Weights, *, threads: int = 0
) -> npt.NDArray[np.int64]:
    """[replicate, class, kind]: the best-ranked detections, as many as a class has objects.

    `kind` is by row of the walk, METHODS 1.3.
    """
    counted = walk.gt_positive & np.uint64(1) != 0
    return _kernel.count_top_kinds(
        class_offsets=walk.class_offsets,
        det_unit=walk.det_unit,
        det_kind=kind,
        n_kinds=n_kinds,
        gt_class=walk.gt_class[counted],
        gt_unit=walk.gt_unit[counted],
        weights=np.ascontiguousarray(weights, dtype=np.int32),
        threads=threads,
    )


def counted_rows(ranking: Ranking, matches: Matches) -> tuple[Rows, Offsets]:
    """Ranked detections that take part, and where each class starts among them."""
    counted = matches.det_counted()[ranking.order]
    before = np.concatenate([[0], np.cumsum(counted)])
    return ranking.order[counted], before[ranking.offsets].astype(np.int64)

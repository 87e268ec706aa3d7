"""Borji and Iranmanesh's sequence: errors repaired one after the other, until AP is 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.matching import COCO, Matches, assign, find_overlaps, reachable
from boxlens.metrics.grid import AREA_RANGES, mean_defined, positives_by_class_and_area
from boxlens.metrics.json_form import number
from boxlens.studies.diagnosis.borji_orders import REPAIRS, Judged, subset_precision
from boxlens.studies.diagnosis.orders import repair_gains

if TYPE_CHECKING:
    from boxlens.data import Detections
    from boxlens.data.columns import Bools, Floats, Labels, Rows
    from boxlens.studies.diagnosis.evidence import Evidence
    from boxlens.studies.diagnosis.orders import RepairGain

STEPS = ("start", *REPAIRS)
# The subsets of repairs that the sequence passes through: none, the first, the first two, ...
_IN_TURN = [(1 << n_done) - 1 for n_done in range(len(STEPS))]
_WHOLE = (AREA_RANGES["all"],)


@dataclass(frozen=True, slots=True)
class BorjiResult:
    """AP at the foreground IoU at the start and after each of the four steps, cumulative."""

    ap: tuple[float, float, float, float, float]
    # [class, step]; NaN for a class without objects.
    class_ap: Floats
    classes: tuple[str, ...]
    # The first step that deletes or moves a detection (1, 2, 3), 0 where it stays. Step 3 also
    # deletes hits of the start whose object a moved box has taken at a higher score. -1 where it
    # is no error: beyond the limit, or excused at the start; the steps treat the latter like any
    # other, so that one of them may be moved onto an object that nothing else finds.
    det_step: Labels
    # 4 for objects that only the last step finds, 0 for found ones, -1 where it counts not.
    gt_step: Labels
    # All orders of the four repairs.
    orders: tuple[RepairGain, ...]

    def to_json(self) -> list[float | None]:
        """AP in the order of STEPS."""
        return [number(value) for value in self.ap]


@dataclass(frozen=True, slots=True)
class _Repair:
    """What steps 1 and 2 do to the detections."""

    deleted: Bools
    moved: Bools
    # The object a moved detection is put on.
    target: Rows


def borji(evidence: Evidence, *, threads: int = 0) -> BorjiResult:
    """METHODS 4.5, at the foreground IoU in every column.

    Every detection is repaired, also one that a crowd or a difficult object excuses; these are
    never targets of a repair. No step lowers AP where nothing is excused. Where an excused box is
    moved onto an object, the hit below it becomes a duplicate until step 3 deletes it.
    """
    start = assign(
        evidence.dataset,
        evidence.detections,
        evidence.pairs_where(evidence.same_class, evidence.overlaps.iou),
        COCO,
        iou_thresholds=(evidence.foreground_iou,),
        area_ranges=_WHOLE,
        threads=threads,
    )
    repair = _repair(evidence, start)
    judged = _judged_all(evidence, start, repair, threads=threads)
    n_positive = positives_by_class_and_area(evidence.dataset, start)[:, 0]
    precision = subset_precision(
        evidence, judged, start.det_rank, n_positive, max_dets=start.max_dets, threads=threads
    )
    # Everything repaired, every object has its detection and nothing else is left: exactly 1.
    precision[n_positive > 0, -1] = 1.0
    ap = np.array([mean_defined(precision[:, subset].T) for subset in range(precision.shape[1])])
    at_start, background, localization, duplicate, miss = ap[_IN_TURN].tolist()
    return BorjiResult(
        ap=(at_start, background, localization, duplicate, miss),
        class_ap=precision[:, _IN_TURN].mean(axis=-1),
        classes=evidence.dataset.classes.name,
        det_step=_det_step(start, judged[-1], repair),
        gt_step=np.where(start.positives(), np.where(judged[-1].found, 0, 4), -1).astype(np.int8),
        orders=repair_gains(REPAIRS, ap),
    )


def _repair(evidence: Evidence, start: Matches) -> _Repair:
    """By the largest IoU with a target, free or not; crowds and difficult objects are none."""
    is_target = evidence.same_class & start.positives()[evidence.overlaps.gt_row]
    iou, target = evidence.best(is_target)
    counted = start.det_counted()
    far = iou <= evidence.background_iou
    near = ~far & (iou < reachable(evidence.foreground_iou))
    return _Repair(counted & far, counted & near, target)


def _judged_all(
    evidence: Evidence, start: Matches, repair: _Repair, *, threads: int
) -> tuple[Judged, Judged, Judged, Judged]:
    """As found, without background boxes, with boxes moved, and with both."""
    counted = start.det_counted()
    everything = np.ones(len(counted), dtype=np.bool_)
    placed = _placed(evidence, repair)
    left = counted & ~repair.deleted

    def judge(table: Detections, kept: Bools, *, moved: bool) -> Judged:
        matches = _match(evidence, table.where(kept), threads=threads)
        return _judged(start, matches, kept, deleted=kept is left, moved=moved)

    return (
        _judged(start, start, everything, deleted=False, moved=False),
        judge(evidence.detections, left, moved=False),
        judge(placed, counted, moved=True),
        judge(placed, left, moved=True),
    )


def _judged(start: Matches, matches: Matches, kept: Bools, *, deleted: bool, moved: bool) -> Judged:
    """Matches of the detections that are kept, as columns of all detections."""
    hit, gone = np.zeros_like(kept), np.ones_like(kept)
    hit[kept] = matches.det_tp != 0
    gone[kept] = matches.det_ignored != 0
    return Judged(deleted, moved, hit, gone, ~start.positives() | (matches.gt_hit != 0))


def _match(evidence: Evidence, table: Detections, *, threads: int) -> Matches:
    foreground = evidence.foreground_iou
    overlaps = find_overlaps(
        evidence.dataset, table, COCO, floor=reachable(foreground), threads=threads
    )
    return assign(
        evidence.dataset,
        table,
        overlaps,
        COCO,
        iou_thresholds=(foreground,),
        area_ranges=_WHOLE,
        threads=threads,
    )


def _placed(evidence: Evidence, repair: _Repair) -> Detections:
    box = evidence.detections.box.copy()
    box[repair.moved] = evidence.dataset.gt.box[repair.target[repair.moved]]
    return replace(evidence.detections, box=box)


def _det_step(start: Matches, placed: Judged, repair: _Repair) -> Labels:
    step = np.where(placed.hit, 0, 3).astype(np.int8)
    step[repair.deleted] = 1
    step[repair.moved] = 2
    step[start.labels() == 0] = -1
    return step

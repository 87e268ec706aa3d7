"""Borji and Iranmanesh's sequence: errors repaired one after the other, until AP is 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from boxlens.data import Detections
from boxlens.data.columns import Bits, Bools, Floats, Labels, Rows
from boxlens.matching import COCO, Matches, assign, find_overlaps, reachable
from boxlens.metrics.cells import cell_precision
from boxlens.metrics.grid import AREA_RANGES, positives_by_class_and_area
from boxlens.metrics.json_form import number
from boxlens.metrics.means import mean_defined
from boxlens.metrics.ranking import rank_rows
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.orders import RepairGain, repair_gains, subsets

REPAIRS = ("background", "localization", "duplicate", "miss")
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
class _Judged:
    """What COCO's rule says after step 1, step 2, both or neither."""

    # Whether boxes on background are deleted, and poorly placed ones moved.
    deleted: bool
    moved: bool
    hit: Bools
    # Detections that count neither way: deleted, excused or beyond the limit.
    gone: Bools
    # Objects that are hit or do not count.
    found: Bools


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
    precision = _subset_precision(
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
) -> tuple[_Judged, _Judged, _Judged, _Judged]:
    """As found, without background boxes, with boxes moved, and with both."""
    counted = start.det_counted()
    everything = np.ones(len(counted), dtype=np.bool_)
    placed = _placed(evidence, repair)
    left = counted & ~repair.deleted

    def judge(table: Detections, kept: Bools, *, moved: bool) -> _Judged:
        matches = _match(evidence, table.where(kept), threads=threads)
        return _judged(start, matches, kept, deleted=kept is left, moved=moved)

    return (
        _judged(start, start, everything, deleted=False, moved=False),
        judge(evidence.detections, left, moved=False),
        judge(placed, counted, moved=True),
        judge(placed, left, moved=True),
    )


def _judged(
    start: Matches, matches: Matches, kept: Bools, *, deleted: bool, moved: bool
) -> _Judged:
    """Matches of the detections that are kept, as columns of all detections."""
    hit, gone = np.zeros_like(kept), np.ones_like(kept)
    hit[kept] = matches.det_tp != 0
    gone[kept] = matches.det_ignored != 0
    return _Judged(deleted, moved, hit, gone, ~start.positives() | (matches.gt_hit != 0))


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


def _det_step(start: Matches, placed: _Judged, repair: _Repair) -> Labels:
    step = np.where(placed.hit, 0, 3).astype(np.int8)
    step[repair.deleted] = 1
    step[repair.moved] = 2
    step[start.labels() == 0] = -1
    return step


def _subset_precision(
    evidence: Evidence,
    judged: Sequence[_Judged],
    det_rank: Rows,
    n_positive: npt.NDArray[np.int64],
    *,
    max_dets: int,
    threads: int = 0,
) -> Floats:
    """[class, subset of REPAIRS, recall]; `judged` has all four combinations of steps 1 and 2.

    A repair left out is simply not made: without step 2 step 3 deletes the poorly placed boxes.
    """
    gt = evidence.dataset.gt
    added = np.flatnonzero(~np.logical_and.reduce([state.found for state in judged]))
    tp, gone, added_tp = _bits(judged, added)
    # An added object stands above every detection, whatever scores the detector gives.
    score = np.concatenate([np.full(len(added), np.inf), evidence.detections.score])
    class_row = np.concatenate([gt.class_row[added], evidence.detections.class_row])
    return cell_precision(
        rank_rows(class_row, score, len(n_positive), threads=threads),
        score,
        np.concatenate([added_tp, tp]),
        np.concatenate([~added_tp, gone]),
        np.concatenate([np.zeros(len(added), dtype=np.int32), det_rank]),
        np.repeat(n_positive[:, np.newaxis], 1 << len(REPAIRS), axis=1),
        max_dets=max_dets,
        threads=threads,
    )


def _bits(judged: Sequence[_Judged], added: npt.NDArray[np.int64]) -> tuple[Bits, Bits, Bits]:
    """Hits and don't-cares among detections, and added objects; a bit for every subset."""
    chosen = subsets(len(REPAIRS))
    tp, gone = np.zeros((2, len(judged[0].hit)), dtype=np.uint64)
    added_tp = np.zeros(len(added), dtype=np.uint64)
    for state in judged:
        here = (chosen[:, 0] == state.deleted) & (chosen[:, 1] == state.moved)
        tp |= _worlds(here) * state.hit
        gone |= _worlds(here) * state.gone
        gone |= _worlds(here & chosen[:, 2]) * ~state.hit
        added_tp |= _worlds(here & chosen[:, 3]) * ~state.found[added]
    return tp, gone, added_tp


def _worlds(chosen: Bools) -> np.uint64:
    """The bits of some subsets."""
    return np.uint64(sum(1 << int(row) for row in np.flatnonzero(chosen)))

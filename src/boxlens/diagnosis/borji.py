"""Borji and Iranmanesh's sequence: errors repaired one after the other, until AP is 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.diagnosis.borji_orders import repair_orders
from boxlens.matching import COCO, Matches, assign, find_overlaps, reachable
from boxlens.metrics.cells import cell_precision
from boxlens.metrics.grid import AREA_RANGES, mean_defined, positives_by_class_and_area
from boxlens.metrics.results import number

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data import Detections
    from boxlens.data.columns import Bits, Bools, Floats, Labels, Rows
    from boxlens.diagnosis.evidence import Evidence
    from boxlens.diagnosis.orders import RepairGain

STEPS = ("start", "background", "localization", "duplicate", "miss")
_WHOLE = (AREA_RANGES["all"],)


@dataclass(frozen=True, slots=True)
class BorjiResult:
    """AP at the foreground IoU at the start and after each of the four steps, cumulative."""

    ap: tuple[float, float, float, float, float]
    # [class, step]; NaN for a class without objects.
    class_ap: Floats
    classes: tuple[str, ...]
    # The first step that deletes or moves a detection (1, 2, 3), 0 where it stays, -1 where it
    # takes no part (ignored at the start, beyond the limit). Step 3 also deletes hits of the start
    # whose object a moved box has taken at a higher score.
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
    """What steps 1 and 2 do to the false positives of the start."""

    deleted: Bools
    moved: Bools
    # The object a moved detection is put on.
    target: Rows


def borji(evidence: Evidence, *, threads: int = 0) -> BorjiResult:
    """METHODS 4.5, at the foreground IoU in every column.

    Only false positives are repaired: a detection that is ignored because of a crowd or a
    difficult object stays so. Moving it onto a target could only take that target from a hit.
    """
    dataset, detections = evidence.dataset, evidence.detections
    start = assign(
        dataset,
        detections,
        evidence.pairs_where(evidence.same_class, evidence.overlaps.iou),
        COCO,
        iou_thresholds=(evidence.foreground_iou,),
        area_ranges=_WHOLE,
        threads=threads,
    )
    repair = _repair(evidence, start)
    left = start.det_counted() & ~repair.deleted
    placed = _match_placed(evidence, repair, left, threads=threads)
    det_tp, det_ignored = _cells(start, placed, repair, left)
    n_positive = positives_by_class_and_area(dataset, start)
    precision = cell_precision(
        evidence.ranking,
        detections.score,
        det_tp,
        det_ignored,
        start.det_rank,
        np.repeat(n_positive, len(STEPS) - 1, axis=1),
        max_dets=start.max_dets,
        threads=threads,
    )
    # Every object has its detection then and nothing else is left, so that this needs no counting.
    repaired = np.where(n_positive[:, :, np.newaxis] > 0, np.ones(precision.shape[-1]), np.nan)
    precision = np.concatenate([precision, repaired], axis=1)
    at_start, background, localization, duplicate, miss = (
        mean_defined(precision[:, step].T) for step in range(len(STEPS))
    )
    return BorjiResult(
        ap=(at_start, background, localization, duplicate, miss),
        class_ap=precision.mean(axis=-1),
        classes=dataset.classes.name,
        det_step=_det_step(start, placed, repair, left),
        gt_step=np.where(start.positives(), np.where(placed.gt_hit != 0, 0, 4), -1).astype(np.int8),
        orders=_orders(evidence, start, placed, repair, left, n_positive[:, 0], threads=threads),
    )


def _orders(
    evidence: Evidence,
    start: Matches,
    placed: Matches,
    repair: _Repair,
    left: Bools,
    n_positive: npt.NDArray[np.int64],
    *,
    threads: int,
) -> tuple[RepairGain, ...]:
    hit_placed, ignored_placed = np.zeros((2, len(left)), dtype=np.bool_)
    hit_placed[left] = placed.det_tp != 0
    ignored_placed[left] = placed.det_ignored != 0
    counts_not = ~start.positives()
    return repair_orders(
        evidence,
        hit=(start.det_tp != 0, hit_placed),
        ignored=(start.det_ignored != 0, ignored_placed),
        found=(counts_not | (start.gt_hit != 0), counts_not | (placed.gt_hit != 0)),
        background=repair.deleted,
        det_rank=start.det_rank,
        n_positive=n_positive,
        max_dets=start.max_dets,
        threads=threads,
    )


def _repair(evidence: Evidence, start: Matches) -> _Repair:
    """By the largest IoU with a target, free or not; crowds and difficult objects are none."""
    is_target = evidence.same_class & start.positives()[evidence.overlaps.gt_row]
    iou, target = evidence.best(is_target)
    wrong = start.labels() < 0
    far = iou <= evidence.background_iou
    near = ~far & (iou < reachable(evidence.foreground_iou))
    return _Repair(wrong & far, wrong & near, target)


def _match_placed(evidence: Evidence, repair: _Repair, left: Bools, *, threads: int) -> Matches:
    """Matches of the detections left after step 1, with the boxes of step 2."""
    table = _placed(evidence, repair).where(left)
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


def _cells(start: Matches, placed: Matches, repair: _Repair, left: Bools) -> tuple[Bits, Bits]:
    """True positives and don't-cares, one bit a step; what is deleted is a don't-care."""
    det_tp = start.det_tp * np.uint64(0b0011)
    det_tp[left] |= placed.det_tp * np.uint64(0b1100)
    det_ignored = start.det_ignored * np.uint64(0b0011)
    det_ignored[repair.deleted] |= np.uint64(0b1110)
    det_ignored[left] |= placed.det_ignored * np.uint64(0b0100)
    # Step 3 deletes whatever is no hit.
    det_ignored |= ~det_tp & np.uint64(0b1000)
    return det_tp, det_ignored


def _det_step(start: Matches, placed: Matches, repair: _Repair, left: Bools) -> Labels:
    step = np.zeros(len(left), dtype=np.int8)
    step[left] = np.where(placed.det_tp != 0, 0, 3)
    step[repair.deleted] = 1
    step[repair.moved] = 2
    step[start.labels() == 0] = -1
    return step

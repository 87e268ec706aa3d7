"""Whether a candidate is what its label says, under every scheme, whatever else is planted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.data import Detections
from boxlens.data.columns import Bools, Boxes, Floats, Rows
from boxlens.matching import COCO, find_overlaps
from boxlens.scenes.planting.ground import Ground
from boxlens.scenes.planting.kinds import Kind
from boxlens.scenes.planting.recipe import MARGIN

MANY = 20_000


@dataclass(frozen=True, slots=True)
class Candidates:
    """Boxes of one kind, made from objects (-1: from none); images ascend."""

    kind: Kind
    gt_row: Rows
    image_row: Rows
    class_row: Rows
    box: Boxes
    # Touches no other object of its class, though it need not (detections beside the main one).
    clean: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    holds: Bools
    # With its own object.
    iou: Floats
    # Touches no other object of its class.
    alone: Bools


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Every candidate with every object that it touches."""

    row: Rows
    gt_row: Rows
    own: Bools
    same_class: Bools
    iou: Floats
    # As the IoU, but for crowds the share of the candidate inside.
    cover: Floats


def judge(ground: Ground, candidates: Candidates, unfixed: Bools) -> Verdict:
    """Whether the overlaps of each candidate with all objects leave no other reading of its label.

    - correct, ignored: no object of its class overlaps it as much as its own, so that COCO, VOC
      and Hoiem give it that object (METHODS 0.5).
    - poorly placed: likewise, and it reaches the foreground IoU with no object of its class.
    - duplicate: of its class it touches its own object only, taken by a higher score; it reaches
      the foreground IoU with no object of another class: TIDE would see a confusion (METHODS 9.2).
    - confused: it touches no object of the class it names; its own object is the one it overlaps
      most (METHODS 1.2, both forms); if dissimilar, it touches no object of a class like its own.
    - background: it touches nothing.

    "Touches" means the background IoU. For crowds the share of the detection inside them counts
    as overlap, since a scheme may see them either way. Nothing touches an `unfixed` object, which
    is to stay missed, in a way that a repair could use (METHODS 9.2, Miss).
    """
    pairs = _pairs(ground, candidates)
    n = len(candidates.gt_row)
    iou = np.full(n, np.nan)
    iou[pairs.row[pairs.own]] = pairs.iou[pairs.own]
    holds = candidates.box[:, 2:].min(axis=1, initial=np.inf) > 0
    if candidates.kind is not Kind.BACKGROUND:
        low, high = ground.recipe.band(candidates.kind)
        holds &= iou > low + MARGIN
        if high < 1:
            holds &= iou < high - MARGIN
    holds[pairs.row[_spoilt(ground, candidates, pairs, iou, unfixed)]] = False
    alone = np.ones(n, dtype=np.bool_)
    alone[pairs.row[~pairs.own & pairs.same_class]] = False
    return Verdict(holds, iou, alone)


def _spoilt(
    ground: Ground,
    candidates: Candidates,
    pairs: _Pairs,
    own_iou: Floats,
    unfixed: Bools,
) -> Bools:
    """The pairs that make a label untrue or doubtful; `judge` gives the reasons."""
    kind, other, same = candidates.kind, ~pairs.own, pairs.same_class
    if kind is Kind.BACKGROUND or ground.recipe.isolated:
        return other
    # Where the own object is out of reach the candidate has failed already.
    rival = pairs.iou > np.nan_to_num(own_iou)[pairs.row] - MARGIN
    reached = pairs.cover >= ground.recipe.foreground_iou - MARGIN
    if kind is Kind.DUPLICATE:
        return other & (same | reached)
    if kind.confused:
        spoilt = same | rival | (reached & unfixed[pairs.gt_row])
        if kind.dissimilar:
            named = candidates.class_row[pairs.row]
            spoilt |= ground.similar[named, ground.gt.class_row[pairs.gt_row]]
        return other & spoilt
    if candidates.clean:
        return other & same
    if kind is Kind.LOCALIZATION:
        return other & same & (rival | reached | unfixed[pairs.gt_row])
    if kind is Kind.IGNORED:
        return other & same & (rival | ~ground.ignored[pairs.gt_row])
    return other & same & rival


def _pairs(ground: Ground, candidates: Candidates) -> _Pairs:
    gt = ground.gt
    table = Detections.of(
        "candidates",
        len(ground.dataset.images),
        image_row=candidates.image_row,
        class_row=candidates.class_row,
        box=candidates.box,
        score=np.zeros(len(candidates.gt_row)),
    )
    floor = ground.recipe.background_iou - MARGIN
    # Threads cost more than they bring for the few that are tried again.
    threads = 0 if len(table) >= MANY else 1
    overlaps = find_overlaps(
        ground.dataset, table, COCO, floor=floor, same_class=False, threads=threads
    )
    row = np.repeat(np.arange(len(table), dtype=np.int32), np.diff(overlaps.offsets))
    gt_row = overlaps.gt_row
    iou = overlaps.iou.copy()
    region = overlaps.region[gt_row]
    area = candidates.box[row[region], 2:].prod(axis=1)
    common = iou[region] * area
    iou[region] = common / (area + gt.box[gt_row[region], 2:].prod(axis=1) - common)
    return _Pairs(
        row=row,
        gt_row=gt_row,
        own=candidates.gt_row[row] == gt_row,
        same_class=candidates.class_row[row] == gt.class_row[gt_row],
        iou=iou,
        cover=overlaps.iou,
    )

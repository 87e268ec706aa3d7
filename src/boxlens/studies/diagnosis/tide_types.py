"""The kind of every error under TIDE, and the object it could be repaired into (METHODS 9.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from boxlens.data.columns import Bools, Floats, Labels, Rows
from boxlens.matching import COCO, HOIEM, Matches, assign
from boxlens.studies.diagnosis.evidence import Evidence

MAX_DETS = 100


class TideType(IntEnum):
    """The verdict on a detection; MISS is one on an object."""

    CLS = 0
    LOC = 1
    BOTH = 2
    DUPE = 3
    BKG = 4
    MISS = 5
    CORRECT = 6
    # On a crowd or difficult object.
    IGNORED = 7
    # Beyond the limit of detections per image.
    BEYOND = 8

    @property
    def label(self) -> str:
        return self.name.lower()


ERRORS = (
    TideType.CLS,
    TideType.LOC,
    TideType.BOTH,
    TideType.DUPE,
    TideType.BKG,
    TideType.MISS,
)


@dataclass(frozen=True, slots=True)
class TideTypes:
    """Who is wrong in which way."""

    # A TideType by detection; with tidecv's quirks ignored detections have a type, too.
    det_type: Labels
    # The object of a CLS or LOC error, -1 for others.
    target: Rows
    # The one detection that a repair turns into a hit of its target.
    candidate: Bools
    # Takes part in no curve: ignored, or beyond the limit.
    unseen: Bools
    # By object.
    positive: Bools
    found: Bools
    missed: Bools
    det_rank: Rows
    max_dets: int


def tide_types(
    evidence: Evidence, *, max_dets: int = MAX_DETS, quirks: bool = False, threads: int = 0
) -> TideTypes:
    """With `quirks`, ties and ignored detections go tidecv's way (docs/diagnose.md)."""
    ignored_object = evidence.ignored
    regular = ~ignored_object[evidence.overlaps.gt_row]
    matches = _match(evidence, regular, max_dets, quirks=quirks, threads=threads)
    labels = matches.labels()
    counted = matches.det_counted()
    if quirks:
        labels[(labels < 0) & _inside_region(evidence)] = 0
    same_iou, same_row = evidence.best(regular & evidence.same_class, last=not quirks)
    other_iou, other_row = evidence.best(regular & ~evidence.same_class, last=not quirks)
    det_type = _types(evidence, same_iou, other_iou)
    det_type[labels > 0] = TideType.CORRECT
    if not quirks:
        det_type[labels == 0] = TideType.IGNORED
    det_type[~counted] = TideType.BEYOND
    target = np.full(len(labels), -1, dtype=np.int32)
    for kind, row in ((TideType.CLS, other_row), (TideType.LOC, same_row)):
        of_kind = det_type == kind
        target[of_kind] = row[of_kind]
    found = matches.gt_hit != 0
    candidate = _candidates(evidence.detections.score, target, found)
    fixable = np.zeros(len(found), dtype=np.bool_)
    fixable[target[candidate]] = True
    return TideTypes(
        det_type=det_type,
        target=target,
        candidate=candidate,
        unseen=(labels == 0),
        positive=~ignored_object,
        found=found & ~ignored_object,
        missed=~ignored_object & ~found & ~fixable,
        det_rank=matches.det_rank,
        max_dets=max_dets,
    )


def _match(
    evidence: Evidence, regular: Bools, max_dets: int, *, quirks: bool, threads: int
) -> Matches:
    """At most `max_dets` an image over all classes; a region ignores above, not at, the IoU."""
    rule = replace(HOIEM if quirks else COCO, max_dets=max_dets, max_dets_per_class=False)
    overlap = evidence.overlaps.iou
    region = evidence.overlaps.region[evidence.overlaps.gt_row]
    keep = evidence.same_class & (regular if quirks else True)
    if not quirks:
        keep = keep & ~(region & (overlap <= evidence.foreground_iou))
    return assign(
        evidence.dataset,
        evidence.detections,
        evidence.pairs_where(keep, overlap),
        rule,
        iou_thresholds=(evidence.foreground_iou,),
        threads=threads,
    )


def _inside_region(evidence: Evidence) -> Bools:
    """Detections of which more than the foreground IoU lies in an ignored object of their class."""
    inside = (
        evidence.same_class
        & evidence.ignored[evidence.overlaps.gt_row]
        & (evidence.overlaps.iou > evidence.foreground_iou)
    )
    result = np.zeros(len(evidence.detections), dtype=np.bool_)
    result[evidence.det_row[inside]] = True
    return result


def _types(evidence: Evidence, same_iou: Floats, other_iou: Floats) -> Labels:
    """As if no detection were right; the order of the rules is TIDE's."""
    high, low = evidence.foreground_iou, evidence.background_iou
    rules = (
        (TideType.LOC, (low <= same_iou) & (same_iou <= high)),
        (TideType.CLS, other_iou >= high),
        (TideType.DUPE, same_iou >= high),
        (TideType.BKG, np.maximum(same_iou, other_iou) <= low),
    )
    chosen = np.select(
        [holds for _, holds in rules], [int(kind) for kind, _ in rules], TideType.BOTH
    )
    return chosen.astype(np.int8)


def _candidates(score: Floats, target: Rows, found: Bools) -> Bools:
    """Of all errors on an object nobody found, the highest score, the first of equals."""
    usable = np.flatnonzero(target >= 0)
    usable = usable[~found[target[usable]]]
    best_first = usable[np.argsort(-score[usable], kind="stable")]
    best = np.full(len(found), -1, dtype=np.int64)
    # Of several writes to one place the last stays.
    best[target[best_first[::-1]]] = best_first[::-1]
    chosen = np.zeros(len(score), dtype=np.bool_)
    chosen[best[best >= 0]] = True
    return chosen

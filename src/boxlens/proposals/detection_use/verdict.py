"""What correlations and oracles come to, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.data.columns import Floats
    from boxlens.proposals.detection_use.correlation_result import (
        ProposalCorrelationResult,
        RecallCorrelation,
    )
    from boxlens.proposals.detection_use.oracle_result import (
        DetectorOracles,
        DetectorScores,
        ProposalOracleResult,
    )

# With fewer, a correlation of .7 comes about by chance in more than one case of twenty.
FEW_METHODS = 9
# Correlations closer than this are called alike; so are changes of AP.
ALIKE_R, ALIKE_AP = 0.02, 0.005
# A fall of the scaled score below its top that is told.
TOLD_FALL = 0.05


def correlation_sentences(result: ProposalCorrelationResult) -> list[str]:
    """Detector by detector."""
    overall = [one for one in result.correlations if not one.class_name]
    known = [one for one in overall if not math.isnan(one.with_ar)]
    if not known:
        n = max((one.n_methods for one in overall), default=0)
        reason = "at least three that differ are needed"
        return [f"No correlation can be told: {n} methods have proposals and a score, {reason}."]
    found = []
    for one in known:
        found += [_how_close(one), *_best_overlap(one), *_class_by_class(one.detector, result)]
    fewest = min(one.n_methods for one in known)
    if fewest < FEW_METHODS:
        found.append(
            f"With {fewest} methods, correlations as high as .7 come about by chance more than "
            "once in twenty times."
        )
    return found


def oracle_sentences(result: ProposalOracleResult) -> list[str]:
    """Detector by detector: what the oracles bring, then how its scores go by overlap."""
    found = []
    for shape in result.scores:
        mine = [one for one in result.oracles if one.detector == shape.detector]
        found += [_brought(max(mine, key=_without_help)), *_over_methods(mine), *_shape(shape)]
    return found


def _named(detector: str) -> str:
    return detector or "the detector"


def _how_close(one: RecallCorrelation) -> str:
    return (
        f"Over {one.n_methods} methods, mAP of {_named(one.detector)} goes with average recall "
        f"by r = {one.with_ar:.3f}, and with that up to an IoU of .7 by "
        f"{_r(one.with_partial_ar)}."
    )


def _r(value: float) -> str:
    return "an unknown r" if math.isnan(value) else f"r = {value:.3f}"


def _best_overlap(one: RecallCorrelation) -> Iterator[str]:
    if np.isnan(one.at_iou).all():
        return
    best = int(np.nanargmax(one.at_iou))
    text = (
        f"Recall at an IoU of {one.ious[best]:.3g} foretells it best (r = {one.at_iou[best]:.3f})"
    )
    at_half = float(one.at_iou[0])
    if best and not math.isnan(at_half):
        text += f"; recall at .5 has r = {at_half:.3f}"
    if abs(one.at_iou[best] - one.with_ar) < ALIKE_R:
        text += "; average recall does as well without choosing an overlap"
    yield f"{text}."


def _class_by_class(detector: str, result: ProposalCorrelationResult) -> Iterator[str]:
    values = [
        one.with_ar
        for one in result.correlations
        if one.class_name and one.detector == detector and not math.isnan(one.with_ar)
    ]
    if len(values) > 1:
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
        yield (
            f"Class by class the median r with average recall is {middle:.3f} over {len(values)} "
            f"classes, half of them between {low:.3f} and {high:.3f}."
        )


def _without_help(one: DetectorOracles) -> float:
    """AP50 by which the best method is chosen; undefined is the least."""
    ap50 = _ap50(one).get("none", math.nan)
    return -math.inf if math.isnan(ap50) else ap50


def _ap50(one: DetectorOracles) -> dict[str, float]:
    return {score.oracle: score.ap50 for score in one.scores}


def _gains(one: DetectorOracles) -> dict[str, float]:
    ap = _ap50(one)
    return {name: ap[name] - ap["none"] for name in ("gt", "nms", "gt+nms")}


def _brought(one: DetectorOracles) -> str:
    ap = _ap50(one)
    if any(map(math.isnan, ap.values())):
        return f"{one.detector}: no class has objects, so no oracle can be asked."
    if not one.method:
        return (
            f"{one.detector}: without false positives beside true ones, AP50 would be "
            f"{ap['nms']:.3f} instead of {ap['raw']:.3f} ({ap['nms'] - ap['raw']:+.3f})."
        )
    gains = _gains(one)
    return (
        f"{one.detector} on {one.budget:,} proposals of {one.method}: AP50 {ap['none']:.3f} "
        f"({ap['raw']:.3f} unfiltered); perfect proposals bring {gains['gt']:+.3f}, perfect "
        f"suppression {gains['nms']:+.3f}, both {gains['gt+nms']:+.3f}. "
        f"{_held_back_by(gains['gt'], gains['nms'])}"
    )


def _held_back_by(proposals: float, suppression: float) -> str:
    if max(proposals, suppression) < ALIKE_AP:
        return "Neither holds it back."
    if abs(proposals - suppression) < ALIKE_AP:
        return "Both hold it back alike."
    if proposals > suppression:
        return "Proposals hold it back more than suppression."
    return "Suppression holds it back more than proposals."


def _over_methods(oracles: Sequence[DetectorOracles]) -> Iterator[str]:
    """Where there are several, the best one was told in full."""
    gains = [_gains(one) for one in oracles if one.method]
    if len(gains) < 2 or any(math.isnan(value) for one in gains for value in one.values()):
        return
    spans = {name: [one[name] for one in gains] for name in ("gt", "nms")}
    (gt_low, gt_high), (nms_low, nms_high) = ((min(one), max(one)) for one in spans.values())
    yield (
        f"Of {len(gains)} methods that one is best; over all of them perfect proposals bring "
        f"{gt_low:+.3f} to {gt_high:+.3f}, perfect suppression {nms_low:+.3f} to {nms_high:+.3f}."
    )


def _shape(one: DetectorScores) -> Iterator[str]:
    mean, edges = one.by_iou.mean, one.by_iou.edges
    filled = np.flatnonzero(~np.isnan(mean))
    if not len(filled):
        return
    top, last = int(np.nanargmax(mean)), int(filled[-1])
    text = f"Scores of {one.detector} are highest at an IoU of {_span(edges, top)}"
    if mean[top] - mean[last] > TOLD_FALL:
        text += (
            f", and lower again ({mean[last]:.2f} instead of {mean[top]:.2f}) at "
            f"{_span(edges, last)}: the best box is not the best scored"
        )
    yield f"{text}."


def _span(edges: Floats, row: int) -> str:
    return f"{edges[row]:.2f} to {edges[row + 1]:.2f}"

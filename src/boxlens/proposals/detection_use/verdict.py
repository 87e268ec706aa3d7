"""What correlations and oracles come to, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boxlens.proposals.words import counted, enumerated, fraction, gain

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

# With fewer methods it is always told what chance reaches.
FEW_METHODS = 9
# How often chance may reach a correlation that is called one.
CHANCE = 0.05
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
        have = f"{counted(n, 'method')} {'has' if n == 1 else 'have'} proposals and a score"
        return [f"No correlation can be told: {have}, at least three that differ are needed."]
    found = []
    for one in known:
        found += [_how_close(one), *_best_overlap(one), *_class_by_class(one.detector, result)]
    return [*found, *_by_chance(known)]


def r_by_chance(n_methods: int) -> float:
    """Pearson's r of unrelated numbers lies beyond, either way, once in twenty times."""
    from scipy.special import stdtrit

    freedom = n_methods - 2
    t = float(stdtrit(freedom, 1 - CHANCE / 2))
    return t / math.sqrt(freedom + t * t)


def oracle_sentences(result: ProposalOracleResult) -> list[str]:
    """Detector by detector: what the oracles bring, then how its scores go by overlap."""
    found = []
    for shape in result.scores:
        mine = [one for one in result.oracles if one.detector == shape.detector]
        best = max(mine, key=_without_help)
        found += [
            *_brought(best, result),
            *_over_methods(mine, best.method),
            *_shape(shape),
        ]
    return found


def _named(detector: str) -> str:
    return detector or "the detector"


def _overlap(iou: float) -> str:
    """.5, .525, 1."""
    return f"{iou:.3g}".removeprefix("0") or "0"


def _how_close(one: RecallCorrelation) -> str:
    partial = one.with_partial_ar
    return (
        f"Over {counted(one.n_methods, 'method')}, mAP of {_named(one.detector)} goes with average "
        f"recall by r = {fraction(one.with_ar)}, and with that up to an IoU of .7 by "
        f"{'an unknown r' if math.isnan(partial) else f'r = {fraction(partial)}'}."
    )


def _best_overlap(one: RecallCorrelation) -> Iterator[str]:
    n_known = int((~np.isnan(one.at_iou)).sum())
    if not n_known:
        return
    best = int(np.nanargmax(one.at_iou))
    r = float(one.at_iou[best])
    sure = r >= r_by_chance(one.n_methods)
    does = "foretells it best" if sure else "goes with it most, but not beyond chance"
    text = (
        f"Recall at an IoU of {_overlap(float(one.ious[best]))} {does} "
        f"(r = {fraction(r)}, the largest of {counted(n_known, 'correlation')})"
    )
    at_half = float(one.at_iou[0])
    if best and not math.isnan(at_half):
        text += f"; recall at .5 has r = {fraction(at_half)}"
    if sure and abs(r - one.with_ar) < ALIKE_R:
        text += "; average recall does as well without choosing an overlap"
    yield f"{text}."


def _by_chance(known: Sequence[RecallCorrelation]) -> Iterator[str]:
    """Where methods are few, or a correlation could be chance."""
    doubtful = {
        one.n_methods
        for one in known
        if one.n_methods < FEW_METHODS or one.with_ar < r_by_chance(one.n_methods)
    }
    if doubtful:
        told = [f"{fraction(r_by_chance(n))} with {counted(n, 'method')}" for n in sorted(doubtful)]
        yield (
            f"By chance alone r lies beyond {enumerated(told)} once in twenty times, either way; "
            "the largest of several does so more often."
        )


def _class_by_class(detector: str, result: ProposalCorrelationResult) -> Iterator[str]:
    values = [
        one.with_ar
        for one in result.correlations
        if one.class_name and one.detector == detector and not math.isnan(one.with_ar)
    ]
    if len(values) > 1:
        low, middle, high = map(fraction, np.quantile(values, (0.25, 0.5, 0.75)).tolist())
        yield (
            f"Class by class the median r with average recall is {middle} over {len(values)} "
            f"classes, half of them between {low} and {high}."
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


def _brought(one: DetectorOracles, result: ProposalOracleResult) -> Iterator[str]:
    ap = _ap50(one)
    if any(map(math.isnan, ap.values())):
        yield f"{one.detector}: no class has objects, so no oracle can be asked."
        return
    if not one.method:
        yield f"{one.detector}: without false positives beside true ones, {_suppressed(ap)}."
        return
    gains = _gains(one)
    conclusion = (
        f"Detections of {one.detector} were suppressed before: this file cannot tell whether "
        "proposals or suppression hold it back."
        if _suppressed_before(one.detector, result)
        else _held_back_by(one.detector, gains["gt"], gains["nms"])
    )
    yield (
        f"{one.detector} on {counted(one.budget or 0, 'proposal')} of {one.method}: AP50 "
        f"{fraction(ap['none'])} ({fraction(ap['raw'])} unfiltered); perfect proposals bring "
        f"{gain(gains['gt'])}, perfect suppression {gain(gains['nms'])}, both "
        f"{gain(gains['gt+nms'])}. {conclusion}"
    )
    if fraction(ap["gt"]) != fraction(ap["raw"]) and ap["gt"] < ap["raw"]:
        iou = _overlap(result.parameters["filter_iou"])
        yield (
            f"With perfect proposals {one.detector} stays below its unfiltered detections "
            f"({fraction(ap['gt'])}, not {fraction(ap['raw'])}): the filter at {iou} and "
            "suppression take detections away, and perfect proposals bring back only those that "
            f"overlap an object by more than {iou}."
        )


def _suppressed(ap: dict[str, float]) -> str:
    before, after = fraction(ap["raw"]), fraction(ap["nms"])
    if before == after:
        return f"AP50 would stay {before}"
    return f"AP50 would be {after} instead of {before} ({gain(ap['nms'] - ap['raw'])})"


def _suppressed_before(detector: str, result: ProposalOracleResult) -> bool:
    """The notice begins with the name."""
    return any(
        one.code == "not_raw" and one.message.startswith(f"{detector}: ") for one in result.notices
    )


def _held_back_by(detector: str, proposals: float, suppression: float) -> str:
    if max(proposals, suppression) < ALIKE_AP:
        return f"Neither holds {detector} back."
    if abs(proposals - suppression) < ALIKE_AP:
        return f"Both hold {detector} back alike."
    if proposals > suppression:
        return f"Proposals hold {detector} back more than suppression."
    return f"Suppression holds {detector} back more than proposals."


def _over_methods(oracles: Sequence[DetectorOracles], best: str) -> Iterator[str]:
    """Where there are several, the best one was told in full."""
    gains = [_gains(one) for one in oracles if one.method]
    if len(gains) < 2 or any(math.isnan(value) for one in gains for value in one.values()):
        return
    spans = {name: [one[name] for one in gains] for name in ("gt", "nms")}
    gt, nms = map(_from_to, spans.values())
    yield (
        f"Of {len(gains)} methods {best} is best; over all of them perfect proposals bring {gt}, "
        f"perfect suppression {nms}."
    )


def _from_to(gains: Sequence[float]) -> str:
    low, high = gain(min(gains)), gain(max(gains))
    return low if low == high else f"{low} to {high}"


def _shape(one: DetectorScores) -> Iterator[str]:
    mean, edges = one.by_iou.mean, one.by_iou.edges
    filled = np.flatnonzero(~np.isnan(mean))
    if not len(filled):
        return
    top, last = int(np.nanargmax(mean)), int(filled[-1])
    text = f"Scores of {one.detector} are highest at an IoU of {_span(edges, top)}"
    if mean[top] - mean[last] > TOLD_FALL:
        text += (
            f", and lower again ({fraction(mean[last], 2)} instead of {fraction(mean[top], 2)}) "
            f"at {_span(edges, last)}: the best box is not the best scored"
        )
    yield f"{text}."


def _span(edges: Floats, row: int) -> str:
    return f"{fraction(edges[row], 2)} to {fraction(edges[row + 1], 2)}"

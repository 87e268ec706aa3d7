"""What correlations and oracles say, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from boxlens.data.columns import Floats
from boxlens.studies.proposals.detection_use.correlation_result import (
    ProposalCorrelationResult,
    RecallCorrelation,
)
from boxlens.studies.proposals.detection_use.oracle_result import (
    DetectorOracles,
    DetectorScores,
    ProposalOracleResult,
)
from boxlens.wording import change, counted, interval, listed, number, score

# With fewer methods, what chance reaches is always stated.
FEW_METHODS = 9
# How often chance may reach a correlation that is called one.
CHANCE = 0.05
# Correlations closer than this are called equal; so are changes of AP.
ALIKE_R, ALIKE_AP = 0.02, 0.005
# A fall of the scaled score below its top that is worth a sentence.
WORTH_SAYING = 0.05


def correlation_sentences(result: ProposalCorrelationResult) -> list[str]:
    """Detector by detector."""
    overall = [one for one in result.correlations if not one.class_name]
    known = [one for one in overall if not math.isnan(one.with_ar)]
    if not known:
        n = max((one.n_methods for one in overall), default=0)
        have = f"{counted(n, 'method')} {'has' if n == 1 else 'have'} proposals and a score"
        return [f"No correlation: {have}; at least three that differ are needed."]
    found = []
    for one in known:
        found += [_how_close(one), *_best_overlap(one), *_class_by_class(one.detector, result)]
    return [*found, *_by_chance(known)]


def r_by_chance(n_methods: int) -> float:
    """What |r| of unrelated numbers exceeds once in twenty times."""
    from scipy.special import stdtrit

    freedom = n_methods - 2
    t = float(stdtrit(freedom, 1 - CHANCE / 2))
    return t / math.sqrt(freedom + t * t)


def oracle_sentences(result: ProposalOracleResult) -> list[str]:
    """Detector by detector: what the oracles add, then how its scores change with IoU."""
    found = []
    for shape in result.scores:
        mine = [one for one in result.oracles if one.detector == shape.detector]
        best = max(mine, key=_without_help)
        found += [*_added(best, result), *_over_methods(mine, best.method), *_shape(shape)]
    return found


def detector_name(name: str) -> str:
    """A table of scores need not name its only detector."""
    return name or "the detector"


def _how_close(one: RecallCorrelation) -> str:
    partial = one.with_partial_ar
    up_to = "unknown" if math.isnan(partial) else f"r = {score(partial)}"
    return (
        f"Over {counted(one.n_methods, 'method')}, mAP of {detector_name(one.detector)} correlates "
        f"with average recall at r = {score(one.with_ar)} (up to IoU 0.7: {up_to})."
    )


def _best_overlap(one: RecallCorrelation) -> Iterator[str]:
    n_known = int((~np.isnan(one.at_iou)).sum())
    if not n_known:
        return
    best = int(np.nanargmax(one.at_iou))
    r = float(one.at_iou[best])
    sure = r >= r_by_chance(one.n_methods)
    does = "predicts it best" if sure else "correlates most, but not beyond chance"
    text = (
        f"Recall at IoU {number(float(one.ious[best]))} {does} (r = {score(r)}, the highest of "
        f"{counted(n_known, 'correlation')})"
    )
    at_half = float(one.at_iou[0])
    if best and not math.isnan(at_half):
        text += f"; recall at 0.5 has r = {score(at_half)}"
    if sure and abs(r - one.with_ar) < ALIKE_R:
        text += "; average recall does as well without choosing an IoU"
    yield f"{text}."


def _by_chance(known: Sequence[RecallCorrelation]) -> Iterator[str]:
    """Where methods are few, or a correlation could be chance."""
    doubtful = {
        one.n_methods
        for one in known
        if one.n_methods < FEW_METHODS or one.with_ar < r_by_chance(one.n_methods)
    }
    if doubtful:
        limits = [f"{score(r_by_chance(n))} with {counted(n, 'method')}" for n in sorted(doubtful)]
        yield (
            f"By chance alone, |r| exceeds {listed(limits)} once in twenty times; the highest of "
            "several does so more often."
        )


def _class_by_class(detector: str, result: ProposalCorrelationResult) -> Iterator[str]:
    values = [
        one.with_ar
        for one in result.correlations
        if one.class_name and one.detector == detector and not math.isnan(one.with_ar)
    ]
    if len(values) > 1:
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        yield (
            f"Class by class, the median r with average recall is {score(middle)} over "
            f"{len(values)} classes (half of them {interval(low, high)})."
        )


def _without_help(one: DetectorOracles) -> float:
    """AP50 by which the best method is chosen; undefined is the least."""
    return -math.inf if math.isnan(one.unaided.ap50) else one.unaided.ap50


def _ap50(one: DetectorOracles) -> dict[str, float]:
    return {of.oracle: of.ap50 for of in one.scores}


def _gains(one: DetectorOracles) -> dict[str, float]:
    ap = _ap50(one)
    return {name: ap[name] - ap["none"] for name in ("gt", "nms", "gt+nms")}


def _added(one: DetectorOracles, result: ProposalOracleResult) -> Iterator[str]:
    ap = _ap50(one)
    if any(map(math.isnan, ap.values())):
        yield f"{one.detector}: no class has objects, so oracles cannot be scored."
        return
    if not one.method:
        yield f"{one.detector}: without false positives beside true ones, {_suppressed(ap)}."
        return
    gains = _gains(one)
    with_oracles = ", ".join(
        f"with {words} {score(ap[name])} ({change(gains[name])})"
        for name, words in (
            ("gt", "perfect proposals"),
            ("nms", "perfect suppression"),
            ("gt+nms", "both"),
        )
    )
    conclusion = (
        f"Detections of {one.detector} were suppressed before: this file cannot show whether "
        "proposals or suppression hold it back."
        if one.detector in result.suppressed
        else _held_back_by(one.detector, gains["gt"], gains["nms"])
    )
    yield (
        f"{one.detector} on {counted(one.budget or 0, 'proposal')} of {one.method}: AP50 "
        f"{score(ap['none'])} ({score(ap['raw'])} unfiltered), {with_oracles}. {conclusion}"
    )
    if score(ap["gt"]) != score(ap["raw"]) and ap["gt"] < ap["raw"]:
        iou = number(result.parameters["filter_iou"])
        yield (
            f"Even with perfect proposals {one.detector} stays below its unfiltered detections "
            f"({score(ap['gt'])}, not {score(ap['raw'])}): the filter at IoU {iou} and suppression "
            "remove detections, and perfect proposals only bring back those that overlap an object "
            f"by more than {iou}."
        )


def _suppressed(ap: dict[str, float]) -> str:
    before, after = score(ap["raw"]), score(ap["nms"])
    if before == after:
        return f"AP50 would stay {before}"
    return f"AP50 would be {after} instead of {before} ({change(ap['nms'] - ap['raw'])})"


def _held_back_by(detector: str, proposals: float, suppression: float) -> str:
    if max(proposals, suppression) < ALIKE_AP:
        return f"Neither better proposals nor better suppression would help {detector}."
    if abs(proposals - suppression) < ALIKE_AP:
        return f"Better proposals and better suppression would help {detector} equally."
    if proposals > suppression:
        return f"Better proposals would help {detector} more than better suppression."
    return f"Better suppression would help {detector} more than better proposals."


def _over_methods(oracles: Sequence[DetectorOracles], best: str) -> Iterator[str]:
    """Where there are several, the best one has been described in full."""
    gains = [_gains(one) for one in oracles if one.method]
    if len(gains) < 2 or any(math.isnan(value) for one in gains for value in one.values()):
        return
    spans = {name: [one[name] for one in gains] for name in ("gt", "nms")}
    gt, nms = map(_from_to, spans.values())
    yield (
        f"{best} is the best of {len(gains)} methods; over all of them perfect proposals change "
        f"AP50 by {gt}, perfect suppression by {nms}."
    )


def _from_to(gains: Sequence[float]) -> str:
    low, high = change(min(gains)), change(max(gains))
    return low if low == high else f"{low} to {high}"


def _shape(one: DetectorScores) -> Iterator[str]:
    mean, edges = one.by_iou.mean, one.by_iou.edges
    filled = np.flatnonzero(~np.isnan(mean))
    if not len(filled):
        return
    top, last = int(np.nanargmax(mean)), int(filled[-1])
    text = f"Scores of {one.detector} are highest at IoU {_span(edges, top)}"
    if mean[top] - mean[last] > WORTH_SAYING:
        text += (
            f" and lower again at {_span(edges, last)} ({score(mean[last])} instead of "
            f"{score(mean[top])}): the best box does not get the best score"
        )
    yield f"{text}."


def _span(edges: Floats, row: int) -> str:
    return interval(edges[row], edges[row + 1], 2)

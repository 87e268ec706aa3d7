"""Recall and mAP: does recall of proposals predict what detectors make of them?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from boxlens.report.charts.correlation import (
    class_correlations_chart,
    recall_against_map_chart,
    recall_correlation_chart,
)
from boxlens.report.charts.forms.choosing import both_ends, first_of
from boxlens.report.study import (
    COUNT,
    MEAN_COUNT,
    NUMBER,
    SCORE,
    TEXT,
    Column,
    Plot,
    Section,
    Study,
    Table,
    columns_of,
    table_of,
)
from boxlens.studies.proposals.detection_use.correlation_result import (
    MethodScore,
    ProposalCorrelationResult,
    RecallCorrelation,
)
from boxlens.studies.proposals.detection_use.verdict import correlation_sentences, detector_name
from boxlens.wording import counted, listed

MOST_TILES = 4
# Detectors that have a column where there is little room, a colour, and a panel.
MOST_COLUMNS, MOST_LINES, MOST_PANELS = 4, 8, 4
# Classes of either end, where there are more than twice as many and one.
MOST_CLASSES = 15


def study(result: ProposalCorrelationResult) -> Study:
    overall = [one for one in result.correlations if not one.class_name]
    detectors = list(dict.fromkeys(one.detector for one in result.scores))
    n_methods = counted(len({one.method for one in result.scores}), "method")
    by_iou, by_method, by_class = _plots(result, overall, detectors, n_methods)
    return Study(
        title="Recall and mAP",
        data=result.dataset["name"],
        facts=(
            n_methods,
            counted(len(detectors), "detector"),
            f"at most {counted(result.budget, 'proposal')} per image",
        ),
        sentences=tuple(correlation_sentences(result)),
        tiles=tuple(
            (f"r with AR, {detector_name(one.detector)}", one.with_ar, SCORE)
            for one in overall[:MOST_TILES]
        ),
        sections=(
            Section(
                "overlaps",
                "By IoU",
                (by_iou, _correlations(overall), _overlaps(overall), *_filed_correlations(result)),
                "Pearson's r over methods. AR: average recall over IoU from 0.5 to 1; partial AR: "
                "up to 0.7.",
            ),
            Section(
                "methods",
                "Methods",
                (by_method, _methods(result, detectors), _filed_methods(result)),
                "What proposals find, and the mAP that detectors reach with them.",
            ),
            Section(
                "classes",
                "Classes",
                (by_class, _classes(result, detectors), _method_classes(result)),
                "AP of a class against the recall of its objects.",
            ),
        ),
        main_table="Recall and mAP of every method",
        guide="proposals",
    )


def _correlations(overall: Sequence[RecallCorrelation]) -> Table[Any]:
    forms = {"detector": TEXT, "methods": COUNT, "r with AR": SCORE, "r with partial AR": SCORE}
    rows = (
        (detector_name(one.detector), one.n_methods, one.with_ar, one.with_partial_ar, *_best(one))
        for one in overall
    )
    best = {"best IoU": NUMBER, "r there": SCORE}
    return table_of("", "Correlation of recall and mAP", {**forms, **best}, rows)


def _best(one: RecallCorrelation) -> tuple[float, float]:
    """The IoU at which recall predicts mAP best, and r there."""
    if np.isnan(one.at_iou).all():
        return math.nan, math.nan
    at = int(np.nanargmax(one.at_iou))
    return float(one.ious[at]), float(one.at_iou[at])


def _overlaps(overall: Sequence[RecallCorrelation]) -> Table[int]:
    """By the place of the IoU."""
    places = range(len(overall[0].ious)) if overall else range(0)
    return Table(
        "",
        "r with recall at every IoU",
        places,
        [
            Column("", "IoU", lambda at: float(overall[0].ious[at]), NUMBER),
            *columns_of(
                overall,
                lambda at, one: float(one.at_iou[at]),
                heading=lambda one: detector_name(one.detector),
                most=MOST_COLUMNS,
            ),
        ],
        brief=places[::2],
        folded=True,
    )


def _filed_correlations(result: ProposalCorrelationResult) -> tuple[Table[Any], Table[Any]]:
    """The class is null where all classes are meant."""
    named = {"detector": TEXT, "class": TEXT}
    numbers = {"n_methods": COUNT, "r_AR": SCORE, "r_AR_50_70": SCORE}
    found = [((one.detector or None, one.class_name or None), one) for one in result.correlations]
    whole = ((*who, one.n_methods, one.with_ar, one.with_partial_ar) for who, one in found)
    by_iou = (
        (*who, round(iou, 6), r)
        for who, one in found
        for iou, r in zip(one.ious.tolist(), one.at_iou.tolist(), strict=True)
    )
    return (
        table_of("correlations", "", {**named, **numbers}, whole),
        table_of("correlations_by_iou", "", {**named, "iou": SCORE, "r": SCORE}, by_iou),
    )


def _methods(
    result: ProposalCorrelationResult, detectors: Sequence[str]
) -> Table[dict[str, MethodScore]]:
    """Those that find most first; recall is the same, whichever detector uses the proposals."""
    found: dict[str, dict[str, MethodScore]] = {}
    for one in result.scores:
        found.setdefault(one.method, {})[one.detector] = one
    metric = result.parameters.get("metric", "mAP")

    def first(row: dict[str, MethodScore]) -> MethodScore:
        return next(iter(row.values()))

    return Table(
        "",
        "Recall and mAP of every method",
        sorted(found.values(), key=lambda row: (math.isnan(ar := first(row).ar), -ar)),
        [
            Column("", "method", lambda row: first(row).method, TEXT),
            Column("", "per image", lambda row: first(row).n_mean, MEAN_COUNT),
            Column("", "AR", lambda row: first(row).ar),
            *columns_of(
                detectors,
                lambda row, name: row[name].map if name in row else None,
                heading=lambda name: f"{metric}, {detector_name(name)}",
                most=MOST_COLUMNS,
            ),
        ],
    )


def _filed_methods(result: ProposalCorrelationResult) -> Table[Any]:
    forms = {"method": TEXT, "detector": TEXT, "budget": COUNT}
    numbers = {"n_mean": SCORE, "AR": SCORE, "mAP": SCORE}
    rows = (
        (one.method, one.detector or None, result.budget, one.n_mean, one.ar, one.map)
        for one in result.scores
    )
    return table_of("methods", "", {**forms, **numbers}, rows)


def _method_classes(result: ProposalCorrelationResult) -> Table[Any]:
    forms = {"method": TEXT, "detector": TEXT, "class": TEXT, "AP": SCORE}
    rows = (
        (one.method, one.detector or None, name, ap)
        for one in result.scores
        for name, ap in one.class_ap.items()
    )
    return table_of("method_classes", "", forms, rows)


def _r_by_class(result: ProposalCorrelationResult) -> dict[str, dict[str, float]]:
    """r with average recall by class and detector."""
    found: dict[str, dict[str, float]] = {}
    for one in result.correlations:
        if one.class_name:
            found.setdefault(one.class_name, {})[one.detector] = one.with_ar
    return found


def _classes(
    result: ProposalCorrelationResult, detectors: Sequence[str]
) -> Table[tuple[str, dict[str, float]]]:
    return Table(
        "",
        "r with AR, class by class",
        list(_r_by_class(result).items()),
        [
            Column("", "class", lambda row: row[0], TEXT),
            *columns_of(detectors, lambda row, name: row[1].get(name), heading=detector_name),
        ],
        folded=True,
        detail=True,
    )


def _plots(
    result: ProposalCorrelationResult,
    overall: Sequence[RecallCorrelation],
    detectors: Sequence[str],
    n_methods: str,
) -> tuple[Plot, Plot, Plot]:
    """By IoU, by method, by class."""
    names = listed([detector_name(name) for name in detectors], 2, "detectors")
    about = f"{names}, {n_methods}, {result.dataset['name']}"
    any_r = any(not math.isnan(r) for one in overall for r in one.at_iou.tolist())
    scored = [one for one in result.scores if not math.isnan(one.ar + one.map)]
    with_score = list(dict.fromkeys(one.detector for one in scored))
    found = {
        name: {
            who: of[who] for who in detectors[:MOST_LINES] if not math.isnan(of.get(who, math.nan))
        }
        for name, of in _r_by_class(result).items()
    }
    ordered = sorted(filter(found.get, found), key=lambda name: -fmean(found[name].values()))
    classes = both_ends(ordered, MOST_CLASSES)
    cut = f" The first and last {MOST_CLASSES} of {len(ordered):,} classes."
    return (
        Plot(
            "recall_correlation",
            "Correlation of recall with mAP, by IoU",
            "Where a line is highest, recall predicts mAP best. A line that falls to the left: "
            "loose boxes are of no use to the detector.",
            partial(recall_correlation_chart, overall[:MOST_LINES]),
            legend="Pearson's r of mAP with recall at this IoU, over methods. Dashed: with average "
            "recall (AR), which needs no IoU to be chosen. Partial: AR up to IoU 0.7."
            + first_of(MOST_LINES, len(overall), "detectors"),
            about=about,
            absent=""
            if any_r
            else "fewer than three methods that differ have proposals and a score",
            wide=True,
        ),
        Plot(
            "recall_against_map",
            "Average recall against mAP",
            "Points along the line: average recall predicts mAP. A method above it is better for "
            "this detector than its recall suggests.",
            partial(recall_against_map_chart, result, scored, with_score[:MOST_PANELS]),
            legend=f"One point per method, with at most {counted(result.budget, 'proposal')} per "
            f"image; mAP is {result.parameters.get('metric', 'AP')}. Line: least squares."
            + first_of(MOST_PANELS, len(with_score), "detectors"),
            about=about,
            absent="" if scored else "no method has both numbers",
            wide=True,
        ),
        Plot(
            "class_correlations",
            "Correlation of AP with average recall, class by class",
            "High everywhere: what holds for all classes holds for each. Classes at the end are "
            "limited by something other than proposals, or have too few objects.",
            partial(class_correlations_chart, found, classes, detectors[:MOST_LINES]),
            legend="Pearson's r over methods; below 0, methods that find more of a class score "
            "worse on it. Classes with few objects scatter."
            + cut * (len(classes) < len(ordered))
            + first_of(MOST_LINES, len(detectors), "detectors"),
            about=about,
            absent=""
            if ordered
            else "the scores of classes are not known, or too few methods have them",
            wide=True,
        ),
    )

"""Recall and mAP: does recall of proposals predict what detectors make of them?"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.report.described.correlation_plots import (
    classes_plot,
    detectors_of,
    methods_plot,
    overall_of,
    overlaps_plot,
    r_by_class,
)
from boxlens.report.study import (
    COUNT,
    MEAN_COUNT,
    NUMBER,
    SCORE,
    TEXT,
    Column,
    Section,
    Study,
    Table,
)
from boxlens.studies.proposals.detection_use.verdict import correlation_sentences, detector_name
from boxlens.wording import counted

if TYPE_CHECKING:
    from boxlens.studies.proposals.detection_use.correlation_result import (
        MethodScore,
        ProposalCorrelationResult,
        RecallCorrelation,
    )

GUIDE = "proposals"
MOST_TILES = 4
# Detectors that have a column where there is little room.
MOST_COLUMNS = 4


def study(result: ProposalCorrelationResult) -> Study:
    n_methods = len({one.method for one in result.scores})
    overall = overall_of(result)
    return Study(
        title="Recall and mAP",
        data=result.dataset["name"],
        facts=(
            counted(n_methods, "method"),
            counted(len(detectors_of(result)), "detector"),
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
                (
                    overlaps_plot(result),
                    _correlations(overall),
                    _overlaps(overall),
                    _filed_correlations(result),
                    _by_iou(result),
                ),
                reading="Pearson's r over methods. AR: average recall over IoU from 0.5 to 1; "
                "partial AR: up to 0.7.",
                guide=GUIDE,
            ),
            Section(
                "methods",
                "Methods",
                (methods_plot(result), _methods(result), _filed_methods(result)),
                reading="What proposals find, and the mAP that detectors reach with them.",
                guide=GUIDE,
            ),
            Section(
                "classes",
                "Classes",
                (classes_plot(result), _classes(result), _method_classes(result)),
                reading="AP of a class against the recall of its objects.",
                guide=GUIDE,
            ),
        ),
        main_table="Recall and mAP of every method",
    )


def _correlations(overall: list[RecallCorrelation]) -> Table[RecallCorrelation]:
    return Table(
        "",
        "Correlation of recall and mAP",
        overall,
        [
            Column("", "detector", lambda one: detector_name(one.detector), TEXT),
            Column("", "methods", lambda one: one.n_methods, COUNT),
            Column("", "r with AR", lambda one: one.with_ar),
            Column("", "r with partial AR", lambda one: one.with_partial_ar),
            Column("", "best IoU", lambda one: _best(one)[0], NUMBER),
            Column("", "r there", lambda one: _best(one)[1]),
        ],
    )


def _best(one: RecallCorrelation) -> tuple[float, float]:
    """The IoU at which recall predicts mAP best, and r there."""
    if np.isnan(one.at_iou).all():
        return math.nan, math.nan
    at = int(np.nanargmax(one.at_iou))
    return float(one.ious[at]), float(one.at_iou[at])


def _overlaps(overall: list[RecallCorrelation]) -> Table[int]:
    """By the place of the IoU."""
    places = range(len(overall[0].ious)) if overall else range(0)
    return Table(
        "",
        "r with recall at every IoU",
        places,
        [
            Column("", "IoU", lambda at: float(overall[0].ious[at]), NUMBER),
            *(
                Column(
                    "",
                    detector_name(one.detector),
                    partial(_r_at, one),
                    further=place >= MOST_COLUMNS,
                )
                for place, one in enumerate(overall)
            ),
        ],
        brief=places[::2],
        folded=True,
    )


def _r_at(one: RecallCorrelation, at: int) -> float:
    return float(one.at_iou[at])


def _filed_correlations(result: ProposalCorrelationResult) -> Table[RecallCorrelation]:
    """The class is null where all classes are meant."""
    return Table(
        "correlations",
        "",
        result.correlations,
        [
            Column("detector", "", lambda one: one.detector or None, TEXT),
            Column("class", "", lambda one: one.class_name or None, TEXT),
            Column("n_methods", "", lambda one: one.n_methods, COUNT),
            Column("r_AR", "", lambda one: one.with_ar),
            Column("r_AR_50_70", "", lambda one: one.with_partial_ar),
        ],
    )


def _by_iou(result: ProposalCorrelationResult) -> Table[tuple[RecallCorrelation, int]]:
    return Table(
        "correlations_by_iou",
        "",
        [(one, at) for one in result.correlations for at in range(len(one.ious))],
        [
            Column("detector", "", lambda pair: pair[0].detector or None, TEXT),
            Column("class", "", lambda pair: pair[0].class_name or None, TEXT),
            Column("iou", "", lambda pair: round(float(pair[0].ious[pair[1]]), 6)),
            Column("r", "", lambda pair: _r_at(*pair)),
        ],
    )


class _Method(NamedTuple):
    """A method, and the mAP of every detector with its proposals."""

    one: MethodScore
    map: dict[str, float]


def _methods(result: ProposalCorrelationResult) -> Table[_Method]:
    """Those that find most first; recall is the same, whichever detector uses the proposals."""
    found: dict[str, _Method] = {}
    for one in result.scores:
        found.setdefault(one.method, _Method(one, {})).map[one.detector] = one.map
    metric = result.parameters.get("metric", "mAP")
    return Table(
        "",
        "Recall and mAP of every method",
        sorted(found.values(), key=lambda row: (math.isnan(row.one.ar), -row.one.ar)),
        [
            Column("", "method", lambda row: row.one.method, TEXT),
            Column("", "per image", lambda row: row.one.n_mean, MEAN_COUNT),
            Column("", "AR", lambda row: row.one.ar),
            *(
                Column(
                    "",
                    f"{metric}, {detector_name(name)}",
                    partial(_map, name),
                    further=place >= MOST_COLUMNS,
                )
                for place, name in enumerate(detectors_of(result))
            ),
        ],
    )


def _map(detector: str, row: _Method) -> float | None:
    return row.map.get(detector)


def _filed_methods(result: ProposalCorrelationResult) -> Table[MethodScore]:
    return Table(
        "methods",
        "",
        result.scores,
        [
            Column("method", "", lambda one: one.method, TEXT),
            Column("detector", "", lambda one: one.detector or None, TEXT),
            Column("budget", "", lambda _: result.budget, COUNT),
            Column("n_mean", "", lambda one: one.n_mean),
            Column("AR", "", lambda one: one.ar),
            Column("mAP", "", lambda one: one.map),
        ],
    )


def _method_classes(result: ProposalCorrelationResult) -> Table[tuple[MethodScore, str]]:
    return Table(
        "method_classes",
        "",
        [(one, name) for one in result.scores for name in one.class_ap],
        [
            Column("method", "", lambda pair: pair[0].method, TEXT),
            Column("detector", "", lambda pair: pair[0].detector or None, TEXT),
            Column("class", "", lambda pair: pair[1], TEXT),
            Column("AP", "", lambda pair: pair[0].class_ap[pair[1]]),
        ],
    )


def _classes(result: ProposalCorrelationResult) -> Table[tuple[str, dict[str, float]]]:
    return Table(
        "",
        "r with AR, class by class",
        list(r_by_class(result).items()),
        [
            Column("", "class", lambda row: row[0], TEXT),
            *(
                Column("", detector_name(name), partial(_r_of, name))
                for name in detectors_of(result)
            ),
        ],
        folded=True,
        detail=True,
    )


def _r_of(detector: str, row: tuple[str, dict[str, float]]) -> float | None:
    return row[1].get(detector)

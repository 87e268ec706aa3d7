"""Recall and mAP: does recall of proposals predict what detectors make of them?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from boxlens.report.charts.colours import MANY_SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, around
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import key_table, styles_of
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import VALUE, dots, lines
from boxlens.report.charts.forms.panels import below, plot
from boxlens.report.charts.forms.scatter import least_squares, scatter
from boxlens.report.charts.forms.tables import told_rows
from boxlens.report.described.correlation.classes import classes_section
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
from boxlens.wording import counted, listed, score, short

# Over all classes, by how the detector is called.
Overall = Mapping[str, RecallCorrelation]
# Detectors that have a tile, a column where there is little room, a line, and a panel.
MOST_TILES, MOST_COLUMNS, MOST_LINES, MOST_PANELS = 4, 4, 8, 4


def study(result: ProposalCorrelationResult) -> Study:
    overall = {
        detector_name(one.detector): one for one in result.correlations if not one.class_name
    }
    n_methods = counted(len({one.method for one in result.scores}), "method")
    about = f"{listed(list(overall), 2, 'detectors')}, {n_methods}, {result.dataset['name']}"
    return Study(
        title="Recall and mAP",
        data=result.dataset["name"],
        facts=(
            n_methods,
            counted(len(overall), "detector"),
            f"at most {counted(result.budget, 'proposal')} per image",
        ),
        sentences=tuple(correlation_sentences(result)),
        tiles=tuple(
            (f"r with AR, {name}", one.with_ar, SCORE)
            for name, one in list(overall.items())[:MOST_TILES]
        ),
        sections=(
            Section(
                "overlaps",
                "By IoU",
                (_by_iou_plot(overall, about), *_overlap_tables(result, overall)),
                "Pearson's r over methods. AR: average recall over IoU from 0.5 to 1; partial AR: "
                "up to 0.7.",
            ),
            Section(
                "methods",
                "Methods",
                (_by_method_plot(result, overall, about), *_method_tables(result, overall)),
                "What proposals find, and the mAP that detectors reach with them.",
            ),
            classes_section(result, list(overall), about),
        ),
        main_table="Recall and mAP of every method",
        guide="proposals",
    )


def _overlap_tables(result: ProposalCorrelationResult, overall: Overall) -> Iterator[Table[Any]]:
    """Those in files have all classes, too: there the class is null where all are meant."""
    shown = {"detector": TEXT, "methods": COUNT, "r with AR": SCORE, "r with partial AR": SCORE}
    best = {"best IoU": NUMBER, "r there": SCORE}
    rows = (
        (name, one.n_methods, one.with_ar, one.with_partial_ar, *_best(one))
        for name, one in overall.items()
    )
    yield table_of("", "Correlation of recall and mAP", {**shown, **best}, rows)
    ious: list[float] = next((one.ious.tolist() for one in overall.values()), [])
    places = range(len(ious))
    yield Table(
        "",
        "r with recall at every IoU",
        places,
        [
            Column("", "IoU", lambda at: ious[at], NUMBER),
            *columns_of(
                overall,
                lambda at, name: float(overall[name].at_iou[at]),
                heading=str,
                most=MOST_COLUMNS,
            ),
        ],
        brief=places[::2],
        folded=True,
    )
    named = {"detector": TEXT, "class": TEXT}
    numbers = {"n_methods": COUNT, "r_AR": SCORE, "r_AR_50_70": SCORE}
    found = [((one.detector or None, one.class_name or None), one) for one in result.correlations]
    whole = ((*who, one.n_methods, one.with_ar, one.with_partial_ar) for who, one in found)
    yield table_of("correlations", "", {**named, **numbers}, whole)
    by_iou = (
        (*who, round(iou, 6), r)
        for who, one in found
        for iou, r in zip(one.ious.tolist(), one.at_iou.tolist(), strict=True)
    )
    yield table_of("correlations_by_iou", "", {**named, "iou": SCORE, "r": SCORE}, by_iou)


def _best(one: RecallCorrelation) -> tuple[float, float]:
    """The IoU at which recall predicts mAP best, and r there."""
    if np.isnan(one.at_iou).all():
        return math.nan, math.nan
    at = int(np.nanargmax(one.at_iou))
    return float(one.ious[at]), float(one.at_iou[at])


def _by_iou_plot(overall: Overall, about: str) -> Plot:
    shown = dict(list(overall.items())[:MOST_LINES])
    known = any(not np.isnan(one.at_iou).all() for one in shown.values())
    return Plot(
        "recall_correlation",
        "Correlation of recall with mAP, by IoU",
        "Where a line is highest, recall predicts mAP best. A line that falls to the left: "
        "loose boxes are of no use to the detector.",
        partial(_draw_by_iou, shown),
        legend="Pearson's r of mAP with recall at this IoU, over methods. Dashed: with average "
        "recall (AR), which needs no IoU to be chosen. Partial: AR up to IoU 0.7."
        + first_of(MOST_LINES, len(overall), "detectors"),
        about=about,
        absent="" if known else "fewer than three methods that differ have proposals and a score",
        wide=True,
    )


def _draw_by_iou(found: Overall) -> Spec:
    """One line per detector; below, the correlations with average recall, the highest first."""
    styles = styles_of(found)
    known = (
        (name, round(iou, 6), r, one.n_methods, styles[name].look)
        for name, one in found.items()
        for iou, r in zip(one.ious.tolist(), one.at_iou.tolist(), strict=True)
        if not math.isnan(r)
    )
    forms = {"detector": TEXT, "IoU": NUMBER, "r": SCORE, "methods": COUNT}
    rows = told_rows(forms, known, x="IoU", y="r", series="detector")
    averages = []
    for name, one in found.items():
        if not math.isnan(one.with_ar):
            tip = {"detector": name, "r with AR": score(one.with_ar)}
            averages.append({"with_ar": one.with_ar, "colour": styles[name].colour, "tip": tip})
    lowest = min([*(row["y"] for row in rows), *(row["with_ar"] for row in averages)])
    panel = plot(
        rows,
        Axis("recall at IoU", (0.5, 1)),
        # From a quarter, half or three: most correlations are high.
        Axis("r with mAP", (min(math.floor(4 * lowest), 3) / 4, 1)),
        Mark("rule", {VALUE: "with_ar"}, {"strokeWidth": 1.25, "strokeDash": [4, 3]}, averages),
        lines(),
        dots(size=10),
        width=340,
        height=220,
        framed=True,
    )
    ranked = sorted(found, key=lambda name: (math.isnan(r := found[name].with_ar), -r))
    columns = {
        "r with AR": {name: score(found[name].with_ar) for name in ranked},
        "partial": {name: score(found[name].with_partial_ar) for name in ranked},
    }
    # Beside the lines it would be out of sight where the page is narrow.
    return below(panel, key_table({name: styles[name] for name in ranked}, columns), gap=14)


def _method_tables(result: ProposalCorrelationResult, overall: Overall) -> Iterator[Table[Any]]:
    """Those that find most first; recall is the same, whichever detector uses the proposals."""
    methods = {one.method: one for one in result.scores}.values()
    scores = {(one.method, detector_name(one.detector)): one.map for one in result.scores}
    yield Table(
        "",
        "Recall and mAP of every method",
        sorted(methods, key=lambda one: (math.isnan(one.ar), -one.ar)),
        [
            Column("", "method", lambda one: one.method, TEXT),
            Column("", "per image", lambda one: one.n_mean, MEAN_COUNT),
            Column("", "AR", lambda one: one.ar),
            *columns_of(
                overall,
                lambda one, name: scores.get((one.method, name)),
                heading=lambda name: f"{result.parameters['metric']}, {name}",
                most=MOST_COLUMNS,
            ),
        ],
    )
    forms = {"method": TEXT, "detector": TEXT, "budget": COUNT}
    numbers = {"n_mean": SCORE, "AR": SCORE, "mAP": SCORE}
    rows = (
        (one.method, one.detector or None, result.budget, one.n_mean, one.ar, one.map)
        for one in result.scores
    )
    yield table_of("methods", "", {**forms, **numbers}, rows)


def _by_method_plot(result: ProposalCorrelationResult, overall: Overall, about: str) -> Plot:
    scored: dict[str, list[MethodScore]] = {}
    for one in result.scores:
        if not math.isnan(one.ar + one.map):
            scored.setdefault(detector_name(one.detector), []).append(one)
    return Plot(
        "recall_against_map",
        "Average recall against mAP",
        "Points along the line: average recall predicts mAP. A method above it is better for "
        "this detector than its recall suggests.",
        partial(_draw_by_method, dict(list(scored.items())[:MOST_PANELS]), overall),
        legend=f"One point per method, with at most {counted(result.budget, 'proposal')} per "
        f"image; mAP is {result.parameters['metric']}. Line: least squares."
        + first_of(MOST_PANELS, len(scored), "detectors"),
        about=about,
        absent="" if scored else "no method has both numbers",
        wide=True,
    )


def _draw_by_method(shown: Mapping[str, Sequence[MethodScore]], overall: Overall) -> Spec:
    """One panel per detector; all share the axis of recall."""
    colours = colours_of(list(overall), MANY_SERIES)
    across = around((one.ar for mine in shown.values() for one in mine), 0.08)
    forms = {"method": TEXT, "AR": SCORE, "mAP": SCORE, "proposals per image": MEAN_COUNT}
    panels: list[Spec] = []
    for name, mine in shown.items():
        points = ((one.method, one.ar, one.map, one.n_mean, Row()) for one in mine)
        r = overall[name].with_ar
        words = "r is unknown" if math.isnan(r) else f"r = {score(r)}"
        panel = scatter(
            told_rows(forms, points, x="AR", y="mAP", name="method"),
            Axis("AR" * (len(panels) == len(shown) - 1), across, ticks=6),
            Axis("mAP", around((one.map for one in mine), 0.08)),
            # Without a correlation there is no slope either.
            line=None if math.isnan(r) else least_squares([(one.ar, one.map) for one in mine]),
            title=f"{short(name, 30)}: {words}, {counted(len(mine), 'method')}",
            width=480,
            height=300 if len(shown) == 1 else 230,
            color=colours[name],
        )
        panels.append(panel)
    return below(*panels)

"""Recall and mAP, class by class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean

from boxlens.report.charts.colours import MANY_SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.choosing import GAP_LABEL, both_ends, first_of
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, rule_at
from boxlens.report.charts.forms.panels import Series, below, name_rows
from boxlens.report.study import SCORE, TEXT, Column, Plot, Section, Table, columns_of, table_of
from boxlens.studies.proposals.detection_use.correlation_result import ProposalCorrelationResult
from boxlens.studies.proposals.detection_use.verdict import detector_name
from boxlens.wording import score

# A class, and its r with average recall by detector.
ClassR = tuple[str, Mapping[str, float]]
# Classes of either end, where there are more than twice as many and one.
MOST_CLASSES = 15
# Detectors that have a colour.
MOST_DETECTORS = 8


def classes_section(
    result: ProposalCorrelationResult, detectors: Sequence[str], about: str
) -> Section:
    found: dict[str, dict[str, float]] = {}
    for one in result.correlations:
        if one.class_name:
            found.setdefault(one.class_name, {})[detector_name(one.detector)] = one.with_ar
    table: Table[ClassR] = Table(
        "",
        "r with AR, class by class",
        list(found.items()),
        [
            Column("", "class", lambda row: row[0], TEXT),
            *columns_of(detectors, lambda row, name: row[1].get(name), heading=str),
        ],
        folded=True,
        detail=True,
    )
    forms = {"method": TEXT, "detector": TEXT, "class": TEXT, "AP": SCORE}
    scores = (
        (one.method, one.detector or None, name, ap)
        for one in result.scores
        for name, ap in one.class_ap.items()
    )
    return Section(
        "classes",
        "Classes",
        (_plot(table, detectors, about), table, table_of("method_classes", "", forms, scores)),
        "AP of a class against the recall of its objects.",
    )


def _plot(table: Table[ClassR], detectors: Sequence[str], about: str) -> Plot:
    shown = detectors[:MOST_DETECTORS]
    known = (
        (name, {who: r for who, r in of.items() if who in shown and not math.isnan(r)})
        for name, of in table.rows
    )
    ordered = sorted((one for one in known if one[1]), key=lambda one: -fmean(one[1].values()))
    classes = both_ends(ordered, MOST_CLASSES)
    cut = f" The first and last {MOST_CLASSES} of {len(ordered):,} classes."
    return Plot(
        "class_correlations",
        "Correlation of AP with average recall, class by class",
        "High everywhere: what holds for all classes holds for each. Classes at the end are "
        "limited by something other than proposals, or have too few objects.",
        partial(_draw, classes, shown),
        legend="Pearson's r over methods; below 0, methods that find more of a class score "
        "worse on it. Classes with few objects scatter."
        + cut * (len(classes) < len(ordered))
        + first_of(MOST_DETECTORS, len(detectors), "detectors"),
        about=about,
        absent=""
        if ordered
        else "the scores of classes are not known, or too few methods have them",
        wide=True,
    )


def _draw(classes: Mapping[str, ClassR | None], detectors: Sequence[str]) -> Spec:
    """r by class and detector; classes by place, None is a gap between them."""
    colours = colours_of(detectors, MANY_SERIES)
    rows: list[Row] = []
    for place, one in classes.items():
        name, found = one or ("", {})
        for who, r in found.items():
            tip = {"class": name, "detector": who, "r with AR": score(r)}
            look = {"series": who, "colour": colours[who]}
            rows.append({"row": place, **look, "value": r, "tip": tip})
    labels = {place: one[0] if one else GAP_LABEL for place, one in classes.items()}
    panel = name_rows(
        rows,
        # Equal numbers of detectors stand below one another.
        Names(labels, px=10 + 3 * len(colours), characters=22, grid=True),
        Axis("r with AR", (-1 if any(row["value"] < 0 for row in rows) else 0, 1)),
        *rule_at(0),
        dots("value", size=28, opacity=0.9),
        width=300,
        series=Series(list(colours), outer=0.8),
    )
    return below(*key(colours, width=340), panel, gap=6)

"""Class by class: how far the best detector is from the upper bound, and where it exceeds it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from boxlens.report.charts.colours import INK, NEUTRAL, PALE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, spans, ticks
from boxlens.report.charts.forms.panels import below, beside, name_rows
from boxlens.report.charts.forms.scatter import Ends, least_squares, scatter
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.described.upper_bound.detectors import (
    NO_BOUND,
    axis_against,
    colours_against,
    plot_against,
    with_colours,
)
from boxlens.report.study import COUNT, SCORE, TEXT, Plot, Section, Table, table_of
from boxlens.studies.upper_bound.nearness import best_detector, class_gaps
from boxlens.studies.upper_bound.result import UpperBoundResult
from boxlens.studies.upper_bound.verdict import telling_correlation
from boxlens.wording import counted, score

# More are shown at a click.
MOST_OPEN = 20
# What can be read on a page, and from how many on they stand in two columns.
MOST_DRAWN, TWO_COLUMNS = 60, 25
# Points with a name: the extremes and those furthest from the line, or all of a few.
MOST_NAMED = 8
PAGE_PX, NAMES_PX, COLUMN_GAP_PX = 640, 104, 18


def classes_section(result: UpperBoundResult) -> Section:
    """The largest gap to the best detector first; without detectors, the lowest UAP."""
    classes = result.bound.classes
    lacking = [-gap for gap in class_gaps(result)]
    order = lacking if result.detectors else [one.uap for one in classes]
    rows = sorted(range(len(classes)), key=lambda row: (math.isnan(order[row]), order[row]))
    return Section(
        "classes",
        "Class by class",
        (
            _plot(result, [row for row in rows if not math.isnan(classes[row].uap)]),
            classes_table(result, rows, wide=True, folded=len(classes) > MOST_OPEN, detail=True),
            _filed(result),
        ),
        "Accuracy: the share of a class's objects that get its label. Gap: UAP minus the AP of the "
        "detector that is best over all classes; where it is negative, the detector recognises the "
        "class better than the classifier does.",
    )


def _plot(result: UpperBoundResult, known: Sequence[int]) -> Plot:
    """Of many classes the first, by UAP, the highest first."""
    classes, best = result.bound.classes, best_detector(result)
    shown = sorted(known[:MOST_DRAWN], key=lambda row: -classes[row].uap)
    legend = "Tick: UAP, what the classifier reaches on the true boxes."
    legend += " Points: detectors." * bool(result.detectors)
    if best is not None:
        who = best.name if len(result.detectors) == 1 else f"the best detector, {best.name},"
        legend += f" Pale: from {who} to UAP; right of the tick it exceeds the bound."
    if len(shown) < len(known):
        which = "with the largest gap" if result.detectors else "with the lowest UAP"
        legend += f" The {len(shown)} of {len(known):,} classes {which}."
    if n_undefined := len(classes) - len(known):
        legend += f" Not shown: {counted(n_undefined, 'class', 'classes')} without objects."
    return plot_against(
        result,
        "bound_by_class",
        "class",
        "A long pale line left of its tick: a class that is recognised but not found. Points "
        "at their tick: better detection needs better recognition first. A line right of its "
        "tick: the detector recognises the class better than this classifier does."
        if result.detectors
        else "The classes at the end are not recognised, even when they are found.",
        legend,
        partial(_draw, shown),
        wide=True,
    )


def _draw(shown: Sequence[int], result: UpperBoundResult) -> Spec:
    colours, best = colours_against(result), best_detector(result)
    names = {f"of_{at}": one.name for at, one in enumerate(result.detectors)}
    channels = {of: f"AP, {name}" for of, name in names.items()}
    points = [dots(of, size=32, color=colours[name]) for of, name in names.items()]
    line = {"best": f"AP, {best.name}"} if best is not None else {}
    found = table_rows(classes_table(result, shown), name="class", uap="UAP", **line, **channels)
    # Places, not names: two classes may be called alike.
    rows = [{**row, "row": str(at)} for at, row in enumerate(found)]
    across = axis_against(result, (row[of] for row in rows for of in ("uap", *channels)))
    n_columns = 2 if len(rows) >= TWO_COLUMNS else 1
    n_lines = -(-len(rows) // n_columns)
    # Both columns begin at the same distance, however long their names are.
    look: Row = {"px": 13, "characters": 18, "grid": True, "room_px": NAMES_PX - 6}
    panels = [
        name_rows(
            column,
            Names({row["row"]: row["name"] for row in column}, **look),
            across,
            spans("best", "uap", strokeWidth=4, color=PALE),
            ticks("uap", thickness=2.5, size=11, color=INK),
            *points,
            width=(PAGE_PX - COLUMN_GAP_PX * (n_columns - 1)) // n_columns - NAMES_PX,
        )
        for begin in range(0, len(rows), n_lines)
        for column in [rows[begin : begin + n_lines]]
    ]
    return below(*key(colours, width=PAGE_PX - 2 * NAMES_PX), beside(*panels, gap=COLUMN_GAP_PX))


def classes_table(result: UpperBoundResult, shown: Iterable[int], **look: Any) -> Table[Any]:
    """Of classes by their row."""
    classes, gaps, best = result.bound.classes, class_gaps(result), best_detector(result)
    forms = {"class": TEXT, "objects": COUNT}
    forms |= dict.fromkeys(("accuracy", "UAP", "UAP at IoU 0.5"), SCORE)
    forms |= {f"AP, {one.name}": SCORE for one in result.detectors}
    if best is not None:
        forms[f"gap of {best.name}" if len(result.detectors) > 1 else "gap"] = SCORE
    aps = [one.by_class for one in result.detectors]
    rows = [
        (one.name, one.n_objects, one.accuracy, one.uap, one.uap50, *found)
        for one, *found in zip(classes, *aps, gaps, strict=True)
    ]
    caption = f"All {len(classes):,} classes" if len(classes) > MOST_OPEN else "Classes"
    return table_of("", caption, forms, (rows[row] for row in shown), **look)


def _filed(result: UpperBoundResult) -> Table[Any]:
    """As files have them. AP of a strategy is its UAP; detectors have no accuracy."""
    classes = result.bound.classes
    rows: list[tuple[Any, ...]] = [
        ("strategy", of.strategy, in_all.name, in_all.n_objects, one.uap, one.uap50, one.accuracy)
        for of in result.strategies
        for in_all, one in zip(classes, of.classes, strict=True)
    ]
    rows += [
        ("detector", of.name, one.name, one.n_objects, ap, math.nan, math.nan)
        for of in result.detectors
        for one, ap in zip(classes, of.by_class, strict=True)
    ]
    forms = {"of": TEXT, "name": TEXT, "class": TEXT, "n_objects": COUNT}
    forms |= dict.fromkeys(("AP", "AP50", "accuracy"), SCORE)
    return table_of("bound_classes", "", forms, rows)


def accuracy_plot(result: UpperBoundResult) -> Plot:
    bound = result.bound
    known = [row for row, one in enumerate(bound.classes) if not math.isnan(one.uap + one.accuracy)]
    line, found = telling_correlation(bound), bound.correlation
    legend = "One point per class. Accuracy: the share of its objects that get its label."
    if line:
        explained = f"r squared {score(found.r_squared)} over {found.n_classes:,} classes"
        legend += f" Line: least squares, {explained}."
    if len(known) > MOST_NAMED:
        legend += " Named: the extremes" + " and the classes furthest from the line" * line + "."
    return Plot(
        "bound_accuracy",
        "UAP of each class against its accuracy",
        "Below the line: classes whose label is given to other objects, too, and with confidence. "
        "Above it: wrong labels have low scores.",
        partial(_draw_accuracy, classes_table(with_colours(result), known), line=line),
        legend=legend,
        about=f"{result.classifier} on {result.dataset}",
        absent=NO_BOUND if math.isnan(result.bound.uap) else "",
        wide=True,
    )


def _draw_accuracy(table: Table[Any], *, line: bool) -> Spec:
    """The extremes have names, and the classes furthest from the line."""
    rows = table_rows(table, class_name="class", x="accuracy", y="UAP")
    accuracy, uap = ([row[side] for row in rows] for side in "xy")
    ends = least_squares(list(zip(accuracy, uap, strict=True))) if line else None
    for at in _named(accuracy, uap, ends)[:MOST_NAMED]:
        rows[at]["name"] = rows[at]["class_name"]
    return scatter(
        rows,
        tenths_axis("accuracy", accuracy),
        tenths_axis("UAP", uap),
        width=400,
        height=280,
        line=ends,
        size=26,
        opacity=0.8,
        color=NEUTRAL,
    )


def tenths_axis(title: str, values: Sequence[float]) -> Axis:
    """Whole tenths around all values, with some room, so that points at the ends are whole."""
    # Rounded first: 0.6 is six tenths, not more.
    low = min(math.floor(round(10 * min(values), 9)), 9)
    high = max(math.ceil(round(10 * max(values), 9)), low + 1)
    room = 0.003 * (high - low)
    # Of many tenths a tick at every other.
    marked = [at / 10 for at in range(low, high + 1, 1 if high - low <= 6 else 2)]
    return Axis(title, (low / 10 - room, high / 10 + room), values=marked)


def _named(accuracy: Sequence[float], uap: Sequence[float], ends: Ends | None) -> list[int]:
    """Places of classes: the lowest and highest of both, then by distance from the line."""
    on_line = np.array(uap)
    if ends is not None:
        (low, begin), (high, end) = ends
        on_line = np.interp(accuracy, (low, high), (begin, end))
    by_uap, by_accuracy, furthest = (
        np.argsort(values, kind="stable").tolist()
        for values in (uap, accuracy, -np.abs(uap - on_line))
    )
    return list(dict.fromkeys([by_uap[0], by_uap[-1], by_accuracy[0], by_accuracy[-1], *furthest]))

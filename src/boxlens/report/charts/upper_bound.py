"""Detectors against an upper bound, and what the bound depends on (METHODS 4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import (
    BLUE,
    GREEN,
    INK,
    MANY_SERIES,
    NEUTRAL,
    PALE,
    VERMILION,
    colours_of,
)
from boxlens.report.charts.forms.axes import Axis, Names, to_a_tenth
from boxlens.report.charts.forms.keys import Style, key
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import (
    SMALL_PX,
    bars,
    behind,
    dots,
    lines,
    note,
    rule_along,
    spans,
    ticks,
    words,
)
from boxlens.report.charts.forms.panels import Series, below, beside, name_rows, plot
from boxlens.report.charts.forms.scatter import Ends, least_squares, scatter
from boxlens.report.charts.forms.tables import table_columns, table_rows, told_rows
from boxlens.report.study import NUMBER, SCORE, SHARE, TEXT, Table
from boxlens.studies.upper_bound.nearness import best_detector
from boxlens.studies.upper_bound.result import BOUND, CROP_TITLES, UpperBoundResult
from boxlens.wording import change, score

PAGE_PX: Final = 640
# Of a figure in half a page.
WIDTH: Final = 300
# Groups of bars: two lines of letters, and a share of them between two groups.
BAR_PX, LEAST_GROUP_PX, GROUP_GAP = 12, 28, 0.22
SIZES_PX: Final = 220
# From here on classes stand in two columns.
TWO_COLUMNS: Final = 25
NAMES_PX, COLUMN_GAP_PX = 104, 18
# Axes of more tenths have a tick at every other.
TICKED_FINELY: Final = 6
SCATTER_PX: Final = (400, 280)
CONTEXT_PX: Final = (400, 220)
# Between two labels beside a plot.
LABEL_PX: Final = 13.0
# Two dashes, so that lines of one height are both seen.
CROP_STYLES: Final[Mapping[str, Style]] = {
    CROP_TITLES["object"]: Style(BLUE),
    CROP_TITLES["object_and_context"]: Style(GREEN),
    CROP_TITLES["context"]: Style(VERMILION),
    CROP_TITLES["image"]: Style(GREEN, (6, 3)),
    CROP_TITLES["image_context"]: Style(VERMILION, (2, 3)),
}


def _colours(result: UpperBoundResult) -> dict[str, str]:
    """The bound first, dark, then the detectors."""
    return {BOUND: INK, **colours_of([one.name for one in result.detectors], MANY_SERIES)}


def _axis(result: UpperBoundResult, values: Iterable[float]) -> Axis:
    return Axis("AP, UAP" if result.detectors else "UAP", _limits(values))


def _limits(values: Iterable[float]) -> tuple[float, float]:
    """From nothing to a tenth above all; a score ends at 1."""
    return to_a_tenth(min(value, 1.0) for value in values)


def bound_by_size_chart(
    result: UpperBoundResult, found: Iterable[tuple[str, str, float, float]]
) -> Spec:
    """One group per size: size, whose AP, the AP and its share of UAP, of the bound first."""
    colours = _colours(result)
    rows = told_rows(
        {"objects": TEXT, "of": TEXT, "AP": SCORE, "share of UAP": SHARE},
        ((*one, {"colour": colours[one[1]]}) for one in found),
        row="objects",
        series="of",
        value="AP",
    )
    for row in rows:
        row |= {"text": row["tip"]["AP"], "share": row["tip"]["share of UAP"]}
    bounds = [row for row in rows if row["series"] == BOUND]
    group_px = max(LEAST_GROUP_PX, BAR_PX * len(result.detectors) + 4)
    # In columns: at the ends of the bars the dark end of the bound would cross them.
    columns = (("text", "AP", 36), ("share", "of UAP", 78)) if result.detectors else ()
    look: Row = {"align": "right", "fontSize": SMALL_PX}
    panel = name_rows(
        [row for row in rows if row["series"] != BOUND],
        Names(
            {row["row"]: [row["row"], f"UAP {row['text']}"] for row in bounds},
            px=round(group_px / (1 - GROUP_GAP)),
            gap=GROUP_GAP,
        ),
        _axis(result, (row["value"] for row in rows)),
        behind(bars("value", rows=bounds, color=PALE)),
        bars("value"),
        behind(ticks("value", rows=bounds, color=INK, thickness=2.5, size=group_px)),
        *(words(field, SIZES_PX + at, color=INK, **look) for field, _, at in columns),
        *(note(heading, SIZES_PX + at, -2, **look) for _, heading, at in columns),
        width=SIZES_PX,
        series=Series(list(colours)[1:], outer=0.15, inner=0.15) if result.detectors else None,
    )
    return below(*key(colours, width=WIDTH), panel)


def bound_by_iou_chart(result: UpperBoundResult) -> Spec:
    """One line for the bound, and one per detector."""
    styles = {name: Style(colour) for name, colour in _colours(result).items()}
    curves = {BOUND: result.bound.by_iou} | {one.name: one.by_iou for one in result.detectors}
    rows = told_rows(
        {"of": TEXT, "IoU": NUMBER, "AP": SCORE},
        (
            (who, round(iou, 6), ap, styles[who].look)
            for who, values in curves.items()
            for iou, ap in values.items()
            if not math.isnan(ap)
        ),
        series="of",
        x="IoU",
        y="AP",
    )
    ious = [row["x"] for row in rows]
    panel = plot(
        rows,
        Axis("IoU", (min(ious) - 0.02, max(ious) + 0.02), ticks=6),
        # With room above a line that is flat.
        _axis(result, (1.02 * row["y"] for row in rows)),
        lines(strokeWidth=1.75),
        dots(size=16),
        width=WIDTH,
        height=190,
    )
    return below(*key(styles, width=WIDTH), panel, gap=6)


def bound_by_class_chart(result: UpperBoundResult, table: Table[Any]) -> Spec:
    """One row per class of the table, in which each detector of the result has a column."""
    colours, best = _colours(result), best_detector(result)
    channels = {f"of_{at}": f"AP, {one.name}" for at, one in enumerate(result.detectors)}
    lines = {"best": f"AP, {best.name}"} if best is not None else {}
    found = table_rows(table, name="class", uap="UAP", **lines, **channels)
    # Places, not names: two classes may be called alike.
    rows = [{**row, "row": str(at)} for at, row in enumerate(found)]
    across = _axis(result, (row[of] for row in rows for of in ("uap", *channels)))
    n_columns = 2 if len(rows) >= TWO_COLUMNS else 1
    n_lines = -(-len(rows) // n_columns)
    panels = []
    for at in range(0, len(rows), n_lines):
        names = {row["row"]: row["name"] for row in rows[at : at + n_lines]}
        panel = name_rows(
            rows[at : at + n_lines],
            # Both columns begin at the same distance, however long their names are.
            Names(names, px=13, characters=18, grid=True, room_px=NAMES_PX - 6),
            across,
            spans("best", "uap", strokeWidth=4, color=PALE),
            ticks("uap", thickness=2.5, size=11, color=INK),
            *(
                dots(channel, size=32, color=colours[one.name])
                for channel, one in zip(channels, result.detectors, strict=True)
            ),
            width=(PAGE_PX - COLUMN_GAP_PX * (n_columns - 1)) // n_columns - NAMES_PX,
        )
        panels.append(panel)
    above = key(colours, width=PAGE_PX - 2 * NAMES_PX)
    return below(*above, beside(*panels, gap=COLUMN_GAP_PX))


def bound_strategies_chart(table: Table[Any]) -> Spec:
    """One bar per strategy of the table, the true boxes first."""
    rows = table_rows(table, row="labels from", value="UAP", low="UAP_low", high="UAP_high")
    first, *others = rows
    uaps, accuracies = (table_columns(table, "labels from", of) for of in ("UAP", "accuracy"))
    changes = {row["row"]: change(row["value"] - first["value"]) for row in others}
    return name_rows(
        rows,
        Names.of((row["row"] for row in rows), px=26, characters=40),
        Axis("UAP", _limits(row[end] for row in rows for end in ("value", "high")), ticks=4),
        bars("value", color=PALE),
        spans(color=INK),
        width=130,
        columns={**uaps, "change": changes, **accuracies},
    )


def bound_accuracy_chart(table: Table[Any], n_named: int, *, line: bool) -> Spec:
    """One point per class; the extremes have names, and the classes furthest from the line."""
    rows = table_rows(table, class_name="class", x="accuracy", y="UAP")
    accuracy, uap = ([row[side] for row in rows] for side in "xy")
    ends = least_squares(list(zip(accuracy, uap, strict=True))) if line else None
    for at in _named(np.array(accuracy), np.array(uap), ends)[:n_named]:
        rows[at]["name"] = rows[at]["class_name"]
    width, height = SCATTER_PX
    return scatter(
        rows,
        tenths_axis("accuracy", accuracy),
        tenths_axis("UAP", uap),
        width=width,
        height=height,
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
    step = 1 if high - low <= TICKED_FINELY else 2
    marked = [at / 10 for at in range(low, high + 1, step)]
    return Axis(title, (low / 10 - room, high / 10 + room), values=marked)


def _named(accuracy: Floats, uap: Floats, ends: Ends | None) -> list[int]:
    """Places of classes: the lowest and highest of both, then by distance from the line."""
    on_line = uap
    if ends is not None:
        across, up = zip(*ends, strict=True)
        on_line = np.interp(accuracy, across, up)
    by_uap, by_accuracy, furthest = (
        np.argsort(values, kind="stable").tolist()
        for values in (uap, accuracy, -np.abs(uap - on_line))
    )
    extremes = [by_uap[0], by_uap[-1], by_accuracy[0], by_accuracy[-1]]
    return list(dict.fromkeys([*extremes, *furthest]))


def bound_context_chart(table: Table[Any]) -> Spec:
    """One line per kind of crop over its scale; dashed, what the whole picture gives."""
    known = [
        {**row, **CROP_STYLES[row["series"]].look}
        for row in table_rows(table, x="scale", y="accuracy", series="crop")
        if not math.isnan(row["y"])
    ]
    scaled = [row for row in known if not math.isnan(row["x"])]
    whole = sorted((row for row in known if math.isnan(row["x"])), key=lambda row: -row["y"])
    drawn = {row["series"] for row in known}
    styles = {crop: style for crop, style in CROP_STYLES.items() if crop in drawn}
    widest = max((row["x"] for row in scaled), default=1.0)
    accuracy = Axis("accuracy", _limits(row["y"] for row in known))
    width, height = CONTEXT_PX
    look = {"align": "left", "fontSize": SMALL_PX}
    labels = list(_labels(whole, accuracy, height))
    panel = plot(
        scaled,
        Axis("scale of the box", (0, 1.03 * widest), ticks=8),
        accuracy,
        rule_along(1.0),
        Mark("rule", {"y": "y"}, {"strokeWidth": 1.5}, whole),
        Mark("text", {"x": width + 6, "y": "y", "text": "text"}, look, labels),
        lines(rows=[*_joint(scaled), *scaled], strokeWidth=1.75),
        dots(size=24),
        width=width,
        height=height,
    )
    return below(*key(styles, width=width), panel, gap=6)


def _labels(whole: Sequence[Row], axis: Axis, height: float) -> Iterator[Row]:
    """From the top down, no two over each other, none below the plot."""
    places: list[float] = []
    for row in whole:
        above = places[-1] + LABEL_PX if places else 0.0
        places.append(max(height * (1 - axis.share(row["y"])), above))
    too_low = max([height, *places]) - height
    for row, place in zip(whole, places, strict=True):
        up = axis.value(1 - (place - too_low) / height)
        yield {"y": up, "text": f"{score(row['y'])} {row['series']}", "ink": row["colour"]}


def _joint(scaled: Sequence[Row]) -> list[Row]:
    """Where the object alone ends, the object with context begins."""
    objects, others = (
        [row for row in scaled if row["series"] == CROP_TITLES[kind]]
        for kind in ("object", "object_and_context")
    )
    if not objects or not others:
        return []
    last = max(objects, key=lambda row: row["x"])
    return [{**others[0], "x": last["x"], "y": last["y"]}]

"""How good the classifier of an upper bound is, and whether boxes around the object help it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Final

from boxlens.report.charts.colours import BLUE, GREEN, INK, PALE, VERMILION
from boxlens.report.charts.forms.axes import Axis, Names, to_a_tenth
from boxlens.report.charts.forms.keys import Style, key
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import SMALL_PX, bars, dots, lines, rule_along, spans
from boxlens.report.charts.forms.panels import below, name_rows, plot
from boxlens.report.charts.forms.tables import table_columns, table_rows
from boxlens.report.described.upper_bound.classes import accuracy_plot
from boxlens.report.described.upper_bound.detectors import NO_BOUND, ends_of
from boxlens.report.study import (
    COUNT,
    NUMBER,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    columns_of,
    interval_columns,
)
from boxlens.studies.upper_bound.result import (
    CROP_TITLES,
    STRATEGY_TITLES,
    ContextAccuracy,
    StrategyBound,
    UpperBoundResult,
)
from boxlens.wording import change, counted, level, number, score

LABELS = "Ways to find labels"
# Of crops; and between two labels beside the plot.
WIDTH, HEIGHT, LABEL_PX = 400, 220, 13.0
# Two dashes, so that lines of one height are both seen.
STYLES: Final[Mapping[str, Style]] = {
    CROP_TITLES["object"]: Style(BLUE),
    CROP_TITLES["object_and_context"]: Style(GREEN),
    CROP_TITLES["context"]: Style(VERMILION),
    CROP_TITLES["image"]: Style(GREEN, (6, 3)),
    CROP_TITLES["image_context"]: Style(VERMILION, (2, 3)),
}


def recognition_section(result: UpperBoundResult) -> Section:
    table, iou, choice = _strategies(result), result.choice.sampled_iou, result.choice.intervals
    around = f"Boxes around: shifted, with IoU {number(iou)} to the true box. " if iou else ""
    line = f"Line: {level(choice.level)} interval, by resampling images." if choice else ""
    by_strategy = Plot(
        "bound_strategies",
        "UAP by how labels are found",
        "Boxes around the object raise UAP where a second look helps; where they lower it, the "
        "classifier needs a tight box.",
        partial(_draw_strategies, table),
        legend=(around + line).rstrip(),
        about=f"{result.classifier} on {result.dataset}",
        absent=NO_BOUND if math.isnan(result.bound.uap) else "",
        wide=True,
    )
    figures = [by_strategy] * (len(result.strategies) > 1)
    figures += [accuracy_plot(result)] * (len(result.bound.classes) > 1)
    return Section(
        "recognition",
        "Recognition",
        (*figures, table),
        "How good the classifier is, and whether boxes around the object help it.",
    )


def _draw_strategies(table: Table[StrategyBound]) -> Spec:
    rows = table_rows(table, row="labels from", value="UAP", low="UAP_low", high="UAP_high")
    first, *others = rows
    uaps, accuracies = (table_columns(table, "labels from", of) for of in ("UAP", "accuracy"))
    ends = [min(row[end], 1.0) for row in rows for end in ("value", "high")]
    changes = {row["row"]: change(row["value"] - first["value"]) for row in others}
    return name_rows(
        rows,
        Names.of((row["row"] for row in rows), px=26, characters=40),
        Axis("UAP", to_a_tenth(ends), ticks=4),
        bars("value", color=PALE),
        spans(color=INK),
        width=130,
        columns={**uaps, "change": changes, **accuracies},
    )


def _strategies(result: UpperBoundResult) -> Table[StrategyBound]:
    """Without sizes of which there are no objects."""
    heading = "" if all(one.interval is None for one in result.strategies) else "interval"
    sizes = [
        size
        for size in result.bound.by_size
        if not all(math.isnan(one.by_size.get(size, math.nan)) for one in result.strategies)
    ]
    return Table(
        "bound_summary",
        LABELS,
        result.strategies,
        [
            Column("strategy", "", lambda one: one.strategy, TEXT),
            Column("", "labels from", lambda one: STRATEGY_TITLES[one.strategy], TEXT),
            Column("n_objects", "", lambda _: result.n_objects, COUNT),
            Column(
                "n_labelled", "labelled objects", lambda one: one.n_labelled, COUNT, further=True
            ),
            Column("UAP", "UAP", lambda one: one.uap),
            *interval_columns(lambda one: ends_of(one.interval), heading, ("UAP_low", "UAP_high")),
            *columns_of(sizes, lambda one, size: one.by_size.get(size), heading="UAP, {}".format),
            Column("accuracy", "accuracy", lambda one: one.accuracy),
            Column("class_accuracy", "mean over classes", lambda one: one.class_accuracy),
            Column("r", "", lambda one: one.correlation.r),
            Column("r_squared", "r squared", lambda one: one.correlation.r_squared, further=True),
            Column("n_classes", "", lambda one: one.correlation.n_classes, COUNT),
        ],
        wide=True,
    )


def context_section(result: UpperBoundResult) -> Section:
    """Without a figure where it was not asked for."""
    table = _crops(result)
    known = [one for one in result.context if not math.isnan(one.accuracy)]
    n_objects = result.context[0].n_objects if result.context else 0
    whole = any(math.isnan(one.scale) for one in known)
    figure = Plot(
        "bound_context",
        "Accuracy with less and with more than the box",
        "Highest right of 1: the surroundings help to recognise objects. A high line of the "
        "context alone: the scene gives the class away, and objects in unusual places will get "
        "wrong labels.",
        partial(_draw_context, table),
        legend=f"Share of {counted(n_objects, 'object')} with the right label, "
        "by the side of the crop relative to that of the box. Context alone: the box itself is "
        "blank." + " Dashed, with its value: from the whole picture." * whole,
        about=f"{result.classifier} on {result.dataset}",
        absent="" if known else NO_BOUND,
        wide=True,
    )
    return Section(
        "context",
        "Context",
        (figure, table) if result.context else (table,),
        "How accurate the classifier is on crops that show less or more than the object.",
    )


def _draw_context(table: Table[ContextAccuracy]) -> Spec:
    """One line per kind of crop over its scale; dashed, what the whole picture gives."""
    known = [
        {**row, **STYLES[row["series"]].look}
        for row in table_rows(table, x="scale", y="accuracy", series="crop")
        if not math.isnan(row["y"])
    ]
    scaled = [row for row in known if not math.isnan(row["x"])]
    whole = sorted((row for row in known if math.isnan(row["x"])), key=lambda row: -row["y"])
    drawn = {row["series"] for row in known}
    styles = {crop: STYLES[crop] for crop in STYLES if crop in drawn}
    widest = max((row["x"] for row in scaled), default=1.0)
    accuracy = Axis("accuracy", to_a_tenth(row["y"] for row in known))
    look = {"align": "left", "fontSize": SMALL_PX}
    panel = plot(
        scaled,
        Axis("scale of the box", (0, 1.03 * widest), ticks=8),
        accuracy,
        rule_along(1.0),
        Mark("rule", {"y": "y"}, {"strokeWidth": 1.5}, whole),
        Mark("text", {"x": WIDTH + 6, "y": "y", "text": "text"}, look, _labels(whole, accuracy)),
        lines(rows=[*_joint(scaled), *scaled], strokeWidth=1.75),
        dots(size=24),
        width=WIDTH,
        height=HEIGHT,
    )
    return below(*key(styles, width=WIDTH), panel, gap=6)


def _labels(whole: Sequence[Row], axis: Axis) -> list[Row]:
    """From the top down, no two over each other, none below the plot."""
    lines_px = (HEIGHT * (1 - axis.share(row["y"])) for row in whole)
    places = list(accumulate(lines_px, lambda above, line: max(line, above + LABEL_PX)))
    too_low = max([HEIGHT, *places]) - HEIGHT
    ups = [axis.value(1 - (place - too_low) / HEIGHT) for place in places]
    return [
        {"y": up, "text": f"{score(row['y'])} {row['series']}", "ink": row["colour"]}
        for row, up in zip(whole, ups, strict=True)
    ]


def _joint(scaled: Sequence[Row]) -> list[Row]:
    """Where the object alone ends, the object with context begins."""
    objects = [row for row in scaled if row["series"] == CROP_TITLES["object"]]
    others = [row for row in scaled if row["series"] == CROP_TITLES["object_and_context"]]
    last = max(objects, key=lambda row: row["x"], default=None)
    return [{**one, "x": last["x"], "y": last["y"]} for one in others[:1] if last]


def _crops(result: UpperBoundResult) -> Table[ContextAccuracy]:
    return Table(
        "bound_context",
        "Accuracy of every crop",
        result.context,
        [
            Column("kind", "", lambda one: one.kind, TEXT),
            Column("", "crop", lambda one: CROP_TITLES[one.kind], TEXT),
            Column("scale", "scale of the box", lambda one: one.scale, NUMBER),
            Column("accuracy", "accuracy", lambda one: one.accuracy),
            Column("class_accuracy", "mean over classes", lambda one: one.class_accuracy),
            Column("n_objects", "objects", lambda one: one.n_objects, COUNT),
        ],
        folded=True,
    )

"""The scores of every detector and class: numbers of the protocol, mean curves, confusions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from boxlens.metrics import ClassResult, DetectorResult, EvaluationResult
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.protocols import PROTOCOL_TITLES
from boxlens.report.charts.colours import SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import dots, lines, spans
from boxlens.report.charts.forms.panels import Series, below, name_rows, plot
from boxlens.report.charts.forms.tables import coloured, table_columns, table_rows
from boxlens.report.described.confusion import confusion_plot
from boxlens.report.study import (
    COUNT,
    INTERVAL,
    SCORE,
    TEXT,
    Column,
    Plot,
    Table,
    columns_of,
    file_name,
    table_of,
)
from boxlens.wording import level, listed, number, score

# Of more classes, a figure has the worst and the best halves of so many.
MOST_CLASSES = 30
WIDTH, SIDE = 230, 250
Scored = DetectorResult | ClassResult


def main_metric(result: EvaluationResult) -> str:
    return next(iter(result.detectors[0].metrics))


def level_of(result: EvaluationResult) -> str:
    """95%; empty where intervals were not asked for."""
    sure = result.detectors[0].intervals is not None
    return level(result.parameters["intervals"]["level"]) if sure else ""


def ends_of(one: Scored, metric: str) -> tuple[float, float]:
    """Of the interval."""
    found = (one.intervals or {}).get(metric)
    return (math.nan, math.nan) if found is None else (found.low, found.high)


def whole_and_classes(one: DetectorResult) -> Iterator[tuple[str | None, Scored]]:
    """A detector as a whole, without the name of a class, then each class."""
    yield None, one
    yield from ((row.name, row) for row in one.classes)


def scores_table(result: EvaluationResult) -> Table[str]:
    columns: list[Column[str]] = [Column("", "metric", str, TEXT)]
    for one in result.detectors:
        columns.append(Column("", one.name, one.metrics.get))
        if sure := level_of(result):
            columns.append(Column("", sure, partial(ends_of, one), INTERVAL))
    metrics = list(result.detectors[0].metrics)
    return Table("", "Every number of the protocol", metrics, columns)


def filed_scores(result: EvaluationResult) -> Table[Any]:
    """One row per number: of a detector as a whole (no class), and of each class."""
    forms = {"detector": TEXT, "class": TEXT, "n_objects": COUNT, "n_detections": COUNT}
    forms |= {"metric": TEXT, **dict.fromkeys(("value", "low", "high"), SCORE)}
    rows = (
        (one.name, name, n_objects, of.n_detections, metric, value, *ends_of(of, metric))
        for one in result.detectors
        for name, of in whole_and_classes(one)
        for n_objects in (of.n_gt if isinstance(of, ClassResult) else result.n_objects,)
        for metric, value in of.metrics.items()
    )
    return table_of("scores", "", forms, rows)


def classes_table(result: EvaluationResult) -> Table[int]:
    """The first number of each detector; the others at a click."""
    classes, several = result.detectors[0].classes, len(result.detectors) > 1
    rows = [row for row, one in enumerate(classes) if one.n_gt]
    metrics = classes[rows[0]].metrics if rows else ()
    return Table(
        "",
        "Every class",
        rows,
        [
            Column("", "class", lambda row: classes[row].name, TEXT),
            Column("", "objects", lambda row: classes[row].n_gt, COUNT),
            *(
                column
                for at, metric in enumerate(metrics)
                for one in result.detectors
                for column in _of_class(result, one, metric, further=at > 0)
            ),
            *columns_of(
                result.detectors,
                lambda row, one: one.classes[row].n_detections,
                COUNT,
                heading=lambda one: f"detections of {one.name}" if several else "detections",
                further=True,
            ),
        ],
        wide=True,
        detail=True,
    )


def _of_class(
    result: EvaluationResult, one: DetectorResult, metric: str, *, further: bool
) -> Iterator[Column[int]]:
    rows, sure, name = one.classes, level_of(result), f"{metric} {one.name}"
    heading = name if len(result.detectors) > 1 else metric
    yield Column(name, heading, lambda row: rows[row].metrics[metric], SCORE, further)
    if sure:
        yield Column("", sure, lambda row: ends_of(rows[row], metric), INTERVAL, further)


def numbers_plot(result: EvaluationResult) -> Plot:
    """At most as many detectors as there are colours; of one, its numbers stand beside it."""
    sure, scores = level_of(result), filed_scores(result)
    colours = colours_of([one.name for one in result.detectors])
    whole = replace(scores, rows=[row for row in scores.rows if row[1] is None])
    known = any(not math.isnan(value) for one in result.detectors for value in one.metrics.values())
    several = len(colours) > 1

    def draw() -> Spec:
        numbers = {name: name for name in ("value", "low", "high")}
        tips = ("detector", "metric", *numbers)
        found = table_rows(whole, tips, row="metric", series="detector", **numbers)
        metrics = (row["row"] for row in found)
        panel = name_rows(
            coloured(found, colours),
            Names.of(metrics, px=max(18, 9 * (len(colours) + 1)), grid=several),
            Axis(),
            spans(strokeWidth=1.75),
            dots("value"),
            width=WIDTH,
            series=Series(list(colours)) if several else None,
            columns={} if several else table_columns(whole, "metric", "value"),
        )
        return below(*key(colours, width=WIDTH), panel)

    return Plot(
        "main_numbers",
        "The main numbers, and how sure they are",
        "How far the numbers of another test set of this kind would be from these. Lines of two "
        "detectors that overlap do not mean that the detectors are alike: see boxlens compare.",
        draw,
        legend=f"Dot: the number. Line: {sure} interval, by resampling images. It is corrected for "
        f"the estimated bias, so the dot may be off its middle.{_first_detectors(result)}",
        about=_about(result),
        absent=("" if known else "every number is undefined")
        if sure
        else "intervals were not asked for (--intervals)",
    )


def class_plot(result: EvaluationResult) -> Plot:
    """One row per class, with a dot for each detector."""
    metric, colours = main_metric(result), colours_of([one.name for one in result.detectors])
    ranked, half = _ranked_classes(result, metric), MOST_CLASSES // 2
    many = len(ranked) > MOST_CLASSES
    shown = [*ranked[:half], *ranked[-half:]] if many else ranked
    legend = "By the best detector, the worst class first." * (len(result.detectors) > 1)
    legend += f" The worst and the best {half} of {len(ranked)} classes." * many

    def draw() -> Spec:
        # Two classes may have the same name, and detectors any.
        channels = {f"of_{at}": f"{metric} {name}" for at, name in enumerate(colours)}
        tips = ("class", "objects", *channels.values())
        table = replace(classes_table(result), rows=shown)
        found = table_rows(table, tips, name="class", **channels)
        rows = [{**row, "row": str(at)} for at, row in enumerate(found)]
        names = Names({row["row"]: row["name"] for row in rows}, px=13, grid=True)
        marks = (dots(of, color=one) for of, one in zip(channels, colours.values(), strict=True))
        panel = name_rows(rows, names, Axis(metric), *marks, width=WIDTH)
        return below(*key(colours, width=WIDTH), panel)

    return Plot(
        "class_scores",
        f"{metric} of each class",
        "Classes far below the others are the ones to look at.",
        draw,
        legend=f"{legend}{_first_detectors(result)}".strip(),
        about=f"{_about(result)}, {PROTOCOL_TITLES[result.protocol]}",
        absent="" if ranked else f"{metric} of every class is undefined",
    )


def _ranked_classes(result: EvaluationResult, metric: str) -> list[int]:
    """Places of classes with a number, by the best detector's that is drawn, the worst first."""
    shown = result.detectors[: len(SERIES)]
    values = [[row.metrics.get(metric, math.nan) for row in one.classes] for one in shown]
    best = np.fmax.reduce(np.array(values))
    return [row for row in np.argsort(best, kind="stable").tolist() if not math.isnan(best[row])]


def curve_plots(result: EvaluationResult) -> Iterator[Plot]:
    curves = {
        one.name: one.extras.curves for one in result.detectors if one.extras.curves is not None
    }
    if not curves:
        return
    first, colours = next(iter(curves.values())), colours_of(list(curves))

    def draw() -> Spec:
        rows = []
        for name, colour in colours.items():
            classes = (row for row in curves[name].classes if row.points.n_positive > 0)
            mean = np.mean([row.sampled()[0] for row in classes], axis=0)
            for recall, precision in zip(COCO_RECALLS, mean, strict=True):
                tip = {"detector": name, "recall": score(recall, 2), "precision": score(precision)}
                place = {"x": round(float(recall), 4), "y": float(precision)}
                rows.append({**place, "tip": tip, "series": name, "colour": colour})
        axes = Axis("recall", (0, 1)), Axis("precision", (0, 1))
        panel = plot(rows, *axes, lines(strokeWidth=1.75), width=SIDE, height=SIDE)
        return below(*key(colours, width=SIDE), panel)

    known = any(row.points.n_positive > 0 for row in first.classes)
    yield Plot(
        "mean_curves",
        f"Precision over recall at IoU {number(first.iou)}",
        "The area under a line is AP at this overlap. Where it ends is all that is found.",
        draw,
        legend="The best precision at each recall or a higher one, as the mean over classes with "
        "objects. A class that never reaches a recall counts 0 there."
        f"{_first_detectors(result)}",
        about=_about(result),
        absent="" if known else "no object counts",
    )


def confusion_plots(result: EvaluationResult) -> Iterator[Plot]:
    several = len(result.detectors) > 1
    for one in result.detectors:
        if one.extras.confusion is not None:
            found = confusion_plot(
                one.extras.confusion,
                f"{one.name} on {result.dataset}",
                "Dark cells off the diagonal are pairs of classes to tell apart. The last column "
                "is what is not found.",
                f"confusion_matrix_{file_name(one.name)}" if several else "confusion_matrix",
            )
            title = f"{found.title}: {one.name}" if several else found.title
            yield replace(found, title=title, detector=one.name)


def _first_detectors(result: EvaluationResult) -> str:
    return first_of(len(SERIES), len(result.detectors), "detectors")


def _about(result: EvaluationResult) -> str:
    return f"{listed([one.name for one in result.detectors], 1, 'detectors')} on {result.dataset}"

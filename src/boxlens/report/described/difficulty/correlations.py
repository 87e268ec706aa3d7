"""Do systems fail on hard classes? Scores against each measure of difficulty (METHODS 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final

from boxlens.report.charts.forms.axes import Axis, around, from_zero
from boxlens.report.charts.forms.layers import Mark, Row, Spec, defined
from boxlens.report.charts.forms.marks import SMALL_PX, dots, lines, note
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.report.charts.selecting import picks
from boxlens.report.described.difficulty.datasets import HARD_END
from boxlens.report.described.difficulty.systems import (
    NO_SYSTEMS,
    cumulative_plot,
    system_colours,
    system_key,
    titled_score,
    who_is_shown,
)
from boxlens.report.study import (
    COUNT,
    SCORE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    interval_columns,
    table_of,
)
from boxlens.studies.difficulty.accuracy import MAIN_SCORES, ScoreName, defined_scores
from boxlens.studies.difficulty.class_measures import defined_measures
from boxlens.studies.difficulty.correlations import Correlation
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, measure_text, measure_words
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.wording import count, interval, score

ACCUMULATED: Final[tuple[ScoreName, ...]] = ("ap", "cls_loc", "loc_given_cls")
# Fewer make no line.
FEWEST_CLASSES: Final = 3
# Correlations above a panel, side by side.
PER_LINE, R_PX, LINE_PX = 2, 46, 11


def correlations_section(result: DifficultyResult) -> Section:
    scores = defined_scores(result.systems)
    n_most = max((one.n_classes for one in result.correlations), default=0)
    few = f"fewer than {FEWEST_CLASSES} classes have a score and a measure"
    absent = NO_SYSTEMS if not result.systems else few if n_most < FEWEST_CLASSES else ""
    plots = [
        Plot(
            f"{name}_by_measure",
            f"{'Scores' if absent else titled_score(result, name)} of classes against each measure "
            "of difficulty",
            "A steep line: the system depends on this difficulty. Of two lines the flatter one "
            "belongs to the more robust system.",
            partial(_draw_scatter, result, name),
            legend="One dot per class. Line: least squares. Above each panel: Pearson's r of every "
            f"system, in its colour. {HARD_END}{who_is_shown(result, name)}",
            absent=absent,
        )
        for name in scores or MAIN_SCORES[:1]
    ]
    plots += [cumulative_plot(result, name) for name in ACCUMULATED if name in scores]
    return Section(
        "correlations",
        "Correlations",
        (*(plots[:1] if absent else plots), _correlations(result), _cumulative(result)),
        "Which difficulty goes with low scores. r is Pearson's correlation over classes; "
        "if its 95% interval includes 0, it may be chance.",
    )


def _draw_scatter(result: DifficultyResult, name: ScoreName) -> Spec:
    """One dot per class and system; where there are detectors, it leads to the class's objects."""
    colours = system_colours(result)
    # Panels share them.
    rows = defined(_class_rows(result, name, colours))
    known = [one for one in MEASURE_NAMES if any(row.get(one) is not None for row in rows)]
    columns = 2 if len(known) == 4 else 3
    many = len(result.datasets[0].classes) > 200
    ends = from_zero((row["score"] for row in rows), 0.02)
    mine = [one for one in result.correlations if one.score == name and one.system in colours]
    panels = [
        plot(
            rows,
            Axis(ends=around(values, 0.04), ticks=3),
            Axis(result.label(name) * first, ends, ticks=4, labels=first),
            dots("score", size=6 if many else 14, opacity=0.35 if many else 0.55),
            *_lines_and_r(measure, found, values, colours),
            along=measure,
            width=92,
            height=92,
            framed=True,
        )
        for at, measure in enumerate(known)
        for first in [at % columns == 0]
        for values in [[row[measure] for row in rows if row[measure] is not None]]
        for found in [[one for one in mine if one.measure == measure]]
    ]
    return grid(panels, columns, above=system_key(colours, (row["series"] for row in rows)), gap=12)


def _class_rows(
    result: DifficultyResult, name: ScoreName, colours: Mapping[str, str]
) -> Iterator[Row]:
    """One per class and system; class by class, so that no system lies on top of all others."""
    measures = defined_measures(result.datasets[:1])
    for row, one in enumerate(result.datasets[0].classes):
        objects = picks(one.name, None, of="objects", terms={"class": one.name})
        values: Row = {measure: one.value(measure) for measure in measures}
        told = {MEASURES[measure].short: measure_text(at) for measure, at in values.items()}
        for system in result.systems[: len(colours)]:
            value = system.classes[row].scores.get(name, math.nan)
            if not math.isnan(value):
                tip = {"class": one.name, "system": system.name, result.label(name): score(value)}
                yield {
                    "series": system.name,
                    "colour": colours[system.name],
                    "score": value,
                    **values,
                    "tip": {**tip, **told, "objects": count(one.n_objects)},
                    **(objects if result.has_detectors else {}),
                }


def _lines_and_r(
    measure: str, found: Sequence[Correlation], values: Sequence[float], colours: Mapping[str, str]
) -> Iterator[Mark]:
    """A line per system, and between the panel and its title r in the system's colour."""
    ends = [
        {measure: x, "y": one.intercept + one.slope * x, "series": who, "colour": colours[who]}
        for one in found
        for who in [one.system]
        for x in (min(values), max(values))
    ]
    yield lines(rows=ends, strokeWidth=1.75, clip=True)
    n_lines = -(-len(found) // PER_LINE)
    yield note(MEASURES[measure].short, 0, -5 - LINE_PX * n_lines)
    for at, one in enumerate(found):
        up = n_lines - 1 - at // PER_LINE
        look = {"align": "left", "baseline": "bottom", "fontSize": SMALL_PX}
        tip = {
            "system": one.system,
            "r, 95%": interval(one.pearson_low, one.pearson_high),
            "spearman": score(one.spearman),
            "classes": count(one.n_classes),
        }
        yield Mark(
            "text",
            {"x": R_PX * (at % PER_LINE), "y": -3 - LINE_PX * up, "text": "text"},
            {**look, "color": colours[one.system]},
            [{"text": f"r {score(one.pearson)}", "tip": tip}],
        )


def _correlations(result: DifficultyResult) -> Table[Correlation]:
    main = {one.name: one.main_score for one in result.systems}
    return Table(
        "correlations",
        "Correlations of class scores with each measure",
        result.correlations,
        [
            Column("", "measure", lambda one: measure_words(one.measure), TEXT),
            Column("measure", "", lambda one: one.measure, TEXT),
            Column("", "score", lambda one: result.label(one.score), TEXT),
            Column("score", "", lambda one: one.score, TEXT),
            Column("system", "system", lambda one: one.system, TEXT),
            Column("n_classes", "classes", lambda one: one.n_classes, COUNT),
            Column("pearson", "r", lambda one: one.pearson),
            *interval_columns(
                attrgetter("pearson_low", "pearson_high"), "95%", ("pearson_low", "pearson_high")
            ),
            Column("spearman", "Spearman", lambda one: one.spearman),
            Column("slope", "slope", lambda one: one.slope, further=True),
            Column("intercept", "intercept", lambda one: one.intercept, further=True),
        ],
        brief=[one for one in result.correlations if one.score == main.get(one.system)],
        brief_caption="Correlations of main class scores with each measure",
        wide=True,
    )


def _cumulative(result: DifficultyResult) -> Table[Any]:
    texts = ("system", "score", "measure", "property", "group", "within_property", "within_value")
    forms = {**dict.fromkeys(texts, TEXT), "x": SCORE, "mean": SCORE, "n_classes": COUNT}
    rows = (
        (*attrgetter(*texts)(one), x, mean, int(n))
        for one in result.cumulative
        for x, mean, n in zip(one.x.tolist(), one.mean.tolist(), one.n_classes, strict=True)
    )
    return table_of("cumulative", "", forms, rows)

"""Do systems fail on hard classes? Scores by each measure of difficulty (METHODS 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from boxlens.report.charts.forms.axes import Axis, around, from_zero
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark, Row, Shown, Spec, defined
from boxlens.report.charts.forms.marks import SMALL_PX, dots, lines, note
from boxlens.report.charts.forms.panels import grid, message, plot
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.system_colours import KEY_PX, system_colours, system_key
from boxlens.studies.difficulty.accuracy import ScoreName
from boxlens.studies.difficulty.class_measures import defined_measures
from boxlens.studies.difficulty.cumulative import CumulativeCurve
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, MeasureName, measure_text
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.wording import count, interval, score, short

PANEL_PX: Final = 92
# Correlations above a panel, side by side.
PER_LINE: Final = 2
R_PX: Final = 46
LINE_PX: Final = 11
MANY_CLASSES: Final = 200
# A mean over fewer classes is drawn paler.
FEW_CLASSES: Final = 5
MOST_STEPS: Final = 120
# Sides of a panel of curves and letters of its title, by how many panels stand in a line.
SIDES: Final = {2: 130, 3: 88}
TITLES: Final = {2: 25, 3: 19}


def score_by_measure_chart(result: DifficultyResult, name: ScoreName) -> Spec:
    """One dot per class and system; where there are detectors, it leads to the class's objects."""
    colours = system_colours(result)
    measures = defined_measures(result.datasets[:1])
    # Panels share them.
    rows = defined(_class_rows(result, name, measures, colours))
    known = [one for one in measures if any(row[one] is not None for row in rows)]
    columns = 2 if len(known) == 4 else 3
    many = len(result.datasets[0].classes) > MANY_CLASSES
    ends = from_zero((row["score"] for row in rows), 0.02)
    panels = [
        plot(
            rows,
            Axis(ends=around((row[measure] for row in rows), 0.04), ticks=3),
            Axis(result.label(name) * first, ends, ticks=4, labels=first),
            dots("score", size=6 if many else 14, opacity=0.35 if many else 0.55),
            *_correlations(result, name, measure, rows, colours),
            along=measure,
            width=PANEL_PX,
            height=PANEL_PX,
            framed=True,
        )
        for at, measure in enumerate(known)
        for first in [at % columns == 0]
    ]
    above = system_key(colours, (row["series"] for row in rows))
    return grid(panels, columns, above=above, gap=12)


def _class_rows(
    result: DifficultyResult,
    name: ScoreName,
    measures: Sequence[MeasureName],
    colours: Mapping[str, str],
) -> Iterator[Row]:
    """One per class and system; class by class, so that no system lies on top of all others."""
    for row, one in enumerate(result.datasets[0].classes):
        objects = picks(one.name, None, of="objects", terms={"class": one.name})
        links = objects if result.has_detectors else {}
        values: Row = {measure: one.value(measure) for measure in measures}
        told = {MEASURES[measure].short: measure_text(at) for measure, at in values.items()}
        for system in result.systems[: len(colours)]:
            value = system.classes[row].scores.get(name, math.nan)
            if math.isnan(value):
                continue
            tip = {"class": one.name, "system": system.name, result.label(name): score(value)}
            yield {
                "series": system.name,
                "colour": colours[system.name],
                "score": value,
                **values,
                "tip": {**tip, **told, "objects": count(one.n_objects)},
                **links,
            }


def _correlations(
    result: DifficultyResult,
    name: ScoreName,
    measure: MeasureName,
    rows: Sequence[Row],
    colours: Mapping[str, str],
) -> Iterator[Mark]:
    """A line per system, and between the panel and its title r in the system's colour."""
    found = [
        one
        for one in result.correlations
        if (one.score, one.measure) == (name, measure) and one.system in colours
    ]
    known = [row[measure] for row in rows if row[measure] is not None]
    ends = [
        {
            measure: x,
            "y": one.intercept + one.slope * x,
            "series": one.system,
            "colour": colours[one.system],
        }
        for one in found
        for x in (min(known), max(known))
    ]
    yield lines(rows=ends, strokeWidth=1.75, clip=True)
    n_lines = -(-len(found) // PER_LINE)
    yield note(MEASURES[measure].short, 0, -5 - LINE_PX * n_lines)
    for at, one in enumerate(found):
        up = n_lines - 1 - at // PER_LINE
        place: dict[str, Shown] = {"x": R_PX * (at % PER_LINE), "y": -3 - LINE_PX * up}
        look = {"align": "left", "baseline": "bottom", "fontSize": SMALL_PX}
        tip = {
            "system": one.system,
            "r, 95%": interval(one.pearson_low, one.pearson_high),
            "spearman": score(one.spearman),
            "classes": count(one.n_classes),
        }
        yield Mark(
            "text",
            {**place, "text": "text"},
            {**look, "color": colours[one.system]},
            [{"text": f"r {score(one.pearson)}", "tip": tip}],
        )


def cumulative_scores_chart(result: DifficultyResult, name: ScoreName) -> Spec:
    """Mean score of all classes up to a value of each measure, one curve per system."""
    colours = system_colours(result, bound_by=name)
    panels: dict[str, dict[str, CumulativeCurve]] = {}
    for measure in MEASURE_NAMES:
        for one in result.cumulative:
            of_all = (one.score, one.measure, one.property) == (name, measure, "")
            if of_all and one.system in colours and len(one.x):
                panels.setdefault(MEASURES[measure].short, {})[one.system] = one
    drawn = {system for curves in panels.values() for system in curves}
    shown = {system: colour for system, colour in colours.items() if system in drawn}
    return cumulative_panels(panels, shown, result.label(name), 2 if len(panels) == 4 else 3)


def cumulative_panels(
    panels: Mapping[str, Mapping[str, CumulativeCurve]],
    colours: Mapping[str, str],
    y_title: str,
    columns: int,
) -> Spec:
    """Curves by title and by whom they are of; only the first panel of a line has labels."""
    side, most = SIDES[columns], TITLES[columns]
    limit = _highest([one for curves in panels.values() for one in curves.values()])
    drawn = []
    for at, (words, curves) in enumerate(panels.items()):
        title = "\n".join(short(line, most) for line in words.split("\n"))
        up = Axis(y_title * (first := at % columns == 0), (0, 1.04 * limit), ticks=4, labels=first)
        if curves:
            rows = [row for name, one in curves.items() for row in _steps(name, one, colours[name])]
            crowded = any(MEASURES[one.measure].crowded for one in curves.values())
            drawn.append(_curves(rows, up, side, title, "sqrt" if crowded else "linear"))
        else:
            drawn.append(message("no group has two classes", width=side, height=side, title=title))
    return grid(drawn, columns, above=key(colours, width=KEY_PX), gap=16)


def _highest(curves: Sequence[CumulativeCurve]) -> float:
    """Of all means, those over a few classes aside: panels beside each other share an axis."""
    many = [one.mean[one.n_classes >= FEW_CLASSES] for one in curves]
    means = [part for part in many if len(part)] or [one.mean for one in curves]
    return max(float(part.max()) for part in means) or 1.0


def _curves(
    rows: Sequence[Row], up: Axis, side: int, title: str, kind: Literal["linear", "sqrt"]
) -> Spec:
    low, high = min(row["x"] for row in rows), max(row["x"] for row in rows)
    pale = [row for row in rows if row["n"] <= FEW_CLASSES]
    many = [row for row in rows if row["n"] >= FEW_CLASSES]
    return plot(
        (),
        Axis(ends=(low, high if high > low else low + 1), ticks=3, kind=kind),
        up,
        lines(steps="after", rows=pale, opacity=0.3, clip=True),
        lines(steps="after", rows=many, clip=True),
        width=side,
        height=side,
        title=title,
    )


def _steps(name: str, curve: CumulativeCurve, colour: str) -> Iterator[Row]:
    """All of the pale beginning, and enough of the rest."""
    begin = int((curve.n_classes < FEW_CLASSES).sum())
    rest = spread_out(len(curve.x) - begin, MOST_STEPS)
    for at in (*range(begin), *(begin + step for step in rest)):
        x, mean, n = float(curve.x[at]), float(curve.mean[at]), int(curve.n_classes[at])
        tip = {"of": name, "up to": measure_text(x), "mean": score(mean), "classes": count(n)}
        yield {"x": x, "y": mean, "n": n, "series": name, "colour": colour, "tip": tip}

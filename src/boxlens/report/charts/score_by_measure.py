"""Do systems fail on hard classes? One dot per class, one line per system (METHODS 3.7)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from boxlens.report.charts.forms.axes import Axis, around, from_zero
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark, defined
from boxlens.report.charts.forms.marks import SMALL_PX, dots, lines, note
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.system_colours import system_colours
from boxlens.studies.difficulty.measures import MEASURES, measure_text
from boxlens.wording import count, interval, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.report.charts.forms.layers import Row, Shown, Spec
    from boxlens.studies.difficulty.accuracy import ScoreName
    from boxlens.studies.difficulty.correlations import Correlation
    from boxlens.studies.difficulty.measures import MeasureName
    from boxlens.studies.difficulty.result import DifficultyResult

PANEL_PX: Final = 92
# Correlations above a panel, side by side.
PER_LINE: Final = 2
R_PX: Final = 46
LINE_PX: Final = 11
MANY_CLASSES: Final = 200


def score_by_measure_chart(
    result: DifficultyResult, name: ScoreName, measures: Sequence[MeasureName], *, linked: bool
) -> Spec:
    """`linked`: in the app a click on a dot shows the objects of its class."""
    colours = system_colours(result)
    # Panels share them.
    rows = defined(_rows(result, name, measures, colours, linked=linked))
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
    drawn = {row["series"] for row in rows}
    shown = {system: colour for system, colour in colours.items() if system in drawn}
    return grid(panels, columns, above=key(shown, width=300), gap=12)


def _rows(
    result: DifficultyResult,
    name: ScoreName,
    measures: Sequence[MeasureName],
    colours: Mapping[str, str],
    *,
    linked: bool,
) -> Iterator[Row]:
    """One per class and system; class by class, so that no system lies on top of all others."""
    for row, one in enumerate(result.datasets[0].classes):
        links = picks(one.name, None, of="objects", terms={"class": one.name}) if linked else {}
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
        look |= {"color": colours[one.system]}
        yield Mark(
            "text",
            {**place, "text": "text"},
            look,
            [{"text": f"r {score(one.pearson)}", "tip": _tip(one)}],
        )


def _tip(one: Correlation) -> dict[str, str]:
    return {
        "system": one.system,
        "r, 95%": interval(one.pearson_low, one.pearson_high),
        "spearman": score(one.spearman),
        "classes": count(one.n_classes),
    }

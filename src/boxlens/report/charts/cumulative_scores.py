"""Mean score of all classes up to a value of a measure, by system or by group (METHODS 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.charts.colours import GROUPS, colours_of
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.marks import lines
from boxlens.report.charts.forms.panels import grid, message, plot
from boxlens.report.charts.system_colours import system_colours
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, measure_text
from boxlens.wording import count, score, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.difficulty.accuracy import ScoreName
    from boxlens.studies.difficulty.cumulative import CumulativeCurve
    from boxlens.studies.difficulty.result import DifficultyResult

MOST_STEPS: Final = 120
KEY_PX: Final = 300
# Sides of a panel and letters of its title, by how many panels stand in a line.
SIDES: Final = {2: 130, 3: 88}
TITLES: Final = {2: 25, 3: 19}


def cumulative_scores_chart(result: DifficultyResult, name: ScoreName, *, few: int) -> Spec:
    """One panel per measure; means over fewer than `few` classes are pale."""
    colours = system_colours(result, bound_by=name)
    curves = [
        one
        for one in result.cumulative
        if one.score == name and not one.property and one.system in colours and len(one.x)
    ]
    drawn = {one.system for one in curves}
    panels = {
        MEASURES[measure].short: {one.system: one for one in curves if one.measure == measure}
        for measure in MEASURE_NAMES
    }
    known = {title: of_panel for title, of_panel in panels.items() if of_panel}
    shown = {system: colour for system, colour in colours.items() if system in drawn}
    columns = 2 if len(known) == 4 else 3
    return _panels(known, shown, result.label(name), columns=columns, few=few)


def controlled_scores_chart(
    panels: Mapping[str, Sequence[CumulativeCurve]],
    groups: Sequence[str],
    *,
    y_title: str,
    columns: int,
    few: int,
) -> Spec:
    """Is a kind of classes hard, or are its objects? Curves by title, one per group of `groups`."""
    colours = colours_of(groups, GROUPS)
    known = {
        title: {one.group: one for one in curves if one.group in colours}
        for title, curves in panels.items()
    }
    return _panels(known, colours, y_title, columns=columns, few=few)


def _panels(
    panels: Mapping[str, Mapping[str, CumulativeCurve]],
    colours: Mapping[str, str],
    y_title: str,
    *,
    columns: int,
    few: int,
) -> Spec:
    """By their titles; only the first of a line has labels."""
    side, most = SIDES[columns], TITLES[columns]
    limit = _highest([one for curves in panels.values() for one in curves.values()], few)
    drawn = [
        _panel(
            [row for name, one in curves.items() for row in _rows(name, one, colours[name], few)],
            Axis(y_title * first, (0, 1.04 * limit), ticks=4, labels=first),
            few=few,
            side=side,
            title=words,
            crowded=any(MEASURES[one.measure].crowded for one in curves.values()),
        )
        if curves
        else message("no group has two classes", width=side, height=side, title=words)
        for at, (title, curves) in enumerate(panels.items())
        for first in [at % columns == 0]
        for words in ["\n".join(short(line, most) for line in title.split("\n"))]
    ]
    return grid(drawn, columns, above=key(colours, width=KEY_PX), gap=16)


def _highest(curves: Sequence[CumulativeCurve], few: int) -> float:
    """Of all means, those over a few classes aside: panels beside each other share an axis."""
    many = [one.mean[one.n_classes >= few] for one in curves]
    means = [part for part in many if len(part)] or [one.mean for one in curves]
    return max(float(part.max()) for part in means) or 1.0


def _panel(
    rows: Sequence[Row], up: Axis, *, few: int, side: int, title: str, crowded: bool
) -> Spec:
    low, high = min(row["x"] for row in rows), max(row["x"] for row in rows)
    ends = low, high if high > low else low + 1
    pale = [row for row in rows if row["n"] <= few]
    many = [row for row in rows if row["n"] >= few]
    return plot(
        (),
        Axis(ends=ends, ticks=3, kind="sqrt" if crowded else "linear"),
        up,
        lines(steps="after", rows=pale, opacity=0.3, clip=True),
        lines(steps="after", rows=many, clip=True),
        width=side,
        height=side,
        title=title,
    )


def _rows(name: str, curve: CumulativeCurve, colour: str, few: int) -> Iterator[Row]:
    """All of the pale beginning, and enough of the rest."""
    begin = int((curve.n_classes < few).sum())
    rest = spread_out(len(curve.x) - begin, MOST_STEPS)
    for at in (*range(begin), *(begin + step for step in rest)):
        x, mean, n = float(curve.x[at]), float(curve.mean[at]), int(curve.n_classes[at])
        tip = {"of": name, "up to": measure_text(x), "mean": score(mean), "classes": count(n)}
        yield {"x": x, "y": mean, "n": n, "series": name, "colour": colour, "tip": tip}

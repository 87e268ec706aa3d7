"""What figures and tables of two detectors share: names, differences, and rows around zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from boxlens.report.charts.colours import FIRST, INK, PALE, SECOND, UNDECIDED
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bars, dots, hollow_dots, note, rule_at, spans
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.study import CHANGE, COUNT, Column, Plot, file_name, interval_columns
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.wording import change, counted, level, short

# Columns of the tables that are drawn.
ENDS: Final = {"value": "difference", "low": "low", "high": "high"}
FOREST_PX: Final = 148


def of_pair(pair: LeadingPair, result: ComparisonResult, plot: Plot) -> Plot:
    """About two detectors, which name and title tell where there are others."""
    names = " and ".join(pair.names)
    plot = replace(plot, about=f"{names} on {result.dataset.name}")
    if len(result.detectors) == 2:
        return plot
    name = f"{plot.name}_{file_name(' '.join(pair.names))}"
    return replace(plot, name=name, title=f"{plot.title}: {names}")


def about_all(result: ComparisonResult) -> str:
    return f"{counted(len(result.detectors), 'detector')} on {result.dataset.name}"


def ends_columns(of: Callable[[Any], Any], result: ComparisonResult) -> tuple[Column[Any], ...]:
    """Of an interval, or what else has a low and a high end."""
    heading = f"{level(result.choice.resampling.level)} interval"
    return interval_columns(lambda row: (of(row).low, of(row).high), heading)


def difference_columns(result: ComparisonResult) -> list[Column[Any]]:
    """The difference of a pair and its interval; files also have its errors and bias."""
    return [
        Column("difference", "difference", lambda row: row.difference.value, CHANGE),
        *ends_columns(lambda row: row.difference, result),
        Column("se", "", lambda row: row.difference.se),
        Column("se_jackknife", "", lambda row: row.difference.se_jackknife),
        Column("bias", "", lambda row: row.difference.bias),
        Column("n_undefined", "", lambda row: row.difference.n_undefined, COUNT),
    ]


def colour_of(value: float, *, decided: bool) -> str:
    """Of the better one, where chance would not give the difference."""
    return (FIRST if value > 0 else SECOND) if decided else UNDECIDED


def forest(
    found: Iterable[Row], names: tuple[str, str], unit: str, beside: str, *, row_px: int = 13
) -> Spec:
    """Dots with intervals around zero; who is better stands at either side of it."""
    # By place, since two classes may be called alike.
    rows = [{**row, "row": str(at)} for at, row in enumerate(found)]
    # With zero inside, and room to either side of it, even where no difference lies there.
    keys = ("value", "low", "high", "other", "detectable", "undetectable")
    low, high = around([0.0, *(row.get(key, math.nan) for row in rows for key in keys)])
    room = 0.12 * (high - low)
    across = Axis(unit, (min(low, -room), max(high, room)))
    # Below the rows, the ticks, their labels and the title of the axis.
    zero_px, below_px = across.share(0) * FOREST_PX, row_px * len(rows) + 50
    return name_rows(
        rows,
        Names({row["row"]: row["name"] for row in rows}, px=row_px),
        across,
        bars("detectable", "undetectable", color=PALE, opacity=0.55, height=row_px),
        *rule_at(0, color=INK),
        spans(),
        dots("value"),
        hollow_dots("other", size=18),
        note(f"← {short(names[1])} better", zero_px - 5, below_px, align="right", color=SECOND),
        note(f"{short(names[0])} better →", zero_px + 5, below_px, color=FIRST),
        width=FOREST_PX,
        columns={
            "differ.": {row["row"]: change(row["value"]) for row in rows},
            beside: {row["row"]: row["beside"] for row in rows},
        },
    )

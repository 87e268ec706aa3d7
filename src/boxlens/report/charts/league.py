"""Detectors from best to worst with intervals, and letters of those that cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.colours import DARK_BLUE, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import name_rows
from boxlens.wording import interval, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.comparison.league import LeagueRow


def league_chart(rows: Sequence[LeagueRow], metric: str) -> Spec:
    """One row per detector, the best first."""
    values = {one.name: score(one.score.value) for one in rows}
    shown: list[Row] = [
        {
            "row": one.name,
            "value": one.score.value,
            "low": one.score.low,
            "high": one.score.high,
            "tip": {
                "detector": one.name,
                metric: values[one.name],
                "interval": interval(one.score.low, one.score.high),
                "group": one.letters,
            },
        }
        for one in rows
    ]
    ends = around(row[key] for row in shown for key in ("value", "low", "high"))
    return name_rows(
        shown,
        Names.of(values, characters=22),
        Axis(metric, ends, ticks=4),
        spans(color=SOFT_INK),
        dots("value", size=44, color=DARK_BLUE),
        width=140,
        columns={metric: values, "group": {one.name: one.letters for one in rows}},
    )

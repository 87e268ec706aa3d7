"""The numbers of a benchmark as dots with intervals: one row per number, detectors beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.charts.colours import SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import Series, below, name_rows
from boxlens.wording import interval, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.metrics import DetectorResult
    from boxlens.report.charts.forms.layers import Row, Spec

COLOURS: Final = SERIES
LABEL_CHARACTERS: Final = 26
WIDTH: Final = 230


def main_numbers_chart(detectors: Sequence[DetectorResult]) -> Spec:
    """At most as many detectors as there are colours; of one, its numbers stand beside it."""
    colours = colours_of([one.name for one in detectors])
    first, *others = detectors[: len(colours)]
    rows = [_row(one, name, colours) for one in (first, *others) for name in one.metrics]
    values = {name: score(value) for name, value in first.metrics.items()}
    panel = name_rows(
        rows,
        Names.of(first.metrics, px=max(18, 9 * (len(colours) + 1)), grid=bool(others)),
        Axis(),
        spans(strokeWidth=1.75),
        dots("value"),
        width=WIDTH,
        series=Series(list(colours)) if others else None,
        columns={} if others else {"value": values},
    )
    return below(*key(colours, width=WIDTH), panel)


def _row(one: DetectorResult, name: str, colours: dict[str, str]) -> Row:
    found = (one.intervals or {}).get(name)
    low, high = (None, None) if found is None else (found.low, found.high)
    value = one.metrics[name]
    return {
        "row": name,
        "series": one.name,
        "colour": colours[one.name],
        "value": value,
        "low": low,
        "high": high,
        "tip": {
            "detector": one.name,
            "number": name,
            "value": score(value, 4),
            "interval": interval(low, high),
        },
    }

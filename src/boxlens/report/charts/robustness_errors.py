"""Which kind of error grows: how many more there are per object than on unchanged pictures."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import cell_scale
from boxlens.report.charts.theme import FONT_PX, INK, LINE, inline
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.wording import change, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.studies.robustness.error_growth import ErrorGrowth

ROW_PX: Final = 15
COLUMN_PX: Final = 29
LABELS_PX: Final = 170
NAME_CHARACTERS: Final = 28
# Fewer of an error, as many, more of it.
DIVERGING: Final = (kind_of("loc").colour, "#ffffff", kind_of("cls").colour)
# From here on a cell is too dark for dark letters.
DARK_LEVEL: Final = 0.75


def robustness_errors_chart(
    found: Sequence[tuple[str, Sequence[ErrorGrowth]]], full_colour: float, least_told: float
) -> alt.HConcatChart:
    """One row per transform, one column per kind of error, side by side for detectors.

    From `full_colour` on cells have all of their colour; those below `least_told` have no number.
    """
    known = [one for _, growth in found for one in growth if not math.isnan(one.per_object)]
    # Of at least a hundredth, else noise would be painted as loud as change; and no more than is
    # told, else one cell would make all others pale.
    largest = min(max(0.01, *(abs(one.per_object) for one in known)), full_colour)
    titles = {one.name: _row_title(one) for one in known}
    panels = [
        _panel(who, _records(growth, largest, least_told), titles, first=at == 0)
        for at, (who, growth) in enumerate(found)
    ]
    return alt.hconcat(*panels, spacing=14)


def _row_title(one: ErrorGrowth) -> str:
    return f"{one.title} ({one.n_levels})" if one.n_levels > 1 else one.title


def _panel(
    who: str, rows: Sequence[dict[str, Any]], titles: dict[str, str], *, first: bool
) -> alt.LayerChart:
    kinds = {kind.label: kind_of(kind.label).label for kind in ERRORS}
    plot = alt.Chart(
        inline(rows), width=COLUMN_PX * len(kinds), height=ROW_PX * len(titles)
    ).encode(
        x=alt.X(
            "kind:N",
            sort=list(kinds),
            scale=cell_scale(list(kinds)),
            axis=_axis(kinds, labelAngle=-45),
        ),
        y=alt.Y(
            "name:N",
            sort=list(titles),
            scale=cell_scale(list(titles)),
            axis=_axis(titles, labels=first, labelLimit=LABELS_PX),
        ),
        tooltip=[
            alt.Tooltip("title:N", title="pictures"),
            alt.Tooltip("kind_words:N", title="error"),
            alt.Tooltip("gain_text:N", title="AP50 gained by fixing it, more than before"),
            alt.Tooltip("per_object:N", title="errors per object, more than before"),
            alt.Tooltip("levels:Q", title="mean over levels"),
        ],
    )
    layers = [*_cells(plot), above_panel(short(who, NAME_CHARACTERS))]
    panel: alt.LayerChart = alt.LayerChart(layer=layers).resolve_scale(color="independent")
    return panel


def _axis(names: dict[str, str], **options: Any) -> alt.Axis:
    """Names in place of values, and no line."""
    named = f"({json.dumps(names)})[datum.value]"
    return alt.Axis(title=None, ticks=False, domain=False, labelExpr=named, **options)


def _cells(plot: alt.Chart) -> tuple[alt.Chart, alt.Chart]:
    """Colours, and numbers on them."""
    cells = plot.mark_rect(stroke=LINE, strokeWidth=0.25).encode(
        color=alt.Color(
            "level:Q",
            scale=alt.Scale(domain=[-1, 0, 1], range=list(DIVERGING), interpolate="lab"),
            legend=None,
        )
    )
    texts = plot.mark_text(fontSize=FONT_PX - 2).encode(
        text="text:N", color=alt.Color("ink:N", scale=None)
    )
    return cells, texts


def _records(
    growth: Sequence[ErrorGrowth], largest: float, least_told: float
) -> list[dict[str, Any]]:
    known = (one for one in growth if not math.isnan(one.per_object))
    return [_record(one, largest, told=abs(one.per_object) >= least_told) for one in known]


def _record(one: ErrorGrowth, largest: float, *, told: bool) -> dict[str, Any]:
    level = min(max(one.per_object / largest, -1.0), 1.0)
    return {
        "name": one.name,
        "title": one.title,
        "kind": one.kind,
        "kind_words": kind_of(one.kind).label,
        "level": level,
        "text": change(one.per_object, 2) if told else "",
        "ink": "#ffffff" if abs(level) > DARK_LEVEL else INK,
        "gain_text": change(one.gain),
        "per_object": change(one.per_object),
        "levels": one.n_levels,
    }

"""How large proposals are, beside the objects: a small panel a method (METHODS 6.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import numpy as np

from boxlens.report.charts.detector_pair import key, short
from boxlens.report.charts.method_lines import MOST_METHODS, above_panel, first_of, method_styles
from boxlens.report.charts.panels import message
from boxlens.report.charts.recall_order import best_first
from boxlens.report.charts.system_lines import panel_grid
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    LINE,
    PALE,
    WIDTH,
    inline,
    percent,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data.columns import Floats
    from boxlens.proposals.recall.result import DatasetRecall, MethodRecall
    from boxlens.report.charts.method_lines import LineStyle

PANEL_PX: Final = 144
PLOT_PX: Final = 84
N_COLUMNS: Final = 4
NAME_CHARACTERS: Final = 26


def proposal_sizes_chart(
    dataset: DatasetRecall, *, budget: int, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Shares of all proposals; `budget` is how many an image they are, at most."""
    title = "How large proposals are, and how large objects are"
    styles = method_styles(dataset.methods)
    known = [
        one
        for one in best_first(dataset.methods)
        if one.name in styles and not math.isnan(one.sizes.sum())
    ]
    if not known:
        empty = message("there are no proposals", width=WIDTH, height=PLOT_PX)
        return themed(empty, title=title, about=about)
    # Without objects their shares are undefined.
    limit = float(np.nanmax([dataset.sizes, *(one.sizes for one in known)]))
    panels = [
        _panel(one, dataset.sizes, styles[one.name], limit, first=at % N_COLUMNS == 0)
        for at, one in enumerate(known)
    ]
    reading = (
        f"Share of all proposals (at most {budget:,} an image) by √(area / image area), in ten "
        "bins. A line above the grey: more boxes of that size than objects have it."
    )
    n_without = min(len(dataset.methods), MOST_METHODS) - len(known)
    if n_without:
        reading += f" {n_without} more without proposals."
    reading += first_of(len(styles), len(dataset.methods))
    grey = key([("objects", PALE)], width=WIDTH)
    return themed(
        panel_grid([grey], panels, N_COLUMNS, spacing=10), title=title, about=about, reading=reading
    )


def _panel(
    method: MethodRecall, objects: Floats, style: LineStyle, limit: float, *, first: bool
) -> alt.LayerChart:
    x = alt.X(
        "from:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, values=[0, 0.5, 1], grid=False),
    )
    scale = alt.Scale(domain=[0, 1.04 * limit], nice=False)
    axis = alt.Axis(title=None, format="%", tickCount=3, labels=first)
    y = alt.Y("share:Q", scale=scale, axis=axis)
    grey = (
        alt.Chart(inline(_bars(objects)))
        .mark_rect(color=PALE)
        .encode(x=x, x2="to:Q", y=alt.Y("zero:Q", scale=scale, axis=axis), y2="share:Q")
    )
    steps = (
        alt.Chart(inline(_steps(method.sizes)))
        .mark_line(
            strokeWidth=1.5,
            interpolate="step-after",
            color=style.colour,
            strokeDash=list(style.dash),
        )
        .encode(x=x, y=y)
    )
    told = (
        alt.Chart(inline(_told(method, objects)))
        .mark_rect(opacity=0)
        .encode(
            x=x,
            x2="to:Q",
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("size:N"),
                alt.Tooltip("proposals:N"),
                alt.Tooltip("objects:N"),
            ],
        )
    )
    return alt.LayerChart(
        layer=[grey, steps, told, above_panel(short(method.name, NAME_CHARACTERS))],
        width=PANEL_PX,
        height=PLOT_PX,
        view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5),
    )


def _edges(n: int) -> list[tuple[float, float]]:
    return [(at / n, (at + 1) / n) for at in range(n)]


def _bars(shares: Floats) -> list[dict[str, Any]]:
    return [
        {"from": low, "to": high, "zero": 0, "share": share}
        for (low, high), share in zip(_edges(len(shares)), shares.tolist(), strict=True)
        if not math.isnan(share)
    ]


def _steps(shares: Floats) -> list[dict[str, Any]]:
    """The last step goes on to the end."""
    values: Sequence[float] = [*shares.tolist(), float(shares[-1])]
    return [{"from": at / len(shares), "share": share} for at, share in enumerate(values)]


def _told(method: MethodRecall, objects: Floats) -> list[dict[str, Any]]:
    shares = zip(_edges(len(objects)), method.sizes.tolist(), objects.tolist(), strict=True)
    return [
        {
            "method": method.name,
            "from": low,
            "to": high,
            "size": f"{low:.1f} to {high:.1f}",
            "proposals": percent(share),
            "objects": percent(of_objects),
        }
        for (low, high), share, of_objects in shares
    ]

"""Pieces that several figures are made of: pies, heat maps, columns of numbers, empty panels."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens import wording
from boxlens.report.charts.theme import (
    DARK_BLUE,
    FONT_PX,
    INK,
    LINE,
    PALE_BLUE,
    SOFT_INK,
    fixed,
    inline,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.report.charts.kinds import Kind

PIE_PX: Final = 104
# A thinner slice has its number beside the pie only.
LEAST_LABELLED: Final = 0.09
# From here on a cell of a heat map is too dark for dark letters.
DARK_LEVEL: Final = 0.6


@dataclass(frozen=True, slots=True)
class Slice:
    """A kind of error and how much of it there is."""

    kind: Kind
    amount: float
    # Further fields of its record.
    more: Mapping[str, Any] = field(default_factory=dict)


def pie(
    slices: Sequence[Slice], *, amount: str, number_format: str, legend: bool
) -> alt.LayerChart:
    """Slices clockwise from the top; a legend tells the share of each and picks one by a click."""
    rows = _slice_records(slices)
    plot = alt.Chart(inline(rows), width=PIE_PX, height=PIE_PX).encode(
        theta=alt.Theta("amount:Q", stack=True), order=alt.Order("order:Q")
    )
    drawn = plot.mark_arc(outerRadius=PIE_PX / 2, stroke="white", strokeWidth=1).encode(
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(
                domain=[row["kind"] for row in rows],
                range=[part.kind.colour for part in slices],
            ),
            legend=alt.Legend(title=None, orient="bottom", direction="vertical")
            if legend
            else None,
        ),
        tooltip=[
            alt.Tooltip("kind:N", title="kind"),
            alt.Tooltip("amount:Q", title=amount, format=number_format),
            alt.Tooltip("share:Q", title="share", format=".1%"),
        ],
    )
    labels = plot.mark_text(radius=PIE_PX / 3).encode(
        text="inside:N", color=alt.Color("ink:N", scale=None)
    )
    return alt.LayerChart(layer=[_choosable(drawn) if legend else drawn, labels])


def _slice_records(slices: Sequence[Slice]) -> list[dict[str, Any]]:
    total = sum(part.amount for part in slices)
    shares = [part.amount / total for part in slices]
    return [
        {
            "kind": f"{part.kind.label} {wording.share(share)}",
            "amount": part.amount,
            "share": share,
            "order": order,
            "inside": wording.share(share) if share >= LEAST_LABELLED else "",
            "ink": part.kind.ink,
            **part.more,
        }
        for order, (part, share) in enumerate(zip(slices, shares, strict=True))
    ]


def _choosable(drawn: alt.Chart) -> alt.Chart:
    """A click on the legend leaves one slice strong."""
    chosen = alt.selection_point(name="chosen_kind", fields=["kind"], bind="legend")
    strength = alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.2))
    picked: alt.Chart = drawn.encode(opacity=strength).add_params(chosen).properties(name="pie")
    return picked


def cell(level: float, text: str | Sequence[str], **more: Any) -> dict[str, Any]:
    """A record for `heat_map`: how dark, 0 to 1, what is written, and anything else."""
    ink = "#ffffff" if level > DARK_LEVEL else INK
    return {"level": level, "text": text, "ink": ink, **more}


def heat_map(
    plot: alt.Chart,
    *,
    letters_px: int = FONT_PX,
    limit: float | None = None,
) -> alt.LayerChart:
    """Cells and what is written in them; `plot` places records that `cell` made."""
    cells = plot.mark_rect(stroke=LINE, strokeWidth=0.25).encode(
        color=alt.Color(
            "level:Q",
            scale=alt.Scale(domain=[0, 1], range=[PALE_BLUE, DARK_BLUE], interpolate="lab"),
            legend=None,
        )
    )
    # The first of two lines stands above the middle.
    text = plot.mark_text(
        fontSize=letters_px,
        lineHeight=letters_px + 1,
        limit=alt.Undefined if limit is None else limit,
        dy=alt.ExprRef(f"isArray(datum.text) ? {-(letters_px + 1) / 2} : 0"),
    ).encode(text="text:N", color=alt.Color("ink:N", scale=None))
    layered: alt.LayerChart = alt.LayerChart(layer=[cells, text]).resolve_scale(color="independent")
    return layered


def cell_scale(domain: Sequence[str] | Sequence[int]) -> alt.Scale:
    """Places of cells along one side of a heat map."""
    return alt.Scale(domain=list(domain), paddingInner=0.04, paddingOuter=0)


def rows_axis(field: str, names: Sequence[str], axis: alt.Axis | None) -> alt.Y:
    """One row a name, in the given order."""
    return alt.Y(f"{field}:N", sort=list(names), title=None, axis=axis)


def number_column(texts: Mapping[str, str], *, title: str, width: int, row_px: int) -> alt.Chart:
    """Numbers right of a panel that has the same rows."""
    rows = [{"name": name, "text": text} for name, text in texts.items()]
    column: alt.Chart = (
        alt.Chart(
            inline(rows),
            width=width,
            height=row_px * len(rows),
            title=alt.TitleParams(
                title, fontSize=FONT_PX, fontWeight="normal", anchor="middle", offset=4
            ),
        )
        .mark_text()
        .encode(
            y=rows_axis("name", list(texts), None), x=fixed(alt.XValue, width / 2), text="text:N"
        )
    )
    return column


def panel_title(text: str) -> alt.TitleParams:
    """Above one of several panels."""
    return alt.TitleParams(
        text, fontSize=FONT_PX, fontWeight="normal", color=SOFT_INK, offset=4, frame="bounds"
    )


def message(text: str, *, width: int, height: int) -> alt.Chart:
    """A panel that says why there is nothing to draw."""
    lines = wrap(text, max(width // 6, 10))
    panel: alt.Chart = (
        alt.Chart(inline([{"text": lines}]), width=width, height=height)
        .mark_text(color=SOFT_INK, fontStyle="italic")
        .encode(text="text:N", x=fixed(alt.XValue, width / 2), y=fixed(alt.YValue, height / 2))
    )
    return panel

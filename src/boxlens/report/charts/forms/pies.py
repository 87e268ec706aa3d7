"""Shares of a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from boxlens.report.charts.colours import WHITE
from boxlens.report.charts.forms.layers import Mark, Palette, Spec
from boxlens.report.charts.forms.panels import panel
from boxlens.report.charts.kinds import Kind
from boxlens.wording import share

PIE_PX: Final = 104
# A thinner slice has its number beside the pie only.
LEAST_LABELLED: Final = 0.09


def pie(slices: Sequence[tuple[Kind, float, Mapping[str, Any]]], *, legend: bool) -> Spec:
    """Kinds, how much there is of each, and further keys of its row; clockwise from the top.

    A tip is given without kind and share, which are known here. A legend tells the share of each,
    and picks one by a click.
    """
    total = sum(amount for _, amount, _ in slices)
    rows = [
        {
            "kind": f"{kind.label} {share(amount / total)}",
            "amount": amount,
            "order": order,
            "inside": share(amount / total) if amount / total >= LEAST_LABELLED else "",
            "colour": kind.colour,
            "ink": kind.ink,
            **more,
            "tip": {"kind": kind.label, **more.get("tip", {}), "share": share(amount / total)},
        }
        for order, (kind, amount, more) in enumerate(slices)
    ]
    colours = {row["kind"]: row["colour"] for row in rows}
    around = {"theta": "amount"}
    edge = {"outerRadius": PIE_PX / 2, "stroke": WHITE, "strokeWidth": 1}
    palette = Palette("kind", colours) if legend else None
    marks = (
        Mark("arc", around, edge, palette=palette, stacked="theta"),
        Mark("text", {**around, "text": "inside"}, {"radius": PIE_PX / 3}, stacked="theta"),
    )
    return panel(rows, marks, {}, (PIE_PX, PIE_PX))

"""From one number to another, one step after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boxlens.report.charts.colours import LINE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Mark, Spec
from boxlens.report.charts.forms.marks import ALONG, ALONG_END, VALUE, bars, ticks, words
from boxlens.report.charts.forms.panels import name_rows


def waterfall(
    steps: Sequence[Mapping[str, Any]],
    names: Names,
    values: Axis,
    *marks: Mark,
    width: float,
    columns: Mapping[str, Mapping[str, str]] | None = None,
    upright: bool = False,
) -> Spec:
    """A bar for each step `from` one value `to` the next, and thin lines from bar to bar.

    Steps may have a `text` beyond their bar.
    """
    places = list(names.labels)
    following = dict(zip(places, [*places[1:], places[-1]], strict=True))
    rows = [
        {**one, "next": following[one["row"]], "beyond": max(one["from"], one["to"])}
        for one in steps
    ]
    links = {VALUE: "to", ALONG: "row", ALONG_END: "next"}
    beyond: Spec = {"dy": -6} if upright else {"align": "left", "dx": 4}
    thick: Spec = {} if upright else {"height": 11}
    return name_rows(
        rows,
        names,
        values,
        Mark("rule", links, {"color": LINE, "strokeWidth": 0.5}),
        bars("to", "from", **thick),
        # A change too small for a bar still has a place.
        *(() if upright else (ticks("to", thickness=1, **thick),)),
        words("text", "beyond", **beyond),
        *marks,
        width=width,
        columns=columns,
        upright=upright,
    )

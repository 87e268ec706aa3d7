"""TIDE's six kinds of errors: the AP gained by fixing each alone (METHODS 9.2)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.panels import PIE_PX, Slice, message, panel_title, pie, rows_axis
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import INK, inline
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.wording import change, share

if TYPE_CHECKING:
    from boxlens.studies.diagnosis.tide import TideResult

BARS_PX = 140
NAMES_PX = 84
ROW_PX = 17
# Sums over kinds are no kind: bars without a filling.
SUMS = {"fp": "false positives", "fn": "missed objects"}
HOLLOW = "#ffffff"


def tide_errors_chart(result: TideResult) -> alt.HConcatChart:
    """Shares of the six gains, each gain, and the gains without any false positive or miss."""
    gains = {
        kind.label: result.gain[kind.label]
        for kind in ERRORS
        if not math.isnan(result.gain[kind.label])
    }
    total = sum(gains.values())
    left: alt.LayerChart | alt.Chart
    if total > 0:
        slices = [Slice(kind_of(name), gain) for name, gain in gains.items()]
        left = pie(slices, amount="AP gained", number_format=".3f", legend=False)
    else:
        left = message("no fix adds anything", width=PIE_PX, height=PIE_PX)
    return alt.hconcat(left, _bars(result, gains, total), spacing=14)


def _bars(result: TideResult, gains: dict[str, float], total: float) -> alt.VConcatChart:
    kinds = [
        {
            "kind": kind_of(name).label,
            "gain": gain,
            "n": result.n[name],
            "colour": kind_of(name).colour,
            **_picked(name, kind_of(name).label, result.n[name]),
            "text": change(gain) + (f" · {share(gain / total)}" if total > 0 else ""),
        }
        for name, gain in gains.items()
    ]
    sums = [
        {
            "kind": label,
            "gain": result.gain[name],
            "n": result.n[name],
            "colour": HOLLOW,
            **_picked(name, label, result.n[name]),
            "text": change(result.gain[name]),
        }
        for name, label in SUMS.items()
        if not math.isnan(result.gain[name])
    ]
    # Numbers stand right of the bars.
    longest = max(0.01, *result.gain.values()) * 1.9
    return alt.vconcat(
        _bar_panel(kinds, longest, "AP gained"),
        _bar_panel(sums, longest, "without any"),
        spacing=6,
    )


def _picked(name: str, label: str, n: int) -> dict[str, str]:
    """The detections of a kind; what is missed are objects."""
    if name == "miss":
        return picks(label, n, of="objects", terms={"tide": name})
    if name == "fn":
        return picks(label, n, of="objects", terms={"tide": ["repairable", "miss"]})
    every = [kind.label for kind in ERRORS if kind.label != "miss"]
    return picks(label, n, terms={"tide": every if name == "fp" else name})


def _bar_panel(rows: list[dict[str, Any]], longest: float, title: str) -> alt.LayerChart:
    plot = alt.Chart(inline(rows), width=BARS_PX, height=ROW_PX * len(rows)).encode(
        y=rows_axis(
            "kind",
            [row["kind"] for row in rows],
            # Both panels begin at the same place.
            alt.Axis(ticks=False, minExtent=NAMES_PX, maxExtent=NAMES_PX),
        ),
        x=alt.X("gain:Q", scale=alt.Scale(domain=[0, longest], nice=False), axis=None),
    )
    bars = plot.mark_bar(stroke=INK, strokeWidth=0.5).encode(
        color=alt.Color("colour:N", scale=None),
        tooltip=[
            alt.Tooltip("kind:N", title="kind"),
            alt.Tooltip("gain:Q", title="AP gained", format=".3f"),
            alt.Tooltip("n:Q", title="errors", format=","),
        ],
    )
    numbers = plot.mark_text(align="left", dx=4).encode(text="text:N")
    return alt.LayerChart(layer=[bars, numbers], title=panel_title(title))

"""What is wrong with the top false positives, and what removing each kind brings (METHODS 1.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import (
    PIE_PX,
    Slice,
    message,
    panel_title,
    pie,
    rows_axis,
)
from boxlens.report.charts.selecting import TOP, Terms, picks
from boxlens.report.charts.theme import INK, SOFT_INK, inline
from boxlens.wording import change, score

if TYPE_CHECKING:
    from boxlens.studies.diagnosis.hoiem import HoiemSet

BARS_PX = 140
# How strong a bar is drawn.
REMOVED, CORRECTED = 1.0, 0.35
# Words, the kind that lends its colour, and the impacts, the longer bar first.
BARS = (
    (KINDS["loc"].label, "loc", (("loc_corrected", CORRECTED), ("loc_removed", REMOVED))),
    (KINDS["sim"].label, "sim", (("sim_removed", REMOVED),)),
    ("other, background", "bg", (("bg_removed", REMOVED),)),
)


def false_positives_chart(result: HoiemSet) -> alt.HConcatChart:
    """Shares of the four kinds beside the AP gained without them, for one set of classes."""
    return alt.hconcat(kinds_pie(result, legend=True), _bars(result), spacing=14)


def kinds_pie(result: HoiemSet, *, legend: bool) -> alt.LayerChart:
    """Shares of the four kinds, or a word that there are none."""
    if not sum(result.top_fp.values()):
        nothing = message("no false positives", width=PIE_PX, height=PIE_PX)
        return alt.LayerChart(layer=[nothing])
    slices = [Slice(KINDS[name], n, _picked(result, name, n)) for name, n in result.top_fp.items()]
    return pie(slices, amount="false positives", number_format=",", legend=legend)


def _picked(result: HoiemSet, kind: str, n: int) -> dict[str, str]:
    """Those among the top detections, of the classes of the set."""
    classes: Terms = {} if result.name == "all" else {"class": list(result.classes)}
    return picks(KINDS[kind].label, n, terms={**classes, "hoiem": kind, "top": TOP})


def _bars(result: HoiemSet) -> alt.LayerChart:
    title = panel_title(f"AP gained (AP now {score(result.ap)})")
    return alt.LayerChart(layer=_bar_layers(*gain_records(result)), title=title)


def gain_records(result: HoiemSet) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The bars of every kind, and the numbers right of them."""
    bars: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    for label, kind, parts in BARS:
        known = [
            (key, result.impact[key], strength)
            for key, strength in parts
            if not math.isnan(result.impact[key])
        ]
        bars += [
            {
                "kind": label,
                "gain": gain,
                "ap": result.ap + gain,
                "how": key.split("_")[1],
                "colour": KINDS[kind].colour,
                "strength": strength,
            }
            for key, gain, strength in known
        ]
        gains = [change(gain) for _, gain, _ in reversed(known)]
        texts.append(
            {
                "kind": label,
                "at": max((gain for _, gain, _ in known), default=0.0),
                "text": " / ".join(gains) or "no similar classes known",
                "ink": INK if gains else SOFT_INK,
            }
        )
    return bars, texts


def _bar_layers(bars: list[dict[str, Any]], texts: list[dict[str, Any]]) -> list[alt.Chart]:
    longest = max(row["at"] for row in texts)
    # Twice as long as the bars: numbers stand right of them.
    x_scale = alt.Scale(domain=[0, max(longest, 0.01) * 2], nice=False)
    y = rows_axis("kind", [row["kind"] for row in texts], alt.Axis(ticks=False))
    drawn = (
        alt.Chart(inline(bars), width=BARS_PX, height=PIE_PX - 10)
        .mark_bar()
        .encode(
            y=y,
            x=alt.X("gain:Q", scale=x_scale, axis=None, stack=None),
            color=alt.Color("colour:N", scale=None),
            opacity=alt.Opacity("strength:Q", scale=None),
            tooltip=[
                alt.Tooltip("kind:N", title="kind"),
                alt.Tooltip("how:N", title="how"),
                alt.Tooltip("gain:Q", title="AP gained", format=".3f"),
                alt.Tooltip("ap:Q", title="AP then", format=".3f"),
            ],
        )
    )
    labels = (
        alt.Chart(inline(texts))
        .mark_text(align="left", dx=4)
        .encode(
            y=y,
            x=alt.X("at:Q", scale=x_scale, axis=None),
            text="text:N",
            color=alt.Color("ink:N", scale=None),
        )
    )
    return [drawn, labels]

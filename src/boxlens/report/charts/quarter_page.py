"""One figure for a paper: what is wrong with the top false positives, and for which objects.

A detector on a set of classes in a quarter of a page, as Hoiem's study proposes (METHODS 1, 2).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.metrics.grid import mean_defined
from boxlens.report.charts.false_positives import (
    BARS,
    NO_AP,
    gain_records,
    kinds_pie,
    set_name,
)
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message
from boxlens.report.charts.sensitivity_summary import (
    NOTHING_KNOWN,
    spread_panels,
    widest_first,
)
from boxlens.report.charts.theme import (
    FONT_PX,
    INK,
    WIDTH,
    decimal,
    fixed,
    inline,
    percent,
    themed,
    threshold,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.diagnosis.hoiem import HoiemSet
    from boxlens.object_sensitivity.results import Characteristic, SensitivityResult

# The bars above and below begin and end at the same places.
PLOT_PX = 114
KIND_PX, ROW_PX = 24, 15
NAMES_PX, SWATCH_PX = 95, 8
# As many rows as leave the figure in its quarter of the page.
MOST_ROWS = 9
# The last bar is of two kinds, which Hoiem removes together (METHODS 1.4).
PLACES = {"loc": 0.0, "sim": 1.0, "bg": 2.5}


def quarter_page_chart(
    errors: HoiemSet, objects: SensitivityResult, *, about: str | None = None
) -> alt.VConcatChart:
    """`errors` is any of a diagnosis' sets of classes; of the objects only theirs are told."""
    if about is None:
        about = f"{objects.detector} on {objects.dataset}"
    known = widest_first([_within(row, errors.classes) for row in objects.characteristics])
    shown = known[:MOST_ROWS]
    n_fp = sum(errors.top_fp.values())
    return themed(
        alt.vconcat(_kinds(errors), _spreads(shown), spacing=8),
        title=about,
        about=(
            f"{set_name(errors)}: AP {decimal(errors.ap)}, AP_N {decimal(errors.ap_n)} "
            f"at IoU {threshold(objects.iou)}; {n_fp:,} false positives"
        ),
        reading=_reading(shown, len(known)),
    )


def _reading(shown: Sequence[Characteristic], n_known: int) -> str:
    """What the parts are, in words that fit below a title."""
    text = (
        "False positives among as many top detections as a class has objects; pale: gained if "
        "boxes are corrected instead."
    )
    if not shown:
        return text
    left_out = f" The widest {len(shown)} of {n_known}." if len(shown) < n_known else ""
    has_chance = not all(math.isnan(row.chance) for row in shown)
    return (
        f"{text} AP_N: worst and best kind of objects, mean over classes; stroke: all objects. "
        f"Sensitivity: best - worst{' (by chance alone)' if has_chance else ''}; impact: best - "
        f"all.{left_out}"
    )


def _heading(text: str) -> alt.TitleParams:
    return alt.TitleParams(
        text, anchor="start", frame="bounds", fontSize=FONT_PX + 1, fontWeight="bold", offset=4
    )


def _kinds(errors: HoiemSet) -> alt.HConcatChart:
    """What each kind would bring, beside how frequent it is."""
    return alt.hconcat(
        _gains(errors),
        kinds_pie(errors, legend=False),
        spacing=8,
        title=_heading("AP gained without each kind of false positives"),
    )


def _gains(errors: HoiemSet) -> alt.LayerChart | alt.Chart:
    height = KIND_PX * len(errors.top_fp)
    if math.isnan(errors.ap):
        return message(NO_AP, width=PLOT_PX, height=height)
    middle = {label: PLACES[kind] for label, kind, _ in BARS}
    bars, texts = (
        [{**row, **_ends(middle[row["kind"]])} for row in rows] for rows in gain_records(errors)
    )
    # Numbers stand right of the bars.
    longest = max(row["at"] for row in texts)
    x_scale = alt.Scale(domain=[0, max(longest, 0.01) * 2], nice=False)
    y_scale = alt.Scale(domain=[-0.5, len(errors.top_fp) - 0.5], reverse=True, nice=False)
    plot = alt.Chart(inline(bars), width=PLOT_PX, height=height)
    drawn = plot.mark_rect().encode(
        x=alt.X("zero:Q", scale=x_scale, axis=None),
        x2="gain:Q",
        y=alt.Y("top:Q", scale=y_scale, axis=None),
        y2="bottom:Q",
        color=alt.Color("colour:N", scale=None),
        opacity=alt.Opacity("strength:Q", scale=None),
        tooltip=[
            alt.Tooltip("kind:N", title="kind"),
            alt.Tooltip("how:N", title="how"),
            alt.Tooltip("gain:Q", title="AP gained", format=".4f"),
        ],
    )
    numbers = (
        alt.Chart(inline(texts))
        .mark_text(align="left", dx=4)
        .encode(
            x=alt.X("at:Q", scale=x_scale, axis=None),
            y=alt.Y("middle:Q", scale=y_scale, axis=None),
            text="text:N",
            color=alt.Color("ink:N", scale=None),
        )
    )
    return alt.LayerChart(layer=[drawn, numbers, *_names(errors, y_scale)])


def _ends(middle: float) -> dict[str, float]:
    """Where a bar begins and ends; one of two kinds is as high as both."""
    half = 0.28 if middle.is_integer() else 0.78
    return {"zero": 0.0, "middle": middle, "top": middle - half, "bottom": middle + half}


def _names(errors: HoiemSet, scale: alt.Scale) -> list[alt.Chart]:
    """The kinds in the order and the colours of the pie, with their shares."""
    total = sum(errors.top_fp.values())
    rows: list[dict[str, Any]] = [
        {
            "place": at,
            "colour": KINDS[name].colour,
            "text": KINDS[name].label + (f" {percent(n / total)}" if total else ""),
        }
        for at, (name, n) in enumerate(errors.top_fp.items())
    ]
    plot = alt.Chart(inline(rows)).encode(y=alt.Y("place:Q", scale=scale, axis=None))
    return [
        plot.mark_square(size=SWATCH_PX**2, opacity=1).encode(
            x=fixed(alt.XValue, -SWATCH_PX), color=alt.Color("colour:N", scale=None)
        ),
        plot.mark_text(align="right", color=INK).encode(
            x=fixed(alt.XValue, -2 * SWATCH_PX), text="text:N"
        ),
    ]


def _spreads(shown: Sequence[Characteristic]) -> alt.HConcatChart:
    heading = _heading("How AP_N depends on what objects are like")
    if not shown:
        empty = message(NOTHING_KNOWN, width=WIDTH, height=3 * ROW_PX)
        return alt.hconcat(empty, title=heading)
    panels = spread_panels(shown, plot_px=PLOT_PX, row_px=ROW_PX, names_px=NAMES_PX)
    titled: alt.HConcatChart = panels.properties(title=heading)
    return titled


def _within(row: Characteristic, names: Sequence[str]) -> Characteristic:
    """The same means over some classes; what chance would give is known for all only."""
    kept = [one for one in row.classes if one.name in names]
    if len(kept) == len(row.classes):
        return row
    known = [one for one in kept if not math.isnan(one.highest)]

    def mean(values: list[float]) -> float:
        return mean_defined(np.array(values, dtype=np.float64))

    return replace(
        row,
        classes=tuple(kept),
        ap_n=mean([one.ap_n for one in known]),
        highest=mean([one.highest for one in known]),
        lowest=mean([one.lowest for one in known]),
        n_classes=len(known),
        chance=math.nan,
    )

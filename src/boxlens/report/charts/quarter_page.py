"""One figure for a paper: what is wrong with the top false positives, and for which objects.

A detector on a set of classes in a quarter of a page, as Hoiem's study proposes (METHODS 1, 2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.false_positives import BARS, gain_records, kinds_pie
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message
from boxlens.report.charts.sensitivity_summary import sensitivity_summary_chart
from boxlens.report.charts.theme import FONT_PX, INK, WIDTH, fixed, inline
from boxlens.wording import share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.studies.diagnosis.hoiem import HoiemSet
    from boxlens.studies.sensitivity.result import Characteristic

# The bars above and below begin and end at the same places.
PLOT_PX = 114
KIND_PX, ROW_PX = 24, 15
NAMES_PX, SWATCH_PX = 95, 8
# The last bar is of two kinds, which Hoiem removes together (METHODS 1.4).
PLACES = {"loc": 0.0, "sim": 1.0, "bg": 2.5}


def quarter_page_chart(errors: HoiemSet, shown: Sequence[Characteristic]) -> alt.VConcatChart:
    """A set of classes above, the given characteristics of their objects below."""
    return alt.vconcat(_kinds(errors), _spreads(shown), spacing=8)


def _heading(text: str) -> alt.TitleParams:
    return alt.TitleParams(
        text, anchor="start", frame="bounds", fontSize=FONT_PX + 1, fontWeight="bold", offset=4
    )


def _kinds(errors: HoiemSet) -> alt.HConcatChart:
    """AP gained without each kind, beside how frequent it is."""
    return alt.hconcat(
        _gains(errors),
        kinds_pie(errors, legend=False),
        spacing=8,
        title=_heading("AP gained without each kind of false positives"),
    )


def _gains(errors: HoiemSet) -> alt.LayerChart:
    height = KIND_PX * len(errors.top_fp)
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
            alt.Tooltip("gain:Q", title="AP gained", format=".3f"),
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
            "text": KINDS[name].label + (f" {share(n / total)}" if total else ""),
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
        empty = message(
            "no characteristic has subsets of enough objects", width=WIDTH, height=3 * ROW_PX
        )
        return alt.hconcat(empty, title=heading)
    panels = sensitivity_summary_chart(shown, plot_px=PLOT_PX, row_px=ROW_PX, names_px=NAMES_PX)
    titled: alt.HConcatChart = panels.properties(title=heading)
    return titled

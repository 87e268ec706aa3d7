"""One figure for a paper: what is wrong with the top false positives, and for which objects.

A detector on a set of classes in a quarter of a page, as Hoiem's study proposes (METHODS 1, 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from boxlens.report.charts.colours import INK
from boxlens.report.charts.false_positives import gain_axis, gain_rows, kinds_pie
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.panels import below, beside, message, plot
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.objects import sensitivity_summary_chart
from boxlens.report.charts.theme import WIDTH
from boxlens.studies.diagnosis.hoiem import HoiemSet
from boxlens.studies.sensitivity.result import Characteristic
from boxlens.wording import share

# The bars above and below begin and end at the same places.
PLOT_PX: Final = 108
NAMES_PX, SWATCH_PX = 95, 8
ROW_PX: Final = 15
# Where a bar begins and ends. The last is of two kinds, which Hoiem removes together (METHODS 1.4).
PLACES: Final = {"loc": (-0.28, 0.28), "sim": (0.72, 1.28), "bg": (1.72, 3.28)}


def quarter_page_chart(errors: HoiemSet, shown: Sequence[Characteristic]) -> Spec:
    """A set of classes above, the given characteristics of their objects below."""
    if shown:
        spreads = sensitivity_summary_chart(shown, width=PLOT_PX, row_px=ROW_PX, names_px=NAMES_PX)
    else:
        text = "no characteristic has subsets of enough objects"
        spreads = message(text, width=WIDTH, height=3 * ROW_PX)
    kinds = beside(_gains(errors), kinds_pie(errors, legend=False), gap=8)
    return below(
        _below_heading("AP gained without each kind of false positives", kinds),
        _below_heading("How AP_N depends on what objects are like", spreads),
    )


def _below_heading(text: str, panel: Spec) -> Spec:
    look = {"anchor": "start", "frame": "bounds", "fontSize": 11, "offset": 4}
    return {**panel, "title": {"text": text, **look}}


def _gains(errors: HoiemSet) -> Spec:
    """AP gained without each kind; the kinds in the order and the colours of the pie."""
    gains, texts = gain_rows(errors)
    for row in (*gains, *texts):
        top, bottom = PLACES[row["kind"]]
        row |= {"zero": 0, "top": top, "bottom": bottom, "middle": (top + bottom) / 2}
    total = sum(errors.top_fp.values())
    names: list[Row] = [
        {
            "y": at,
            "colour": KINDS[name].colour,
            "text": KINDS[name].label + (f" {share(n / total)}" if total else ""),
        }
        for at, (name, n) in enumerate(errors.top_fp.items())
    ]
    right = {"align": "right", "color": INK}
    return plot(
        gains,
        gain_axis(texts),
        Axis(ends=(len(names) - 0.5, -0.5), hidden=True),
        Mark("rect", {"x": "zero", "x2": "gain", "y": "top", "y2": "bottom"}),
        Mark(
            "text", {"x": "gain", "y": "middle", "text": "text"}, {"align": "left", "dx": 4}, texts
        ),
        Mark("square", {"x": -SWATCH_PX, "y": "y"}, {"size": SWATCH_PX**2, "opacity": 1}, names),
        Mark("text", {"x": -2 * SWATCH_PX, "y": "y", "text": "text"}, right, names),
        width=PLOT_PX,
        height=24 * len(names),
    )

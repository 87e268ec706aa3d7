"""p over the disagreement that is asked of an image, and how many images have it (METHODS 5.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from boxlens.report.charts.colours import DARK_BLUE, INK, LINE, PALE, SOFT_INK
from boxlens.report.charts.forms.axes import COUNTS, Axis
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.layers import Mark
from boxlens.report.charts.forms.marks import (
    ALONG,
    ALONG_END,
    bands,
    dots,
    lines,
    note,
    rule_along,
    rule_at,
)
from boxlens.report.charts.forms.panels import below, plot
from boxlens.wording import count, number, p_value, score

if TYPE_CHECKING:
    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult

WIDTH: Final = 290
# So many steps are enough for a curve; its ends and t0 are kept.
MOST_STEPS: Final = 250
FEW_STEPS: Final = 25


def p_curve_chart(result: DiscriminativeResult, *, measure: str, least_p: float) -> Spec:
    """p above, the images that are left below; smaller p are drawn at `least_p`."""
    rows = _rows(result, least_p)
    last = max(float(result.curve.threshold[-1]), 1.2 * result.choice.largest_t0, 0.01)
    t0 = [] if math.isnan(result.t0) else [rule_along(result.t0, color=INK, strokeWidth=1)]
    words = f"threshold t: images that differ by less in {measure} are removed"
    kept = plot(
        rows,
        Axis(words, (0, last)),
        Axis("images", (0, max(result.n_cases, 1)), ticks=2, form=COUNTS),
        bands("none", "n", interpolate="step-before", opacity=1, color=PALE),
        lines("n", steps="before", color=LINE, strokeWidth=1),
        *t0,
        width=WIDTH,
        height=48,
    )
    if t0:
        t0_px = WIDTH * result.t0 / last + 4
        t0.append(note(f"t0 = {score(result.t0)}", t0_px, 14, fontWeight="bold", color=INK))
    return below(_p_panel(result, rows, t0, Axis(ends=(0, last), hidden=True)), kept, gap=6)


def _p_panel(result: DiscriminativeResult, rows: list[Row], t0: list[Mark], x: Axis) -> Spec:
    alpha = result.choice.alpha
    lowest = math.floor(math.log10(min(*(row["drawn"] for row in rows), alpha / 5)))
    decades = {10.0**power: number(10.0**power) for power in range(lowest, 1)}
    y = Axis("p", (10.0**lowest, 1), names=decades, kind="log")
    in_band = [{"from": 0, "to": result.choice.largest_t0}]
    alpha_px = 120 * (1 - y.share(alpha))
    return plot(
        rows,
        x,
        y,
        Mark("rect", {ALONG: "from", ALONG_END: "to"}, {"color": PALE, "opacity": 0.5}, in_band),
        *rule_at(alpha, color=INK, strokeDash=[4, 3]),
        note(f"α = {number(alpha)}", WIDTH, alpha_px - 2, align="right", color=SOFT_INK),
        lines("drawn", steps="before", color=DARK_BLUE),
        # A curve of one step is no line.
        *((dots("drawn", size=12, color=DARK_BLUE),) if len(rows) <= FEW_STEPS else ()),
        *t0,
        width=WIDTH,
        height=120,
    )


def _rows(result: DiscriminativeResult, least_p: float) -> list[Row]:
    curve = result.curve
    first = curve.first_lasting(result.choice.alpha)
    steps = {*spread_out(len(curve.p), MOST_STEPS), *([] if first is None else [first])}
    rows = []
    for step in sorted(steps):
        t, p, n = float(curve.threshold[step]), float(curve.p[step]), int(curve.n_kept[step])
        if not math.isnan(p):
            tip = {"threshold": score(t), "p": p_value(p), "images kept": count(n)}
            rows.append({"x": t, "drawn": max(p, least_p), "n": n, "none": 0, "tip": tip})
    return rows

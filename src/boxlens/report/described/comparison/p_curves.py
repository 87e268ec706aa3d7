"""Discriminative evaluation: do detectors differ on the images that can tell them apart?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from boxlens.report.charts.colours import DARK_BLUE, INK, LINE, PALE, SOFT_INK
from boxlens.report.charts.forms.axes import COUNTS, Axis
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.layers import Mark, Row, Spec
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
from boxlens.report.study import COUNT, FLAG, P_VALUE, SCORE, TEXT, Plot, Table, table_of
from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult
from boxlens.wording import count, number, p_value, score

WIDTH, HEIGHT = 290, 120
# So many steps are enough for a curve; its ends and t0 are kept.
MOST_STEPS, FEW_STEPS = 250, 25
# Smaller values of p are drawn here.
LEAST_P = 1e-6


def tests_table(found: Sequence[DiscriminativeResult], measure: str) -> Table[Any]:
    what = f"images that differ by less than t0 in {measure} are removed"
    forms = {"detectors": TEXT, "test": TEXT, "p of all images": P_VALUE, "differ": FLAG}
    forms |= {"ahead": TEXT, "t0": SCORE, "kept": COUNT, "removed": COUNT}
    rows = (
        (
            " - ".join(one.detectors) if one.a else "all detectors",
            one.choice.test,
            one.p_all,
            one.differs,
            one.better,
            one.t0,
            one.n_kept,
            one.n_removed,
        )
        for one in found
    )
    return table_of("", f"Discriminative evaluation: {what}", forms, rows)


def curves_table(results: Sequence[DiscriminativeResult]) -> Table[Any]:
    """All detectors together have neither a nor b."""
    forms = {"a": TEXT, "b": TEXT, "test": TEXT, "t": SCORE, "p": P_VALUE, "n_kept": COUNT}
    rows = (
        (one.a, one.b, one.choice.test, float(t), float(p), int(n))
        for one in results
        for t, p, n in zip(one.curve.threshold, one.curve.p, one.curve.n_kept, strict=True)
    )
    return table_of("p_curves", "", forms, rows)


def curve_plot(one: DiscriminativeResult, measure: str) -> Plot:
    undefined = bool(np.isnan(one.curve.p).all())
    return Plot(
        "p_curve",
        "Do they differ on the images that can tell?",
        "A curve that falls below the dashed line early and stays there shows a difference; one "
        "that only dips below it is no evidence.",
        partial(_draw, one, measure),
        legend="" if undefined else _legend(one),
        absent=one.remark if undefined else "",
    )


def _legend(one: DiscriminativeResult) -> str:
    found = f"They do not: {one.remark}."
    if one.differs:
        found = f"They do: t0 = {score(one.t0)}, {one.n_kept:,} of {one.n_cases:,} images kept."
    below_edge = " Values of p below a millionth are drawn at the lower edge."
    return (
        f"They differ if p falls below {number(one.choice.alpha)} at a threshold in the grey band "
        f"(up to {number(one.choice.largest_t0)}) and stays there. {found}"
        f"{below_edge * bool(np.nanmin(one.curve.p) < LEAST_P)}"
    )


def _draw(one: DiscriminativeResult, measure: str) -> Spec:
    """p above, the images that are left below."""
    rows = list(_steps(one))
    last = max(float(one.curve.threshold[-1]), 1.2 * one.choice.largest_t0, 0.01)
    t0 = [] if math.isnan(one.t0) else [rule_along(one.t0, color=INK, strokeWidth=1)]
    words = f"threshold t: images that differ by less in {measure} are removed"
    kept = plot(
        rows,
        Axis(words, (0, last)),
        Axis("images", (0, max(one.n_cases, 1)), ticks=2, form=COUNTS),
        bands("none", "n", interpolate="step-before", opacity=1, color=PALE),
        lines("n", steps="before", color=LINE, strokeWidth=1),
        *t0,
        width=WIDTH,
        height=48,
    )
    if t0:
        t0_px = WIDTH * one.t0 / last + 4
        t0.append(note(f"t0 = {score(one.t0)}", t0_px, 14, fontWeight="bold", color=INK))
    return below(_p_panel(one, rows, t0, Axis(ends=(0, last), hidden=True)), kept, gap=6)


def _p_panel(one: DiscriminativeResult, rows: Sequence[Row], t0: Sequence[Mark], x: Axis) -> Spec:
    alpha = one.choice.alpha
    lowest = math.floor(math.log10(min(*(row["drawn"] for row in rows), alpha / 5)))
    decades = {10.0**power: number(10.0**power) for power in range(lowest, 1)}
    y = Axis("p", (10.0**lowest, 1), names=decades, kind="log")
    in_band = [{"from": 0, "to": one.choice.largest_t0}]
    alpha_px = HEIGHT * (1 - y.share(alpha))
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
        height=HEIGHT,
    )


def _steps(one: DiscriminativeResult) -> Iterator[Row]:
    curve = one.curve
    t0 = curve.first_lasting(one.choice.alpha)
    steps = {*spread_out(len(curve.p), MOST_STEPS), *([] if t0 is None else [t0])}
    for step in sorted(steps):
        t, p, n = float(curve.threshold[step]), float(curve.p[step]), int(curve.n_kept[step])
        if not math.isnan(p):
            tip = {"threshold": score(t), "p": p_value(p), "images kept": count(n)}
            yield {"x": t, "drawn": max(p, LEAST_P), "n": n, "none": 0, "tip": tip}

"""Images under two detectors or more: their scores, how few tell them apart, which to annotate."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import (
    DARK_BLUE,
    FIRST,
    INK,
    LINE,
    ORANGE,
    PALE,
    SECOND,
    SKY,
    SOFT_INK,
    UNDECIDED,
)
from boxlens.report.charts.forms.axes import COUNTS, SHARES, Axis
from boxlens.report.charts.forms.cells import density
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.keys import key
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
    spans,
)
from boxlens.report.charts.forms.panels import below, beside, message, plot
from boxlens.report.charts.theme import WIDTH
from boxlens.studies.comparison.cases.annotation_gain import (
    GOALS,
    ORDERS,
    AnnotationGainResult,
    GoalGain,
)
from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult
from boxlens.wording import count, number, p_value, score, share, short

# Of the scores: both sides of the panel on the left, and the width of the strip.
SIDE_PX, STRIP_PX, N_CELLS = 130, 155, 20
# So many steps are enough for a curve of p; its ends and t0 are kept.
CURVE_PX, MOST_STEPS, FEW_STEPS = 290, 250, 25
# Of each goal of annotating.
GOAL_PX, MOST_POINTS = 132, 60
COLOURS: Final = {"share": DARK_BLUE, "boxes": SKY, "n_boxes": ORANGE, "best": LINE}


def image_scores_chart(
    scores: tuple[Floats, Floats], names: tuple[str, str], *, measure: str, few: bool, n_steps: int
) -> Spec:
    """Left, image by image, in cells unless they are `few`; right, by falling difference.

    On the right neighbours are averaged to `n_steps`.
    """
    first, second = scores
    ends = (0.0, max(1.0, float(first.max()), float(second.max())))
    sides = Axis(short(names[1]), ends, ticks=4), Axis(short(names[0]), ends, ticks=4)
    corners = [{"x": end, "y": end} for end in ends]
    diagonal = Mark("line", {"x": "x", "y": "y"}, {"color": LINE, "strokeWidth": 0.75}, corners)
    panel: Spec = {"width": SIDE_PX, "height": SIDE_PX, "title": f"above: {short(names[0])} better"}
    if few:
        rows = [_pair(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        points = dots("a", size=14, opacity=0.6)
        against = plot(rows, *sides, points, diagonal, along="b", **panel)
    else:
        cells = _cells(first, second, ends)
        panel |= {"level": "level", "highest": max(one["level"] for one in cells), "legend": None}
        against = density(cells, *sides, diagonal, **panel)
    # The key itself cuts names that are long.
    better = {f"{names[0]} better": FIRST, f"{names[1]} better": SECOND}
    strip = _strip(first, second, Axis(measure, ends, ticks=4), n_steps)
    return below(*key(better, width=340), beside(against, strip), gap=6)


def _pair(a: float, b: float) -> Row:
    colour = UNDECIDED if a == b else FIRST if a > b else SECOND
    return {"a": a, "b": b, "colour": colour, "tip": {"first": score(a), "second": score(b)}}


def _cells(first: Floats, second: Floats, ends: tuple[float, float]) -> list[Row]:
    """As dark as the logarithm of how many images lie there."""
    counts, edges, _ = np.histogram2d(first, second, bins=N_CELLS, range=(ends, ends))
    return [
        {
            "x": float(edges[column]),
            "x2": float(edges[column + 1]),
            "y": float(edges[row]),
            "y2": float(edges[row + 1]),
            "level": math.log(n),
            "tip": {"images": count(n)},
        }
        for row, column in np.argwhere(counts).tolist()
        for n in (int(counts[row, column]),)
    ]


def _strip(first: Floats, second: Floats, up: Axis, n_steps: int) -> Spec:
    order = np.argsort(second - first, kind="stable")
    parts = np.array_split(order, min(n_steps, len(order)))
    done = np.cumsum([len(part) for part in parts])
    rows = [
        {
            **_pair(float(first[part].mean()), float(second[part].mean())),
            "x": float(end - len(part) / 2) / len(order),
        }
        for part, end in zip(parts, done.tolist(), strict=True)
    ]
    return plot(
        rows,
        Axis("share of images", (0, 1), ticks=4),
        up,
        spans("a", "b", strokeWidth=1, opacity=0.55),
        dots("b", size=9, color=SECOND),
        dots("a", size=9, color=FIRST),
        width=STRIP_PX,
        height=SIDE_PX,
        title="by falling difference",
    )


def p_curve_chart(result: DiscriminativeResult, *, measure: str, least_p: float) -> Spec:
    """p above, the images that are left below; smaller p are drawn at `least_p`."""
    rows = _steps(result, least_p)
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
        width=CURVE_PX,
        height=48,
    )
    if t0:
        t0_px = CURVE_PX * result.t0 / last + 4
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
        note(f"α = {number(alpha)}", CURVE_PX, alpha_px - 2, align="right", color=SOFT_INK),
        lines("drawn", steps="before", color=DARK_BLUE),
        # A curve of one step is no line.
        *((dots("drawn", size=12, color=DARK_BLUE),) if len(rows) <= FEW_STEPS else ()),
        *t0,
        width=CURVE_PX,
        height=120,
    )


def _steps(result: DiscriminativeResult, least_p: float) -> list[Row]:
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


def annotation_gain_chart(result: AnnotationGainResult) -> Spec:
    """One panel per goal; the diagonal is what a random order finds on average."""
    panels = [
        _goal(goal, result.budgets)
        if goal.total > 0
        else message(f"no {GOALS[goal.goal]}", width=GOAL_PX, height=GOAL_PX)
        for goal in result.goals
    ]
    colours = {words: COLOURS[order] for order, words in ORDERS.items()} | {"random, 95%": INK}
    return below(*key(colours, width=WIDTH), beside(*panels))


def _goal(goal: GoalGain, budgets: tuple[float, ...]) -> Spec:
    by_chance = [
        {"x": budget, "low": low, "high": high}
        for budget, low, high in zip(budgets, goal.random_low, goal.random_high, strict=True)
    ]
    diagonal = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    return plot(
        _points(goal),
        Axis("images annotated", (0, 1), values=(0, 0.5, 1), form=SHARES),
        Axis("found", (0, 1), values=(0, 0.25, 0.5, 0.75, 1), form=SHARES),
        lines(rows=diagonal, color=INK, strokeWidth=0.75),
        lines(),
        spans(rows=by_chance, color=INK, strokeWidth=3),
        width=GOAL_PX,
        height=GOAL_PX,
        title=GOALS[goal.goal],
    )


def _points(goal: GoalGain) -> list[Row]:
    n = len(goal.orders[0].curve)
    return [
        {
            "series": row.order,
            "colour": COLOURS[row.order],
            "x": step / (n - 1),
            "y": float(row.curve[step]),
            "tip": {
                "order": ORDERS[row.order],
                "images": share(step / (n - 1)),
                "found": share(float(row.curve[step])),
            },
        }
        # The best first, so that the others lie on it.
        for row in reversed(goal.orders)
        for step in spread_out(n, MOST_POINTS)
    ]

"""Single images: their scores, and whether detectors differ on those that can tell them apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Any

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import (
    DARK_BLUE,
    FIRST,
    INK,
    LINE,
    PALE,
    SECOND,
    SOFT_INK,
    UNDECIDED,
)
from boxlens.report.charts.forms import marks
from boxlens.report.charts.forms.axes import COUNTS, Axis
from boxlens.report.charts.forms.cells import density
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.panels import below, beside, plot
from boxlens.report.described.comparison.pairs import about_all, of_pair
from boxlens.report.study import COUNT, FLAG, P_VALUE, SCORE, TEXT, Plot, Section, Table, table_of
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult
from boxlens.studies.comparison.cases.image_scores import MEASURE_NAMES
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.studies.comparison.verdict import image_sentences
from boxlens.wording import count, number, p_value, score, short

# With more images dots become cells, and neighbours in the strip are averaged.
MOST_DOTS, N_CELLS, MOST_STEPS = 400, 20, 150
# Both sides of the panel on the left; of curves the width, and the height of p.
SIDE_PX, CURVE_PX, P_PX = 130, 290, 120
# So many points are enough for a curve; its ends and t0 are kept.
MOST_POINTS, FEW_POINTS = 250, 25
# Smaller values of p are drawn here.
LEAST_P = 1e-6


def images_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    measure = MEASURE_NAMES[result.choice.measure]
    together = () if result.together is None else (result.together,)
    shown = [*together, *(pair.discriminative for pair in pairs)]
    return Section(
        "images",
        "Images",
        (
            *_plots(result, pairs, measure),
            _means(result, measure),
            _tests(shown, measure),
            _curves([*result.discriminative, *together]),
        ),
        reading="Whether one detector is ahead image by image, also when images on which they "
        "nearly agree are removed.",
        findings=tuple(image_sentences(result)),
    )


def _means(result: ComparisonResult, measure: str) -> Table[Any]:
    forms = {"detector": TEXT, "score cut": SCORE, f"mean {measure}": SCORE}
    found = zip(result.detectors, result.min_score, result.image_scores, strict=True)
    rows = (
        (one.name, cut, math.nan if np.isnan(scores).all() else float(np.nanmean(scores)))
        for one, cut, scores in found
    )
    return table_of("", f"{_capital(measure)} of images", forms, rows)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _plots(result: ComparisonResult, pairs: Sequence[LeadingPair], measure: str) -> Iterator[Plot]:
    for pair in pairs:
        yield of_pair(pair, result, _scores_plot(result, pair, measure))
        yield of_pair(pair, result, _curve_plot(pair.discriminative, measure))
    if result.together is not None:
        one = _curve_plot(result.together, measure)
        title = f"{one.title} All detectors"
        yield replace(one, name="p_curve_together", title=title, about=about_all(result))


def _scores_plot(result: ComparisonResult, pair: LeadingPair, measure: str) -> Plot:
    both = result.image_scores[[pair.first, pair.second]]
    known = ~np.isnan(both).any(axis=0)
    first, second = both[:, known]
    n, n_ahead, n_behind = len(first), int((first > second).sum()), int((first < second).sum())
    n_unknown, per_step = both.shape[1] - n, -(-n // MOST_STEPS)
    left = "one dot per image" if n <= MOST_DOTS else "the darker, the more images"
    means = f", means of up to {per_step} neighbours" if per_step > 1 else ""
    skipped = f" Skipped because they have no score: {n_unknown:,}." if n_unknown else ""
    return Plot(
        "image_scores",
        f"{_capital(measure)} of every image",
        "Dots far from the line are the images to look at; many on both sides mean that each "
        "detector has its own strengths.",
        partial(_draw_scores, first, second, pair.names, measure),
        legend=f"Of {n:,} images {pair.names[0]} is better on {n_ahead:,}, {pair.names[1]} on "
        f"{n_behind:,}; they are equal on {n - n_ahead - n_behind:,}. Left: {left}. Right: images "
        f"by falling difference, a line from one score to the other{means}.{skipped}",
        absent="" if n else "no image has a score for both detectors",
    )


def _draw_scores(first: Floats, second: Floats, names: tuple[str, str], measure: str) -> Spec:
    """Left, image by image, in cells where there are many; right, by falling difference."""
    ends = (0.0, max(1.0, float(first.max()), float(second.max())))
    sides = Axis(short(names[1]), ends, ticks=4), Axis(short(names[0]), ends, ticks=4)
    corners = [{"x": end, "y": end} for end in ends]
    diagonal = Mark("line", {"x": "x", "y": "y"}, {"color": LINE, "strokeWidth": 0.75}, corners)
    panel: Spec = {"width": SIDE_PX, "height": SIDE_PX, "title": f"above: {short(names[0])} better"}
    if len(first) <= MOST_DOTS:
        rows = [_pair(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        points = marks.dots("a", size=14, opacity=0.6)
        against = plot(rows, *sides, points, diagonal, along="b", **panel)
    else:
        cells = _cells(first, second, ends)
        panel |= {"level": "level", "highest": max(one["level"] for one in cells), "legend": None}
        against = density(cells, *sides, diagonal, **panel)
    strip = plot(
        _strip(first, second),
        Axis("share of images", (0, 1), ticks=4),
        Axis(measure, ends, ticks=4),
        marks.spans("a", "b", strokeWidth=1, opacity=0.55),
        marks.dots("b", size=9, color=SECOND),
        marks.dots("a", size=9, color=FIRST),
        width=155,
        height=SIDE_PX,
        title="by falling difference",
    )
    # The key itself cuts names that are long.
    better = {f"{names[0]} better": FIRST, f"{names[1]} better": SECOND}
    return below(*key(better, width=340), beside(against, strip), gap=6)


def _pair(a: float, b: float) -> Row:
    colour = UNDECIDED if a == b else FIRST if a > b else SECOND
    return {"a": a, "b": b, "colour": colour, "tip": {"first": score(a), "second": score(b)}}


def _cells(first: Floats, second: Floats, ends: tuple[float, float]) -> list[Row]:
    """As dark as the logarithm of how many images lie there."""
    counts, edges, _ = np.histogram2d(first, second, bins=N_CELLS, range=(ends, ends))
    sides = list(pairwise(edges.tolist()))
    return [
        {"x": x, "x2": x2, "y": y, "y2": y2, "level": math.log(n), "tip": {"images": count(int(n))}}
        for (y, y2), line in zip(sides, counts.tolist(), strict=True)
        for (x, x2), n in zip(sides, line, strict=True)
        if n
    ]


def _strip(first: Floats, second: Floats) -> Iterator[Row]:
    """By falling difference; of many, means of neighbours."""
    order, end = np.argsort(second - first, kind="stable"), 0
    for rows in np.array_split(order, min(MOST_STEPS, len(order))):
        end += len(rows)
        x = (end - len(rows) / 2) / len(order)
        yield {**_pair(float(first[rows].mean()), float(second[rows].mean())), "x": x}


def _tests(found: Sequence[DiscriminativeResult], measure: str) -> Table[Any]:
    what = f"images that differ by less than t0 in {measure} are removed"
    forms = {"detectors": TEXT, "test": TEXT, "p of all images": P_VALUE, "differ": FLAG}
    forms |= {"ahead": TEXT, "t0": SCORE, "kept": COUNT, "removed": COUNT}
    told = attrgetter("choice.test", "p_all", "differs", "better", "t0", "n_kept", "n_removed")
    rows = ((" - ".join(one.detectors) if one.a else "all detectors", *told(one)) for one in found)
    return table_of("", f"Discriminative evaluation: {what}", forms, rows)


def _curves(results: Sequence[DiscriminativeResult]) -> Table[Any]:
    """All detectors together have neither a nor b."""
    forms = {"a": TEXT, "b": TEXT, "test": TEXT, "t": SCORE, "p": P_VALUE, "n_kept": COUNT}
    rows = (
        (one.a, one.b, one.choice.test, float(t), float(p), int(n))
        for one in results
        for t, p, n in zip(one.curve.threshold, one.curve.p, one.curve.n_kept, strict=True)
    )
    return table_of("p_curves", "", forms, rows)


def _curve_plot(one: DiscriminativeResult, measure: str) -> Plot:
    lowest = float(np.fmin.reduce(one.curve.p, initial=math.nan))
    found = f"They do not: {one.remark}."
    if one.differs:
        found = f"They do: t0 = {score(one.t0)}, {one.n_kept:,} of {one.n_cases:,} images kept."
    edge = " Values of p below a millionth are drawn at the lower edge." * (lowest < LEAST_P)
    legend = (
        f"They differ if p falls below {number(one.choice.alpha)} at a threshold in the grey band "
        f"(up to {number(one.choice.largest_t0)}) and stays there. {found}{edge}"
    )
    return Plot(
        "p_curve",
        "Do they differ on the images that can tell?",
        "A curve that falls below the dashed line early and stays there shows a difference; one "
        "that only dips below it is no evidence.",
        partial(_draw_curve, one, measure),
        legend="" if math.isnan(lowest) else legend,
        absent=one.remark if math.isnan(lowest) else "",
    )


def _draw_curve(one: DiscriminativeResult, measure: str) -> Spec:
    """p above, the images that are left below."""
    rows = list(_curve_steps(one))
    last = max(float(one.curve.threshold[-1]), 1.2 * one.choice.largest_t0, 0.01)
    t0 = [] if math.isnan(one.t0) else [marks.rule_along(one.t0, color=INK, strokeWidth=1)]
    words = f"threshold t: images that differ by less in {measure} are removed"
    kept = plot(
        rows,
        Axis(words, (0, last)),
        Axis("images", (0, max(one.n_cases, 1)), ticks=2, form=COUNTS),
        marks.bands("none", "n", interpolate="step-before", opacity=1, color=PALE),
        marks.lines("n", steps="before", color=LINE, strokeWidth=1),
        *t0,
        width=CURVE_PX,
        height=48,
    )
    if t0:
        t0_px = CURVE_PX * one.t0 / last + 4
        t0.append(marks.note(f"t0 = {score(one.t0)}", t0_px, 14, fontWeight="bold", color=INK))
    return below(_p_panel(one, rows, t0, Axis(ends=(0, last), hidden=True)), kept, gap=6)


def _p_panel(one: DiscriminativeResult, rows: Sequence[Row], t0: Sequence[Mark], x: Axis) -> Spec:
    alpha = one.choice.alpha
    lowest = math.floor(math.log10(min(*(row["drawn"] for row in rows), alpha / 5)))
    decades = {10.0**power: number(10.0**power) for power in range(lowest, 1)}
    y = Axis("p", (10.0**lowest, 1), names=decades, kind="log")
    across = {marks.ALONG: "from", marks.ALONG_END: "to"}
    in_band = [{"from": 0, "to": one.choice.largest_t0}]
    alpha_px = P_PX * (1 - y.share(alpha))
    return plot(
        rows,
        x,
        y,
        Mark("rect", across, {"color": PALE, "opacity": 0.5}, in_band),
        *marks.rule_at(alpha, color=INK, strokeDash=[4, 3]),
        marks.note(f"α = {number(alpha)}", CURVE_PX, alpha_px - 2, align="right", color=SOFT_INK),
        marks.lines("drawn", steps="before", color=DARK_BLUE),
        # A curve of one step is no line.
        *((marks.dots("drawn", size=12, color=DARK_BLUE),) if len(rows) <= FEW_POINTS else ()),
        *t0,
        width=CURVE_PX,
        height=P_PX,
    )


def _curve_steps(one: DiscriminativeResult) -> Iterator[Row]:
    curve = one.curve
    t0 = curve.first_lasting(one.choice.alpha)
    steps = {*spread_out(len(curve.p), MOST_POINTS), *([] if t0 is None else [t0])}
    for step in sorted(steps):
        t, p, n = float(curve.threshold[step]), float(curve.p[step]), int(curve.n_kept[step])
        if not math.isnan(p):
            tip = {"threshold": score(t), "p": p_value(p), "images kept": count(n)}
            yield {"x": t, "drawn": max(p, LEAST_P), "n": n, "none": 0, "tip": tip}

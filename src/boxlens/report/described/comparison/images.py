"""Single images: their scores, what those that differ show, and which to annotate next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from boxlens.report.charts.compared_images import (
    annotation_gain_chart,
    image_scores_chart,
    p_curve_chart,
)
from boxlens.report.described.comparison.pairs import GUIDE, about_all, of_pair
from boxlens.report.described.disagreement import disputed_images
from boxlens.report.study import (
    COUNT,
    FLAG,
    P_VALUE,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    table_of,
)
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.cases.annotation_gain import GOALS, ORDERS, AnnotationGainResult
from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult
from boxlens.studies.comparison.cases.image_scores import MEASURE_NAMES
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.wording import number, score, share

# With more images dots become cells, and neighbours in the strip are averaged.
MOST_DOTS = 400
MOST_STEPS = 150
# Smaller values of p are drawn here.
LEAST_P = 1e-6
# Images to annotate.
N_DISPUTED = 20


def images_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    shown = [*_together(result), *(pair.discriminative for pair in pairs)]
    return Section(
        "images",
        "Images",
        (
            *_plots(result, pairs),
            _means(result),
            _tests(result, shown),
            _curves([*result.discriminative, *_together(result)]),
        ),
        reading="Whether one detector is ahead image by image, also when images on which they "
        "nearly agree are removed.",
        guide=GUIDE,
    )


def _together(result: ComparisonResult) -> tuple[DiscriminativeResult, ...]:
    return () if result.together is None else (result.together,)


def _means(result: ComparisonResult) -> Table[Any]:
    measure = MEASURE_NAMES[result.choice.measure]
    forms = {"detector": TEXT, "score cut": SCORE, f"mean {measure}": SCORE}
    rows = (
        (one.name, cut, math.nan if np.isnan(scores).all() else float(np.nanmean(scores)))
        for one, cut, scores in zip(
            result.detectors, result.min_score, result.image_scores, strict=True
        )
    )
    return table_of("", f"{_capital(measure)} of images", forms, rows)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _tests(
    result: ComparisonResult, rows: Sequence[DiscriminativeResult]
) -> Table[DiscriminativeResult]:
    measure = MEASURE_NAMES[result.choice.measure]
    return Table(
        "",
        f"Discriminative evaluation: images that differ by less than t0 in {measure} are removed",
        rows,
        [
            Column(
                "",
                "detectors",
                lambda one: " - ".join(one.detectors) if one.a else "all detectors",
                TEXT,
            ),
            Column("", "test", lambda one: one.choice.test, TEXT),
            Column("", "p of all images", lambda one: one.p_all, P_VALUE),
            Column("", "differ", lambda one: one.differs, FLAG),
            Column("", "ahead", lambda one: one.better, TEXT),
            Column("", "t0", lambda one: one.t0),
            Column("", "kept", lambda one: one.n_kept, COUNT),
            Column("", "removed", lambda one: one.n_removed, COUNT),
        ],
    )


def _curves(results: Sequence[DiscriminativeResult]) -> Table[Any]:
    """All detectors together have neither a nor b."""
    forms = {"a": TEXT, "b": TEXT, "test": TEXT, "t": SCORE, "p": P_VALUE, "n_kept": COUNT}
    rows = (
        (one.a, one.b, one.choice.test, float(t), float(p), int(n))
        for one in results
        for t, p, n in zip(one.curve.threshold, one.curve.p, one.curve.n_kept, strict=True)
    )
    return table_of("p_curves", "", forms, rows)


def _plots(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Iterator[Plot]:
    for pair in pairs:
        yield of_pair(pair, result, _scores_plot(result, pair))
        yield of_pair(pair, result, _curve_plot(result, pair.discriminative))
    for one in _together(result):
        plot = _curve_plot(result, one)
        about = f"{len(one.detectors)} detectors on {result.dataset.name}"
        title = f"{plot.title} All detectors"
        yield replace(plot, name="p_curve_together", title=title, about=about)


def _scores_plot(result: ComparisonResult, pair: LeadingPair) -> Plot:
    measure = MEASURE_NAMES[result.choice.measure]
    first, second = result.image_scores[pair.first], result.image_scores[pair.second]
    known = ~np.isnan(first) & ~np.isnan(second)
    first, second = first[known], second[known]
    n, n_ahead, n_behind = len(first), int((first > second).sum()), int((first < second).sum())
    n_unknown, per_step = int(np.count_nonzero(~known)), -(-n // MOST_STEPS)
    few = n <= MOST_DOTS
    means = f", means of up to {per_step} neighbours" if per_step > 1 else ""
    legend = (
        f"Of {n:,} images {pair.names[0]} is better on {n_ahead:,}, {pair.names[1]} on "
        f"{n_behind:,}; they are equal on {n - n_ahead - n_behind:,}. Left: "
        f"{'one dot per image' if few else 'the darker, the more images'}. Right: images by "
        f"falling difference, a line from one score to the other{means}."
    )
    if n_unknown:
        legend += f" Skipped because they have no score: {n_unknown:,}."
    return Plot(
        "image_scores",
        f"{_capital(measure)} of every image",
        "Dots far from the line are the images to look at; many on both sides mean that each "
        "detector has its own strengths.",
        partial(
            image_scores_chart,
            (first, second),
            pair.names,
            measure=measure,
            few=few,
            n_steps=MOST_STEPS,
        ),
        legend=legend,
        absent="" if n else "no image has a score for both detectors",
    )


def _curve_plot(result: ComparisonResult, one: DiscriminativeResult) -> Plot:
    undefined = bool(np.isnan(one.curve.p).all())
    measure = MEASURE_NAMES[result.choice.measure]
    return Plot(
        "p_curve",
        "Do they differ on the images that can tell?",
        "A curve that falls below the dashed line early and stays there shows a difference; one "
        "that only dips below it is no evidence.",
        partial(p_curve_chart, one, measure=measure, least_p=LEAST_P),
        legend="" if undefined else _curve_legend(one),
        absent=one.remark if undefined else "",
    )


def _curve_legend(one: DiscriminativeResult) -> str:
    text = (
        f"They differ if p falls below {number(one.choice.alpha)} at a threshold in the grey band "
        f"(up to {number(one.choice.largest_t0)}) and stays there. "
    )
    if one.differs:
        text += f"They do: t0 = {score(one.t0)}, {one.n_kept:,} of {one.n_cases:,} images kept."
    else:
        text += f"They do not: {one.remark}."
    if np.nanmin(one.curve.p) < LEAST_P:
        text += " Values of p below a millionth are drawn at the lower edge."
    return text


def annotate_section(result: ComparisonResult) -> Section:
    return Section(
        "annotate",
        "Annotate next",
        (
            _gain_plot(result),
            *disputed_images(result.disagreement, N_DISPUTED, detail=True),
            _gain(result.annotation_gain),
        ),
        reading="Images on which the detectors disagree most, found without the ground truth; "
        "tables/images.parquet has all images.",
        guide=GUIDE,
    )


def _gain(gain: AnnotationGainResult) -> Table[Any]:
    forms = {"goal": TEXT, "order": TEXT, "n_images": COUNT, "share": SHARE}
    rows = (
        (goal.goal, order.order, *step)
        for goal in gain.goals
        for order in goal.orders
        for step in order.points()
    )
    return table_of("annotation_gain", "", forms, rows)


def _gain_plot(result: ComparisonResult) -> Plot:
    gain = result.annotation_gain
    known = [goal for goal in gain.goals if goal.total > 0]
    return Plot(
        "annotation_gain",
        "What annotating disputed images first would find",
        "The further a curve is above the diagonal, the more it helps to annotate in its order. Do "
        "not estimate scores on images chosen this way: they are not a random sample.",
        partial(annotation_gain_chart, gain),
        legend=_gain_legend(gain) if known else "",
        about=about_all(result),
        absent="" if known else "there are no errors and no differences to find",
    )


def _gain_legend(gain: AnnotationGainResult) -> str:
    goal = next(goal for goal in gain.goals if goal.total > 0)
    held = ", ".join(
        f"{ORDERS[name]} {share(goal.named(name).at_images[0])}"
        for name in ("share", "boxes", "n_boxes")
    )
    return (
        f"The first {share(gain.budgets[0])} of the images hold, of the {GOALS[goal.goal]}: "
        f"{held}; random {share(goal.random_low[0])} to {share(goal.random_high[0])}. Disputed: "
        "boxes of the detectors compared with one another, without ground truth."
    )

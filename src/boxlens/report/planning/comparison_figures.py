"""Which figures a comparison has, and what to make of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from boxlens.comparison.leading_pairs import MOST_DETECTORS, leading_pairs
from boxlens.report.charts.annotation_gain import annotation_gain_chart
from boxlens.report.charts.class_differences import class_differences_chart
from boxlens.report.charts.differences import differences_chart
from boxlens.report.charts.image_scores import image_scores_chart
from boxlens.report.charts.joint import joint_chart
from boxlens.report.charts.league import league_chart
from boxlens.report.charts.p_curve import p_curve_chart
from boxlens.report.charts.strengths import strengths_chart
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, file_name, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.comparison import ComparisonResult
    from boxlens.comparison.cases.discriminative import DiscriminativeResult
    from boxlens.comparison.leading_pairs import LeadingPair

# Sections of the page.
NUMBERS, IMAGES, TOGETHER, ANNOTATE = "numbers", "images", "together", "annotate"
MEASURES = {"fda": "FDA", "f1": "F1", "recall": "Recall", "precision": "Precision"}


def comparison_figures(result: ComparisonResult) -> FigurePlan:
    """The league, every leading pair, then what single images and objects say."""
    pairs = leading_pairs(result)
    return plan_of(
        [
            *_numbers(result, pairs),
            *_images(result, pairs),
            *_together(result, pairs),
            *_annotation(result),
        ]
    )


def measure_name(result: ComparisonResult) -> str:
    return MEASURES[result.choice.measure]


def _numbers(
    result: ComparisonResult, pairs: tuple[LeadingPair, ...]
) -> Iterator[Figure | LeftOut]:
    alpha = result.choice.alpha
    yield Figure(
        "league",
        f"{result.league.metric} of each detector, and who can be told apart",
        "Intervals that overlap do not mean that detectors are alike: the letters tell, since "
        "they rest on differences over the same images.",
        NUMBERS,
        partial(league_chart, result.league, about=_about_all(result)),
    )
    for pair in pairs:
        yield Figure(
            _name("differences", pair, pairs),
            _title("Differences by every number", pair, pairs),
            "A coloured line is a difference beyond chance; a grey one that lies within the "
            "band may be too small for this test set to show.",
            NUMBERS,
            partial(
                differences_chart,
                pair.numbers,
                alpha=alpha,
                n_pairs=len(result.headline),
                about=_about(result, pair),
            ),
        )
        yield Figure(
            _name("class_differences", pair, pairs),
            _title("Differences by class", pair, pairs),
            "Coloured classes differ beyond chance even though many were tested; grey ones may "
            "only look different.",
            NUMBERS,
            partial(class_differences_chart, pair.classes, alpha=alpha, about=_about(result, pair)),
        )
    n_more = len(result.headline) - len(pairs)
    if n_more:
        why = f"figures are of the best {MOST_DETECTORS}; tables/ hold every pair"
        yield LeftOut(f"{n_more:,} more pairs of detectors", why, NUMBERS)


def _images(result: ComparisonResult, pairs: tuple[LeadingPair, ...]) -> Iterator[Figure | LeftOut]:
    measure = measure_name(result)
    for pair in pairs:
        title = _title(f"{measure} of every image", pair, pairs)
        scores = (result.image_scores[pair.first], result.image_scores[pair.second])
        if np.isnan(scores[0] - scores[1]).all():
            yield LeftOut(title, "no image has a score of both", IMAGES)
        else:
            yield Figure(
                _name("image_scores", pair, pairs),
                title,
                "Dots far from the line are the images to look at; many at both sides mean that "
                "each detector has its own strengths.",
                IMAGES,
                partial(
                    image_scores_chart,
                    scores,
                    pair.names,
                    measure=measure,
                    about=_about(result, pair),
                ),
            )
        yield _p_curve(
            result,
            pair.discriminative,
            _name("p_curve", pair, pairs),
            _title("Do they differ where it can be told?", pair, pairs),
        )
    if result.together is not None:
        title = "Do they differ where it can be told? All detectors"
        yield _p_curve(result, result.together, "p_curve_together", title)


def _p_curve(
    result: ComparisonResult, one: DiscriminativeResult, name: str, title: str
) -> Figure | LeftOut:
    if np.isnan(one.curve.p).all():
        return LeftOut(title, one.remark, IMAGES)
    who = " and ".join(one.detectors) if one.a else f"{len(one.detectors)} detectors"
    return Figure(
        name,
        title,
        "A curve that falls below the dashed line early and stays there is a difference; one that "
        "only dips is no evidence.",
        IMAGES,
        partial(
            p_curve_chart,
            one,
            measure=measure_name(result),
            about=f"{who} on {result.dataset.name}",
        ),
    )


def _together(
    result: ComparisonResult, pairs: tuple[LeadingPair, ...]
) -> Iterator[Figure | LeftOut]:
    yield _joint(result)
    for pair in pairs:
        title = _title("Who finds what", pair, pairs)
        if np.isnan(pair.strengths.overall.tested.difference):
            yield LeftOut(title, "there are no objects that count", TOGETHER)
            continue
        yield Figure(
            _name("strengths", pair, pairs),
            title,
            "Coloured to both sides: the detectors complement each other, and it tells for which "
            "objects. Coloured to one side only: one finds more; look at its false positives, too.",
            TOGETHER,
            partial(strengths_chart, pair.strengths, about=_about(result, pair)),
        )


def _joint(result: ComparisonResult) -> Figure | LeftOut:
    title = "What they could reach together"
    if not result.joint.found.n_objects:
        return LeftOut(title, "there are no objects that count", TOGETHER)
    return Figure(
        "joint",
        title,
        "The last bar above is a bound that no fusion reaches: where it is hardly longer than the "
        "best detector's, joining them is in vain. Objects that none finds need other data.",
        TOGETHER,
        partial(joint_chart, result.joint, about=_about_all(result)),
    )


def _annotation(result: ComparisonResult) -> Iterator[Figure | LeftOut]:
    title = "What annotating disputed images first would find"
    if not any(goal.total > 0 for goal in result.annotation_gain.goals):
        yield LeftOut(title, "there are no errors and no differences to find", ANNOTATE)
        return
    yield Figure(
        "annotation_gain",
        title,
        "The further a curve lies above the diagonal, the more it helps to annotate in its order. "
        "Scores must not be estimated on images chosen so: they are no fair sample.",
        ANNOTATE,
        partial(annotation_gain_chart, result.annotation_gain, about=_about_all(result)),
    )


def _name(stem: str, pair: LeadingPair, pairs: tuple[LeadingPair, ...]) -> str:
    return stem if len(pairs) == 1 else f"{stem}_{file_name(' '.join(pair.names))}"


def _title(text: str, pair: LeadingPair, pairs: tuple[LeadingPair, ...]) -> str:
    return text if len(pairs) == 1 else f"{text}: {' and '.join(pair.names)}"


def _about_all(result: ComparisonResult) -> str:
    return f"{len(result.detectors)} detectors on {result.dataset.name}"


def _about(result: ComparisonResult, pair: LeadingPair) -> str:
    return f"{' and '.join(pair.names)} on {result.dataset.name}"

"""Which figures a study of repeatability has, and what to make of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.repeatability_curves import families_found, repeatability_curves_chart
from boxlens.report.charts.repeatability_sizes import repeatability_sizes_chart
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, plan_of
from boxlens.report.planning.study_words import listed_words, number_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.proposals.repeatability.result import RepeatabilityResult

# The section of the page.
CURVES = "curves"

NOTHING_FOLLOWED = "no proposal could be followed from one picture to the other"


def repeatability_figures(result: RepeatabilityResult) -> FigurePlan:
    """Level by level, then by size."""
    return plan_of(_figures(result))


def _figures(result: RepeatabilityResult) -> Iterator[Figure | LeftOut]:
    curves = "How well proposals are found again as the picture changes"
    sizes = "Which proposals are found again, by their size"
    if not families_found(result):
        yield LeftOut(curves, NOTHING_FOLLOWED, CURVES)
        yield LeftOut(sizes, NOTHING_FOLLOWED, CURVES)
        return
    about = repeatability_about(result)
    yield Figure(
        "repeatability",
        curves,
        "A curve that drops right beside the unchanged picture: a change nobody sees moves the "
        "proposals, and a detector trained on them sees other boxes than before.",
        CURVES,
        partial(repeatability_curves_chart, result, about=about),
        wide=True,
    )
    yield Figure(
        "repeatability_by_size",
        sizes,
        "Low on the left: small boxes move. Large ones are met again also by chance, since there "
        "is room for few.",
        CURVES,
        partial(repeatability_sizes_chart, result, about=about),
        wide=True,
    )


def repeatability_about(result: RepeatabilityResult) -> str:
    """Who, on how many pictures."""
    who = listed_words([one.name for one in result.methods], "method")
    n_images = max((one.n_images for one in result.methods), default=0)
    return f"{who} on {number_words(n_images, 'picture')}"

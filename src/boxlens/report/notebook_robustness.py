"""What a notebook says of a study of robustness."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.notebook_summary import (
    MOST_DETECTORS,
    MOST_ROWS,
    Summary,
    listed_names,
    more_rows,
)
from boxlens.report.pages.markup import counted, score_cell, text_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.detector_robustness.result import DetectorRobustness, RobustnessResult
    from boxlens.report.planning.figure_plan import Figure


def robustness_summary(result: RobustnessResult) -> Summary:
    """AP of the unchanged pictures, mean performance under corruption, transforms of the study."""
    from boxlens.detector_robustness.verdict import robustness_sentences

    shown = result.detectors[:MOST_DETECTORS]
    n_more = len(result.detectors) - len(shown)
    scores = [_scores(one) for one in shown]
    names = list(dict.fromkeys(name for of in scores for name in of))
    return Summary(
        title=f"Robustness of {listed_names([one.name for one in shown], n_more)} on "
        f"{result.dataset}",
        about=f"{counted(result.sets[0].n_images, 'picture')}, "
        f"{counted(len(result.sets) - 1, 'step')}",
        lead=" ".join(robustness_sentences(result)),
        headings=["AP", *(one.name for one in shown)],
        rows=[
            [text_cell(name), *(score_cell(of.get(name, math.nan)) for of in scores)]
            for name in names[:MOST_ROWS]
        ],
        figure="robustness_",
        more=more_rows(len(names)),
    )


def _scores(detector: DetectorRobustness) -> dict[str, float]:
    """What matters most first; single levels only where there is nothing else to tell."""
    from boxlens.detector_robustness.corruption_means import telling_means
    from boxlens.report.charts.robustness_steps import CLEAN_WORDS, GROUP_WORDS, step_words

    means = telling_means(detector)
    found = {CLEAN_WORDS: detector.clean.metrics["AP"]}
    found |= {GROUP_WORDS[one.group]: one.ap for one in means[:1]}
    study = [one for one in detector.steps if one.group == "study"]
    steps = study if study or means else detector.steps
    found |= {step_words(one): one.metrics["AP"] for one in steps}
    return found | {GROUP_WORDS[one.group]: one.ap for one in means[1:]}


def robustness_charts(result: RobustnessResult) -> Sequence[Figure]:
    from boxlens.report.planning.robustness_figures import robustness_figures

    return robustness_figures(result).figures

"""What a notebook says of studies of proposals: recall and repeatability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.method_lines import ar_words, count_text
from boxlens.report.charts.theme import decimal, threshold
from boxlens.report.notebook_summary import MOST_ROWS, Summary, listed_names, more_rows
from boxlens.report.pages.markup import Cell, count_cell, counted, score_cell, text_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.proposals.recall.result import BudgetRecall, ProposalRecallResult
    from boxlens.proposals.repeatability.result import RepeatabilityResult
    from boxlens.report.planning.figure_plan import Figure


def recall_summary(result: ProposalRecallResult) -> Summary:
    """The first data set, methods by average recall at the largest budget."""
    from boxlens.proposals.recall.verdict import recall_sentences

    first = result.datasets[0]
    found = [(method.name, method.chosen[-1]) for method in first.methods]
    ordered = sorted(found, key=lambda pair: (math.isnan(pair[1].ar), -pair[1].ar))
    return Summary(
        title=f"Proposals of {listed_names([name for name, _ in found], 0, 'methods')} on "
        f"{first.name}",
        about=f"{counted(first.n_images, 'image')}, {counted(first.n_objects, 'object')}",
        lead=" ".join(recall_sentences(result)),
        headings=[
            "method",
            "budget",
            "mean #",
            ar_words(result.choice),
            *(f"recall at {threshold(iou)}" for iou in result.choice.ious),
        ],
        rows=[
            [
                text_cell(name),
                count_cell(one.budget),
                Cell(count_text(one.n_mean), one.n_mean),
                _with_interval(one),
                *map(score_cell, one.recall.values()),
            ]
            for name, one in ordered[:MOST_ROWS]
        ],
        figure="recall_by_iou" if len(result.datasets) == 1 else "datasets",
        more=more_rows(len(ordered)),
    )


def _with_interval(one: BudgetRecall) -> Cell:
    if math.isnan(one.ar_low) or math.isnan(one.ar_high):
        return score_cell(one.ar)
    return Cell(f"{decimal(one.ar)} ({decimal(one.ar_low)} to {decimal(one.ar_high)})", one.ar)


def recall_charts(result: ProposalRecallResult) -> Sequence[Figure]:
    from boxlens.report.planning.recall_figures import recall_figures

    return recall_figures(result).figures


def repeatability_summary(result: RepeatabilityResult) -> Summary:
    """A column a kind of change, the most stable method first."""
    from boxlens.images.perturbing.families import FAMILIES
    from boxlens.proposals.repeatability.verdict import overall, repeatability_sentences

    families = result.choice.families
    ordered = sorted(result.methods, key=lambda one: (math.isnan(overall(one)), -overall(one)))
    n_images = max((one.n_images for one in result.methods), default=0)
    names = [one.name for one in result.methods]
    rows = []
    for one in ordered[:MOST_ROWS]:
        means = {family.family: family.mean for family in one.families}
        cells = [score_cell(means.get(family, math.nan)) for family in families]
        rows.append([text_cell(one.name), *cells, score_cell(overall(one))])
    return Summary(
        title=f"Repeatability of {listed_names(names, 0, 'methods')}",
        about=counted(n_images, "picture"),
        lead=" ".join(repeatability_sentences(result)),
        headings=["method", *(FAMILIES[family].title for family in families), "mean"],
        rows=rows,
        figure="repeatability",
        more=more_rows(len(ordered)),
    )


def repeatability_charts(result: RepeatabilityResult) -> Sequence[Figure]:
    from boxlens.report.planning.repeatability_figures import repeatability_figures

    return repeatability_figures(result).figures

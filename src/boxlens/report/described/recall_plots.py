"""Figures of recall over IoU, number of proposals, size of boxes and data set."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.keys import MOST_LINES
from boxlens.report.charts.method_words import ar_words, best_first, first_of, line_words
from boxlens.report.charts.recall import (
    proposal_sizes_chart,
    recall_by_iou_chart,
    recall_by_number_chart,
    recall_datasets_chart,
)
from boxlens.report.study import Plot, file_name
from boxlens.wording import counted, listed

if TYPE_CHECKING:
    from boxlens.studies.proposals.recall.result import DatasetRecall, ProposalRecallResult

MOST_NAMES = 2
# Panels of a figure: budgets, and IoUs beside average recall.
MOST_BUDGETS, MOST_IOUS = 3, 5
# Bands of more methods would cover each other.
MOST_BANDS = 4
# As many as there are colours.
MOST_DATASETS = 6


def of_dataset(result: ProposalRecallResult, dataset: DatasetRecall) -> tuple[str, str]:
    """What a file name begins with, and a title ends in, where there are several data sets."""
    if len(result.datasets) == 1:
        return "", ""
    return f"{file_name(dataset.name)}_", f", {dataset.name}"


def missing(dataset: DatasetRecall) -> str:
    """Why there is nothing to draw; empty: there is something."""
    if not dataset.n_objects:
        return "there are no objects to find"
    proposed = any(one.n_mean > 0 for method in dataset.methods for one in method.by_budget)
    return "" if proposed else "there are no proposals"


def about(dataset: DatasetRecall) -> str:
    names = listed([one.name for one in dataset.methods], MOST_NAMES, "methods")
    return f"{names} on {dataset.name}"


def overlap_plot(result: ProposalRecallResult, dataset: DatasetRecall) -> Plot:
    prefix, suffix = of_dataset(result, dataset)
    words = ar_words(result.choice)
    budgets = sorted(set(result.choice.budgets))
    shown = [budgets[at] for at in spread_out(len(budgets), MOST_BUDGETS)]
    legend = (
        "Share of objects that a proposal meets with at least this IoU, one proposal per object. "
        f"{words}: average recall; in brackets: mean number of proposals per image."
    )
    if len(shown) < len(budgets):
        legend += f" {len(shown)} of {len(budgets)} budgets."
    return Plot(
        f"{prefix}recall_by_iou",
        f"Recall by IoU{suffix}",
        "High on the left and falling fast: objects are found, but loosely. A curve that stays up "
        "to the right localizes well, and that is what detectors gain from.",
        partial(recall_by_iou_chart, dataset, shown, words),
        legend=legend + line_words(dataset.methods),
        about=about(dataset),
        absent=missing(dataset),
        wide=True,
    )


def number_plot(result: ProposalRecallResult, dataset: DatasetRecall) -> Plot:
    prefix, suffix = of_dataset(result, dataset)
    choice = result.choice
    ious = choice.ious[:MOST_IOUS]
    banded = len(dataset.methods) <= MOST_BANDS and any(
        not math.isnan(one.ar_low) for method in dataset.methods for one in method.by_budget
    )
    legend = (
        "x: mean number of proposals per image, which may be less than the budget. Every panel has "
        "its own range of y."
    )
    if banded:
        legend += " Bands: 95% intervals, by resampling images."
    legend += first_of(len(ious), len(choice.ious), "IoUs")
    return Plot(
        f"{prefix}recall_by_number",
        f"Recall by number of proposals{suffix}",
        "The higher line is the better method at that cost. One that rises early ranks its "
        "proposals well; one that ends early has no more to offer.",
        partial(recall_by_number_chart, dataset, ious, ar_words(choice), banded=banded),
        legend=legend + line_words(dataset.methods),
        about=about(dataset),
        absent=missing(dataset),
        wide=True,
    )


def sizes_plot(result: ProposalRecallResult, dataset: DatasetRecall) -> Plot:
    prefix, suffix = of_dataset(result, dataset)
    methods = best_first(dataset.methods[:MOST_LINES])
    known = [one for one in methods if not math.isnan(one.sizes.sum())]
    n_without = len(methods) - len(known)
    budget = counted(result.choice.largest, "proposal")
    legend = (
        f"Share of all proposals (at most {budget} per image) by √(area / image area), in ten "
        "bins. A line above the grey: more boxes than objects have that size."
    )
    if n_without:
        legend += f" {counted(n_without, 'more method')} without proposals."
    legend += first_of(len(methods), len(dataset.methods), "methods")
    return Plot(
        f"{prefix}proposal_sizes",
        f"Sizes of proposals and of objects{suffix}",
        "A method that proposes few boxes of a size finds few objects of that size.",
        partial(proposal_sizes_chart, dataset, known),
        legend=legend,
        about=about(dataset),
        absent=missing(dataset),
        wide=True,
    )


def datasets_plot(result: ProposalRecallResult) -> Plot:
    words, budget = ar_words(result.choice), result.choice.largest
    shown = result.datasets[:MOST_DATASETS]
    known = any(one.n_objects and one.methods for one in shown)
    legend = (
        f"With at most {counted(budget, 'proposal')} per image; the method that is best on average "
        "stands first. Lines: 95% intervals, by resampling images."
    )
    legend += first_of(len(shown), len(result.datasets), "data sets")
    return Plot(
        "datasets",
        f"{words} on every data set",
        "Methods that keep their order on every data set are better in general; one that falls "
        "back was tuned to other pictures.",
        partial(recall_datasets_chart, shown, budget, words),
        legend=legend,
        about=counted(len(result.datasets), "data set"),
        absent="" if known else "there are no objects to find",
        wide=True,
    )

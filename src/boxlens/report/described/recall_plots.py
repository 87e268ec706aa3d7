"""Figures of recall over IoU, number of proposals, size of boxes and data set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from boxlens.report.charts.forms.choosing import first_of, spread_out
from boxlens.report.charts.forms.keys import MOST_LINES
from boxlens.report.charts.proposal_methods import ar_words, best_first, line_words
from boxlens.report.charts.recall import (
    proposal_sizes_chart,
    recall_by_iou_chart,
    recall_by_number_chart,
    recall_datasets_chart,
)
from boxlens.report.study import Plot, Table, file_name
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.recall.result import DatasetRecall, ProposalRecallResult
from boxlens.wording import counted, listed

MOST_NAMES = 2
# Panels of a figure: budgets, and IoUs beside average recall.
MOST_BUDGETS, MOST_IOUS = 3, 5
# Bands of more methods would cover each other.
MOST_BANDS = 4
# As many as there are colours.
MOST_DATASETS = 6
NO_OBJECTS = "there are no objects to find"


def dataset_plots(
    result: ProposalRecallResult, draw: Callable[[RecallChoice, DatasetRecall], Iterable[Plot]]
) -> Iterator[Plot]:
    """Of every data set, and named after it where there are several."""
    several = len(result.datasets) > 1
    for dataset in result.datasets:
        methods = listed([one.name for one in dataset.methods], MOST_NAMES, "methods")
        for plot in draw(result.choice, dataset):
            yield replace(
                plot,
                name=f"{file_name(dataset.name)}_{plot.name}" if several else plot.name,
                title=f"{plot.title}, {dataset.name}" if several else plot.title,
                about=f"{methods} on {dataset.name}",
                absent=missing(dataset),
                wide=True,
            )


def missing(dataset: DatasetRecall) -> str:
    """Why there is nothing to draw; empty: there is something."""
    proposed = any(one.n_mean > 0 for method in dataset.methods for one in method.by_budget)
    return ("" if proposed else "there are no proposals") if dataset.n_objects else NO_OBJECTS


def overlap_plots(choice: RecallChoice, dataset: DatasetRecall) -> Iterator[Plot]:
    words = ar_words(choice)
    budgets = sorted(set(choice.budgets))
    shown = [budgets[at] for at in spread_out(len(budgets), MOST_BUDGETS)]
    legend = (
        "Share of objects that a proposal meets with at least this IoU, one proposal per object. "
        f"{words}: average recall; in brackets: mean number of proposals per image."
    )
    if len(shown) < len(budgets):
        legend += f" {len(shown)} of {len(budgets)} budgets."
    yield Plot(
        "recall_by_iou",
        "Recall by IoU",
        "High on the left and falling fast: objects are found, but loosely. A curve that stays up "
        "to the right localizes well, and that is what detectors gain from.",
        partial(recall_by_iou_chart, dataset, shown, words),
        legend=legend + line_words(dataset.methods),
    )


def number_plots(choice: RecallChoice, dataset: DatasetRecall) -> Iterator[Plot]:
    ious = choice.ious
    banded = len(dataset.methods) <= MOST_BANDS and any(
        not math.isnan(one.ar_low) for method in dataset.methods for one in method.by_budget
    )
    legend = (
        "x: mean number of proposals per image, which may be less than the budget. Every panel has "
        "its own range of y."
    )
    if banded:
        legend += " Bands: 95% intervals, by resampling images."
    words = ar_words(choice)
    yield Plot(
        "recall_by_number",
        "Recall by number of proposals",
        "The higher line is the better method at that cost. One that rises early ranks its "
        "proposals well; one that ends early has no more to offer.",
        partial(recall_by_number_chart, dataset, ious[:MOST_IOUS], words, banded=banded),
        legend=legend + first_of(MOST_IOUS, len(ious), "IoUs") + line_words(dataset.methods),
    )


def sizes_plots(choice: RecallChoice, dataset: DatasetRecall) -> Iterator[Plot]:
    methods = best_first(dataset.methods[:MOST_LINES])
    known = [one for one in methods if not math.isnan(one.sizes.sum())]
    n_without = len(methods) - len(known)
    budget = counted(choice.largest, "proposal")
    legend = (
        f"Share of all proposals (at most {budget} per image) by √(area / image area), in ten "
        "bins. A line above the grey: more boxes than objects have that size."
    )
    if n_without:
        legend += f" {counted(n_without, 'more method')} without proposals."
    yield Plot(
        "proposal_sizes",
        "Sizes of proposals and of objects",
        "A method that proposes few boxes of a size finds few objects of that size.",
        partial(proposal_sizes_chart, dataset, known),
        legend=legend + first_of(MOST_LINES, len(dataset.methods), "methods"),
    )


def datasets_plot(result: ProposalRecallResult, largest: Table[Any]) -> Plot:
    """Of the table of methods with the largest budget alone."""
    words = ar_words(result.choice)
    shown = result.datasets[:MOST_DATASETS]
    names = [one.name for one in shown]
    table = replace(largest, rows=[row for row in largest.rows if row.dataset.name in names])
    known = any(one.n_objects and one.methods for one in shown)
    return Plot(
        "datasets",
        f"{words} on every data set",
        "Methods that keep their order on every data set are better in general; one that falls "
        "back was tuned to other pictures.",
        partial(recall_datasets_chart, table, words),
        legend=f"With at most {counted(result.choice.largest, 'proposal')} per image; the method "
        "that is best on average stands first. Lines: 95% intervals, by resampling images."
        + first_of(MOST_DATASETS, len(result.datasets), "data sets"),
        about=counted(len(result.datasets), "data set"),
        absent="" if known else NO_OBJECTS,
        wide=True,
    )

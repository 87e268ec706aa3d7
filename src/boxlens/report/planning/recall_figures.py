"""Which figures a study of recall has, and what to make of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.method_lines import ar_words
from boxlens.report.charts.proposal_sizes import proposal_sizes_chart
from boxlens.report.charts.recall_by_iou import recall_by_iou_chart
from boxlens.report.charts.recall_by_number import recall_by_number_chart
from boxlens.report.charts.recall_datasets import recall_datasets_chart
from boxlens.report.charts.recall_groups import recall_groups_chart
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, file_name, plan_of
from boxlens.report.planning.study_words import listed_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.proposals.recall.result import DatasetRecall, ProposalRecallResult

# Sections of the page.
OVERLAPS, NUMBERS, SIZES = "overlaps", "numbers", "sizes"
GROUPS, DATASETS = "groups", "datasets"

NO_OBJECTS = "there are no objects to find"
NO_PROPOSALS = "there are no proposals"
GROUP_READINGS = {
    "class": "Rows that are pale all along: classes that every method misses. A dark cell in a "
    "pale row: the method to ask about that class.",
    "size": "Pale above and dark below: small objects are missed. A method whose rows are alike "
    "does not care for size.",
}
ATTRIBUTE_READING = "The paler of two rows: objects that are harder to propose."


def recall_figures(result: ProposalRecallResult) -> FigurePlan:
    """By overlap, by number, by what objects are like: of every data set, the first one first."""
    return plan_of(
        [
            *(one for dataset in result.datasets for one in _of_dataset(result, dataset)),
            *_datasets(result),
        ]
    )


def _of_dataset(result: ProposalRecallResult, dataset: DatasetRecall) -> Iterator[Figure | LeftOut]:
    prefix, suffix = "", ""
    if len(result.datasets) > 1:
        prefix, suffix = f"{file_name(dataset.name)}_", f", {dataset.name}"
    about = recall_about(dataset)
    titles = {
        OVERLAPS: "Recall over the overlap that is asked for",
        NUMBERS: "Recall over the number of proposals",
        SIZES: "How large proposals are, and how large objects are",
        GROUPS: f"{ar_words(result.choice)} by class, size and attributes",
    }
    proposed = any(one.n_mean > 0 for method in dataset.methods for one in method.by_budget)
    if not dataset.n_objects or not proposed:
        why = NO_PROPOSALS if dataset.n_objects else NO_OBJECTS
        yield from (LeftOut(f"{title}{suffix}", why, name) for name, title in titles.items())
        return
    yield Figure(
        f"{prefix}recall_by_iou",
        f"{titles[OVERLAPS]}{suffix}",
        "High on the left and falling fast: objects are found, but loosely. A curve that stays up "
        "to the right localizes well, and that is what detectors gain from.",
        OVERLAPS,
        partial(recall_by_iou_chart, dataset, result.choice, about=about),
        wide=True,
    )
    yield Figure(
        f"{prefix}recall_by_number",
        f"{titles[NUMBERS]}{suffix}",
        "The higher line is the better method at that cost. One that rises early ranks its "
        "proposals well; one that ends early has no more to give.",
        NUMBERS,
        partial(recall_by_number_chart, dataset, result.choice, about=about),
        wide=True,
    )
    yield Figure(
        f"{prefix}proposal_sizes",
        f"{titles[SIZES]}{suffix}",
        "A method that proposes few boxes of a size finds few objects of it.",
        SIZES,
        partial(proposal_sizes_chart, dataset, budget=result.choice.largest, about=about),
        wide=True,
    )
    yield from _groups(result, dataset, prefix, suffix)


def _groups(
    result: ProposalRecallResult, dataset: DatasetRecall, prefix: str, suffix: str
) -> Iterator[Figure]:
    kinds = dict.fromkeys(
        one.by
        for method in dataset.methods
        for one in method.groups
        if one.budget == result.choice.largest and one.n_objects
    )
    for by in kinds:
        yield Figure(
            f"{prefix}by_{file_name(by)}",
            f"{ar_words(result.choice)} by {by}{suffix}",
            GROUP_READINGS.get(by, ATTRIBUTE_READING),
            GROUPS,
            partial(recall_groups_chart, dataset, result.choice, by, about=recall_about(dataset)),
            wide=True,
        )


def _datasets(result: ProposalRecallResult) -> Iterator[Figure | LeftOut]:
    """Nothing where there is only one."""
    if len(result.datasets) < 2:
        return
    title = f"{ar_words(result.choice)} on every data set"
    if not any(one.n_objects and one.methods for one in result.datasets):
        yield LeftOut(title, NO_OBJECTS, DATASETS)
        return
    yield Figure(
        "datasets",
        title,
        "Methods that keep their order on every data set are better in general; one that falls "
        "back was tuned to another kind of pictures.",
        DATASETS,
        partial(recall_datasets_chart, result, about=f"{len(result.datasets)} data sets"),
        wide=True,
    )


def recall_about(dataset: DatasetRecall) -> str:
    """Who, on which data set."""
    return f"{listed_words([one.name for one in dataset.methods], 'method')} on {dataset.name}"

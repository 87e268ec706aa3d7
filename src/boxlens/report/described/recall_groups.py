"""Average recall by class, size and attribute of objects, at the largest budget."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from boxlens.report.charts.forms.choosing import both_ends, first_of
from boxlens.report.charts.forms.keys import MOST_LINES
from boxlens.report.charts.proposal_methods import ar_words
from boxlens.report.charts.recall import recall_groups_chart
from boxlens.report.described.recall_plots import dataset_plots, missing
from boxlens.report.study import (
    COUNT,
    SCORE,
    TEXT,
    Column,
    Part,
    Plot,
    Table,
    columns_of,
    file_name,
    table_of,
)
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.recall.groups import BY_CLASS, BY_SIZE, SIZES
from boxlens.studies.proposals.recall.result import DatasetRecall, ProposalRecallResult
from boxlens.wording import counted

READINGS = {
    BY_CLASS: "A row that is pale throughout: a class that every method misses. A dark cell in a "
    "pale row: the method to use for that class.",
    BY_SIZE: "Pale at the top and dark at the bottom: small objects are missed. A method whose "
    "rows are equally dark finds all sizes.",
}
ATTRIBUTE_READING = "The paler of two rows: objects that are harder to propose."
# Columns where there is little room.
MOST_COLUMNS = 6
# Rows of either end: in a figure, and where there is little room.
MOST_ROWS, MOST_BRIEF = 12, 5


class GroupRow(NamedTuple):
    """One group: how many objects it has, and average recall by method."""

    value: str
    n_objects: int
    found: dict[str, float]

    @property
    def mean(self) -> float:
        known = [ar for ar in self.found.values() if not math.isnan(ar)]
        return fmean(known) if known else math.nan


def group_parts(result: ProposalRecallResult) -> Iterator[Part]:
    """Figures of every data set, then tables; methods are those of the result, best first."""
    yield from dataset_plots(result, _plots)
    for dataset in result.datasets:
        for by, rows in group_rows(dataset, result.choice.largest).items():
            yield _table(result, dataset, by, rows)
    yield _filed(result)


def group_rows(dataset: DatasetRecall, budget: int) -> dict[str, list[GroupRow]]:
    """By what objects are grouped by: classes from the hardest on, sizes from the smallest on."""
    found: dict[str, dict[str, GroupRow]] = {}
    for method in dataset.methods:
        for one in method.groups:
            if one.budget == budget:
                row = GroupRow(one.value, one.n_objects, {})
                of_value = found.setdefault(one.by, {}).setdefault(one.value, row)
                of_value.found[method.name] = one.ar
    return {by: _ordered(by, list(rows.values())) for by, rows in found.items()}


def _ordered(by: str, rows: list[GroupRow]) -> list[GroupRow]:
    if by == BY_CLASS:
        return sorted(rows, key=lambda row: (math.isnan(row.mean), row.mean))
    if by == BY_SIZE and all(row.value in SIZES for row in rows):
        return sorted(rows, key=lambda row: list(SIZES).index(row.value))
    return rows


def _table(
    result: ProposalRecallResult, dataset: DatasetRecall, by: str, rows: Sequence[GroupRow]
) -> Table[GroupRow]:
    choice = result.choice
    caption = f"{ar_words(choice)} by {by}, at most {counted(choice.largest, 'proposal')} per image"
    caption += f", {dataset.name}" if len(result.datasets) > 1 else ""
    asked_for = by in (BY_CLASS, BY_SIZE, *choice.attributes)
    return Table(
        "",
        f"{caption}, hardest first" if by == BY_CLASS else caption,
        rows,
        [
            Column("", by, lambda row: row.value, TEXT),
            Column("", "objects", lambda row: row.n_objects, COUNT),
            *columns_of(
                [one.name for one in dataset.methods],
                lambda row, method: row.found.get(method),
                heading=str,
                most=MOST_COLUMNS,
            ),
        ],
        brief=[*rows[:MOST_BRIEF], *rows[-MOST_BRIEF:]] if len(rows) > 2 * MOST_BRIEF else None,
        wide=True,
        folded=True,
        detail=dataset is not result.datasets[0] or not asked_for,
    )


def _plots(choice: RecallChoice, dataset: DatasetRecall) -> Iterator[Plot]:
    words = ar_words(choice)
    if missing(dataset):
        yield Plot("", f"{words} by class, size and attributes", "", dict)
        return
    methods = [one.name for one in dataset.methods]
    for by, rows in group_rows(dataset, choice.largest).items():
        known = [row for row in rows if not math.isnan(row.mean)]
        shown = both_ends(known, MOST_ROWS)
        legend = (
            f"With at most {counted(choice.largest, 'proposal')} per image; darker: more is found."
        )
        if by == BY_CLASS:
            legend += " Classes are ordered from hard to easy, by their mean over methods."
        if len(shown) < len(known):
            legend += f" The first and last {MOST_ROWS} of {len(known):,}."
        if known:
            yield Plot(
                f"by_{file_name(by)}",
                f"{words} by {by}",
                READINGS.get(by, ATTRIBUTE_READING),
                partial(recall_groups_chart, shown, methods[:MOST_LINES], words),
                legend=legend + first_of(MOST_LINES, len(methods), "methods", "best"),
            )


def _filed(result: ProposalRecallResult) -> Table[Any]:
    ious = result.choice.ious
    forms = {"dataset": TEXT, "method": TEXT, "by": TEXT, "value": TEXT, "n_objects": COUNT}
    numbers = {"budget": COUNT, "AR": SCORE, **{f"recall_{iou:g}": SCORE for iou in ious}}
    rows = (
        (*which, one.n_objects, one.budget, one.ar, *(one.recall.get(iou) for iou in ious))
        for dataset in result.datasets
        for method in dataset.methods
        for one in method.groups
        for which in [(dataset.name, method.name, one.by, one.value)]
    )
    return table_of("groups", "", {**forms, **numbers}, rows)

"""Average recall by class, size and attribute of objects, at the largest budget."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from boxlens.report.charts.forms.choosing import both_ends
from boxlens.report.charts.forms.keys import MOST_LINES
from boxlens.report.charts.method_words import ar_words
from boxlens.report.charts.recall import recall_groups_chart
from boxlens.report.described.recall_plots import about, missing, of_dataset
from boxlens.report.study import COUNT, TEXT, Column, Plot, Table, file_name
from boxlens.studies.proposals.recall.groups import BY_CLASS, BY_SIZE, SIZES
from boxlens.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.report.study import Part
    from boxlens.studies.proposals.recall.result import (
        DatasetRecall,
        GroupRecall,
        ProposalRecallResult,
    )

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
    found: Mapping[str, float]

    @property
    def mean(self) -> float:
        known = [ar for ar in self.found.values() if not math.isnan(ar)]
        return math.fsum(known) / len(known) if known else math.nan


def group_parts(result: ProposalRecallResult) -> Iterator[Part]:
    """Figures of every data set, then tables; methods are those of the result, best first."""
    groups = [(one, group_rows(one, result.choice.largest)) for one in result.datasets]
    for dataset, found in groups:
        yield from _plots(result, dataset, found)
    for dataset, found in groups:
        for by, rows in found.items():
            yield _table(result, dataset, by, rows)
    yield _filed(result)


def group_rows(dataset: DatasetRecall, budget: int) -> dict[str, list[GroupRow]]:
    """By what objects are grouped by: classes from the hardest on, sizes from the smallest on."""
    found: dict[str, dict[str, dict[str, GroupRecall]]] = {}
    for method in dataset.methods:
        for one in method.groups:
            if one.budget == budget:
                found.setdefault(one.by, {}).setdefault(one.value, {})[method.name] = one
    rows = {
        by: [
            GroupRow(
                value,
                max(one.n_objects for one in of.values()),
                {name: one.ar for name, one in of.items()},
            )
            for value, of in values.items()
        ]
        for by, values in found.items()
    }
    return {by: _ordered(by, of) for by, of in rows.items()}


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
    brief = [*rows[:MOST_BRIEF], *rows[-MOST_BRIEF:]] if len(rows) > 2 * MOST_BRIEF else None
    asked_for = by in (BY_CLASS, BY_SIZE, *choice.attributes)
    _, suffix = of_dataset(result, dataset)
    order = ", hardest first" if by == BY_CLASS else ""
    return Table(
        "",
        f"{ar_words(choice)} by {by}, at most {counted(choice.largest, 'proposal')} per image"
        f"{suffix}{order}",
        rows,
        [
            Column("", by, lambda row: row.value, TEXT),
            Column("", "objects", lambda row: row.n_objects, COUNT),
            *(
                Column("", one.name, partial(_found, one.name), further=place >= MOST_COLUMNS)
                for place, one in enumerate(dataset.methods)
            ),
        ],
        brief=brief,
        wide=True,
        folded=True,
        detail=dataset is not result.datasets[0] or not asked_for,
    )


def _found(method: str, row: GroupRow) -> float:
    return row.found.get(method, math.nan)


def _plots(
    result: ProposalRecallResult, dataset: DatasetRecall, groups: Mapping[str, Sequence[GroupRow]]
) -> Iterator[Plot]:
    why = missing(dataset)
    if why:
        title = f"{ar_words(result.choice)} by class, size and attributes"
        title += of_dataset(result, dataset)[1]
        yield Plot("", title, "", partial(recall_groups_chart, {}, (), ""), absent=why)
        return
    for by, rows in groups.items():
        known = [row for row in rows if not math.isnan(row.mean)]
        if known:
            yield _plot(result, dataset, by, known)


def _plot(
    result: ProposalRecallResult, dataset: DatasetRecall, by: str, rows: Sequence[GroupRow]
) -> Plot:
    prefix, suffix = of_dataset(result, dataset)
    words, n_methods = ar_words(result.choice), len(dataset.methods)
    methods = [one.name for one in dataset.methods[:MOST_LINES]]
    shown = both_ends(rows, MOST_ROWS)
    legend = (
        f"With at most {counted(result.choice.largest, 'proposal')} per image; darker: more is "
        "found."
    )
    if by == BY_CLASS:
        legend += " Classes are ordered from hard to easy, by their mean over methods."
    if len(shown) < len(rows):
        legend += f" The first and last {MOST_ROWS} of {len(rows):,}."
    if len(methods) < n_methods:
        legend += f" The best {len(methods)} of {n_methods} methods."
    return Plot(
        f"{prefix}by_{file_name(by)}",
        f"{words} by {by}{suffix}",
        READINGS.get(by, ATTRIBUTE_READING),
        partial(recall_groups_chart, shown, methods, words),
        legend=legend,
        about=about(dataset),
        wide=True,
    )


class _Found(NamedTuple):
    dataset: str
    method: str
    group: GroupRecall


def _filed(result: ProposalRecallResult) -> Table[_Found]:
    return Table(
        "groups",
        "",
        [
            _Found(dataset.name, method.name, group)
            for dataset in result.datasets
            for method in dataset.methods
            for group in method.groups
        ],
        [
            Column("dataset", "", lambda one: one.dataset, TEXT),
            Column("method", "", lambda one: one.method, TEXT),
            Column("by", "", lambda one: one.group.by, TEXT),
            Column("value", "", lambda one: one.group.value, TEXT),
            Column("n_objects", "", lambda one: one.group.n_objects, COUNT),
            Column("budget", "", lambda one: one.group.budget, COUNT),
            Column("AR", "", lambda one: one.group.ar),
            *(Column(f"recall_{iou:g}", "", partial(_recall, iou)) for iou in result.choice.ious),
        ],
    )


def _recall(iou: float, one: _Found) -> float:
    return one.group.recall.get(iou, math.nan)

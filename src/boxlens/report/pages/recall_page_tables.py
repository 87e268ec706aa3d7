"""Tables of a study of recall: methods and budgets, curves, kinds of objects, cost."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from boxlens.proposals.published import N_PROPOSALS, PUBLISHED
from boxlens.report.charts.method_lines import ar_words, count_text
from boxlens.report.charts.theme import decimal, threshold
from boxlens.report.pages.markup import NOTHING, Cell, count_cell, score_cell, table, text_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from boxlens.proposals.recall.result import (
        BudgetRecall,
        DatasetRecall,
        GroupRecall,
        MethodRecall,
        ProposalRecallResult,
    )

# Of the columns of methods, those at the end are shown at a click.
N_FURTHER = 2


def methods_table(result: ProposalRecallResult) -> str:
    """A line a method and budget; of several data sets, one table each."""
    beside = any(
        _published(method, one) is not None
        for dataset in result.datasets
        for method in dataset.methods
        for one in method.chosen
    )
    headings = ["method", "budget", "mean #", ar_words(result.choice), "95 %"]
    headings += ["AR (VOC07, published)"] * beside
    headings += [f"recall at {threshold(iou)}" for iou in result.choice.ious]
    headings += ["COCO's AR", "ABO", "MABO", "VUS"]
    return "".join(
        table(
            headings,
            [
                _method_row(method, one, beside=beside)
                for method in dataset.methods
                for one in method.chosen
            ],
            caption=f"Recall on {dataset.name}",
            wide=True,
            n_shown=len(headings) - N_FURTHER,
        )
        for dataset in result.datasets
        if dataset.methods
    )


def _published(method: MethodRecall, one: BudgetRecall) -> float | None:
    """What was published is about one budget."""
    known = method.name in PUBLISHED and one.budget == N_PROPOSALS
    return PUBLISHED[method.name].ar if known else None


def _method_row(method: MethodRecall, one: BudgetRecall, *, beside: bool) -> list[Cell]:
    return [
        text_cell(method.name),
        count_cell(one.budget),
        Cell(count_text(one.n_mean), one.n_mean),
        score_cell(one.ar),
        _interval(one),
        *[score_cell(_published(method, one))] * beside,
        *(score_cell(value) for value in one.recall.values()),
        *map(score_cell, (one.coco_ar, one.best_overlap, one.best_overlap_by_class)),
        score_cell(method.volume),
    ]


def _interval(one: BudgetRecall) -> Cell:
    if math.isnan(one.ar_low) or math.isnan(one.ar_high):
        return Cell(NOTHING)
    return Cell(f"{decimal(one.ar_low)} to {decimal(one.ar_high)}", one.ar_low)


def number_tables(result: ProposalRecallResult) -> str:
    """Average recall at every budget of the curves."""
    words = ar_words(result.choice)
    budgets = result.choice.curve_budgets()
    return "".join(
        folded_table(
            ["method", *(f"{budget:,}" for budget in budgets)],
            [
                [text_cell(one.name), *map(score_cell, _ar_by_budget(one, budgets))]
                for one in dataset.methods
            ],
            caption=f"{words} by number of proposals at most, {dataset.name}",
        )
        for dataset in result.datasets
        if dataset.methods
    )


def _ar_by_budget(method: MethodRecall, budgets: Sequence[int]) -> list[float]:
    known = {one.budget: one.ar for one in method.by_budget}
    return [known.get(budget, math.nan) for budget in budgets]


def group_tables(result: ProposalRecallResult) -> str:
    """One for class, size and each attribute, at the largest budget: a column a method."""
    parts = []
    for dataset in result.datasets:
        for by in dict.fromkeys(one.by for one in _groups(dataset, result.choice.largest)):
            rows = list(_group_rows(dataset, result.choice.largest, by))
            parts.append(
                folded_table(
                    [by, "objects", *(one.name for one in dataset.methods)],
                    rows,
                    caption=f"{ar_words(result.choice)} by {by} with at most "
                    f"{result.choice.largest:,} proposals, {dataset.name}",
                )
            )
    return "".join(parts)


def _groups(dataset: DatasetRecall, budget: int) -> Iterator[GroupRecall]:
    for method in dataset.methods:
        yield from (one for one in method.groups if one.budget == budget)


def _group_rows(dataset: DatasetRecall, budget: int, by: str) -> Iterator[list[Cell]]:
    counts = {one.value: one.n_objects for one in _groups(dataset, budget) if one.by == by}
    found = [
        {one.value: one.ar for one in method.groups if (one.by, one.budget) == (by, budget)}
        for method in dataset.methods
    ]
    for value, n_objects in counts.items():
        cells = [score_cell(of.get(value, math.nan)) for of in found]
        yield [text_cell(value), count_cell(n_objects), *cells]


def cost_table(result: ProposalRecallResult) -> str:
    """Seconds an image, here and as published, and what was left out."""
    several = len(result.datasets) > 1
    rows = [
        [
            text_cell(method.name),
            *[text_cell(dataset.name)] * several,
            _seconds(method.seconds_per_image),
            _seconds(PUBLISHED[method.name].seconds if method.name in PUBLISHED else None),
            count_cell(method.n_duplicates),
            text_cell(method.made_by or None),
        ]
        for dataset in result.datasets
        for method in dataset.methods
    ]
    headings = ["method", *["data set"] * several, "s an image", "s an image (published)"]
    headings += ["duplicates left out", "made by"]
    return table(headings, rows, caption="What proposals cost", wide=True) if rows else ""


def folded_table(headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, caption: str) -> str:
    """Opens at a click: figures above it say the same."""
    inside = table(headings, rows, caption=caption, wide=True)
    return f"<details><summary>{escape(caption)}</summary>{inside}</details>\n"


def _seconds(value: float | None) -> Cell:
    if value is None or math.isnan(value):
        return Cell(NOTHING)
    digits = 0 if value >= 10 or value == 0 else 1 if value >= 1 else 3
    return Cell(f"{value:.{digits}f}", value)

"""Recall of proposals: which method finds most, how tightly, with how many proposals, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from boxlens.report.charts.proposal_methods import ar_words, best_first
from boxlens.report.described.recall_groups import group_parts
from boxlens.report.described.recall_plots import (
    dataset_plots,
    datasets_plot,
    number_plots,
    overlap_plots,
    sizes_plots,
)
from boxlens.report.study import (
    COUNT,
    FLAG,
    MEAN_COUNT,
    SCORE,
    SECONDS,
    TEXT,
    Column,
    Section,
    Study,
    Table,
    columns_of,
    interval_columns,
    table_of,
)
from boxlens.studies.proposals.published import N_PROPOSALS, PUBLISHED
from boxlens.studies.proposals.recall.average_recall import CURVE_IOUS
from boxlens.studies.proposals.recall.result import (
    BudgetRecall,
    DatasetRecall,
    MethodRecall,
    ProposalRecallResult,
)
from boxlens.studies.proposals.recall.verdict import LOOSE, recall_sentences
from boxlens.wording import counted, listed, number

MOST_NAMES, MOST_TILES = 3, 4


class _Row(NamedTuple):
    """A method on a data set with one budget."""

    dataset: DatasetRecall
    method: MethodRecall
    at: BudgetRecall


def study(result: ProposalRecallResult) -> Study:
    # In tables the best method stands first; in figures looks go by the order that was asked for.
    datasets = [replace(one, methods=tuple(best_first(one.methods))) for one in result.datasets]
    ranked = replace(result, datasets=tuple(datasets))
    first = datasets[0]
    words = ar_words(result.choice)
    return Study(
        title=f"Proposals of {listed([one.name for one in first.methods], MOST_NAMES, 'methods')}",
        data=first.name,
        facts=(
            counted(first.n_images, "image"),
            counted(first.n_objects, "object"),
            *([counted(len(datasets), "data set")] if len(datasets) > 1 else []),
        ),
        sentences=tuple(recall_sentences(result)),
        tiles=tuple(
            (f"{words}, {one.name}", one.chosen[-1].ar, SCORE) for one in first.methods[:MOST_TILES]
        ),
        sections=_sections(result, ranked),
        main_table="Recall of every method",
        main_plot="recall_by_iou" if len(datasets) == 1 else "datasets",
        guide="proposals",
    )


def _sections(result: ProposalRecallResult, ranked: ProposalRecallResult) -> tuple[Section, ...]:
    low, high = map(number, result.choice.ar_range)
    budgets = _rows(ranked, lambda one: one.by_budget)
    largest = replace(_methods(result), rows=_rows(result, _largest))
    across = (datasets_plot(result, largest),) if len(result.datasets) > 1 else ()
    return (
        Section(
            "methods",
            "Methods",
            (_methods(ranked), _published(ranked)),
            f"AR: average recall over IoU from {low} to {high}, one proposal per object, with its "
            "95% interval. Per image: mean number of proposals. R@0.5: recall at IoU 0.5. COCO AR: "
            "mean recall at ten IoUs from 0.5 to 0.95. ABO: mean IoU of objects with their best "
            "proposal; MABO: its mean over classes. VUS: volume under recall over IoU and number "
            "of proposals.",
        ),
        Section(
            "overlaps",
            "By IoU",
            (*dataset_plots(result, overlap_plots), _curves(ranked)),
            "How tightly objects are found.",
        ),
        Section(
            "numbers",
            "By number",
            (
                *dataset_plots(result, number_plots),
                _ar_by_number(ranked),
                Table("budgets", "", budgets, _budget_columns(ranked)),
            ),
            "What more proposals add.",
        ),
        Section(
            "groups",
            "By kind of object",
            tuple(group_parts(ranked)),
            "Which objects are missed.",
        ),
        Section(
            "sizes",
            "Sizes",
            (*dataset_plots(result, sizes_plots), _sizes(ranked)),
            "Whether boxes are as large as objects.",
        ),
        Section("datasets", "Data sets", across, "Whether methods do as well elsewhere."),
        Section(
            "cost",
            "Cost",
            (_cost(ranked),),
            "Seconds per image of one core, as measured here; published: on a computer of 2014. "
            "Files have no times. Of boxes on the same pixels only the best counts; the others are "
            "duplicates.",
        ),
    )


def _rows(
    result: ProposalRecallResult, of: Callable[[MethodRecall], Sequence[BudgetRecall]]
) -> list[_Row]:
    return [
        _Row(dataset, method, at)
        for dataset in result.datasets
        for method in dataset.methods
        for at in of(method)
    ]


def _largest(method: MethodRecall) -> Sequence[BudgetRecall]:
    return method.chosen[-1:]


def _run_columns(result: ProposalRecallResult) -> list[Column[_Row]]:
    """The data set is shown where there are several."""
    several = "data set" if len(result.datasets) > 1 else ""
    return [
        Column("method", "method", lambda row: row.method.name, TEXT),
        Column("dataset", several, lambda row: row.dataset.name, TEXT),
    ]


def _budget_columns(result: ProposalRecallResult) -> list[Column[_Row]]:
    return [
        *_run_columns(result),
        Column("budget", "budget", lambda row: row.at.budget, COUNT),
        Column("n_mean", "per image", lambda row: row.at.n_mean, MEAN_COUNT),
        Column("AR", ar_words(result.choice), lambda row: row.at.ar),
        *interval_columns(
            lambda row: (row.at.ar_low, row.at.ar_high), "95% interval", ("AR_low", "AR_high")
        ),
        *columns_of(
            result.choice.ious,
            lambda row, iou: row.at.recall[iou],
            key=lambda iou: f"recall_{iou:g}",
            heading=lambda iou: f"R@{number(iou)}",
        ),
        Column("AR_coco", "COCO AR", lambda row: row.at.coco_ar, further=True),
        Column("ABO", "ABO", lambda row: row.at.best_overlap),
        Column("MABO", "MABO", lambda row: row.at.best_overlap_by_class, further=True),
    ]


def _methods(result: ProposalRecallResult) -> Table[_Row]:
    return Table(
        "methods",
        "Recall of every method",
        _rows(result, lambda one: one.chosen),
        [
            *_budget_columns(result),
            Column("VUS", "VUS", lambda row: row.method.volume),
            Column("made_by", "", lambda row: row.method.made_by, TEXT),
            Column("baseline", "", lambda row: row.method.baseline, FLAG),
            Column("n_duplicates", "", lambda row: row.method.n_duplicates, COUNT),
            Column("seconds_per_image", "", lambda row: row.method.seconds_per_image, SECONDS),
        ],
        wide=True,
    )


def _published(result: ProposalRecallResult) -> Table[_Row]:
    """The same methods in the study that compared them."""
    return Table(
        "",
        f"Here and as published (Hosang et al. 2016: VOC 2007 test, {N_PROPOSALS:,} proposals)",
        [one for one in _rows(result, _largest) if one.method.name in PUBLISHED],
        [
            *_run_columns(result),
            Column("", f"{ar_words(result.choice)} here", lambda one: _here(one, lambda at: at.ar)),
            Column("", "AR published", lambda one: PUBLISHED[one.method.name].ar),
            Column("", "R@0.5 here", lambda one: _here(one, lambda at: at.recall.get(LOOSE))),
            Column("", "R@0.5 published", lambda one: PUBLISHED[one.method.name].recall_50),
        ],
    )


def _here(row: _Row, value: Callable[[BudgetRecall], float | None]) -> float | None:
    """What was published is about one budget."""
    return next((value(at) for at in row.method.chosen if at.budget == N_PROPOSALS), None)


def _ar_by_number(result: ProposalRecallResult) -> Table[_Row]:
    def ar(row: _Row, budget: int) -> float | None:
        return next((at.ar for at in row.method.by_budget if at.budget == budget), None)

    budgets = columns_of(result.choice.curve_budgets(), ar, heading=lambda budget: f"{budget:,}")
    return Table(
        "",
        f"{ar_words(result.choice)} by the largest number of proposals per image",
        _rows(result, _largest),
        [*_run_columns(result), *budgets],
        wide=True,
        folded=True,
        detail=True,
    )


def _curves(result: ProposalRecallResult) -> Table[Any]:
    forms = {"dataset": TEXT, "method": TEXT, "budget": COUNT, "iou": SCORE, "recall": SCORE}
    rows = (
        (row.dataset.name, row.method.name, row.at.budget, round(iou, 2), recall)
        for row in _rows(result, lambda one: one.chosen)
        for iou, recall in zip(CURVE_IOUS.tolist(), row.at.curve.tolist(), strict=True)
    )
    return table_of("curves", "", forms, rows)


def _sizes(result: ProposalRecallResult) -> Table[Any]:
    """Shares of objects, and of proposals of every method, by relative size."""
    texts = dict.fromkeys(("dataset", "of", "method"), TEXT)
    numbers = dict.fromkeys(("from", "to", "share"), SCORE)
    rows = (
        (dataset.name, of, method, at / len(shares), (at + 1) / len(shares), share)
        for dataset in result.datasets
        for of, method, shares in (
            ("objects", None, dataset.sizes),
            *(("proposals", one.name, one.sizes) for one in dataset.methods),
        )
        for at, share in enumerate(shares.tolist())
    )
    return table_of("sizes", "", {**texts, **numbers}, rows)


def _cost(result: ProposalRecallResult) -> Table[_Row]:
    seconds = {name: one.seconds for name, one in PUBLISHED.items()}
    return Table(
        "",
        "Cost of proposals",
        _rows(result, _largest),
        [
            *_run_columns(result),
            Column("", "seconds per image", lambda one: one.method.seconds_per_image, SECONDS),
            Column("", "published", lambda one: seconds.get(one.method.name), SECONDS),
            Column("", "duplicates", lambda one: one.method.n_duplicates, COUNT),
            Column("", "made by", lambda one: one.method.made_by or None, TEXT, further=True),
        ],
        wide=True,
    )

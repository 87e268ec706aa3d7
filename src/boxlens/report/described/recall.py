"""Recall of proposals: which method finds most, how tightly, with how many proposals, and where."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from boxlens.report.charts.method_words import ar_words, best_first
from boxlens.report.described.recall_groups import group_parts
from boxlens.report.described.recall_plots import (
    datasets_plot,
    number_plot,
    overlap_plot,
    sizes_plot,
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
    interval_columns,
)
from boxlens.studies.proposals.published import N_PROPOSALS, PUBLISHED
from boxlens.studies.proposals.recall.average_recall import CURVE_IOUS
from boxlens.studies.proposals.recall.verdict import LOOSE, recall_sentences
from boxlens.wording import counted, listed, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.data.columns import Floats
    from boxlens.studies.proposals.recall.choice import RecallChoice
    from boxlens.studies.proposals.recall.result import (
        BudgetRecall,
        DatasetRecall,
        MethodRecall,
        ProposalRecallResult,
    )

GUIDE = "proposals"
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
        sections=(
            _methods_section(ranked),
            Section(
                "overlaps",
                "By IoU",
                (*(overlap_plot(result, one) for one in result.datasets), _curves(ranked)),
                reading="How tightly objects are found.",
                guide=GUIDE,
            ),
            Section(
                "numbers",
                "By number",
                (
                    *(number_plot(result, one) for one in result.datasets),
                    _ar_by_number(ranked),
                    _budgets(ranked),
                ),
                reading="What more proposals add.",
                guide=GUIDE,
            ),
            Section(
                "groups",
                "By kind of object",
                tuple(group_parts(ranked)),
                reading="Which objects are missed.",
                guide=GUIDE,
            ),
            Section(
                "sizes",
                "Sizes",
                (*(sizes_plot(result, one) for one in result.datasets), _sizes(ranked)),
                reading="Whether boxes are as large as objects.",
                guide=GUIDE,
            ),
            Section(
                "datasets",
                "Data sets",
                (datasets_plot(result),) if len(datasets) > 1 else (),
                reading="Whether methods do as well elsewhere.",
                guide=GUIDE,
            ),
            Section(
                "cost",
                "Cost",
                (_cost(ranked),),
                reading="Seconds per image of one core, as measured here; published: on a computer "
                "of 2014. Files have no times. Of boxes on the same pixels only the best counts; "
                "the others are duplicates.",
                guide=GUIDE,
            ),
        ),
        main_table="Recall of every method",
        main_plot="recall_by_iou" if len(datasets) == 1 else "datasets",
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
    return [
        Column("method", "method", lambda row: row.method.name, TEXT),
        Column(
            "dataset",
            "data set" if len(result.datasets) > 1 else "",
            lambda row: row.dataset.name,
            TEXT,
        ),
    ]


def _budget_columns(choice: RecallChoice) -> list[Column[_Row]]:
    return [
        Column("budget", "budget", lambda row: row.at.budget, COUNT),
        Column("n_mean", "per image", lambda row: row.at.n_mean, MEAN_COUNT),
        Column("AR", ar_words(choice), lambda row: row.at.ar),
        *interval_columns(
            lambda row: (row.at.ar_low, row.at.ar_high), "95% interval", ("AR_low", "AR_high")
        ),
        *(
            Column(f"recall_{iou:g}", f"R@{number(iou)}", partial(_recall, iou))
            for iou in choice.ious
        ),
        Column("AR_coco", "COCO AR", lambda row: row.at.coco_ar, further=True),
        Column("ABO", "ABO", lambda row: row.at.best_overlap),
        Column("MABO", "MABO", lambda row: row.at.best_overlap_by_class, further=True),
    ]


def _recall(iou: float, row: _Row) -> float:
    return row.at.recall[iou]


def _methods_section(result: ProposalRecallResult) -> Section:
    low, high = map(number, result.choice.ar_range)
    return Section(
        "methods",
        "Methods",
        (_methods(result), _published(result)),
        reading=f"AR: average recall over IoU from {low} to {high}, one proposal per object, with "
        "its 95% interval. Per image: mean number of proposals. R@0.5: recall at IoU 0.5. COCO AR: "
        "mean recall at ten IoUs from 0.5 to 0.95. ABO: mean IoU of objects with their best "
        "proposal; MABO: its mean over classes. VUS: volume under recall over IoU and number of "
        "proposals.",
        guide=GUIDE,
    )


def _methods(result: ProposalRecallResult) -> Table[_Row]:
    return Table(
        "methods",
        "Recall of every method",
        _rows(result, lambda one: one.chosen),
        [
            *_run_columns(result),
            *_budget_columns(result.choice),
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
    words = ar_words(result.choice)
    return Table(
        "",
        f"{words} by the largest number of proposals per image",
        _rows(result, _largest),
        [
            *_run_columns(result),
            *(
                Column("", f"{budget:,}", partial(_ar_with, budget))
                for budget in result.choice.curve_budgets()
            ),
        ],
        wide=True,
        folded=True,
        detail=True,
    )


def _ar_with(budget: int, row: _Row) -> float:
    return next((at.ar for at in row.method.by_budget if at.budget == budget), math.nan)


def _budgets(result: ProposalRecallResult) -> Table[_Row]:
    columns = [*_run_columns(result), *_budget_columns(result.choice)]
    return Table("budgets", "", _rows(result, lambda one: one.by_budget), columns)


def _curves(result: ProposalRecallResult) -> Table[tuple[_Row, int]]:
    """Every IoU of the curves by its place."""
    rows = _rows(result, lambda one: one.chosen)
    return Table(
        "curves",
        "",
        [(row, place) for row in rows for place in range(len(CURVE_IOUS))],
        [
            Column("dataset", "", lambda pair: pair[0].dataset.name, TEXT),
            Column("method", "", lambda pair: pair[0].method.name, TEXT),
            Column("budget", "", lambda pair: pair[0].at.budget, COUNT),
            Column("iou", "", lambda pair: round(float(CURVE_IOUS[pair[1]]), 2)),
            Column("recall", "", lambda pair: float(pair[0].at.curve[pair[1]])),
        ],
    )


class _Bin(NamedTuple):
    """Objects, or proposals of one method, whose relative size lies in one bin."""

    dataset: str
    of: str
    method: str | None
    place: int
    n_bins: int
    share: float


def _sizes(result: ProposalRecallResult) -> Table[_Bin]:
    bins = []
    for dataset in result.datasets:
        of: list[tuple[str, str | None, Floats]] = [("objects", None, dataset.sizes)]
        of += [("proposals", one.name, one.sizes) for one in dataset.methods]
        for what, method, shares in of:
            bins += [
                _Bin(dataset.name, what, method, place, len(shares), share)
                for place, share in enumerate(shares.tolist())
            ]
    return Table(
        "sizes",
        "",
        bins,
        [
            Column("dataset", "", lambda one: one.dataset, TEXT),
            Column("of", "", lambda one: one.of, TEXT),
            Column("method", "", lambda one: one.method, TEXT),
            Column("from", "", lambda one: one.place / one.n_bins),
            Column("to", "", lambda one: (one.place + 1) / one.n_bins),
            Column("share", "", lambda one: one.share),
        ],
    )


def _cost(result: ProposalRecallResult) -> Table[_Row]:
    return Table(
        "",
        "Cost of proposals",
        _rows(result, _largest),
        [
            *_run_columns(result),
            Column("", "seconds per image", lambda one: one.method.seconds_per_image, SECONDS),
            Column("", "published", _published_seconds, SECONDS),
            Column("", "duplicates", lambda one: one.method.n_duplicates, COUNT),
            Column("", "made by", lambda one: one.method.made_by or None, TEXT, further=True),
        ],
        wide=True,
    )


def _published_seconds(row: _Row) -> float | None:
    found = PUBLISHED.get(row.method.name)
    return None if found is None else found.seconds

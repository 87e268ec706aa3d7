"""Methods side by side: recall here and as published, on other data sets, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import NamedTuple

from boxlens.report.charts.colours import SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import Series, below, name_rows
from boxlens.report.charts.forms.tables import coloured, table_rows
from boxlens.report.study import (
    COUNT,
    FLAG,
    MEAN_COUNT,
    SECONDS,
    TEXT,
    Column,
    Part,
    Plot,
    Section,
    Table,
    columns_of,
    file_name,
    interval_columns,
)
from boxlens.studies.proposals.published import N_PROPOSALS, PUBLISHED
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.recall.result import (
    BudgetRecall,
    DatasetRecall,
    MethodRecall,
    ProposalRecallResult,
)
from boxlens.studies.proposals.recall.verdict import LOOSE
from boxlens.wording import counted, listed, number

NO_OBJECTS = "there are no objects to find"


class MethodRow(NamedTuple):
    """A method on a data set with one budget."""

    dataset: DatasetRecall
    method: MethodRecall
    at: BudgetRecall


def best_first(methods: Iterable[MethodRecall]) -> list[MethodRecall]:
    """By average recall at the largest budget; undefined last."""
    return sorted(methods, key=lambda one: (math.isnan(ar := one.chosen[-1].ar), -ar))


def ar_words(choice: RecallChoice) -> str:
    """AR; with its IoU range where that is not the usual one."""
    low, high = choice.ar_range
    return "AR" if (low, high) == (0.5, 1.0) else f"AR {number(low)} to {number(high)}"


def rows_of(result: ProposalRecallResult, *budgets: int) -> list[MethodRow]:
    """Of every method with each of these budgets."""
    return [
        MethodRow(dataset, method, at)
        for dataset in result.datasets
        for method in dataset.methods
        for at in method.by_budget
        if at.budget in budgets
    ]


def run_columns(result: ProposalRecallResult) -> list[Column[MethodRow]]:
    """The data set is shown where there are several."""
    several = "data set" if len(result.datasets) > 1 else ""
    return [
        Column("method", "method", lambda row: row.method.name, TEXT),
        Column("dataset", several, lambda row: row.dataset.name, TEXT),
    ]


def budget_columns(result: ProposalRecallResult) -> list[Column[MethodRow]]:
    return [
        *run_columns(result),
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


def dataset_plots(
    result: ProposalRecallResult,
    plots: Callable[[ProposalRecallResult, DatasetRecall], Iterable[Plot]],
) -> Iterator[Part]:
    """Of every data set, and named after it where there are several."""
    several = len(result.datasets) > 1
    for dataset in result.datasets:
        methods = listed([one.name for one in dataset.methods], 2, "methods")
        for plot in plots(result, dataset):
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


def methods_section(result: ProposalRecallResult) -> Section:
    low, high = map(number, result.choice.ar_range)
    return Section(
        "methods",
        "Methods",
        tuple(_tables(result)),
        f"AR: average recall over IoU from {low} to {high}, one proposal per object, with its "
        "95% interval. Per image: mean number of proposals. R@0.5: recall at IoU 0.5. COCO AR: "
        "mean recall at ten IoUs from 0.5 to 0.95. ABO: mean IoU of objects with their best "
        "proposal; MABO: its mean over classes. VUS: volume under recall over IoU and number "
        "of proposals.",
    )


def _tables(result: ProposalRecallResult) -> Iterator[Table[MethodRow]]:
    choice = result.choice
    yield Table(
        "methods",
        "Recall of every method",
        rows_of(result, *choice.budgets),
        [
            *budget_columns(result),
            Column("VUS", "VUS", lambda row: row.method.volume),
            Column("made_by", "", lambda row: row.method.made_by, TEXT),
            Column("baseline", "", lambda row: row.method.baseline, FLAG),
            Column("n_duplicates", "", lambda row: row.method.n_duplicates, COUNT),
            Column("seconds_per_image", "", lambda row: row.method.seconds_per_image, SECONDS),
        ],
        wide=True,
    )
    # What was published is about one budget.
    same = N_PROPOSALS in choice.budgets
    rows = rows_of(result, N_PROPOSALS if same else choice.largest)
    yield Table(
        "",
        f"Here and as published (Hosang et al. 2016: VOC 2007 test, {N_PROPOSALS:,} proposals)",
        [row for row in rows if row.method.name in PUBLISHED],
        [
            *run_columns(result),
            Column("", f"{ar_words(choice)} here", lambda row: row.at.ar if same else None),
            Column("", "AR published", lambda row: PUBLISHED[row.method.name].ar),
            Column("", "R@0.5 here", lambda row: row.at.recall.get(LOOSE) if same else None),
            Column("", "R@0.5 published", lambda row: PUBLISHED[row.method.name].recall_50),
        ],
    )


def datasets_section(result: ProposalRecallResult) -> Section:
    words, n = ar_words(result.choice), len(result.datasets)
    largest = Table("", "", rows_of(result, result.choice.largest), budget_columns(result))
    plot = Plot(
        "datasets",
        f"{words} on every data set",
        "Methods that keep their order on every data set are better in general; one that falls "
        "back was tuned to other pictures.",
        partial(_draw_datasets, largest, words),
        legend=f"With at most {counted(result.choice.largest, 'proposal')} per image; the method "
        "that is best on average stands first. Lines: 95% intervals, by resampling images."
        + first_of(len(SERIES), n, "data sets"),
        about=counted(n, "data set"),
        absent="" if any(one.n_objects for one in result.datasets[: len(SERIES)]) else NO_OBJECTS,
        wide=True,
    )
    parts = (plot,) if n > 1 else ()
    return Section("datasets", "Data sets", parts, "Whether methods do as well elsewhere.")


def _draw_datasets(table: Table[MethodRow], words: str) -> Spec:
    """One row per method, one dot per data set; `words` names average recall in the table."""
    tips = "method", "dataset", words, "95% interval"
    ends = {"value": "AR", "low": "AR_low", "high": "AR_high"}
    rows = table_rows(table, tips, row="method", series="dataset", **ends)
    colours = colours_of(list(dict.fromkeys(row["series"] for row in rows)))
    known = coloured((row for row in rows if not math.isnan(row["value"])), colours)
    values: dict[str, list[float]] = {}
    for row in known:
        values.setdefault(row["row"], []).append(row["value"])
    names = sorted(values, key=lambda name: -fmean(values[name]))
    panel = name_rows(
        known,
        Names.of(names, px=18, characters=24, grid=True),
        Axis(words),
        spans(),
        dots("value", size=32),
        width=420,
        series=Series(list(colours), outer=0.8),
    )
    return below(*key(colours, width=420), panel, gap=6)


def cost_section(result: ProposalRecallResult) -> Section:
    seconds = {name: one.seconds for name, one in PUBLISHED.items()}
    table = Table(
        "",
        "Cost of proposals",
        rows_of(result, result.choice.largest),
        [
            *run_columns(result),
            Column("", "seconds per image", lambda one: one.method.seconds_per_image, SECONDS),
            Column("", "published", lambda one: seconds.get(one.method.name), SECONDS),
            Column("", "duplicates", lambda one: one.method.n_duplicates, COUNT),
            Column("", "made by", lambda one: one.method.made_by or None, TEXT, further=True),
        ],
        wide=True,
    )
    return Section(
        "cost",
        "Cost",
        (table,),
        "Seconds per image of one core, as measured here; published: on a computer of 2014. "
        "Files have no times. Of boxes on the same pixels only the best counts; the others are "
        "duplicates.",
    )

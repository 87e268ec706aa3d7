"""Recall of every method over IoU, and over the number of proposals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from boxlens.report.charts.forms.axes import Axis, round_powers, to_a_tenth
from boxlens.report.charts.forms.choosing import first_of, spread_out
from boxlens.report.charts.forms.keys import key, key_table
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bands, dots, lines
from boxlens.report.charts.forms.panels import below, beside, grid, plot
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.charts.proposal_methods import line_words, method_styles
from boxlens.report.described.recall.methods import (
    MethodRow,
    ar_words,
    best_first,
    budget_columns,
    dataset_plots,
    rows_of,
    run_columns,
)
from boxlens.report.study import COUNT, SCORE, TEXT, Plot, Section, Table, columns_of, table_of
from boxlens.studies.proposals.recall.average_recall import CURVE_IOUS
from boxlens.studies.proposals.recall.result import DatasetRecall, ProposalRecallResult
from boxlens.wording import count, counted, mean_count, number, score

# Panels of a figure: budgets, and IoUs beside average recall.
MOST_BUDGETS, MOST_IOUS = 3, 5


def overlaps_section(result: ProposalRecallResult, ranked: ProposalRecallResult) -> Section:
    forms = {"dataset": TEXT, "method": TEXT, "budget": COUNT, "iou": SCORE, "recall": SCORE}
    rows = (
        (row.dataset.name, row.method.name, row.at.budget, round(iou, 2), recall)
        for row in rows_of(ranked, *result.choice.budgets)
        for iou, recall in zip(CURVE_IOUS.tolist(), row.at.curve.tolist(), strict=True)
    )
    parts = (*dataset_plots(result, _by_iou), table_of("curves", "", forms, rows))
    return Section("overlaps", "By IoU", parts, "How tightly objects are found.")


def _by_iou(result: ProposalRecallResult, dataset: DatasetRecall) -> Iterator[Plot]:
    words = ar_words(result.choice)
    budgets = sorted(set(result.choice.budgets))
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
        partial(_draw_by_iou, dataset, shown, words),
        legend=legend + line_words(dataset.methods),
    )


def _draw_by_iou(dataset: DatasetRecall, budgets: Sequence[int], words: str) -> Spec:
    """One panel per budget; beside it the methods by their average recall (`words`), best first."""
    styles = method_styles(dataset.methods)
    shown = [one for one in dataset.methods if one.name in styles]
    up = Axis("recall", to_a_tenth(at.curve[0] for one in dataset.methods for at in one.chosen))
    panels = []
    for budget in budgets:
        found = {one.name: at for one in shown for at in one.chosen if at.budget == budget}
        rows: list[Row] = []
        for name, at in found.items():
            for iou, recall in zip(CURVE_IOUS.tolist(), at.curve.tolist(), strict=True):
                place = {"x": round(iou, 2), "y": round(recall, 4), "series": name}
                tip = {"method": name, "IoU": number(iou), "recall": score(recall)}
                rows.append({**place, "tip": tip, **styles[name].look})
        panel = plot(
            rows,
            Axis("IoU" * (budget == budgets[-1]), (0.5, 1)),
            up,
            lines(),
            width=330,
            height=max(190, 12 * len(found)),
            title=f"at most {counted(budget, 'proposal')}",
        )
        ranked = sorted(found, key=lambda name: (math.isnan(ar := found[name].ar), -ar))
        columns = {
            words: {name: score(found[name].ar) for name in ranked},
            "(per image)": {name: f"({mean_count(found[name].n_mean)})" for name in ranked},
        }
        averages = key_table({name: styles[name] for name in ranked}, columns)
        panels.append(beside(panel, averages, gap=18))
    return below(*panels)


def numbers_section(result: ProposalRecallResult, ranked: ProposalRecallResult) -> Section:
    def ar(row: MethodRow, budget: int) -> float | None:
        return next((at.ar for at in row.method.by_budget if at.budget == budget), None)

    by_number = Table(
        "",
        f"{ar_words(result.choice)} by the largest number of proposals per image",
        rows_of(ranked, result.choice.largest),
        [
            *run_columns(result),
            *columns_of(result.choice.curve_budgets(), ar, heading=count),
        ],
        wide=True,
        folded=True,
        detail=True,
    )
    every = rows_of(ranked, *result.choice.curve_budgets())
    parts = (
        *dataset_plots(result, _by_number),
        by_number,
        Table("budgets", "", every, budget_columns(result)),
    )
    return Section("numbers", "By number", parts, "What more proposals add.")


def _by_number(result: ProposalRecallResult, dataset: DatasetRecall) -> Iterator[Plot]:
    # Bands of more methods would cover each other.
    banded = len(dataset.methods) <= 4 and any(
        not math.isnan(one.ar_low) for method in dataset.methods for one in method.by_budget
    )
    legend = (
        "x: mean number of proposals per image, which may be less than the budget. Every panel has "
        "its own range of y."
    )
    if banded:
        legend += " Bands: 95% intervals, by resampling images."
    n_ious = len(result.choice.ious)
    yield Plot(
        "recall_by_number",
        "Recall by number of proposals",
        "The higher line is the better method at that cost. One that rises early ranks its "
        "proposals well; one that ends early has no more to offer.",
        partial(_draw_by_number, result, dataset, banded=banded),
        legend=legend + first_of(MOST_IOUS, n_ious, "IoUs") + line_words(dataset.methods),
    )


def _draw_by_number(result: ProposalRecallResult, dataset: DatasetRecall, *, banded: bool) -> Spec:
    """Average recall first, then one panel per IoU; `banded`: with intervals of AR."""
    looks = method_styles(dataset.methods)
    # Looks go by the order given, so that data sets share them.
    shown = [one for one in best_first(dataset.methods) if one.name in looks]
    # A logarithm has no place for methods that propose nothing.
    rows = [MethodRow(dataset, one, at) for one in shown for at in one.by_budget if at.n_mean > 0]
    low, high = (end(row.at.n_mean for row in rows) for end in (min, max))
    high = high if high > low else 10 * low
    # Some room beside the first and the last point.
    ends = low / 1.12, high * 1.12
    marked = round_powers(*ends)
    # A short axis may hold no two round numbers: then its ends are named.
    names = {n: mean_count(n) for n in (marked if len(marked) > 1 else (low, high))}
    table = Table("", "", rows, budget_columns(result))
    columns = {ar_words(result.choice): "AR"}
    columns |= {f"recall at IoU {number(iou)}": f"recall_{iou:g}" for iou in result.choice.ious}
    panels = []
    for title, column in list(columns.items())[: 1 + MOST_IOUS]:
        tips = {"method": "method", "proposals per image": "n_mean", "budget": "budget"}
        tips |= {title: column} | ({"interval": "95% interval"} if column == "AR" else {})
        found = table_rows(table, tips, x="n_mean", y=column, series="method")
        points = [{**row, **looks[row["series"]].look} for row in found]
        if column == "AR" and banded:
            for point, row in zip(points, rows, strict=True):
                point.update(low=row.at.ar_low, high=row.at.ar_high)
        panel = plot(
            points,
            Axis(ends=ends, names=names, kind="log"),
            # Recall at a high IoU is low: with the end of other panels its lines would be flat.
            Axis(ends=to_a_tenth(row.get(value) for row in points for value in ("y", "high"))),
            bands(),
            lines(),
            dots(size=9),
            width=300,
            height=180,
            title=title,
        )
        panels.append(panel)
    above = key({one.name: looks[one.name] for one in shown}, width=640)
    return grid(panels, 2, above=above, gap=16)

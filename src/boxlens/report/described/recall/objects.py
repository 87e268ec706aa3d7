"""Recall by class, size and attribute of objects, and sizes of boxes, at the largest budget."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from boxlens.report.charts.colours import PALE
from boxlens.report.charts.forms.axes import LETTER_PX, SHARES, Axis, Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.choosing import GAP_LABEL, both_ends, first_of
from boxlens.report.charts.forms.keys import MOST_LINES, key
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import bands, lines
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.report.charts.proposal_methods import method_styles
from boxlens.report.described.recall.methods import ar_words, best_first, dataset_plots, missing
from boxlens.report.study import (
    COUNT,
    SCORE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    columns_of,
    file_name,
    table_of,
)
from boxlens.studies.proposals.recall.groups import BY_CLASS, BY_SIZE, SIZES
from boxlens.studies.proposals.recall.result import (
    DatasetRecall,
    GroupRecall,
    MethodRecall,
    ProposalRecallResult,
)
from boxlens.wording import count, counted, interval, score, share, short

READINGS = {
    BY_CLASS: "A row that is pale throughout: a class that every method misses. A dark cell in a "
    "pale row: the method to use for that class.",
    BY_SIZE: "Pale at the top and dark at the bottom: small objects are missed. A method whose "
    "rows are equally dark finds all sizes.",
}
# Rows of either end: in a figure, and where there is little room.
MOST_ROWS, MOST_BRIEF = 12, 5
# The same objects, found by one method after the other.
Group = tuple[GroupRecall, ...]


def groups_section(result: ProposalRecallResult) -> Section:
    """Figures of every data set, then tables; methods are those of the result, best first."""
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
    parts = (
        *dataset_plots(result, _group_plots),
        *(
            _group_table(result, dataset, by, groups)
            for dataset in result.datasets
            for by, groups in _groups(dataset, result.choice.largest).items()
        ),
        table_of("groups", "", {**forms, **numbers}, rows),
    )
    return Section("groups", "By kind of object", parts, "Which objects are missed.")


def _groups(dataset: DatasetRecall, budget: int) -> dict[str, list[Group]]:
    """By what objects are grouped by: classes from the hardest on, sizes from the smallest on."""
    of_methods = ([one for one in all_.groups if one.budget == budget] for all_ in dataset.methods)
    found: dict[str, list[Group]] = {}
    for group in zip(*of_methods, strict=True):
        found.setdefault(group[0].by, []).append(group)
    found.get(BY_CLASS, []).sort(key=lambda group: fmean(one.ar for one in group))
    sizes = found.get(BY_SIZE, [])
    # A data set may have an attribute of this name.
    if all(group[0].value in SIZES for group in sizes):
        sizes.sort(key=lambda group: list(SIZES).index(group[0].value))
    return found


def _group_table(
    result: ProposalRecallResult, dataset: DatasetRecall, by: str, groups: Sequence[Group]
) -> Table[Group]:
    choice = result.choice
    caption = f"{ar_words(choice)} by {by}, at most {counted(choice.largest, 'proposal')} per image"
    caption += f", {dataset.name}" if len(result.datasets) > 1 else ""
    asked_for = by in (BY_CLASS, BY_SIZE, *choice.by)
    few = len(groups) <= 2 * MOST_BRIEF
    return Table(
        "",
        f"{caption}, hardest first" if by == BY_CLASS else caption,
        groups,
        [
            Column("", by, lambda group: group[0].value, TEXT),
            Column("", "objects", lambda group: group[0].n_objects, COUNT),
            *columns_of(
                range(len(dataset.methods)),
                lambda group, at: group[at].ar,
                heading=lambda at: dataset.methods[at].name,
                most=6,
            ),
        ],
        brief=None if few else [*groups[:MOST_BRIEF], *groups[-MOST_BRIEF:]],
        wide=True,
        folded=True,
        detail=dataset is not result.datasets[0] or not asked_for,
    )


def _group_plots(result: ProposalRecallResult, dataset: DatasetRecall) -> Iterator[Plot]:
    choice, words = result.choice, ar_words(result.choice)
    if missing(dataset):
        yield Plot("", f"{words} by class, size and attributes", "", dict)
        return
    methods = [one.name for one in dataset.methods]
    for by, groups in _groups(dataset, choice.largest).items():
        shown = both_ends(groups, MOST_ROWS)
        legend = (
            f"With at most {counted(choice.largest, 'proposal')} per image; darker: more is found."
        )
        if by == BY_CLASS:
            legend += " Classes are ordered from hard to easy, by their mean over methods."
        if len(shown) < len(groups):
            legend += f" The first and last {MOST_ROWS} of {len(groups):,}."
        yield Plot(
            f"by_{file_name(by)}",
            f"{words} by {by}",
            READINGS.get(by, "The paler of two rows: objects that are harder to propose."),
            partial(_draw_groups, shown, methods[:MOST_LINES], words),
            legend=legend + first_of(MOST_LINES, len(methods), "methods", "best"),
        )


def _draw_groups(groups: Mapping[str, Group | None], methods: Sequence[str], words: str) -> Spec:
    """One row per group by place, None is a gap; `words` names average recall."""
    found = [
        (place, name, one)
        for place, group in groups.items()
        for name, one in zip(methods, group or (), strict=False)
        if not math.isnan(one.ar)
    ]
    # As dark as the best of all groups allows.
    highest = max(one.ar for _, _, one in found) or 1.0
    objects = {place: count(group[0].n_objects) for place, group in groups.items() if group}
    cells = []
    for place, name, one in found:
        tip = {"group": one.value, "method": name, words: score(one.ar), "objects": objects[place]}
        cells.append(cell(one.ar / highest, score(one.ar, 2), row=place, column=name, tip=tip))
    # As wide as there is room for.
    step = min(92, max(26, 480 // len(methods)))
    turned = step < LETTER_PX * max(len(short(name, 20)) for name in methods)
    above: dict[str, Any] = {"orient": "top", "labelAngle": -90 if turned else 0}
    labels = {place: group[0].value if group else GAP_LABEL for place, group in groups.items()}
    return matrix(
        cells,
        Names.of(methods, px=step, characters=20, gap=0, more=above),
        Names(labels, characters=22, gap=0),
        letters_px=9 if step < 28 else 10,
        columns={"objects": objects},
    )


def sizes_section(result: ProposalRecallResult, ranked: ProposalRecallResult) -> Section:
    """Shares of objects, and of proposals of every method, by relative size."""
    texts = dict.fromkeys(("dataset", "of", "method"), TEXT)
    numbers = dict.fromkeys(("from", "to", "share"), SCORE)
    rows = (
        (dataset.name, of, method, at / len(shares), (at + 1) / len(shares), share)
        for dataset in ranked.datasets
        for of, method, shares in (
            ("objects", None, dataset.sizes),
            *(("proposals", one.name, one.sizes) for one in dataset.methods),
        )
        for at, share in enumerate(shares.tolist())
    )
    table = table_of("sizes", "", {**texts, **numbers}, rows)
    parts = (*dataset_plots(result, _sizes_plot), table)
    return Section("sizes", "Sizes", parts, "Whether boxes are as large as objects.")


def _sizes_plot(result: ProposalRecallResult, dataset: DatasetRecall) -> Iterator[Plot]:
    methods = best_first(dataset.methods[:MOST_LINES])
    budget = counted(result.choice.largest, "proposal")
    known = [one for one in methods if not math.isnan(one.sizes.sum())]
    legend = (
        f"Share of all proposals (at most {budget} per image) by "
        "√(area / image area), in ten bins. A line above the grey: more boxes than objects have "
        "that size."
    )
    if len(known) < len(methods):
        legend += f" {counted(len(methods) - len(known), 'more method')} without proposals."
    yield Plot(
        "proposal_sizes",
        "Sizes of proposals and of objects",
        "A method that proposes few boxes of a size finds few objects of that size.",
        partial(_draw_sizes, dataset, known),
        legend=legend + first_of(MOST_LINES, len(dataset.methods), "methods"),
    )


def _draw_sizes(dataset: DatasetRecall, methods: Sequence[MethodRecall]) -> Spec:
    """Of methods that have proposals; `dataset` has all of them, so that looks stay the same."""
    styles = method_styles(dataset.methods)
    limit = max(float(one.max()) for one in (dataset.sizes, *(one.sizes for one in methods)))
    n = len(dataset.sizes)
    ends = [at / n for at in range(n)], [(at + 1) / n for at in range(n)]
    panels = []
    for at, one in enumerate(methods):
        rows: list[Row] = []
        for low, high, value, objects in zip(*ends, one.sizes, dataset.sizes, strict=True):
            place = {"x": low, "to": high, "zero": 0, "y": value, "objects": objects}
            tip = {"method": one.name, "size": interval(low, high, 1)}
            tip |= {"proposals": share(value), "objects": share(objects)}
            rows.append({**place, "tip": tip, **styles[one.name].look})
        panel = plot(
            # The last step goes on to the end.
            [*rows, {**rows[-1], "x": 1, "to": None}],
            Axis(ends=(0, 1), values=(0, 0.5, 1), grid=False),
            Axis(ends=(0, 1.04 * limit), form=SHARES, ticks=3, labels=at % 4 == 0),
            bands("zero", "objects", interpolate="step-after", color=PALE, opacity=1),
            lines(steps="after"),
            # A pointer anywhere in a bin is told about it.
            Mark("rect", {"x": "x", "x2": "to"}, {"opacity": 0}),
            title=short(one.name, 26),
            width=144,
            height=84,
            framed=True,
        )
        panels.append(panel)
    above = key({"objects": PALE}, width=640, always=True)
    return grid(panels, 4, above=above, gap=10)

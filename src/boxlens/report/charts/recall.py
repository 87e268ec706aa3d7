"""Recall of proposals: by IoU, by number, by kind of object, by data set, and sizes of boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import PALE, colours_of
from boxlens.report.charts.forms.axes import (
    LETTER_PX,
    SHARES,
    Axis,
    Names,
    round_powers,
    to_a_tenth,
)
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.choosing import GAP_LABEL
from boxlens.report.charts.forms.keys import Style, key, key_table
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import bands, dots, lines, spans
from boxlens.report.charts.forms.panels import Series, below, beside, grid, name_rows, plot
from boxlens.report.charts.forms.tables import coloured, table_rows
from boxlens.report.charts.proposal_methods import best_first, method_styles
from boxlens.report.study import Table
from boxlens.studies.proposals.recall.average_recall import CURVE_IOUS
from boxlens.studies.proposals.recall.result import BudgetRecall, DatasetRecall, MethodRecall
from boxlens.wording import count, counted, interval, mean_count, number, score, share, short

if TYPE_CHECKING:
    from boxlens.report.described.recall_groups import GroupRow

# Of a figure across a page: all of it, and one of two panels.
PAGE_PX: Final = 640
PANEL_PX: Final = 300
# Beside the first and the last point of a logarithmic axis, as a factor.
ROOM: Final = 1.12
# Columns of a matrix: together, the widest and the narrowest.
CELLS_PX, WIDEST_PX, NARROWEST_PX = 480, 92, 26
NAME_CHARACTERS: Final = 20
SIZE_COLUMNS: Final = 4


def recall_by_iou_chart(dataset: DatasetRecall, budgets: Sequence[int], words: str) -> Spec:
    """One panel per budget; beside it the methods by their average recall (`words`), best first."""
    styles = method_styles(dataset.methods)
    recall = Axis("recall", to_a_tenth(at.curve[0] for one in dataset.methods for at in one.chosen))
    panels = []
    for budget in budgets:
        found = {
            one.name: at
            for one in dataset.methods
            for at in one.chosen
            if at.budget == budget and one.name in styles
        }
        panel = plot(
            [row for name, at in found.items() for row in _curve(name, at, styles[name])],
            Axis("IoU" * (budget == budgets[-1]), (0.5, 1)),
            recall,
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


def _curve(name: str, at: BudgetRecall, style: Style) -> Iterator[Row]:
    for iou, recall in zip(CURVE_IOUS.tolist(), at.curve.tolist(), strict=True):
        tip = {"method": name, "IoU": score(iou, 2), "recall": score(recall)}
        place = {"x": round(iou, 2), "y": round(recall, 4)}
        yield {**place, "series": name, "tip": tip, **style.look}


def recall_by_number_chart(
    dataset: DatasetRecall, ious: Sequence[float], words: str, *, banded: bool
) -> Spec:
    """Average recall (`words`) first, then one panel per IoU; `banded`: with intervals of AR."""
    looks = method_styles(dataset.methods)
    # Looks go by the order given, so that data sets share them.
    styles = {one.name: looks[one.name] for one in best_first(dataset.methods) if one.name in looks}
    by_name = {one.name: one for one in dataset.methods}
    # A logarithm has no place for methods that propose nothing.
    at = [(name, one) for name in styles for one in by_name[name].by_budget if one.n_mean > 0]
    low, high = (end(one.n_mean for _, one in at) for end in (min, max))
    high = high if high > low else 10 * low
    ends = low / ROOM, high * ROOM
    marked = round_powers(*ends)
    # A short axis may hold no two round numbers: then its ends are named.
    names = {n: mean_count(n) for n in (marked if len(marked) > 1 else (low, high))}
    panels = {words: [_number_row(name, one, words, one.ar, styles[name]) for name, one in at]}
    for row, (_, one) in zip(panels[words], at, strict=True):
        row["tip"]["interval"] = interval(one.ar_low, one.ar_high)
        row.update({"low": one.ar_low, "high": one.ar_high} if banded else {})
    for iou in ious:
        title = f"recall at IoU {number(iou)}"
        panels[title] = [
            _number_row(name, one, title, one.recall.get(iou, math.nan), styles[name])
            for name, one in at
        ]
    drawn = [
        plot(
            rows,
            Axis(ends=ends, names=names, kind="log"),
            # Recall at a high IoU is low: with the end of other panels its lines would be flat.
            Axis(ends=to_a_tenth(row.get(value) for row in rows for value in ("y", "high"))),
            bands(),
            lines(),
            dots(size=9),
            width=PANEL_PX,
            height=180,
            title=title,
        )
        for title, rows in panels.items()
    ]
    return grid(drawn, 2, above=key(styles, width=PAGE_PX), gap=16)


def _number_row(name: str, one: BudgetRecall, words: str, value: float, style: Style) -> Row:
    tip = {
        "method": name,
        "proposals per image": mean_count(one.n_mean),
        "budget": count(one.budget),
        words: score(value),
    }
    return {"x": one.n_mean, "y": value, "series": name, "tip": tip, **style.look}


def recall_groups_chart(
    groups: Mapping[str, GroupRow | None], methods: Sequence[str], words: str
) -> Spec:
    """One row per group by place, None is a gap; `words` names average recall."""
    shown = {place: row for place, row in groups.items() if row is not None}
    found = {
        (place, name): ar
        for place, row in shown.items()
        for name in methods
        if not math.isnan(ar := row.found.get(name, math.nan))
    }
    # As dark as the best of all groups allows.
    highest = max(found.values()) or 1.0
    cells = [
        cell(
            ar / highest,
            score(ar, 2),
            row=place,
            column=name,
            tip={
                "group": shown[place].value,
                "method": name,
                words: score(ar),
                "objects": count(shown[place].n_objects),
            },
        )
        for (place, name), ar in found.items()
    ]
    step = min(WIDEST_PX, max(NARROWEST_PX, CELLS_PX // len(methods)))
    turned = step < LETTER_PX * max(len(short(name, NAME_CHARACTERS)) for name in methods)
    above: dict[str, Any] = {"orient": "top", "labelAngle": -90 if turned else 0}
    labels = {place: row.value if row else GAP_LABEL for place, row in groups.items()}
    return matrix(
        cells,
        Names.of(methods, px=step, characters=NAME_CHARACTERS, gap=0, more=above),
        Names(labels, characters=22, gap=0),
        letters_px=9 if step < 28 else 10,
        columns={"objects": {place: count(row.n_objects) for place, row in shown.items()}},
    )


def recall_datasets_chart(table: Table[Any], words: str) -> Spec:
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


def proposal_sizes_chart(dataset: DatasetRecall, methods: Sequence[MethodRecall]) -> Spec:
    """Of methods that have proposals; `dataset` has all of them, so that looks stay the same."""
    styles = method_styles(dataset.methods)
    # Without objects their shares are undefined.
    limit = float(np.nanmax([dataset.sizes, *(one.sizes for one in methods)]))
    panels = [
        plot(
            _size_rows(one, dataset.sizes, styles[one.name]),
            Axis(ends=(0, 1), values=(0, 0.5, 1), grid=False),
            Axis(ends=(0, 1.04 * limit), form=SHARES, ticks=3, labels=at % SIZE_COLUMNS == 0),
            bands("zero", "objects", interpolate="step-after", color=PALE, opacity=1),
            lines(steps="after"),
            # A pointer anywhere in a bin is told about it.
            Mark("rect", {"x": "x", "x2": "to"}, {"opacity": 0}),
            title=short(one.name, 26),
            width=144,
            height=84,
            framed=True,
        )
        for at, one in enumerate(methods)
    ]
    above = key({"objects": PALE}, width=PAGE_PX, always=True)
    return grid(panels, SIZE_COLUMNS, above=above, gap=10)


def _size_rows(method: MethodRecall, objects: Floats, style: Style) -> list[Row]:
    """One per bin; the last step goes on to the end."""
    n = len(objects)
    rows: list[Row] = []
    for at, (value, of_objects) in enumerate(zip(method.sizes, objects, strict=True)):
        tip = {
            "method": method.name,
            "size": interval(at / n, (at + 1) / n, 1),
            "proposals": share(value),
            "objects": share(of_objects),
        }
        ends = {"x": at / n, "to": (at + 1) / n, "zero": 0}
        rows.append({**ends, "y": value, "objects": of_objects, "tip": tip, **style.look})
    return [*rows, {**rows[-1], "x": 1, "to": None}]

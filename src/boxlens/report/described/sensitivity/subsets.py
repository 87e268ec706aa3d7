"""How well kinds of objects are found: by one property in each class, and by two at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import Any

import numpy as np

from boxlens.report.charts.colours import DARK_BLUE, INK, NEUTRAL, PALE, ramp
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, lines, rule_at, spans
from boxlens.report.charts.forms.panels import grid, name_rows, plot
from boxlens.report.charts.selecting import characteristic_terms, picks
from boxlens.report.charts.theme import WIDTH
from boxlens.report.study import SCORE, TEXT, Column, Plot, Table, columns_of, file_name, table_of
from boxlens.studies.sensitivity.result import Characteristic, ClassSpread, Interaction
from boxlens.wording import count, counted, score, short

MOST_CLASSES = 16
# Flags take a line each, in two columns of classes.
MOST_FLAG_LINES = 32
# More kinds of objects than fit side by side are shown at a click.
MOST_KINDS = 8
# Numbers in more rows or columns of a matrix are not legible.
MOST_SUBSETS = 10
GAP_PX = 8


def state_of(flag: str) -> str:
    """Of "wheel hidden", hidden."""
    return flag.rsplit(" ", 1)[-1]


def characteristic_plot(row: Characteristic, about: str) -> Plot:
    """Small panels, one per class; of many classes those that it spreads most."""
    known = [one for one in row.classes if not math.isnan(one.highest)]
    shown = _shown(row, known)
    chosen = f" The {len(shown)} of {len(known)} classes with the largest spread among the others."
    return Plot(
        f"by_{file_name(row.name)}",
        f"How well objects are found by {row.name}",
        "Points far from the dashed line are kinds of objects that are found worse or better "
        "than their class.",
        partial(_panels, row, shown),
        legend="AP_N of subsets ± one standard error; dashed: the whole class. Small and faint: "
        f"fewer than {row.min_objects} objects.{chosen if len(shown) < len(known) else ''}",
        about=about,
        absent=row.reason or ("" if known else "no class has enough objects in any subset"),
    )


def _shown(row: Characteristic, known: list[ClassSpread]) -> list[ClassSpread]:
    """As many as are legible."""
    most = min(MOST_CLASSES, len(known))
    by_spread = sorted(known, key=lambda one: one.lowest - one.highest)
    if row.kind == "flags":
        lines = [sum(not math.isnan(kind.ap_n) for kind in one.subsets) / 2 for one in by_spread]
        most = min(most, max(1, sum(total <= MOST_FLAG_LINES for total in accumulate(lines))))
    return known if most == len(known) else by_spread[:most]


def _panels(result: Characteristic, shown: Sequence[ClassSpread]) -> Spec:
    """Subsets from left to right, as in Hoiem's plots.

    Of flags, in which classes differ, one line each with both of its states.
    """
    flags, names = result.kind == "flags", result.subset_names
    columns = min(len(shown), 2 if flags else 4)
    colours = dict(zip(names, ramp(len(names)), strict=True))
    if flags:
        colours = dict(zip(map(state_of, names[:2]), (NEUTRAL, DARK_BLUE), strict=True))
    points = [list(_points(result, row, colours)) for row in shown]
    ends = [*(row.ap_n for row in shown), *(one["high"] for rows in points for one in rows)]
    # The next fifth above all error bars and lines.
    top = math.ceil(max(0.2, *ends) * 5) / 5
    # The names of flags stand left of each panel, the numbers of the axis left of the first.
    left_px = 62 * columns if flags else 36
    width = (WIDTH - left_px - GAP_PX * (columns - 1)) // columns
    panels = []
    for at, (row, rows) in enumerate(zip(shown, points, strict=True)):
        edge = at >= len(shown) - columns if flags else at % columns == 0
        values = Axis("AP_N" * edge, (0, top), values=(0, top / 2, top), labels=edge)
        whole = rule_at(row.ap_n, color=INK, strokeDash=[3, 2])
        marks = (spans(strokeWidth=1), dots(size=0))
        if flags:
            named = [one["row"] for one in rows]
            down = Names.of(named, px=12, characters=9, more={"labelPadding": 8})
            title = short(row.name, 18)
            panel = name_rows(rows, down, values, *whole, *marks, width=width, title=title)
        else:
            panel = plot(
                rows,
                Axis(ends=(-0.6, len(names) - 0.4), hidden=True),
                values,
                *whole,
                lines(color=PALE, strokeWidth=1),
                *marks,
                width=width,
                height=100 if len(shown) <= 4 else 48,
                title=short(row.name, 14),
            )
        panels.append(panel)
    return grid(panels, columns, above=key(colours, width=WIDTH), gap=GAP_PX)


def _points(result: Characteristic, row: ClassSpread, colours: Mapping[str, str]) -> Iterator[Row]:
    """AP_N of few objects says little: the spread leaves them out, and they are drawn faintly."""
    flags = result.kind == "flags"
    for at, subset in enumerate(row.subsets):
        if math.isnan(subset.ap_n):
            continue
        error = 0.0 if math.isnan(subset.ap_n_se) else subset.ap_n_se
        few, state = subset.n_objects < result.min_objects, state_of(subset.name)
        terms = {"class": row.name, **characteristic_terms(result.name, subset.name, flags=flags)}
        label = f"{row.name}, {result.name} {subset.name}"
        yield {
            "x": at,
            "y": subset.ap_n,
            "low": max(subset.ap_n - error, 0),
            "high": min(subset.ap_n + error, 1),
            "row": subset.name.removesuffix(f" {state}"),
            "colour": colours[state if flags else subset.name],
            "size": 12 if few else 24,
            "opacity": 0.4 if few else 1,
            "tip": {
                "class": row.name,
                "subset": subset.name,
                "AP_N": score(subset.ap_n),
                "standard error": score(subset.ap_n_se),
                "objects": count(subset.n_objects),
                "AP_N of the class": score(row.ap_n),
            },
            **picks(label, subset.n_objects, of="objects", terms=terms),
        }


def characteristic_table(row: Characteristic) -> Table[Any]:
    """One line per class, one column per subset."""
    names = row.subset_names
    mean = ("mean over classes", row.ap_n, math.nan, *row.subset_ap_n)
    classes = []
    for one in row.classes:
        if any(kind.n_objects for kind in one.subsets):
            known = {kind.name: kind.ap_n for kind in one.subsets}
            values = (known.get(name, math.nan) for name in names)
            classes.append((one.name, one.ap_n, one.ap_n_se, *values))
    return Table(
        "",
        f"AP_N by {row.name}",
        [mean, *classes],
        [
            Column("", "class", itemgetter(0), TEXT),
            Column("", "all", itemgetter(1)),
            Column("", "SE", itemgetter(2)),
            *columns_of(
                range(len(names)),
                lambda values, at: values[at + 3],
                heading=names.__getitem__,
                most=MOST_KINDS,
            ),
        ],
        brief=[mean],
        folded=True,
    )


def interaction_table(pair: Interaction) -> Table[Any]:
    return table_of(
        "",
        f"AP_N by {pair.first} and {pair.second}",
        {f"{pair.first} \\ {pair.second}": TEXT, **dict.fromkeys(pair.second_names, SCORE)},
        (
            (name, *values)
            for name, values in zip(pair.first_names, pair.ap_n.tolist(), strict=True)
        ),
        folded=True,
    )


def interaction_plot(pair: Interaction, about: str) -> Plot:
    """The most frequent subsets; cells without enough objects in any class stay empty."""
    by_number = (np.argsort(-pair.n_objects.sum(axis=axis), kind="stable") for axis in (1, 0))
    first, second = (sorted(order[:MOST_SUBSETS].tolist()) for order in by_number)
    legend = ["AP_N, mean over the classes with enough such objects."]
    for name, n in zip((pair.first, pair.second), pair.n_objects.shape, strict=True):
        if n > MOST_SUBSETS:
            legend.append(f"The {MOST_SUBSETS} most frequent of {n} {name}.")
    places = [(row, column) for row in first for column in second]
    known = [place for place in places if not math.isnan(pair.ap_n[place])]
    if len(known) < len(places):
        legend.append(f"Blank: too few objects ({counted(len(places) - len(known), 'cell')}).")
    return Plot(
        f"cross_{file_name(pair.first)}_{file_name(pair.second)}",
        f"How well objects are found by {pair.first} and {pair.second}",
        "Where rows change with the column, the two properties act together.",
        partial(_matrix, pair, first, second, known),
        legend=" ".join(legend),
        about=about,
        absent="" if known else "no pair of subsets has enough objects",
    )


def _matrix(
    pair: Interaction, first: list[int], second: list[int], known: Sequence[tuple[int, int]]
) -> Spec:
    down, across = (
        Names.of([names[at] for at in shown], px=px, characters=18, gap=0.04, title=title)
        for title, names, shown, px in (
            (pair.first, pair.first_names, first, 26),
            (pair.second, pair.second_names, second, min(60, 270 / len(second))),
        )
    )
    return matrix([_cell(pair, *place) for place in known], across, down)


def _cell(pair: Interaction, row: int, column: int) -> Row:
    first, second = pair.first_names[row], pair.second_names[column]
    ap_n, n = float(pair.ap_n[row, column]), int(pair.n_objects[row, column])
    tip = {pair.first: first, pair.second: second, "AP_N": score(ap_n), "objects": count(n)}
    terms = characteristic_terms(pair.first, first) | characteristic_terms(pair.second, second)
    label = f"{pair.first} {first}, {pair.second} {second}"
    # Of flags an object has several.
    flags = {pair.first, pair.second} & {"parts", "sides"}
    picked = {} if flags else picks(label, n, of="objects", terms=terms)
    return cell(ap_n, score(ap_n), row=first, column=second, tip=tip, **picked)

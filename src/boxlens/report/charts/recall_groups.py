"""Average recall by what objects are like: a row a group, a column a method."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import LETTER_PX, MOST_METHODS, ar_words, first_of
from boxlens.report.charts.panels import cell, cell_scale, heat_map, message, number_column
from boxlens.report.charts.recall_order import best_first
from boxlens.report.charts.theme import FONT_PX, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.recall.choice import RecallChoice
    from boxlens.proposals.recall.result import DatasetRecall, GroupRecall

# Of each end, where there are more than twice as many and one.
MOST_ROWS: Final = 12
ROW_PX: Final = 16
CELLS_PX: Final = 480
WIDEST_PX: Final = 92
NARROWEST_PX: Final = 26
COUNT_PX: Final = 40
LABEL_CHARACTERS: Final = 22
NAME_CHARACTERS: Final = 20
GAP: Final = "gap"
# Sizes in their own order, whichever a file has.
SIZES: Final = ("small", "medium", "large")


@dataclass(frozen=True, slots=True)
class _Row:
    """One group, and what each method finds of it."""

    value: str
    n_objects: int
    found: Mapping[str, GroupRecall]

    @property
    def mean(self) -> float:
        known = [one.ar for one in self.found.values() if not math.isnan(one.ar)]
        return math.fsum(known) / len(known) if known else math.nan


def recall_groups_chart(
    dataset: DatasetRecall, choice: RecallChoice, by: str, *, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """`by` is "class", "size" or the name of an attribute; at the largest budget of the choice."""
    words = ar_words(choice)
    title = f"{words} by {by}"
    methods = [one.name for one in best_first(dataset.methods[:MOST_METHODS])]
    rows = _rows(dataset, choice.largest, by, methods)
    if not rows:
        empty = message(f"{words} of every group is undefined", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    ordered = _ordered(rows, by)
    shown = _shown(ordered)
    reading = f"With at most {choice.largest:,} proposals; darker: more is found."
    if by == "class":
        reading += " The class that is hardest for all methods together stands first."
    if len(shown) < len(ordered):
        reading += f" The {MOST_ROWS} first and last of {len(ordered):,}."
    reading += first_of(len(methods), len(dataset.methods))
    counts = {place: f"{row.n_objects:,}" if row else "" for place, row in shown.items()}
    return themed(
        alt.hconcat(
            _cells(shown, methods, words),
            number_column(counts, title="objects", width=COUNT_PX, row_px=ROW_PX),
            spacing=4,
        ),
        title=title,
        about=about,
        reading=reading,
    )


def _rows(dataset: DatasetRecall, budget: int, by: str, methods: Sequence[str]) -> list[_Row]:
    """Groups with a number, in the order they come."""
    found: dict[str, dict[str, GroupRecall]] = {}
    for method in dataset.methods:
        for one in method.groups:
            if (one.by, one.budget) == (by, budget) and method.name in methods:
                found.setdefault(one.value, {})[method.name] = one
    rows = [
        _Row(value, max(one.n_objects for one in of.values()), of) for value, of in found.items()
    ]
    return [row for row in rows if not math.isnan(row.mean)]


def _ordered(rows: Sequence[_Row], by: str) -> list[_Row]:
    """Classes from the hardest on; sizes from the smallest on; others as they come."""
    if by == "class":
        return sorted(rows, key=lambda row: row.mean)
    if by == "size" and all(row.value in SIZES for row in rows):
        return sorted(rows, key=lambda row: SIZES.index(row.value))
    return list(rows)


def _shown(rows: Sequence[_Row]) -> dict[str, _Row | None]:
    """By place, since two groups may be called alike."""
    places = {str(place): row for place, row in enumerate(rows)}
    if len(rows) <= 2 * MOST_ROWS + 1:
        return dict(places)
    kept = list(places.items())
    return {**dict(kept[:MOST_ROWS]), GAP: None, **dict(kept[-MOST_ROWS:])}


def _cells(shown: Mapping[str, _Row | None], methods: Sequence[str], words: str) -> alt.LayerChart:
    step = min(WIDEST_PX, max(NARROWEST_PX, CELLS_PX // len(methods)))
    names = {
        place: short(row.value, LABEL_CHARACTERS) if row else "…" for place, row in shown.items()
    }
    heads = {name: short(name, NAME_CHARACTERS) for name in methods}
    turned = step < LETTER_PX * max(map(len, heads.values()))
    plot = alt.Chart(
        inline(_records(shown, methods)), width=step * len(methods), height=ROW_PX * len(shown)
    ).encode(
        x=alt.X(
            "method:N",
            sort=list(methods),
            scale=cell_scale(methods),
            axis=alt.Axis(
                title=None,
                orient="top",
                ticks=False,
                domain=False,
                labelAngle=-90 if turned else 0,
                labelExpr=f"{json.dumps(heads)}[datum.value]",
                labelLimit=150,
            ),
        ),
        y=alt.Y(
            "place:N",
            sort=list(shown),
            scale=cell_scale(list(shown)),
            axis=alt.Axis(
                title=None,
                ticks=False,
                domain=False,
                labelExpr=f"{json.dumps(names)}[datum.value]",
                labelLimit=150,
            ),
        ),
        tooltip=[
            alt.Tooltip("group:N"),
            alt.Tooltip("method:N"),
            alt.Tooltip("ar:N", title=words),
            alt.Tooltip("objects:Q", format=","),
        ],
    )
    return heat_map(plot, letters_px=FONT_PX - 1 if step < 28 else FONT_PX)


def _records(shown: Mapping[str, _Row | None], methods: Sequence[str]) -> list[dict[str, Any]]:
    """As dark as the best of all groups allows."""
    known = [
        (place, row, name, row.found[name])
        for place, row in shown.items()
        if row is not None
        for name in methods
        if name in row.found and not math.isnan(row.found[name].ar)
    ]
    highest = max(one.ar for *_, one in known) or 1.0
    return [
        cell(
            one.ar / highest,
            decimal(one.ar, 2),
            place=place,
            group=row.value,
            method=name,
            ar=decimal(one.ar),
            objects=row.n_objects,
        )
        for place, row, name, one in known
    ]

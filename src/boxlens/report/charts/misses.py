"""Which objects are undetected, and how many a looser overlap would recover (METHODS 2.6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import (
    cell,
    cell_scale,
    heat_map,
    number_column,
    panel_title,
    rows_axis,
)
from boxlens.report.charts.selecting import Terms, characteristic_terms, picks
from boxlens.report.charts.theme import FONT_PX, inline
from boxlens.wording import UNDEFINED, number, share

if TYPE_CHECKING:
    from boxlens.studies.sensitivity.result import Characteristic, Misses, SensitivityResult

CELLS_PX = 200
EXPLAINED_PX = 72
ROW_PX = 25
# More do not fit beside each other; the most frequent are taken.
MOST_SUBSETS = 6
BARS_PX = 260
BAR_PX = 15


def misses_chart(result: SensitivityResult) -> alt.VConcatChart:
    """Share of undetected objects by subset of each characteristic; looser overlaps below."""
    records = [record for row in result.characteristics for record in _records(row)]
    panels: list[alt.HConcatChart | alt.LayerChart] = []
    if records:
        panels.append(_by_characteristic(records))
    if result.misses.looser:
        panels.append(_looser(result.misses))
    return alt.vconcat(*panels, spacing=10)


def _records(row: Characteristic) -> list[dict[str, Any]]:
    """Objects of all classes together; of flags the two states, whatever the flag."""
    counts: dict[str, tuple[int, int]] = {}
    for subset, n_missed, n in zip(
        row.subset_names, row.subset_n_missed, row.subset_n_objects, strict=True
    ):
        name = subset.rsplit(" ", 1)[-1] if row.kind == "flags" else subset
        before = counts.get(name, (0, 0))
        counts[name] = (before[0] + n_missed, before[1] + n)
    known = {name: pair for name, pair in counts.items() if pair[1] > 0}
    frequent = sorted(known, key=lambda name: -known[name][1])[:MOST_SUBSETS]
    return [
        cell(
            missed / n,
            [name, share(missed / n)],
            name=row.name,
            subset=name,
            place=place,
            n_missed=missed,
            n=n,
            explained=_explained(row),
            **_picked(row, name, missed),
        )
        for place, (name, (missed, n)) in enumerate(
            (name, pair) for name, pair in known.items() if name in frequent
        )
    ]


def _picked(row: Characteristic, subset: str, n: int) -> dict[str, str]:
    """Nothing for flags, which are put together here."""
    if row.kind == "flags":
        return {}
    terms: Terms = {"undetected": "1", **characteristic_terms(row.name, subset)}
    return picks(f"undetected, {row.name} {subset}", n, of="objects", terms=terms)


def _explained(row: Characteristic) -> str:
    if math.isnan(row.entropy_share):
        return UNDEFINED
    return f"{share(row.entropy_share)} ({share(row.entropy_chance)})"


def _by_characteristic(records: list[dict[str, Any]]) -> alt.HConcatChart:
    explained = {record["name"]: record["explained"] for record in records}
    n_columns = max(record["place"] for record in records) + 1
    plot = alt.Chart(inline(records), width=CELLS_PX, height=ROW_PX * len(explained)).encode(
        y=alt.Y(
            "name:N",
            title=None,
            axis=alt.Axis(ticks=False, domain=False),
            scale=cell_scale(list(explained)),
        ),
        x=alt.X("place:O", axis=None, scale=cell_scale(range(n_columns))),
        tooltip=[
            alt.Tooltip("name:N", title="characteristic"),
            alt.Tooltip("subset:N", title="subset"),
            alt.Tooltip("n_missed:Q", title="undetected", format=","),
            alt.Tooltip("n:Q", title="objects", format=","),
            alt.Tooltip("level:Q", title="share undetected", format=".1%"),
        ],
    )
    cells = heat_map(plot, letters_px=FONT_PX - 1, limit=CELLS_PX / n_columns - 2)
    return alt.hconcat(
        cells.properties(title=panel_title("share undetected, by subset")),
        number_column(explained, title="explained (chance)", width=EXPLAINED_PX, row_px=ROW_PX),
        spacing=4,
    )


def _looser(misses: Misses) -> alt.LayerChart:
    rows: list[dict[str, Any]] = [
        {
            "iou": f"IoU {number(row.iou)}",
            "share": row.share_recovered,
            "n_missed": row.n_missed,
            "text": f"{share(row.share_recovered)}, {row.n_missed:,} still undetected",
        }
        for row in sorted(misses.looser, key=lambda row: -row.iou)
        if not math.isnan(row.share_recovered)
    ]
    # Words stand right of the bars.
    longest = max(0.05, *(row["share"] for row in rows)) * 2.2
    plot = alt.Chart(inline(rows), width=BARS_PX, height=BAR_PX * len(rows)).encode(
        y=rows_axis("iou", [row["iou"] for row in rows], alt.Axis(ticks=False)),
        x=alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, longest], nice=False)),
        tooltip=[
            alt.Tooltip("iou:N", title="a looser overlap"),
            alt.Tooltip("share:Q", title="share recovered", format=".1%"),
            alt.Tooltip("n_missed:Q", title="still undetected", format=","),
        ],
    )
    bars = plot.mark_bar(color=KINDS["loc"].colour)
    numbers = plot.mark_text(align="left", dx=4).encode(text="text:N")
    title = panel_title("of the undetected, recovered by a looser overlap")
    return alt.LayerChart(layer=[bars, numbers], title=title)

"""What one error scheme says where another says something else: a heat map of two schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from boxlens.report.charts.panels import cell, cell_scale, heat_map, message
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import FONT_PX, WIDTH, inline, percent, themed

if TYPE_CHECKING:
    from boxlens.diagnosis.crosswalk import Disagreement

SCHEME_NAMES = {
    "hoiem": "Hoiem",
    "tide": "TIDE",
    "coco_analyze": "COCO analyze",
    "borji": "Borji",
}
ROW_PX = 28
COLUMN_PX = 66
MOST_WIDTH = WIDTH - 76


def crosswalk_chart(result: Disagreement, *, about: str = "") -> alt.LayerChart | alt.Chart:
    """Counts, and shares of each row; labels that nothing has are left out."""
    title = (
        f"The same {result.what} under {SCHEME_NAMES[result.first]} "
        f"and {SCHEME_NAMES[result.second]}"
    )
    total = int(result.counts.sum())
    if total == 0:
        empty = message("neither scheme finds an error", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    return themed(
        _map(result),
        title=title,
        about=f"{about + ': ' if about else ''}{total:,} errors of at least one scheme",
        reading="Counts and shares of the row. Right: no error; outside: not counted.",
    )


def _map(result: Disagreement) -> alt.LayerChart:
    first_name, second_name = SCHEME_NAMES[result.first], SCHEME_NAMES[result.second]
    rows = [
        cell(
            n / sum(counts),
            [f"{n:,}", percent(n / sum(counts))],
            first=first,
            second=second,
            n=n,
            share=n / sum(counts),
            **picks(
                f"{first} and {second}",
                n,
                of="objects" if result.what == "objects" else "detections",
                terms={result.first: first, result.second: second},
            ),
        )
        for first, counts in zip(result.rows, result.counts.tolist(), strict=True)
        for second, n in zip(result.columns, counts, strict=True)
        if n > 0
    ]
    # In the order of the schemes, those that occur.
    lines = [name for name in result.rows if any(row["first"] == name for row in rows)]
    columns = [name for name in result.columns if any(row["second"] == name for row in rows)]
    width = min(MOST_WIDTH, COLUMN_PX * len(columns))
    plot = alt.Chart(inline(rows), width=width, height=ROW_PX * len(lines)).encode(
        x=alt.X(
            "second:N",
            title=second_name,
            scale=cell_scale(columns),
            axis=alt.Axis(
                labelAngle=0, ticks=False, orient="top", labelLimit=width // len(columns)
            ),
        ),
        y=alt.Y("first:N", title=first_name, scale=cell_scale(lines), axis=alt.Axis(ticks=False)),
        tooltip=[
            alt.Tooltip("first:N", title=first_name),
            alt.Tooltip("second:N", title=second_name),
            alt.Tooltip("n:Q", title=result.what, format=","),
            alt.Tooltip("share:Q", title="share of the row", format=".1%"),
        ],
    )
    return heat_map(plot, letters_px=FONT_PX - 1)

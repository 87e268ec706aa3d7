"""What one error scheme says where another says something else: a heat map of two schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from boxlens.report.charts.kinds import SCHEME_NAMES
from boxlens.report.charts.panels import cell, cell_scale, heat_map
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import FONT_PX, WIDTH, inline
from boxlens.wording import count, share

if TYPE_CHECKING:
    from boxlens.studies.diagnosis.crosswalk import Disagreement

ROW_PX = 28
COLUMN_PX = 66
MOST_WIDTH = WIDTH - 76


def crosswalk_chart(result: Disagreement) -> alt.LayerChart:
    """Counts, and shares of each row; labels that nothing has are not shown."""
    first_name, second_name = SCHEME_NAMES[result.first], SCHEME_NAMES[result.second]
    rows = [
        cell(
            n / sum(counts),
            [count(n), share(n / sum(counts))],
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

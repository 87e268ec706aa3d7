"""What figures of proposals share: a colour and a dash for every method, keys, panels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.colours import SERIES as COLOURS
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.forms.axes import to_a_tenth
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.system_lines import KEY_CHARACTERS
from boxlens.report.charts.theme import FONT_PX, SOFT_INK, fixed, inline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Of a figure across a page: two panels a line, and all of it.
PANEL_PX: Final = 300
PAGE_PX: Final = 640
# Those of detectors, and two more.
METHOD_COLOURS: Final = (*COLOURS, KINDS["dupe"].colour, KINDS["miss"].colour)
SWATCH_PX: Final = 18
LINE_PX: Final = 12
# Names of files are long in wide letters and underscores.
KEY_LETTER_PX: Final = 5.5


@dataclass(frozen=True, slots=True)
class LineStyle:
    """How the line of a method looks, in every figure."""

    colour: str
    dash: tuple[int, ...]


def line_encoding(styles: Mapping[str, LineStyle], field: str = "method") -> dict[str, Any]:
    """Colour and dash of the records' methods."""
    # Tuples: Altair copies lists anew for every layer and panel.
    names = tuple(styles)
    colours = alt.Scale(domain=names, range=tuple(one.colour for one in styles.values()))
    dashes = alt.Scale(domain=names, range=tuple(one.dash for one in styles.values()))
    return {
        "color": alt.Color(f"{field}:N", scale=colours, legend=None),
        "strokeDash": alt.StrokeDash(f"{field}:N", scale=dashes, legend=None),
    }


def method_marks(plot: alt.Chart, styles: Mapping[str, LineStyle]) -> list[alt.Chart]:
    """A line a method and a point a record; `plot` places them."""
    encoding = line_encoding(styles)
    return [
        plot.mark_line(strokeWidth=1.5, strokeJoin="round").encode(**encoding),
        plot.mark_point(filled=True, size=9, opacity=1).encode(color=encoding["color"]),
    ]


def method_key(styles: Mapping[str, LineStyle], *, width: int = PAGE_PX) -> list[alt.LayerChart]:
    """Samples of lines and their names, in columns; none where there is nothing to tell apart."""
    if len(styles) < 2:
        return []
    names = [short(name, KEY_CHARACTERS) for name in styles]
    longest = SWATCH_PX + KEY_LETTER_PX * max(map(len, names)) + 14
    n_columns = max(1, min(4, int(width // longest), len(names)))
    n_lines = -(-len(names) // n_columns)
    # Down the columns, so that the order can be followed.
    rows = [
        {
            "method": method,
            "text": name,
            "x": (at // n_lines) * width / n_columns,
            "y": LINE_PX * (at % n_lines + 0.5),
        }
        for at, (method, name) in enumerate(zip(styles, names, strict=True))
    ]
    samples = line_samples(rows, styles, width=width, height=LINE_PX * n_lines)
    return [alt.LayerChart(layer=samples)]


def line_samples(
    rows: Sequence[Mapping[str, Any]],
    styles: Mapping[str, LineStyle],
    *,
    width: int,
    height: int,
) -> list[alt.Chart]:
    """A short line and a `text` for each record, at its `x` and `y` in pixels."""
    placed = [{**row, "end": row["x"] + SWATCH_PX} for row in rows]
    plot = alt.Chart(inline(placed), width=width, height=height).encode(
        y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False))
    )
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False))
    return [
        plot.mark_rule(strokeWidth=2).encode(x=x, x2="end:Q", **line_encoding(styles)),
        plot.mark_text(align="left", baseline="middle", dx=SWATCH_PX + 5, color=SOFT_INK).encode(
            x=x, text="text:N"
        ),
    ]


def method_panels(
    styles: Mapping[str, LineStyle], panels: Sequence[alt.LayerChart]
) -> alt.VConcatChart:
    """Two panels a line, below the key."""
    gaps = alt.RowColnumber(row=12, column=16)
    grid = alt.concat(*panels, columns=2, spacing=gaps, align="each")
    return alt.vconcat(*method_key(styles), grid, spacing=8)


def recall_limit(values: Iterable[float]) -> float:
    """Where an axis of recall ends: the next tenth above all values; of small ones a twentieth."""
    return min(1.0, to_a_tenth(values)[1])


def above_panel(text: str) -> alt.Chart:
    """A layer above a panel of a grid, from where its plot begins.

    Titles of a line would not be level: labels that reach above their axis push them up.
    """
    return _above(text, 0, -5, align="left", fontSize=FONT_PX)


def column_heading(text: str, x: float) -> alt.Chart:
    """Above a column of a list beside a panel."""
    return _above(text, x, -2, align="right", fontSize=FONT_PX - 1)


def _above(text: str, x: float, y: float, **look: Any) -> alt.Chart:
    heading: alt.Chart = (
        alt.Chart(inline([{"text": text}]))
        .mark_text(baseline="bottom", color=SOFT_INK, **look)
        .encode(x=fixed(alt.XValue, x), y=fixed(alt.YValue, y), text="text:N")
    )
    return heading

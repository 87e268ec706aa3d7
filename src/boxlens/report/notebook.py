"""A result in a notebook: a compact table and one figure, without scripts; and all its figures."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Any

import vl_convert
from altair.utils.schemapi import debug_mode

from boxlens.errors import ParameterError
from boxlens.report.charts.export import chart_json
from boxlens.report.notebook_summaries import SUMMARIES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from altair.typing import ChartType

    from boxlens.display import Displayed
    from boxlens.report.notebook_summary import Summary
    from boxlens.report.pages.markup import Cell
    from boxlens.report.planning.figure_plan import Figure

# Colours are those of the page around it, light or dark; a sheet of styles would reach other cells.
BOX = "display:flow-root;max-width:72em;font-size:13px;line-height:1.4"
# Table and figure beside each other, where there is room.
SIDES = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 2em"
SIDE = "flex:1 1 26em;max-width:max-content;min-width:0;overflow-x:auto"
SOFT = "opacity:.7"
TABLE = "border-collapse:collapse;margin:.6em 0;font-size:12px;font-variant-numeric:tabular-nums"
EDGE = "border:0;border-bottom:1px solid rgba(128,128,128,.35);padding:2px 10px 2px 0"
# The figure keeps its white ground, also on a dark page.
FIGURE = "background:#fff;border-radius:4px;max-width:100%;margin:.6em 0"


def figures(result: Displayed) -> dict[str, ChartType]:
    """Every figure of a result by its name, as Altair charts: returned, not shown."""
    # Their parts are checked in the tests; here it would take as long as drawing.
    with debug_mode(False):
        return {one.name: one.draw() for one in _figures_of(result)}


def html_of(result: Displayed) -> str:
    """What a notebook shows; everything from files is escaped."""
    summary = _summary_of(result)(result)
    drawn = _drawn(summary, _figures_of(result))
    lead = f'<div style="margin-top:.3em">{escape(summary.lead)}</div>' if summary.lead else ""
    return (
        f'<div style="{BOX}"><div><strong>{escape(summary.title)}</strong> '
        f'<span style="{SOFT}">{escape(summary.about)}</span></div>{lead}'
        f'<div style="{SIDES}">{_table(summary)}{drawn}</div></div>'
    )


def _summary_of(result: Displayed) -> Callable[[Any], Summary]:
    name = type(result).__name__
    if name not in SUMMARIES:
        raise ParameterError(f"expected the result of a verb, got {name}")
    return SUMMARIES[name].summary


def _figures_of(result: Displayed) -> Sequence[Figure]:
    name = type(result).__name__
    if name not in SUMMARIES:
        raise ParameterError(f"figures are those of the result of a verb, got {name}")
    found: Sequence[Figure] = SUMMARIES[name].figures(result)
    return found


def _table(summary: Summary) -> str:
    if not summary.rows:
        return ""
    numeric = [all(row[at].numeric for row in summary.rows) for at in range(len(summary.headings))]
    head = "".join(
        _cell("th", text, right=right)
        for text, right in zip(summary.headings, numeric, strict=True)
    )
    body = "".join(f"<tr>{_row(row, numeric)}</tr>" for row in summary.rows)
    more = f'<div style="{SOFT}">{escape(summary.more)}</div>' if summary.more else ""
    return (
        f'<div style="{SIDE}"><table style="{TABLE}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{more}</div>"
    )


def _row(row: Sequence[Cell], numeric: Sequence[bool]) -> str:
    return "".join(
        _cell("td", cell.text, right=right) for cell, right in zip(row, numeric, strict=True)
    )


def _cell(tag: str, text: str, *, right: bool) -> str:
    side = "right" if right else "left"
    return f'<{tag} style="{EDGE};text-align:{side};background:none">{escape(text)}</{tag}>'


def _drawn(summary: Summary, plan: Sequence[Figure]) -> str:
    """As a picture that carries itself: nothing is run, and nothing is fetched."""
    main = next((one for one in plan if one.name.startswith(summary.figure)), None)
    if main is None or not summary.figure:
        return ""
    with debug_mode(False):
        spec = chart_json(main.draw())
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    data = b64encode(svg.encode()).decode()
    alt = escape(f"{main.title}: {summary.title}. {main.reading}", quote=True)
    return f'<img alt="{alt}" style="{FIGURE}" src="data:image/svg+xml;base64,{data}">'

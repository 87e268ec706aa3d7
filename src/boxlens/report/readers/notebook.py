"""A result in a notebook: a compact table and one figure, without scripts; and all its figures."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Any, cast

import vl_convert

from boxlens.display import Displayed
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.described import describe
from boxlens.report.readers.figures import drawn_plots, main_plot, spec_of
from boxlens.report.study import Column, Study, Table

if TYPE_CHECKING:
    from altair.typing import ChartType

MOST_ROWS = 12
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
    """Every figure of a `result` by its name, as Altair charts: returned, not shown.

    >>> list(figures(evaluate(gt, dt)))
    ['class_scores']
    """
    return {one.name: _in_altair(spec_of(one)) for one in drawn_plots(describe(result))}


def _in_altair(spec: Spec) -> ChartType:
    import altair as alt

    kinds: dict[str, Any] = {
        "layer": alt.LayerChart,
        "hconcat": alt.HConcatChart,
        "vconcat": alt.VConcatChart,
        "concat": alt.ConcatChart,
    }
    kind = next((kind for name, kind in kinds.items() if name in spec), alt.Chart)
    return cast("ChartType", kind.from_dict(spec, validate=False))


def html_of(result: Displayed) -> str:
    """What a notebook shows of a result."""
    return study_html(describe(result))


def study_html(study: Study) -> str:
    """Everything from files is escaped."""
    lead = escape(" ".join(study.sentences))
    shown = f'<div style="margin-top:.3em">{lead}</div>' if lead else ""
    return (
        f'<div style="{BOX}"><div><strong>{escape(study.title)} on {escape(study.data)}</strong> '
        f'<span style="{SOFT}">{escape(", ".join(study.facts))}</span></div>{shown}'
        f'<div style="{SIDES}">{_main_table(study)}{_main_plot(study)}</div></div>'
    )


def _main_table(study: Study) -> str:
    shown = (one for one in study.tables() if one.caption and one.rows)
    return next((table_html(one) for one in shown if study.main_table in ("", one.caption)), "")


def table_html(table: Table[Any]) -> str:
    rows = table.rows if table.brief is None else table.brief
    head = "".join(_cell("th", one.heading, one) for one in table.leading)
    body = "".join(
        f"<tr>{''.join(_cell('td', one.text(row), one) for one in table.leading)}</tr>"
        for row in rows[:MOST_ROWS]
    )
    n_more = len(table.rows) - len(rows[:MOST_ROWS])
    more = f'<div style="{SOFT}">and {n_more:,} more</div>' if n_more else ""
    return (
        f'<div style="{SIDE}"><table style="{TABLE}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{more}</div>"
    )


def _cell(tag: str, text: str, column: Column[Any]) -> str:
    side = "right" if column.form.numeric else "left"
    return f'<{tag} style="{EDGE};text-align:{side};background:none">{escape(text)}</{tag}>'


def _main_plot(study: Study) -> str:
    """As a picture that carries itself: nothing is run, and nothing is fetched."""
    if (main := main_plot(study)) is None:
        return ""
    # Letters of the page may be wider than those that places were made for.
    spec = {**spec_of(main), "padding": 16}
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    data = b64encode(svg.encode()).decode()
    alt = escape(f"{main.title}: {study.title}. {main.reading}", quote=True)
    return f'<img alt="{alt}" style="{FIGURE}" src="data:image/svg+xml;base64,{data}">'

"""Detectors from best to worst with intervals, and letters of those that cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.report.charts.colours import DARK_BLUE, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.forms.tables import table_columns, table_rows

if TYPE_CHECKING:
    from boxlens.report.charts.forms.layers import Spec
    from boxlens.report.study import Table


def league_chart(table: Table[Any], metric: str) -> Spec:
    """One row per detector, the best first."""
    rows = table_rows(table, row="detector", value=metric, low="low", high="high")
    ends = around(row[key] for row in rows for key in ("value", "low", "high"))
    return name_rows(
        rows,
        Names.of([row["row"] for row in rows], characters=22),
        Axis(metric, ends, ticks=4),
        spans(color=SOFT_INK),
        dots("value", size=44, color=DARK_BLUE),
        width=140,
        columns=table_columns(table, "detector", metric, "group"),
    )

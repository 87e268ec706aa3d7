"""A search for settings: average recall trial by trial, and against every setting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from boxlens.report.charts.colours import FIRST, NEUTRAL, SECOND, SOFT_INK
from boxlens.report.charts.forms.axes import COUNTS, Axis, around, round_powers, round_steps
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, lines, rule_at
from boxlens.report.charts.forms.panels import below, grid, plot
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.study import Table
from boxlens.studies.proposals.tuning.result import ProposalTuningResult, Trial

# Settings that span more than this factor are drawn by their logarithm.
LOGARITHMIC_FROM: Final = 8
# Colour and size.
KINDS: Final = {"tried": (NEUTRAL, 16), "before": (SECOND, 44), "best": (FIRST, 44)}


def tuning_trials_chart(result: ProposalTuningResult, table: Table[Trial]) -> Spec:
    """In the order they were tried; the line is the best so far."""
    rows = _rows(result, table)
    in_order = sorted(rows, key=lambda row: row["number"])
    best = accumulate((row["ar"] for row in in_order), max)
    so_far = [{"number": row["number"], "ar": ar} for row, ar in zip(in_order, best, strict=True)]
    # A few places more than there are trials, so that labels are whole numbers.
    last = max(in_order[-1]["number"], 4) + 0.5
    panel = plot(
        rows,
        Axis("trial", (-0.5, last), ticks=8, form=COUNTS, grid=False),
        Axis("AR", around(row["ar"] for row in rows)),
        *rule_at(in_order[0]["ar"], color=SECOND, strokeDash=[4, 3], strokeWidth=1),
        lines("ar", steps="after", rows=so_far, color=SOFT_INK, strokeWidth=1.25),
        dots("ar", size=0, opacity=0.9),
        along="number",
        width=480,
        height=240,
    )
    return below(*_key(rows), panel, gap=6)


def tuning_settings_chart(
    result: ProposalTuningResult, table: Table[Trial], settings: Sequence[str]
) -> Spec:
    """One panel per setting."""
    rows = _rows(result, table)
    panels = [_setting_panel(rows, name, labels=at % 3 == 0) for at, name in enumerate(settings)]
    return grid(panels, 3, above=_key(rows), gap=18)


def _setting_panel(rows: Sequence[Row], name: str, *, labels: bool) -> Spec:
    field = f"setting {name}"
    values = [row[field] for row in rows if row[field] is not None]
    low, high = min(values), max(values)
    log = low > 0 and high / low > LOGARITHMIC_FROM
    return plot(
        rows,
        Axis(
            ends=(low / 1.1, high * 1.1) if log else around(values),
            values=round_powers(low, high) if log else round_steps(low, high),
            kind="log" if log else "linear",
            grid=False,
        ),
        Axis("AR" * labels, around(row["ar"] for row in rows), ticks=4, labels=labels),
        dots("ar", size=0, opacity=0.9),
        along=field,
        title=name,
        width=180,
        height=130,
        framed=True,
    )


def _rows(result: ProposalTuningResult, table: Table[Trial]) -> list[Row]:
    """Trials with a number; what is drawn last lies on top."""
    kinds = {result.trials[0].number: "before", result.trials[result.best].number: "best"}
    settings = {f"setting {name}": f"setting_{name}" for name in result.trials[0].settings}
    rows = [
        {**row, "kind": kind, "colour": KINDS[kind][0], "size": KINDS[kind][1]}
        for row in table_rows(table, number="trial", ar="AR", **settings)
        for kind in [kinds.get(row["number"], "tried")]
        if not math.isnan(row["ar"])
    ]
    return sorted(rows, key=lambda row: list(KINDS).index(row["kind"]))


def _key(rows: Sequence[Row]) -> list[Spec]:
    kinds = {row["kind"] for row in rows}
    return key({kind: KINDS[kind][0] for kind in reversed(KINDS) if kind in kinds}, width=480)

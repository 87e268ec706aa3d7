"""What fixing errors adds to AP: by TIDE and Borji alone, one after the other, in every order.

Borji and Iranmanesh's steps from AP to 1 are METHODS 4.5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from boxlens.report.charts.colours import INK, NEUTRAL, PALE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import bars, dots, hollow_dots, ticks
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.forms.steps import waterfall
from boxlens.report.charts.kinds import SCHEME_NAMES, kind_of
from boxlens.report.charts.selecting import scheme_picks
from boxlens.report.study import (
    CHANGE,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    columns_of,
    table_of,
)
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.borji import STEPS, BorjiResult
from boxlens.studies.diagnosis.crosswalk import RIGHT
from boxlens.studies.diagnosis.orders import RepairGain
from boxlens.wording import change, score, share

GAINS = ("first", "last", "lowest", "highest", "mean")
# Borji's steps, and what each does.
STEP_WORDS = {
    "start": ("AP now", "as it is"),
    "background": ("background", "removed"),
    "localization": ("placement", "corrected"),
    "duplicate": ("leftovers", "removed"),
    "miss": ("missed", "found"),
}


def section(result: DiagnosisResult, about: str) -> Section:
    return Section(
        "repairs",
        "Fixes",
        (*order_plots(result, about), _steps_table(result.borji), _orders_table(result)),
        reading="AP gained by fixing each kind of error, alone and after others.",
        guide="diagnose",
        findings=tuple(row.sentence for row in result.verdict.findings),
    )


def order_plots(result: DiagnosisResult, about: str) -> Iterator[Plot]:
    if math.isnan(result.borji.ap[0]):
        absent = "AP is undefined without objects"
        yield Plot("", "AP gained by fixes", "", dict, absent=absent)
        return
    yield _orders_plot(
        "repair_orders",
        "AP gained by each fix depends on what was fixed before",
        "A short bar is a conclusion that holds in any order; a long one depends on what else is "
        "fixed.",
        about,
        "tide",
        result.tide.orders,
    )
    yield Plot(
        "waterfall",
        "From AP to 1, fixing one kind of error after another",
        "The highest step is the largest loss in this one order; the figure of orders shows "
        "whether it stays the largest in others.",
        partial(_waterfall, result.borji),
        legend="Each step keeps the fixes before it: heights depend on the order. Leftovers: "
        "duplicates, and boxes that were moved without effect.",
        about=about,
    )
    yield _orders_plot(
        "repair_orders_borji",
        "Borji's steps in every order",
        "Where one step adds most in all orders, the conclusion does not rest on the sequence.",
        about,
        "borji",
        result.borji.orders,
    )


def _orders_plot(
    name: str, title: str, reading: str, about: str, scheme: str, orders: Sequence[RepairGain]
) -> Plot:
    return Plot(
        name,
        title,
        reading,
        partial(_orders, scheme, orders),
        legend="Bar: lowest to highest over all orders. Filled: fixed first, hollow: last. "
        "Stroke: mean. Right: orders in which it adds most.",
        about=f"{SCHEME_NAMES[scheme]}: {about}",
        absent="" if any(row.highest > 0 for row in orders) else "no fix adds anything",
    )


def _orders(scheme: str, orders: Sequence[RepairGain]) -> Spec:
    by_label = {kind_of(row.name).label: row for row in orders}
    rows = []
    for label, row in by_label.items():
        gains = {name: getattr(row, name) for name in GAINS}
        tip = {"fix": label, **{name: change(gain) for name, gain in gains.items()}}
        look = {"colour": kind_of(row.name).colour, "tip": tip}
        rows.append({"row": label, **gains, **look, **scheme_picks(scheme, label, row.name)})
    return name_rows(
        rows,
        # The names keep clear of a mark at 0.
        Names.of(by_label, px=22, more={"labelPadding": 9}),
        Axis("AP gained"),
        bars("highest", "lowest", color=PALE, height=9),
        ticks("mean", color=INK, height=15),
        dots("first", size=42),
        hollow_dots("last", size=36),
        width=172,
        columns={"adds most": {label: share(row.share_largest) for label, row in by_label.items()}},
    )


def _waterfall(result: BorjiResult) -> Spec:
    """Four fixes one after the other, each on top of those before; first what is right now."""
    rows = []
    for name, before, after in zip(STEPS, (0.0, *result.ap), result.ap, strict=False):
        now = name == "start"
        label, errors = (RIGHT, RIGHT) if now else (STEP_WORDS[name][0], name)
        colour = NEUTRAL if now else kind_of(name).colour
        text = score(after) if now else change(after - before)
        bar = {"row": name, "from": before, "to": after, "colour": colour, "text": text}
        step = ", ".join(STEP_WORDS[name])
        tip = {"step": step, "AP gained": change(after - before), "AP then": score(after)}
        rows.append({**bar, "tip": tip, **scheme_picks("borji", label, errors)})
    return waterfall(
        rows,
        Names(STEP_WORDS, px=60),
        Axis("AP", (0, 1.08), values=(0, 0.25, 0.5, 0.75, 1)),
        width=130,
        upright=True,
    )


def _steps_table(result: BorjiResult) -> Table[Any]:
    mean = {row.name: row.mean for row in result.orders}
    return table_of(
        "",
        "AP after each of Borji's steps",
        {"step": TEXT, "AP after it": SCORE, "over all orders": CHANGE},
        (
            (", ".join(STEP_WORDS[step]), ap, mean.get(step))
            for step, ap in zip(STEPS, result.ap, strict=True)
        ),
    )


def _orders_table(result: DiagnosisResult) -> Table[tuple[str, RepairGain]]:
    orders: dict[str, Sequence[RepairGain]] = {
        "hoiem": result.hoiem.orders,
        "tide": result.tide.orders,
        "borji": result.borji.orders,
    }
    return Table(
        "orders",
        "AP gained by each fix, over all orders of the fixes of a scheme",
        [(scheme, row) for scheme, rows in orders.items() for row in rows],
        [
            Column("", "scheme", lambda row: SCHEME_NAMES[row[0]], TEXT),
            Column("", "fix", lambda row: kind_of(row[1].name).label, TEXT),
            Column("scheme", "", lambda row: row[0], TEXT),
            Column("repair", "", lambda row: row[1].name, TEXT),
            *columns_of(
                GAINS, lambda row, name: getattr(row[1], name), CHANGE, key=str, heading=str
            ),
            Column("share_largest", "adds most in", lambda row: row[1].share_largest, SHARE),
        ],
        detail=True,
    )

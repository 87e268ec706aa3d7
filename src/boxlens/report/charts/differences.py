"""Two detectors side by side: the difference of every metric, class and group of objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from boxlens.report.charts.colours import FIRST, INK, PALE, SECOND, UNDECIDED
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.marks import bars, dots, hollow_dots, note, rule_at, spans
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.charts.selecting import picks
from boxlens.wording import change, count, p_value, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.report.study import Table

# Columns of the tables that are drawn.
ENDS: Final = {"value": "difference", "low": "low", "high": "high"}
WIDTH: Final = 148
ROW_PX: Final = 18
SMALL_ROW_PX: Final = 13
# Left and right of zero, even where no difference lies there.
LEAST_SIDE: Final = 0.12
# Below the rows: ticks, their labels and the title of the axis.
SIDES_PX: Final = 50


def differences_chart(table: Table[Any], names: tuple[str, str], *, alpha: float) -> Spec:
    """One row per metric; the band is what would probably not be shown."""
    rows = table_rows(table, name="metric", p="p_holm", detectable="detectable", **ENDS)
    for row in rows:
        row |= {
            "colour": _colour(row["value"], decided=row["p"] < alpha),
            "undetectable": -row["detectable"],
            "beside": p_value(row["p"]),
        }
    return _forest(rows, names, "difference", "p", ROW_PX)


def class_differences_chart(table: Table[Any], names: tuple[str, str], *, alpha: float) -> Spec:
    """One row per class."""
    rows = table_rows(table, name="class", p="p_holm", n="n_objects", **ENDS)
    for row in rows:
        row |= {
            "colour": _colour(row["value"], decided=row["p"] < alpha),
            "beside": count(row["n"]),
            **picks(row["name"], None, of="objects", terms={"class": row["name"]}),
        }
    return _forest(rows, names, "difference in AP", "objects", SMALL_ROW_PX)


def strengths_chart(table: Table[Any], others: Sequence[float], names: tuple[str, str]) -> Spec:
    """One row per group of objects; hollow: the `others`, by the other choice of detections."""
    channels = {"kind": "characteristic", "of": "value", "n": "n_objects", "leader": "leader"}
    rows = table_rows(table, **{**ENDS, **channels})
    for row, other in zip(rows, others, strict=True):
        row |= {
            "name": row["of"] if row["kind"] == "all" else f"{row['kind']}: {row['of']}",
            "colour": _colour(row["value"], decided=row["leader"] is not None),
            "other": other,
            "beside": count(row["n"]),
        }
    return _forest(rows, names, "difference in recall", "objects", SMALL_ROW_PX)


def _colour(value: float, *, decided: bool) -> str:
    """Of the better one, where chance would not give the difference."""
    return (FIRST if value > 0 else SECOND) if decided else UNDECIDED


def _forest(
    found: Sequence[Row], names: tuple[str, str], unit: str, beside: str, row_px: int
) -> Spec:
    """Dots with intervals around zero; who is better stands at either side of it."""
    # By place, since two classes may be called alike.
    rows = [{**row, "row": str(at)} for at, row in enumerate(found)]
    low, high = _ends(rows)
    across = Axis(unit, (low, high))
    zero_px, below_px = across.share(0) * WIDTH, row_px * len(rows) + SIDES_PX
    return name_rows(
        rows,
        Names({row["row"]: row["name"] for row in rows}, px=row_px),
        across,
        bars("detectable", "undetectable", color=PALE, opacity=0.55, height=row_px),
        *rule_at(0, color=INK),
        spans(),
        dots("value"),
        hollow_dots("other", size=18),
        note(f"← {short(names[1])} better", zero_px - 5, below_px, align="right", color=SECOND),
        note(f"{short(names[0])} better →", zero_px + 5, below_px, color=FIRST),
        width=WIDTH,
        columns={
            "differ.": {row["row"]: change(row["value"]) for row in rows},
            beside: {row["row"]: row["beside"] for row in rows},
        },
    )


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    """With zero inside, and some room to either side of it."""
    keys = ("value", "low", "high", "other", "detectable", "undetectable")
    low, high = around([0.0, *(row.get(key, math.nan) for row in rows for key in keys)])
    room = LEAST_SIDE * (high - low)
    return min(low, -room), max(high, room)

"""Two detectors side by side: the difference of every metric, class and group of objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from boxlens.report.charts.colours import FIRST, INK, PALE, SECOND, UNDECIDED
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.marks import bars, dots, hollow_dots, note, rule_at, spans
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.selecting import picks
from boxlens.wording import change, count, interval, p_value, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.metrics.intervals import Interval
    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.comparison.paired import ClassPair, PairResult
    from boxlens.studies.comparison.together.strengths import Group

WIDTH: Final = 148
ROW_PX: Final = 18
SMALL_ROW_PX: Final = 13
# Left and right of zero, even where no difference lies there.
LEAST_SIDE: Final = 0.12
# Below the rows: ticks, their labels and the title of the axis.
SIDES_PX: Final = 50


def differences_chart(pairs: Sequence[PairResult], names: tuple[str, str], *, alpha: float) -> Spec:
    """One row per metric; the band is what would probably not be shown."""
    rows = [
        {
            **_row(one.metric, one.difference, decided=one.p_holm < alpha),
            "detectable": one.detectable,
            "undetectable": -one.detectable,
            "beside": p_value(one.p_holm),
            "tested": f"p {p_value(one.p_holm)} by resampling, {p_value(one.p_permutation)} by "
            "exchange",
        }
        for one in pairs
    ]
    return _forest(rows, names, "difference", "p", ROW_PX)


def class_differences_chart(
    classes: Sequence[ClassPair], names: tuple[str, str], *, alpha: float
) -> Spec:
    """One row per class."""
    rows = [
        {
            **_row(one.name, one.difference, decided=one.p_holm < alpha),
            "beside": count(one.n_objects),
            "tested": f"p {p_value(one.p)}, adjusted {p_value(one.p_holm)}",
            **picks(one.name, None, of="objects", terms={"class": one.name}),
        }
        for one in classes
    ]
    return _forest(rows, names, "difference in AP", "objects", SMALL_ROW_PX)


def strengths_chart(groups: Sequence[Group], names: tuple[str, str]) -> Spec:
    """One row per group of objects; hollow: by the other choice of detections."""
    rows = []
    for one in groups:
        tested, kind = one.tested, one.characteristic
        rows.append(
            {
                "name": one.value if kind == "all" else f"{kind}: {one.value}",
                "value": tested.difference,
                "low": tested.low,
                "high": tested.high,
                "colour": _colour(tested.difference, decided=tested.leader is not None),
                "other": one.other.difference,
                "beside": count(one.n_objects),
                "tested": f"only first {tested.only_first:,}, only second {tested.only_second:,}, "
                f"both {tested.both:,}, neither {tested.neither:,}; adjusted p "
                f"{p_value(tested.p_holm)}",
            }
        )
    return _forest(rows, names, "difference in recall", "objects", SMALL_ROW_PX)


def _row(name: str, found: Interval, *, decided: bool) -> Row:
    ends = {"value": found.value, "low": found.low, "high": found.high}
    return {"name": name, **ends, "colour": _colour(found.value, decided=decided)}


def _colour(value: float, *, decided: bool) -> str:
    """Of the better one, where chance would not give the difference."""
    return (FIRST if value > 0 else SECOND) if decided else UNDECIDED


def _forest(
    found: Sequence[Row], names: tuple[str, str], unit: str, beside: str, row_px: int
) -> Spec:
    """Dots with intervals around zero; who is better stands at either side of it."""
    # By place, since two classes may be called alike.
    rows = [{**row, "row": str(at), "tip": _tip(row)} for at, row in enumerate(found)]
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


def _tip(row: Row) -> dict[str, str]:
    return {
        "of": row["name"],
        "difference": change(row["value"]),
        "interval": interval(row["low"], row["high"]),
        "tested": row["tested"],
    }


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    """With zero inside, and some room to either side of it."""
    keys = ("value", "low", "high", "other", "detectable", "undetectable")
    low, high = around([0.0, *(row.get(key, math.nan) for row in rows for key in keys)])
    room = LEAST_SIDE * (high - low)
    return min(low, -room), max(high, room)

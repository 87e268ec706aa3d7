"""Detectors side by side: best to worst, the difference of every two, and all of them together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from boxlens.report.charts.colours import (
    BLACK,
    DARK_BLUE,
    FIRST,
    GREEN,
    INK,
    NEUTRAL,
    PALE,
    SECOND,
    SOFT_INK,
    UNDECIDED,
)
from boxlens.report.charts.forms.axes import COUNTS, Axis, Names, around, from_zero
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bars, dots, hollow_dots, note, rule_at, spans, ticks
from boxlens.report.charts.forms.panels import below, name_rows
from boxlens.report.charts.forms.tables import table_columns, table_rows
from boxlens.report.charts.selecting import picks
from boxlens.report.study import Table
from boxlens.studies.comparison.together.joint_bound import Found, JointBoundResult
from boxlens.studies.comparison.together.merged_rankings import MergedAp
from boxlens.wording import change, count, p_value, score, share, short

# Columns of the tables that are drawn.
ENDS: Final = {"value": "difference", "low": "low", "high": "high"}
WIDTH: Final = 148
ROW_PX: Final = 18
SMALL_ROW_PX: Final = 13
# Left and right of zero, even where no difference lies there.
LEAST_SIDE: Final = 0.12
# Below the rows: ticks, their labels and the title of the axis.
SIDES_PX: Final = 50
TOGETHER: Final = GREEN


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


def joint_chart(result: JointBoundResult, *, most: int) -> Spec:
    """AP alone and combined above, objects by who finds them below; `most` detectors."""
    reached, n = _reached(result.rankings, most), result.found.n_objects
    found = _finders(result.found, result.detectors, most)
    objects = {
        "objects": {row["row"]: count(row["value"]) for row in found},
        "share": {row["row"]: share(row["value"] / n) for row in found},
    }
    ap = {"AP": {row["row"]: score(row["value"]) for row in reached}}
    return below(
        _together(reached, Axis("AP", _from_zero(reached), ticks=4), "AP alone and combined", ap),
        _together(
            found,
            Axis("objects", _from_zero(found), ticks=4, form=COUNTS),
            "objects by who finds them",
            objects,
        ),
        gap=12,
    )


def _reached(rankings: MergedAp, most: int) -> list[Row]:
    single, colours = rankings.single, _colours(len(rankings.single))
    order = sorted(range(len(single)), key=lambda row: -single[row].metrics["AP"])
    best, chosen = order[0], rankings.chosen.metrics["AP"]
    hits, aligned = rankings.with_hits[best], rankings.with_hits_aligned[best]
    return [
        *(
            _bar(single[row].name, single[row].metrics["AP"], colours[row])
            for row in sorted(order[:most])
        ),
        _bar("better in each image", chosen, NEUTRAL, rankings.chosen_aligned.metrics["AP"]),
        _bar(
            f"{single[best].name} + hits", hits.metrics["AP"], colours[best], aligned.metrics["AP"]
        ),
        _bar("together, at most", rankings.joint()["AP"], TOGETHER),
    ]


def _finders(found: Found, detectors: Sequence[str], most: int) -> list[Row]:
    colours = _colours(len(detectors))
    shown = sorted(range(len(detectors)), key=lambda row: -found.only[row])[:most]
    if len(detectors) > most:
        shown = [row for row in shown if found.only[row]]
    rows = [_bar(f"only {detectors[row]}", found.only[row], colours[row]) for row in sorted(shown)]
    if len(detectors) == 2:
        rows.append(_bar("both", found.all, TOGETHER))
    else:
        several = found.any - found.all - sum(found.only)
        rows += [_bar("several, not all", several, NEUTRAL), _bar("all", found.all, TOGETHER)]
    return [*rows, _bar("none", found.none, BLACK)]


def _colours(n: int) -> list[str]:
    return [FIRST, SECOND] if n == 2 else [NEUTRAL] * n


def _bar(name: str, value: float, colour: str, aligned: float | None = None) -> Row:
    told = {"who": name, "value": count(value) if isinstance(value, int) else score(value)}
    if aligned is not None:
        told["scores aligned"] = score(aligned)
    return {"row": name, "value": value, "colour": colour, "aligned": aligned, "tip": told}


def _from_zero(rows: Sequence[Row]) -> tuple[float, float]:
    return from_zero(row[key] for row in rows for key in ("value", "aligned"))


def _together(
    rows: Sequence[Row], across: Axis, title: str, columns: Mapping[str, Mapping[str, str]]
) -> Spec:
    return name_rows(
        rows,
        Names.of([row["row"] for row in rows], characters=25),
        across,
        bars("value", height=11),
        ticks("aligned", color=INK, height=13),
        width=150,
        title=title,
        columns=columns,
    )

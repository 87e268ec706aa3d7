"""Who finds what: difference of recall by size and attribute of objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.detector_pair import p_text, signed
from boxlens.report.charts.forest import ForestRow, forest
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import WIDTH, decimal, themed, threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from boxlens.comparison.together.strengths import Group, StrengthsResult

MOST_GROUPS = 30
ROW_PX = 13


def strengths_chart(result: StrengthsResult, *, about: str = "") -> alt.HConcatChart | alt.Chart:
    """A row a group; classes have a figure of their own."""
    title = "Who finds what"
    groups = [row for row in result.groups if row.characteristic != "class"]
    if math.isnan(result.overall.tested.difference):
        empty = message("no objects count", width=WIDTH, height=ROW_PX * 6)
        return themed(empty, title=title, about=about)
    shown = _widest(groups)
    rows = [_row(result.overall, "all objects")]
    rows += [_row(group, f"{group.characteristic}: {group.value}") for group in shown]
    return themed(
        forest(
            rows,
            (result.first, result.second),
            unit="difference in recall",
            headings=("differ.", "objects"),
            row_px=ROW_PX,
        ),
        title=title,
        about=about,
        reading=_reading(result, n_groups=len(groups), n_shown=len(shown)),
    )


def _row(group: Group, name: str) -> ForestRow:
    tested = group.tested
    return ForestRow(
        name=name,
        value=tested.difference,
        low=tested.low,
        high=tested.high,
        decided=tested.leader is not None,
        columns=(signed(tested.difference), f"{group.n_objects:,}"),
        other=group.other.difference,
        about=(
            f"only first {tested.only_first:,}, only second {tested.only_second:,}, both "
            f"{tested.both:,}, neither {tested.neither:,}; adjusted p {p_text(tested.p_holm)}"
        ),
    )


def _widest(groups: Sequence[Group]) -> list[Group]:
    """The clearest where there are many, in the order of their characteristics."""
    clearest = sorted(groups, key=lambda row: (_or_last(row.tested.p), -abs(row.tested.difference)))
    kept = {id(row) for row in clearest[:MOST_GROUPS]}
    return [row for row in groups if id(row) in kept]


def _or_last(p: float) -> float:
    return math.inf if math.isnan(p) else p


def _reading(result: StrengthsResult, *, n_groups: int, n_shown: int) -> str:
    first, second = (decimal(cut) for cut in result.min_score)
    above, all_scores = f"detections above the score cuts ({first}, {second})", "of any score"
    filled, hollow = above, f"detections {all_scores}"
    if result.overall.tested_by == "ranked":
        filled, hollow = hollow, above
    text = (
        f"Filled, with interval: {filled}, IoU {threshold(result.iou)}. Hollow: {hollow}. "
        f"Coloured: p below {decimal(1 - result.level, 2)} after Holm's adjustment."
    )
    if n_shown < n_groups:
        text += f" Of {n_groups} groups the {n_shown} with the smallest p."
    return text

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
    if math.isnan(result.overall.cut.difference):
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
    cut = group.cut
    return ForestRow(
        name=name,
        value=cut.difference,
        low=cut.low,
        high=cut.high,
        decided=cut.leader is not None,
        columns=(signed(cut.difference), f"{group.n_objects:,}"),
        other=group.ranked.difference,
        about=(
            f"only first {cut.only_first:,}, only second {cut.only_second:,}, both {cut.both:,}, "
            f"neither {cut.neither:,}; adjusted p {p_text(cut.p_holm)}"
        ),
    )


def _widest(groups: Sequence[Group]) -> list[Group]:
    """The clearest where there are many, in the order of their characteristics."""
    clearest = sorted(groups, key=lambda row: (_or_last(row.cut.p), -abs(row.cut.difference)))
    kept = {id(row) for row in clearest[:MOST_GROUPS]}
    return [row for row in groups if id(row) in kept]


def _or_last(p: float) -> float:
    return math.inf if math.isnan(p) else p


def _reading(result: StrengthsResult, *, n_groups: int, n_shown: int) -> str:
    first, second = (decimal(cut) for cut in result.min_score)
    text = (
        f"Filled, with interval: detections above the score cuts ({first}, {second}), IoU "
        f"{threshold(result.iou)}. Hollow: detections of any score. Coloured: p below "
        f"{decimal(1 - result.level, 2)} after Holm's adjustment."
    )
    if n_shown < n_groups:
        text += f" Of {n_groups} groups the {n_shown} with the smallest p."
    return text

"""Which objects one of two detectors finds and the other misses, group by group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.described.comparison.pairs import ENDS, colour_of, forest, interval_heading
from boxlens.report.study import CHANGE, COUNT, P_VALUE, TEXT, Column, Plot, Table, interval_columns
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.studies.comparison.together.strengths import Group, Outcome, StrengthsResult
from boxlens.wording import number, score

# Of a figure.
MOST_GROUPS = 30


class _Finding(NamedTuple):
    of: StrengthsResult
    group: Group
    reading: str
    outcome: Outcome


def all_strengths(result: ComparisonResult) -> Table[_Finding]:
    """All objects and every group, with detections of any score and above the score cuts."""
    rows = [
        _Finding(one, group, reading, outcome)
        for one in result.strengths
        for group in (one.overall, *one.groups)
        for reading, outcome in (("ranked", group.ranked), ("cut", group.cut))
    ]
    return Table("strengths", "", rows, _columns(result, ("", "")))


def strengths_table(
    result: ComparisonResult, pair: LeadingPair, groups: Sequence[Group]
) -> Table[_Finding]:
    one = pair.strengths
    which = "above the score cuts" if one.overall.tested_by == "cut" else "detections of any score"
    return Table(
        "",
        f"Objects found by group ({which}): {' - '.join(pair.names)}",
        [_Finding(one, row, row.tested_by, row.tested) for row in (one.overall, *groups)],
        _columns(result, pair.names),
        folded=True,
        detail=True,
    )


def _columns(result: ComparisonResult, names: tuple[str, str]) -> list[Column[_Finding]]:
    first, second = names
    return [
        Column("a", "", lambda row: row.of.first, TEXT),
        Column("b", "", lambda row: row.of.second, TEXT),
        Column("characteristic", "by", lambda row: row.group.characteristic, TEXT),
        Column("value", "value", lambda row: row.group.value, TEXT),
        Column("n_objects", "objects", lambda row: row.group.n_objects, COUNT),
        Column("n_images", "images", lambda row: row.group.n_images, COUNT, further=True),
        Column("reading", "", lambda row: row.reading, TEXT),
        Column("only_first", f"only {first}", lambda row: row.outcome.only_first, COUNT),
        Column("only_second", f"only {second}", lambda row: row.outcome.only_second, COUNT),
        Column("both", "both", lambda row: row.outcome.both, COUNT),
        Column("neither", "neither", lambda row: row.outcome.neither, COUNT),
        Column("difference", "recall difference", lambda row: row.outcome.difference, CHANGE),
        *interval_columns(
            lambda row: (row.outcome.low, row.outcome.high), interval_heading(result)
        ),
        Column("p", "p", lambda row: row.outcome.p, P_VALUE, further=True),
        Column("p_holm", "p adjusted", lambda row: row.outcome.p_holm, P_VALUE),
        Column("leader", "leads", lambda row: row.outcome.leader, TEXT),
    ]


def strengths_plot(result: ComparisonResult, pair: LeadingPair) -> Plot:
    """One row per group; hollow: by the other choice of detections."""
    one = pair.strengths
    # Classes have a figure of their own.
    groups = [row for row in one.groups if row.characteristic != "class"]
    # Of many those with the smallest p, in the order of their characteristics.
    shown = sorted(sorted(groups, key=_clearness)[:MOST_GROUPS], key=groups.index)
    above = f"detections above the score cuts ({', '.join(map(score, one.min_score))})"
    filled, hollow = above, "detections of any score"
    if one.overall.tested_by == "ranked":
        filled, hollow = hollow, above
    cut = f" The {len(shown)} of {len(groups)} groups with the smallest p."

    def draw() -> Spec:
        table = strengths_table(result, pair, shown)
        channels = {"kind": "characteristic", "of": "value", "n": "n_objects", "leader": "leader"}
        rows = table_rows(table, **ENDS, **channels)
        for row, finding in zip(rows, table.rows, strict=True):
            row["name"] = row["of"] if row["kind"] == "all" else f"{row['kind']}: {row['of']}"
            row["colour"] = colour_of(row["value"], decided=row["leader"] is not None)
            row["other"] = finding.group.other.difference
            row["beside"] = row["tip"]["objects"]
        return forest(rows, pair.names, "difference in recall", "objects")

    return Plot(
        "strengths",
        "Which objects each finds",
        "Coloured on both sides: the detectors complement each other, and the rows say for which "
        "objects. Coloured on one side only: one finds more; look at its false positives, too.",
        draw,
        legend=f"Filled, with interval: {filled}, IoU {number(one.iou)}. Hollow: {hollow}. "
        f"Coloured: p below {number(result.choice.alpha)} after Holm's adjustment."
        f"{cut if len(shown) < len(groups) else ''}",
        absent="there are no objects that count" * math.isnan(one.overall.tested.difference),
    )


def _clearness(group: Group) -> tuple[float, float]:
    p = group.tested.p
    return math.inf if math.isnan(p) else p, -abs(group.tested.difference)

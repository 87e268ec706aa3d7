"""What detectors could reach together, and which objects one finds and the other does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from boxlens.report.charts.comparison import joint_chart, strengths_chart
from boxlens.report.described.comparison.pairs import GUIDE, about_all, interval_heading, of_pair
from boxlens.report.study import (
    CHANGE,
    COUNT,
    FLAG,
    P_VALUE,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    interval_columns,
    table_of,
)
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.studies.comparison.together.joint_bound import JointBoundResult
from boxlens.studies.comparison.together.merged_rankings import MergedAp
from boxlens.studies.comparison.together.strengths import (
    Group,
    Outcome,
    Reading,
    StrengthsResult,
)
from boxlens.wording import number, part, score

# Of a figure.
MOST_DETECTORS = 6
MOST_GROUPS = 30


def together_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    return Section(
        "together",
        "Together",
        (
            _joint_plot(result),
            *(of_pair(pair, result, _strengths_plot(result, pair)) for pair in pairs),
            _reached(result.joint),
            _rankings(result.joint.rankings),
            _found(result.joint),
            *(_strengths_table(result, pair, pair.strengths.groups) for pair in pairs),
            _all_strengths(result),
        ),
        reading="What the detectors could reach if the best of each were taken, and which objects "
        "one finds and the other misses.",
        guide=GUIDE,
    )


def _reached(joint: JointBoundResult) -> Table[Any]:
    """Each detector also with as many guesses as all have together: more guesses alone help."""
    merged, found, together = joint.rankings, joint.found, joint.joint_guesses
    forms = {
        "detector": TEXT,
        **dict.fromkeys(merged.single[0].metrics, SCORE),
        f"{joint.guesses[0].n_guesses} guesses": SCORE,
        f"{together.n_guesses} guesses": SCORE,
        "objects found": COUNT,
    }
    single = zip(merged.single, joint.guesses, joint.as_many_guesses, found.each, strict=True)
    rows = [
        *(
            (one.name, *one.metrics.values(), few.mean, many.mean, n)
            for one, few, many, n in single
        ),
        ("all, at most", *merged.joint().values(), math.nan, together.mean, found.any),
    ]
    return table_of("", "Each detector alone, and all combined by an oracle", forms, rows)


def _rankings(merged: MergedAp) -> Table[Any]:
    """Each alone, one chosen in each image, each with the hits of the others."""
    hits, chosen = "with hits of others", "chosen by image"
    rows = [
        *(("alone", False, row.name, row.metrics) for row in merged.single),
        (chosen, False, None, merged.chosen.metrics),
        (chosen, True, None, merged.chosen_aligned.metrics),
        *((hits, False, row.name, row.metrics) for row in merged.with_hits),
        *((hits, True, row.name, row.metrics) for row in merged.with_hits_aligned),
        ("best of all", None, None, merged.joint()),
    ]
    return Table(
        "joint",
        "AP of every way to combine them",
        [(*first, *metrics.values()) for *first, metrics in rows],
        [
            Column("ranking", "detections", itemgetter(0), TEXT),
            Column("aligned", "scores aligned", itemgetter(1), FLAG),
            Column("detector", "detector", itemgetter(2), TEXT),
            *(Column(name, name, itemgetter(at)) for at, name in enumerate(merged.joint(), 3)),
        ],
        folded=True,
        detail=True,
    )


def _found(joint: JointBoundResult) -> Table[tuple[str, str, int, int | None]]:
    """Objects that a detector finds, and finds alone; below, any, all and none of them."""
    found = joint.found
    single = zip(joint.detectors, found.each, found.only, strict=True)
    together = (("any", found.any), ("all", found.all), ("none", found.none))
    return Table(
        "found",
        f"Objects found (IoU {number(found.iou)}, detections of any score)",
        [
            *(("detector", *row) for row in single),
            *(("together", name, n, None) for name, n in together),
        ],
        [
            Column("of", "", lambda row: row[0], TEXT),
            Column("name", "found by", lambda row: row[1], TEXT),
            Column("n_found", "objects", lambda row: row[2], COUNT),
            Column("", "share", lambda row: part(row[2], found.n_objects), SHARE),
            Column("n_alone", "by no other", lambda row: row[3], COUNT),
            Column("n_objects", "", lambda _: found.n_objects, COUNT),
        ],
        folded=True,
        detail=True,
    )


class _Finding(NamedTuple):
    of: StrengthsResult
    group: Group
    reading: Reading

    @property
    def outcome(self) -> Outcome:
        return self.group.cut if self.reading == "cut" else self.group.ranked


def _all_strengths(result: ComparisonResult) -> Table[_Finding]:
    """All objects and every group, with detections of any score and above the score cuts."""
    rows = [
        _Finding(one, group, reading)
        for one in result.strengths
        for group in (one.overall, *one.groups)
        for reading in ("ranked", "cut")
    ]
    return Table("strengths", "", rows, _strengths_columns(result, ("", "")))


def _strengths_table(
    result: ComparisonResult, pair: LeadingPair, groups: Sequence[Group]
) -> Table[_Finding]:
    one = pair.strengths
    which = "above the score cuts" if one.overall.tested_by == "cut" else "detections of any score"
    return Table(
        "",
        f"Objects found by group ({which}): {' - '.join(pair.names)}",
        [_Finding(one, group, group.tested_by) for group in (one.overall, *groups)],
        _strengths_columns(result, pair.names),
        folded=True,
        detail=True,
    )


def _strengths_columns(result: ComparisonResult, names: tuple[str, str]) -> list[Column[_Finding]]:
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


def _joint_plot(result: ComparisonResult) -> Plot:
    joint, n = result.joint, len(result.detectors)
    cut = f" The {MOST_DETECTORS} best of {n} detectors." * (n > MOST_DETECTORS)
    return Plot(
        "joint",
        "What they could reach together",
        "The last bar of the upper panel is a bound that no fusion reaches: if it is hardly longer "
        "than that of the best detector, combining them gains little. Objects that none finds need "
        "other data.",
        partial(joint_chart, joint, most=MOST_DETECTORS),
        legend="Above, chosen by an oracle: the better detector of each image (scores of different "
        "detectors are not comparable, so this may lose); the best detector plus the hits it "
        "lacks; the better of both. Stroke: with scores first replaced by how often such a "
        f"detection is right. Below: detections of any score, IoU {number(joint.found.iou)}.{cut}",
        about=about_all(result),
        absent="" if joint.found.n_objects else "there are no objects that count",
    )


def _strengths_plot(result: ComparisonResult, pair: LeadingPair) -> Plot:
    one = pair.strengths
    # Classes have a figure of their own.
    groups = [row for row in one.groups if row.characteristic != "class"]
    shown = _clearest(groups)
    above = f"detections above the score cuts ({', '.join(map(score, one.min_score))})"
    filled, hollow = above, "detections of any score"
    if one.overall.tested_by == "ranked":
        filled, hollow = hollow, above
    cut = f" The {len(shown)} of {len(groups)} groups with the smallest p."
    return Plot(
        "strengths",
        "Which objects each finds",
        "Coloured on both sides: the detectors complement each other, and the rows say for which "
        "objects. Coloured on one side only: one finds more; look at its false positives, too.",
        partial(
            strengths_chart,
            _strengths_table(result, pair, shown),
            [group.other.difference for group in (one.overall, *shown)],
            pair.names,
        ),
        legend=f"Filled, with interval: {filled}, IoU {number(one.iou)}. Hollow: {hollow}. "
        f"Coloured: p below {number(result.choice.alpha)} after Holm's adjustment."
        f"{cut if len(shown) < len(groups) else ''}",
        absent="there are no objects that count"
        if math.isnan(one.overall.tested.difference)
        else "",
    )


def _clearest(groups: Sequence[Group]) -> list[Group]:
    """Those with the smallest p where there are many, in the order of their characteristics."""

    def clearness(group: Group) -> tuple[float, float]:
        p = group.tested.p
        return math.inf if math.isnan(p) else p, -abs(group.tested.difference)

    kept = {id(row) for row in sorted(groups, key=clearness)[:MOST_GROUPS]}
    return [row for row in groups if id(row) in kept]

"""What detectors could reach together: AP of every way to combine them, and who finds what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from boxlens.report.charts.colours import BLACK, FIRST, GREEN, INK, NEUTRAL, SECOND
from boxlens.report.charts.forms.axes import COUNTS, NUMBERS, Axis, Names, from_zero
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bars, ticks
from boxlens.report.charts.forms.panels import below, name_rows
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.described.comparison.pairs import (
    ENDS,
    about_all,
    colour_of,
    ends_columns,
    forest,
    of_pair,
)
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
    table_of,
)
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.studies.comparison.together.joint_bound import JointBoundResult
from boxlens.studies.comparison.together.merged_rankings import MergedAp
from boxlens.studies.comparison.together.strengths import Group, Outcome, StrengthsResult
from boxlens.studies.comparison.verdict import together_sentences
from boxlens.wording import count, number, part, score, share

# Of figures.
MOST_DETECTORS, MOST_GROUPS = 6, 30
TOGETHER = GREEN


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
        findings=tuple(together_sentences(result)),
    )


def _reached(joint: JointBoundResult) -> Table[Any]:
    """Each detector also with as many guesses as all have together: more guesses alone help."""
    merged, found, together = joint.rankings, joint.found, joint.joint_guesses
    guesses = (f"{one.n_guesses} guesses" for one in (joint.guesses[0], together))
    forms = {"detector": TEXT, **dict.fromkeys((*merged.single[0].metrics, *guesses), SCORE)}
    forms["objects found"] = COUNT
    single = zip(merged.single, joint.guesses, joint.as_many_guesses, found.each, strict=True)
    rows = [
        (one.name, *one.metrics.values(), few.mean, many.mean, n) for one, few, many, n in single
    ]
    rows.append(("all, by an oracle", *merged.joint().values(), math.nan, together.mean, found.any))
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
    return Table(
        "found",
        f"Objects found (IoU {number(found.iou)}, detections of any score)",
        [
            *(
                ("detector", *one)
                for one in zip(joint.detectors, found.each, found.only, strict=True)
            ),
            *(("together", name, getattr(found, name), None) for name in ("any", "all", "none")),
        ],
        [
            Column("of", "", itemgetter(0), TEXT),
            Column("name", "found by", itemgetter(1), TEXT),
            Column("n_found", "objects", itemgetter(2), COUNT),
            Column("", "share", lambda row: part(row[2], found.n_objects), SHARE),
            Column("n_alone", "by no other", itemgetter(3), COUNT),
            Column("n_objects", "", lambda _: found.n_objects, COUNT),
        ],
        folded=True,
        detail=True,
    )


def _joint_plot(result: ComparisonResult) -> Plot:
    joint, n = result.joint, len(result.detectors)
    cut = f" The {MOST_DETECTORS} best of {n} detectors." * (n > MOST_DETECTORS)
    return Plot(
        "joint",
        "What they could reach together",
        "The last bar of the upper panel is a bound that no fusion reaches: if it is hardly longer "
        "than that of the best detector, combining them gains little. Objects that none finds need "
        "other data.",
        partial(_draw_joint, joint),
        legend="Above, chosen by an oracle: the better detector of each image (scores of different "
        "detectors are not comparable, so this may lose); the best detector plus the hits it "
        "lacks; the better of both. Stroke: with scores first replaced by how often such a "
        f"detection is right. Below: detections of any score, IoU {number(joint.found.iou)}.{cut}",
        about=about_all(result),
        absent="" if joint.found.n_objects else "there are no objects that count",
    )


def _draw_joint(joint: JointBoundResult) -> Spec:
    """AP alone and combined above, objects by who finds them below."""
    n = len(joint.detectors)
    colours = [FIRST, SECOND] if n == 2 else [NEUTRAL] * n
    finders = list(_finders(joint, colours))
    shares = {row["row"]: share(row["value"] / joint.found.n_objects) for row in finders}
    return below(
        _bars("AP alone and combined", "AP", list(_ap_bars(joint.rankings, colours))),
        _bars("objects by who finds them", "objects", finders, COUNTS, share=shares),
        gap=12,
    )


def _bars(
    title: str, unit: str, rows: Sequence[Row], form: str = NUMBERS, **columns: dict[str, str]
) -> Spec:
    told = {row["row"]: row["tip"]["value"] for row in rows}
    ends = from_zero(row[key] for row in rows for key in ("value", "aligned"))
    return name_rows(
        rows,
        Names.of(told, characters=25),
        Axis(unit, ends, ticks=4, form=form),
        bars("value", height=11),
        ticks("aligned", color=INK, height=13),
        width=150,
        title=title,
        columns={unit: told, **columns},
    )


def _ap_bars(rankings: MergedAp, colours: Sequence[str]) -> Iterator[Row]:
    """The best detectors alone, then what an oracle makes of all."""
    single, chosen, aligned = rankings.single, rankings.chosen, rankings.chosen_aligned
    order = sorted(range(len(single)), key=lambda at: -single[at].metrics["AP"])
    for at in sorted(order[:MOST_DETECTORS]):
        yield _bar(single[at].name, single[at].metrics["AP"], colours[at])
    yield _bar("better in each image", chosen.metrics["AP"], NEUTRAL, aligned.metrics["AP"])
    best = order[0]
    hits, aligned = rankings.with_hits[best], rankings.with_hits_aligned[best]
    name = f"{single[best].name} + hits"
    yield _bar(name, hits.metrics["AP"], colours[best], aligned.metrics["AP"])
    yield _bar("together, by an oracle", rankings.joint()["AP"], TOGETHER)


def _finders(joint: JointBoundResult, colours: Sequence[str]) -> Iterator[Row]:
    """Those that find most alone; of many, none that finds nothing so."""
    found, n = joint.found, len(joint.detectors)
    shown = sorted(range(n), key=lambda at: -found.only[at])[:MOST_DETECTORS]
    for at in sorted(shown):
        if found.only[at] or n <= MOST_DETECTORS:
            yield _bar(f"only {joint.detectors[at]}", found.only[at], colours[at])
    if n > 2:
        yield _bar("several, not all", found.any - found.all - sum(found.only), NEUTRAL)
    yield _bar("both" if n == 2 else "all", found.all, TOGETHER)
    yield _bar("none", found.none, BLACK)


def _bar(name: str, value: float, colour: str, aligned: float | None = None) -> Row:
    told = {"who": name, "value": count(value) if isinstance(value, int) else score(value)}
    if aligned is not None:
        told["scores aligned"] = score(aligned)
    return {"row": name, "value": value, "colour": colour, "aligned": aligned, "tip": told}


class _Finding(NamedTuple):
    of: StrengthsResult
    group: Group
    reading: str
    outcome: Outcome


def _all_strengths(result: ComparisonResult) -> Table[_Finding]:
    """All objects and every group, with detections of any score and above the score cuts."""
    rows = [
        _Finding(one, group, reading, outcome)
        for one in result.strengths
        for group in (one.overall, *one.groups)
        for reading, outcome in (("ranked", group.ranked), ("cut", group.cut))
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
        [_Finding(one, row, row.tested_by, row.tested) for row in (one.overall, *groups)],
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
        *ends_columns(lambda row: row.outcome, result),
        Column("p", "p", lambda row: row.outcome.p, P_VALUE, further=True),
        Column("p_holm", "p adjusted", lambda row: row.outcome.p_holm, P_VALUE),
        Column("leader", "leads", lambda row: row.outcome.leader, TEXT),
    ]


def _strengths_plot(result: ComparisonResult, pair: LeadingPair) -> Plot:
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
        table = _strengths_table(result, pair, shown)
        channels = {"kind": "characteristic", "of": "value", "n": "n_objects", "leader": "leader"}
        rows = table_rows(table, **ENDS, **channels)
        for row, finding in zip(rows, table.rows, strict=True):
            row["name"] = row["of"] if row["kind"] == "all" else f"{row['kind']}: {row['of']}"
            row["colour"] = colour_of(row["value"], decided=row["leader"] is not None)
            row["other"] = finding.group.other.difference
            row["beside"] = count(row["n"])
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

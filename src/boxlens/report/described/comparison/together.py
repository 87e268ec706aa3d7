"""What detectors could reach together: AP of every way to combine them, and who finds what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from boxlens.report.charts.colours import BLACK, FIRST, GREEN, INK, NEUTRAL, SECOND
from boxlens.report.charts.forms.axes import COUNTS, NUMBERS, Axis, Names, from_zero
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bars, ticks
from boxlens.report.charts.forms.panels import below, name_rows
from boxlens.report.described.comparison.pairs import GUIDE, about_all, of_pair
from boxlens.report.described.comparison.strengths import (
    all_strengths,
    strengths_plot,
    strengths_table,
)
from boxlens.report.study import (
    COUNT,
    FLAG,
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
from boxlens.wording import count, number, part, score, share

# Of the figure.
MOST_DETECTORS = 6
TOGETHER = GREEN


def together_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    return Section(
        "together",
        "Together",
        (
            _joint_plot(result),
            *(of_pair(pair, result, strengths_plot(result, pair)) for pair in pairs),
            _reached(result.joint),
            _rankings(result.joint.rankings),
            _found(result.joint),
            *(strengths_table(result, pair, pair.strengths.groups) for pair in pairs),
            all_strengths(result),
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
    yield _bar("together, at most", rankings.joint()["AP"], TOGETHER)


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

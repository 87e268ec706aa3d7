"""A gate: whether the candidate passed, every rule, and what was not tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from boxlens.metrics.protocols import PROTOCOL_TITLES
from boxlens.report.study import (
    COUNT,
    FINE_CHANGE,
    FINE_INTERVAL,
    FINE_SCORE,
    P_VALUE,
    TEXT,
    Column,
    Note,
    Section,
    Study,
    Table,
    table_of,
)
from boxlens.studies.comparison.gating.result import VERDICTS, GateResult, RuleOutcome
from boxlens.wording import counted, level

TILES = ("rules that hold", "broken within chance", "broken", "not computed")


def study(result: GateResult) -> Study:
    resampling = result.resampling
    return Study(
        title=f"Gate: {result.candidate} against {result.baseline}",
        data=result.dataset,
        facts=(
            PROTOCOL_TITLES[result.protocol],
            counted(result.n_images, "image"),
            counted(result.n_objects, "object"),
            f"level {level(resampling.level)}",
            counted(resampling.n_replicates, "replicate"),
        ),
        sentences=(f"The gate {result.headline}.",),
        tiles=tuple(
            (name, len(result.of_verdict(verdict)), COUNT)
            for name, verdict in zip(TILES, VERDICTS, strict=True)
        ),
        sections=(
            Section(
                "rules",
                "Rules",
                (_rules(result), *_notes(result)),
                reading="The difference is candidate minus baseline, with its interval. A rule is "
                "broken where chance alone would hardly give so bad a candidate (p adjusted for "
                "all rules). Detectable is the smallest breach that these images would have shown "
                "four times in five.",
            ),
            Section(
                "untested",
                "Not tested",
                (_untested(result),),
                reading="Classes with objects in too few images to be judged.",
            ),
        ),
        guide="gate",
    )


def _rules(result: GateResult) -> Table[RuleOutcome]:
    share = level(result.resampling.level)
    words = {"pass": "holds", "warning": "{} limit, within chance"}
    words |= {"fail": "FAILS", "error": "NOT COMPUTED"}
    return Table(
        "rules",
        "Every rule",
        result.outcomes,
        [
            Column("rule", "rule", lambda one: one.text, TEXT),
            Column("metric", "", lambda one: one.rule.metric, TEXT),
            Column("of", "", lambda one: str(one.of), TEXT),
            Column("", "verdict", lambda one: words[one.verdict].format(one.side), TEXT),
            Column("verdict", "", lambda one: one.verdict, TEXT),
            Column("reason", "why", lambda one: one.reason, TEXT, further=True),
            Column("baseline", "baseline", lambda one: one.baseline, FINE_SCORE),
            Column("candidate", "candidate", lambda one: one.candidate, FINE_SCORE),
            Column("difference", "difference", lambda one: one.difference.value, FINE_CHANGE),
            Column("", share, lambda one: (one.difference.low, one.difference.high), FINE_INTERVAL),
            Column("limit", "limit", lambda one: one.limit, FINE_SCORE),
            Column("p", "p", lambda one: one.p, P_VALUE, further=True),
            Column("p_holm", "p adjusted", lambda one: one.p_holm, P_VALUE, further=True),
            Column("detectable", "detectable", lambda one: one.detectable, FINE_SCORE, True),
            Column("n_images", "images", lambda one: one.n_images, COUNT, further=True),
            Column("difference_low", "", lambda one: one.difference.low, FINE_CHANGE),
            Column("difference_high", "", lambda one: one.difference.high, FINE_CHANGE),
            Column("margin", "", lambda one: one.margin.value, FINE_CHANGE),
            Column("margin_low", "", lambda one: one.margin.low, FINE_CHANGE),
            Column("margin_high", "", lambda one: one.margin.high, FINE_CHANGE),
        ],
        brief=[one for one in result.outcomes if not _folded(one)],
        wide=True,
    )


def _untested(result: GateResult) -> Table[Any]:
    forms = {"class": TEXT, "rule": TEXT, "images": COUNT}
    rows = ((one.name, str(one.rule), one.n_images) for one in result.untested)
    return table_of("", "Classes with too few images", forms, rows, detail=True)


def _folded(one: RuleOutcome) -> bool:
    """Of a rule for each class, those that hold are only counted where there is little room."""
    return one.verdict == "pass" and one.rule.of.kind == "each class"


def _notes(result: GateResult) -> Iterator[Note]:
    n_all = Counter(one.rule for one in result.outcomes)
    for rule, n_held in Counter(one.rule for one in result.outcomes if _folded(one)).items():
        of_all = counted(n_all[rule], "class", "classes")
        yield Note(f"{rule}: holds for {n_held:,} of {of_all}.")
    for one in result.outcomes:
        if one.verdict != "pass":
            yield Note(f"{one.text}: {one.reason}")

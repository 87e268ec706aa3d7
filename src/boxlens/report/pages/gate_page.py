"""A gate as a page: whether it passed, every rule, and what was not tested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.comparison.gating.result import VERDICTS
from boxlens.report.charts.detector_pair import p_text
from boxlens.report.pages.markup import (
    NOTHING,
    Cell,
    count_cell,
    notes,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.writing.gate_rows import one_line, words

if TYPE_CHECKING:
    from boxlens.comparison.gating.result import GateResult, RuleOutcome

GUIDE = "gate"
DIGITS = 4


def gate_page(result: GateResult, document: dict[str, Any]) -> str:
    """`document` is what results.json holds."""
    about = (
        f"{result.protocol}: {result.n_images:,} images, {result.n_objects:,} objects; level "
        f"{result.resampling.level:g}, {result.resampling.n_replicates:,} replicates"
    )
    return page(
        (f"{result.candidate} against {result.baseline}", result.dataset),
        about,
        [
            Section("verdict", "Verdict", _verdict(result)),
            Section(
                "rules",
                "Rules",
                (_rules(result),),
                reading="The difference is candidate less baseline, with its interval. A rule is "
                "broken where chance alone would hardly give so bad a candidate (p adjusted for "
                "all rules); detectable is the smallest breach that these images would have shown "
                "four times in five.",
                guide=GUIDE,
            ),
            Section(
                "untested",
                "Not tested",
                (_untested(result),),
                reading="Classes whose objects lie in too few images to be judged.",
                guide=GUIDE,
            ),
            provenance_section(document),
        ],
    )


def _verdict(result: GateResult) -> tuple[str, ...]:
    names = ("rules that hold", "broken within chance", "broken", "not computed")
    counts = [
        (name, f"{len(result.of_verdict(verdict)):,}")
        for name, verdict in zip(names, VERDICTS, strict=True)
    ]
    broken = [one for one in result.outcomes if one.verdict != "pass"]
    return (
        tiles(counts),
        paragraph(f"The gate {result.headline}.", "lead"),
        notes(one_line(f"{one.text}: {one.reason}") for one in broken),
    )


def _rules(result: GateResult) -> str:
    headings = ["rule", "verdict", "baseline", "candidate", "difference", "low", "high", "limit"]
    n_shown = len(headings)
    headings += ["p", "p adjusted", "detectable", "images", "why"]
    rows = [_row(one) for one in result.outcomes]
    return table(headings, rows, caption="Every rule", wide=True, n_shown=n_shown)


def _row(one: RuleOutcome) -> list[Cell]:
    return [
        text_cell(one_line(one.text)),
        text_cell(words(one)),
        *(
            score_cell(value, DIGITS)
            for value in (
                one.baseline,
                one.candidate,
                one.difference.value,
                one.difference.low,
                one.difference.high,
                one.limit,
            )
        ),
        *(Cell(p_text(p), p) if p == p else Cell(NOTHING) for p in (one.p, one.p_holm)),  # noqa: PLR0124 - NaN
        score_cell(one.detectable, DIGITS),
        count_cell(one.n_images),
        text_cell(one_line(one.reason)),
    ]


def _untested(result: GateResult) -> str:
    if not result.untested:
        return ""
    rows = [
        [text_cell(one.name), text_cell(one_line(str(one.rule))), count_cell(one.n_images)]
        for one in result.untested
    ]
    return table(["class", "rule", "images"], rows, caption="Classes with too few images")

"""A gate's result as text: the verdict, a table, and why rules are broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.output import aligned
from boxlens.report.writing.gate_rows import heading, one_line, rows

if TYPE_CHECKING:
    from boxlens.comparison.gating.result import GateResult


def gate_text(result: GateResult) -> str:
    headline = (
        f"Gate | {result.dataset} | {result.candidate} against {result.baseline} "
        f"| {result.headline}"
    )
    broken = [
        f"- {outcome.text}: {outcome.reason}"
        for outcome in result.outcomes
        if outcome.verdict != "pass"
    ]
    parts = [one_line(headline), aligned([heading(result), *rows(result)])]
    if broken:
        parts.append("\n".join(one_line(line) for line in broken))
    return "\n\n".join(parts)

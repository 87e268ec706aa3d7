"""A gate's result as the rows of a table: the same words on the terminal and in Markdown."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boxlens.comparison.gating.result import GateResult, RuleOutcome
    from boxlens.comparison.gating.rules import Rule
    from boxlens.metrics.intervals import Interval

# What neither XML nor a line of text can hold.
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def heading(result: GateResult) -> list[str]:
    share = f"{result.resampling.level * 100:g} %"
    return ["metric", "of", "baseline", "candidate", f"difference [{share}]", "limit", "verdict"]


def rows(result: GateResult) -> list[list[str]]:
    """A row a rule; of a rule for each class, one a broken one, and one for all that hold."""
    shown: list[list[str]] = []
    counted: set[Rule] = set()
    for outcome in result.outcomes:
        if outcome.verdict != "pass" or outcome.rule.of.kind != "each class":
            shown.append(_row(outcome))
        elif outcome.rule not in counted:
            counted.add(outcome.rule)
            shown.append(_row_of_all(result, outcome.rule))
    return shown


def words(outcome: RuleOutcome) -> str:
    """The verdict in words."""
    if outcome.verdict == "pass":
        return "holds"
    if outcome.verdict == "warning":
        return f"{outcome.side} limit, within chance"
    return "FAILS" if outcome.verdict == "fail" else "NOT COMPUTED"


def one_line(text: str) -> str:
    """Names come from files: nothing in them may begin a line or break a document."""
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.split()))


def _row(outcome: RuleOutcome) -> list[str]:
    return [
        one_line(outcome.rule.metric),
        one_line(str(outcome.of)),
        _value(outcome.baseline),
        _value(outcome.candidate),
        _difference(outcome.difference),
        f"{outcome.rule.comparator} {_value(outcome.limit)}",
        words(outcome),
    ]


def _row_of_all(result: GateResult, rule: Rule) -> list[str]:
    of_rule = [outcome for outcome in result.outcomes if outcome.rule == rule]
    n_kept = sum(outcome.verdict == "pass" for outcome in of_rule)
    of = f"{n_kept} of {len(of_rule)} classes"
    limit = f"{rule.comparator} {rule.limit.text}"
    return [one_line(rule.metric), of, "", "", "", limit, "hold" if n_kept > 1 else "holds"]


def _value(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _difference(found: Interval) -> str:
    if math.isnan(found.value):
        return "-"
    if math.isnan(found.low):
        return f"{found.value:+.4f}"
    return f"{found.value:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"

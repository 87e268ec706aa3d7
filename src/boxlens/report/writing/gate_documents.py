"""A gate's result for the machines that run it: JUnit XML, Markdown and GitHub annotations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from boxlens.report.writing.gate_rows import heading, one_line, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.comparison.gating.result import GateResult, RuleOutcome

# GitHub shows no more annotations of a kind in one step.
MOST_ANNOTATIONS = 10
TITLE = "Boxlens gate"

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#])")


def junit_xml(result: GateResult) -> str:
    """One test case a rule and class; classes with too few images are skipped ones."""
    counts = {
        "tests": str(len(result.outcomes) + len(result.untested)),
        "failures": str(len(result.of_verdict("fail"))),
        "errors": str(len(result.of_verdict("error"))),
        "skipped": str(len(result.untested)),
    }
    root = Element("testsuites", {"name": "boxlens gate", **counts})
    title = f"{result.candidate} against {result.baseline}"
    suite = SubElement(root, "testsuite", {"name": one_line(title), **counts})
    properties = SubElement(suite, "properties")
    for name, value in _parameters(result):
        SubElement(properties, "property", {"name": name, "value": one_line(value)})
    for outcome in result.outcomes:
        _add_case(suite, outcome, result.dataset)
    for one in result.untested:
        case = _case(suite, f"{one.rule} ({one.name})", result.dataset)
        message = f"{one.name} has objects in {one.n_images} images, which are too few"
        SubElement(case, "skipped", {"message": one_line(message)})
    remarks = [result.headline, *(notice.message for notice in result.notices)]
    SubElement(suite, "system-out").text = "\n".join(one_line(remark) for remark in remarks)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def markdown(result: GateResult) -> str:
    """A page section: the verdict, a table, why rules are broken, and what was left out."""
    broken = [outcome for outcome in result.outcomes if outcome.verdict != "pass"]
    parts = [
        f"## Gate {_escaped(result.headline)}",
        _escaped(
            f"Candidate {result.candidate} against baseline {result.baseline}, {result.protocol} "
            f"on {result.dataset}: {result.n_images:,} images, {result.n_objects:,} objects; "
            f"level {result.resampling.level:g}, {result.resampling.n_replicates:,} replicates."
        ),
        _table(result),
        _list([f"{outcome.text}: {outcome.reason}" for outcome in broken]),
        _list([f"note: {notice.message}" for notice in result.notices]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def github_annotations(result: GateResult) -> list[str]:
    """Workflow commands of GitHub Actions: errors, warnings, and the verdict of all."""
    failed = [*result.of_verdict("fail"), *result.of_verdict("error")]
    return [
        *_of_kind("error", failed),
        *_of_kind("warning", result.of_verdict("warning")),
        annotation("notice" if result.passed else "error", TITLE, result.headline),
    ]


def annotation(kind: str, title: str, message: str) -> str:
    """One workflow command; what has a meaning to GitHub is escaped."""
    title = _command_data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{_command_data(message)}"


def _command_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _of_kind(kind: str, outcomes: Sequence[RuleOutcome]) -> list[str]:
    """The largest breaches first, and how many more there are; the headline is one of the ten."""
    most = MOST_ANNOTATIONS - 1
    ranked = sorted(
        outcomes, key=lambda outcome: (outcome.verdict == "error", outcome.margin.value)
    )
    if len(ranked) <= most:
        shown, more = ranked, 0
    else:
        shown, more = ranked[: most - 1], len(ranked) - most + 1
    lines = [
        annotation(kind, f"{TITLE}: {one_line(one.text)}", one_line(one.reason)) for one in shown
    ]
    if more:
        lines.append(annotation(kind, TITLE, f"and {more} more rules"))
    return lines


def _parameters(result: GateResult) -> list[tuple[str, str]]:
    parameters = result.resampling.to_json() | {"fail_on_estimate": result.fail_on_estimate}
    return [
        ("protocol", result.protocol),
        ("dataset", result.dataset),
        ("baseline", result.baseline),
        ("candidate", result.candidate),
        *((name, str(value)) for name, value in parameters.items()),
    ]


def _case(suite: Element, name: str, dataset: str) -> Element:
    classname = f"boxlens.gate.{one_line(dataset)}"
    return SubElement(suite, "testcase", {"classname": classname, "name": one_line(name)})


def _add_case(suite: Element, outcome: RuleOutcome, dataset: str) -> None:
    case = _case(suite, outcome.text, dataset)
    message = one_line(outcome.reason)
    if outcome.verdict == "fail":
        SubElement(case, "failure", {"type": "regression", "message": message})
    elif outcome.verdict == "error":
        SubElement(case, "error", {"type": "not computed", "message": message})
    else:
        kind = "warning: " if outcome.verdict == "warning" else ""
        SubElement(case, "system-out").text = kind + message


def _table(result: GateResult) -> str:
    lines = [heading(result), ["---"] * 2 + ["---:"] * 4 + ["---"]]
    lines += [[_escaped(cell) for cell in row] for row in rows(result)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(items: Sequence[str]) -> str:
    return "\n".join(f"- {_escaped(item)}" for item in items)


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text))

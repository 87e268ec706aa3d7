"""A gate's result for the machines that run it: JUnit XML, Markdown and GitHub annotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from boxlens.report.described import describe
from boxlens.report.study import Note, Table
from boxlens.studies.comparison.gating.result import GateResult, RuleOutcome

# GitHub shows no more annotations of a kind in one step.
MOST_ANNOTATIONS = 10
TITLE = "Boxlens gate"

# What neither XML nor a line of text can hold.
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#])")


def junit_xml(result: GateResult) -> str:
    """One test case per rule and class; classes with too few images are skipped ones."""
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
    """A page section: the verdict, a table, why rules are broken, and notices."""
    study = describe(result)
    parts = [
        f"## Gate {_escaped(result.headline)}",
        _escaped(
            f"Candidate {result.candidate} against baseline {result.baseline}, {result.protocol} "
            f"on {result.dataset}: {', '.join(study.facts[1:])}."
        ),
        _table(next(study.tables())),
        _list([part.text for _, part in study.walk() if isinstance(part, Note)]),
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
    shown = ranked if len(ranked) <= most else ranked[: most - 1]
    lines = [
        annotation(kind, f"{TITLE}: {one_line(one.text)}", one_line(one.reason)) for one in shown
    ]
    if len(shown) < len(ranked):
        lines.append(annotation(kind, TITLE, f"and {len(ranked) - len(shown)} more rules"))
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


def _table(table: Table[Any]) -> str:
    """As the terminal shows it."""
    columns = [one for one in table.shown if not one.further]
    lines = [[one.heading for one in columns]]
    lines.append(["---:" if one.form.numeric else "---" for one in columns])
    rows = table.rows if table.brief is None else table.brief
    lines += [[_escaped(one.text(row)) for one in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def one_line(text: str) -> str:
    """Names come from files: nothing in them may begin a line or break a document."""
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.split()))


def _list(items: Sequence[str]) -> str:
    return "\n".join(f"- {_escaped(item)}" for item in items)


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text))

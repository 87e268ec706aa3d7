"""A gate's result for the machines that run it: JUnit XML, Markdown and GitHub annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    asked = {
        name: getattr(result, name) for name in ("protocol", "dataset", "baseline", "candidate")
    }
    asked |= {**result.resampling.to_json(), "fail_on_estimate": result.fail_on_estimate}
    for name, value in asked.items():
        SubElement(properties, "property", {"name": name, "value": one_line(str(value))})
    of_gate = {"classname": f"boxlens.gate.{one_line(result.dataset)}"}
    for name, tag, told, text in _cases(result):
        case = SubElement(suite, "testcase", {**of_gate, "name": one_line(name)})
        SubElement(case, tag, told).text = text
    remarks = [result.headline, *(notice.message for notice in result.notices)]
    SubElement(suite, "system-out").text = "\n".join(map(one_line, remarks))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _cases(result: GateResult) -> Iterator[tuple[str, str, dict[str, str], str | None]]:
    """The name of each, and its only element: tag, attributes and text."""
    broken = {"fail": ("failure", "regression"), "error": ("error", "not computed")}
    for one in result.outcomes:
        message = one_line(one.reason)
        if one.verdict in broken:
            tag, kind = broken[one.verdict]
            yield one.text, tag, {"type": kind, "message": message}, None
        else:
            kind = "warning: " if one.verdict == "warning" else ""
            yield one.text, "system-out", {}, kind + message
    for skipped in result.untested:
        message = f"{skipped.name} has objects in {skipped.n_images} images, which are too few"
        name = f"{skipped.rule} ({skipped.name})"
        yield name, "skipped", {"message": one_line(message)}, None


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
    title, message = (
        text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        for text in (title, message)
    )
    title = title.replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{message}"


def _of_kind(kind: str, outcomes: Sequence[RuleOutcome]) -> list[str]:
    """The largest breaches first, and how many more there are; the headline is one of the ten."""
    most = MOST_ANNOTATIONS - 1
    ranked = sorted(outcomes, key=lambda one: (one.verdict == "error", one.margin.value))
    lines = [
        annotation(kind, f"{TITLE}: {one_line(one.text)}", one_line(one.reason)) for one in ranked
    ]
    if len(lines) > most:
        n_more = len(lines) - most + 1
        lines[most - 1 :] = [annotation(kind, TITLE, f"and {n_more} more rules")]
    return lines


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

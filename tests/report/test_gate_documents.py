"""JUnit XML, Markdown and GitHub annotations of a gate: well-formed whatever the names are."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from defusedxml.ElementTree import fromstring

import boxlens
from boxlens.report.described import describe
from boxlens.report.readers.terminal import study_text
from boxlens.report.writing.gate_documents import (
    annotation,
    github_annotations,
    junit_xml,
    markdown,
    one_line,
)
from studies.comparison.gate_worlds import detector, world

NASTY = 'a|b<c>&"x"`*_[l](u)\n::error::gone\r\x00\x1b[31m%0A, :'


def judged(
    names=("cat", "dog", "okapi"), rules=("AP >= 0.1", "AP of each class >= baseline"), **found
):
    dataset = world(40, names, rare=names[2:3])
    old = detector(dataset, "old", 0.8)
    new = detector(dataset, "new", 0.8, **found)
    return boxlens.gate(dataset, old, new, rules=rules, replicates=100)


@pytest.fixture(scope="module")
def mixed():
    """A rule that holds, one within chance, one beyond it, one not computed, a class not tested."""
    return judged(
        rules=(
            "AP >= 0.1",
            "AP of each class >= baseline",
            "AP of okapi >= 0.01",
        ),
        found_of={"cat": 0.76, "dog": 0.3},
    )


def test_the_four_verdicts_are_there(mixed):
    assert [one.verdict for one in mixed.outcomes] == ["pass", "warning", "fail", "pass", "error"]


def test_junit_has_a_case_a_rule_and_counts_that_agree(mixed):
    root = fromstring(junit_xml(mixed))
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == [
        "AP >= 0.1",
        "AP of cat >= baseline",
        "AP of dog >= baseline",
        "AP of okapi >= baseline",
        "AP of okapi >= 0.01",
        "AP of each class >= baseline (okapi)",
    ]
    assert [case[0].tag for case in cases] == [
        "system-out",
        "system-out",
        "failure",
        "system-out",
        "error",
        "skipped",
    ]
    assert cases[1][0].text.startswith("warning: ")
    assert "beyond chance" in cases[2][0].get("message")
    assert cases[3][0].text.endswith("(not tested: objects in 5 images)")
    assert "too few images" in cases[4][0].get("message")
    for element in (root, suite):
        counts = [element.get(name) for name in ("tests", "failures", "errors", "skipped")]
        assert counts == ["6", "1", "1", "1"]
    assert mixed.headline in suite.find("system-out").text


def test_markdown_opens_with_the_verdict_and_has_a_row_a_rule(mixed):
    text = markdown(mixed)
    assert text.startswith(
        "## Gate FAILED: 2 of 5 rules hold, 1 broken within chance, 1 broken beyond chance, "
        "1 could not be computed, 1 class not tested\n"
    )
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 4
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 8 for line in table)
    assert "AP of each class \\>= baseline: holds for 1 of 3 classes" in text
    assert "not tested for 1 class with" in text


def test_classes_that_hold_share_a_line():
    text = study_text(describe(judged()))
    assert "Every rule (1 of 4 rows; all with -o DIR)" in text
    assert "AP of each class >= baseline: holds for 3 of 3 classes." in text


def test_annotations_are_errors_warnings_and_the_verdict(mixed):
    lines = github_annotations(mixed)
    kinds = [line.split(" ")[0] for line in lines]
    assert kinds == ["::error", "::error", "::warning", "::error"]
    assert lines[0].startswith("::error title=Boxlens gate%3A AP of dog >= baseline::")
    passed = github_annotations(judged())
    assert len(passed) == 1
    assert passed[0].startswith(
        "::notice title=Boxlens gate::passed: 4 of 4 rules hold, 1 class not tested"
    )


def test_no_more_annotations_than_github_shows():
    names = tuple(f"class {k}" for k in range(30))
    dataset = world(20, names)
    pair = detector(dataset, "a", 0.95), detector(dataset, "b", 0.2)
    result = boxlens.gate(dataset, *pair, rules=["AP of each class >= 0.9"], replicates=100)
    assert len(result.of_verdict("fail")) == 30
    lines = github_annotations(result)
    assert len(lines) == 10
    assert lines[-2].endswith("::and 22 more rules")
    worst = min(result.outcomes, key=lambda outcome: outcome.margin.value)
    assert worst.text in lines[0]


def test_what_github_understands_is_escaped():
    line = annotation("error", "a: b, c", "50 %\r\nnext: x, y")
    assert line == "::error title=a%3A b%2C c::50 %25%0D%0Anext: x, y"


def test_names_cannot_break_a_document():
    result = judged(names=(NASTY, "dog", "okapi"), found_of={NASTY: 0.2})
    result = replace(result, baseline=NASTY, dataset=NASTY)
    assert len(result.of_verdict("fail")) == 1
    suite = fromstring(junit_xml(result)).find("testsuite")
    assert suite.get("failures") == "1"
    text = markdown(result)
    assert all(
        len(re.findall(r"(?<!\\)\|", line)) == 8 for line in text.splitlines() if line[0:1] == "|"
    )
    assert "](u)" not in text.replace("\\](u)", "")
    lines = github_annotations(result)
    assert all(line.startswith("::") and "\n" not in line for line in lines)
    assert "\x1b" not in text + "".join(lines) + junit_xml(result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\n b\t c", "a b c"), ("\x00x", "�x"), ("\ud800", "�"), ("naïve 猫 🐈", "naïve 猫 🐈")],
)
def test_a_name_becomes_one_printable_line(text, expected):
    assert one_line(text) == expected

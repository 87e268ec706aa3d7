"""`--intervals` of evaluate and diagnose as a user runs them: text, JSON, and what is refused."""

from __future__ import annotations

import json
import re

import pytest

import boxlens
from boxlens.wording import interval, score
from running import refused, said

TRUTH, FOUND = "ground_truth.json", "window.json"
FEW = ("--intervals", "--replicates", "120", "--seed", "3")


SURE = {"intervals": True, "replicates": 120, "seed": 3}


def test_evaluate_prints_an_interval_after_every_number(demo):
    text = said("evaluate", TRUTH, FOUND, *FEW, cwd=demo)
    (one,) = boxlens.evaluate(demo / TRUTH, demo / FOUND, **SURE).detectors
    lines = {line.split()[0]: line for line in text.splitlines() if line}
    for name, found in one.intervals.items():
        shown = lines[name].removeprefix(name).strip()
        assert re.split("  +", shown) == [score(found.value), interval(found.low, found.high)]


def test_evaluate_prints_intervals_of_classes_and_of_several_detectors(demo):
    text = said("evaluate", TRUTH, FOUND, "region.json", *FEW, "--per-class", cwd=demo)
    result = boxlens.evaluate(demo / TRUTH, [demo / FOUND, demo / "region.json"], **SURE)
    row = next(line for line in text.splitlines() if line.startswith("sheep "))
    at = [of_class.name for of_class in result.detectors[0].classes].index("sheep")
    for one in result.detectors:
        found = one.classes[at].intervals["AP"]
        assert interval(found.low, found.high) in row
    alone = said("evaluate", TRUTH, FOUND, *FEW, "--per-class", cwd=demo)
    row = next(line for line in alone.splitlines() if line.startswith("sheep "))
    for name in ("AP", "AP50", "AP75"):
        found = result.detectors[0].classes[at].intervals[name]
        assert interval(found.low, found.high) in row


def test_without_the_option_nothing_is_resampled(demo):
    assert "95%" not in said("evaluate", TRUTH, FOUND, cwd=demo)
    document = json.loads(said("evaluate", TRUTH, FOUND, "--json", "-", cwd=demo))
    assert "intervals" not in document["results"]["detectors"][0]


def test_diagnose_has_a_table_of_its_main_numbers(demo):
    text = said("diagnose", TRUTH, FOUND, *FEW, cwd=demo)
    found = boxlens.diagnose(demo / TRUTH, demo / FOUND, **SURE).intervals
    lines = text.splitlines()
    start = lines.index("95% intervals, by resampling images")
    assert lines[start + 1].split() == ["number", "value", "interval", "standard", "error"]
    named = found.named()
    for line, (name, one) in zip(lines[start + 3 :], named.items(), strict=False):
        numbers = (score(one.value), interval(one.low, one.high), score(one.se))
        assert " ".join(line.split()) == " ".join((name, *numbers))
    assert lines[start + 3 + len(named)] == ""


def test_the_level_is_told_as_it_is(demo):
    text = said("diagnose", TRUTH, FOUND, *FEW, "--level", "0.995", cwd=demo)
    assert "\n99.5% intervals" in text


@pytest.mark.parametrize("command", ["evaluate", "diagnose"])
@pytest.mark.parametrize(
    "options",
    [
        ("--replicates", "200"),
        ("--level", "0.9"),
        ("--interval-method", "percentile"),
        ("--seed", "0"),
    ],
)
def test_options_of_intervals_are_refused_without_them(demo, command, options):
    assert "add --intervals: without it" in refused(command, TRUTH, FOUND, *options, cwd=demo)

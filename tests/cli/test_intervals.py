"""`--intervals` of evaluate and diagnose as a user runs them: text, JSON, and what is refused."""

from __future__ import annotations

import json
import re

import pytest

import boxlens
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.wording import interval, score
from running import refused, said

TRUTH, FOUND = "ground_truth.json", "window.json"
FEW = ("--intervals", "--replicates", "120", "--seed", "3")


def choice(**options):
    return ResamplingChoice(**{"n_replicates": 120, "seed": 3, **options})


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


def test_evaluate_writes_intervals_into_its_json(demo):
    document = json.loads(
        said(
            *("evaluate", TRUTH, FOUND, *FEW, "--level", "0.9"),
            *("--interval-method", "percentile", "--json", "-"),
            cwd=demo,
        )
    )
    expected = choice(level=0.9, method="percentile")
    assert document["parameters"]["intervals"] == expected.to_json()
    (one,) = boxlens.evaluate(
        demo / TRUTH, demo / FOUND, **SURE, level=0.9, interval_method="percentile"
    ).detectors
    (told,) = document["results"]["detectors"]
    assert told["intervals"] == {name: found.to_json() for name, found in one.intervals.items()}


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


def test_diagnose_writes_intervals_into_its_json(demo):
    document = json.loads(said("diagnose", TRUTH, FOUND, *FEW, "--json", "-", cwd=demo))
    result = boxlens.diagnose(demo / TRUTH, demo / FOUND, **SURE)
    assert document["results"]["intervals"] == result.intervals.to_json()
    assert document["parameters"]["intervals"] == choice().to_json()
    plain = json.loads(said("diagnose", TRUTH, FOUND, "--json", "-", cwd=demo))
    assert "intervals" not in plain["results"]


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


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--replicates", "99"), "a whole number from 100 to 100,000, got '99'"),
        (("--level", "95"), "a number from 0.5 to below 1, got '95'"),
        (("--seed", "-1"), "--seed: expected a whole number from 0"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(demo, options, told):
    for command in ("evaluate", "diagnose"):
        assert told in refused(command, TRUTH, FOUND, "--intervals", *options, cwd=demo)


def test_few_images_are_refused_in_a_line(demo, tmp_path):
    document = json.loads((demo / TRUTH).read_text(encoding="utf-8"))
    few = {image["id"] for image in document["images"][:9]}
    document["images"] = document["images"][:9]
    document["annotations"] = [row for row in document["annotations"] if row["image_id"] in few]
    (tmp_path / "gt.json").write_text(json.dumps(document), encoding="utf-8")
    found = json.loads((demo / FOUND).read_text(encoding="utf-8"))
    found = [row for row in found if row["image_id"] in few]
    (tmp_path / "dt.json").write_text(json.dumps(found), encoding="utf-8")
    for command in ("evaluate", "diagnose"):
        line = refused(command, "gt.json", "dt.json", "--intervals", cwd=tmp_path)
        assert "9 images are too few to resample" in line

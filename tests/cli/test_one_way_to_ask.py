"""Options are the keywords of the verbs: the same names, the same usual values, the same answers."""

from __future__ import annotations

import argparse
import inspect
import json

import pytest

import boxlens
from command_parsers import command_parsers
from running import boxlens_here

VERBS = {
    ("evaluate",): boxlens.evaluate,
    ("diagnose",): boxlens.diagnose,
    ("sensitivity",): boxlens.sensitivity,
    ("compare",): boxlens.compare,
    ("difficulty",): boxlens.difficulty,
    ("upper-bound",): boxlens.upper_bound,
    ("robustness",): boxlens.robustness,
    ("disagree",): boxlens.disagree,
    ("gate",): boxlens.gate,
    ("reconcile",): boxlens.reconcile,
    ("report",): boxlens.write_report,
    ("proposals", "recall"): boxlens.proposal_recall,
    ("proposals", "repeatability"): boxlens.repeatability,
    ("proposals", "correlate"): boxlens.correlate_recall,
    ("proposals", "oracle"): boxlens.proposal_oracles,
    ("proposals", "tune"): boxlens.tune_proposals,
    ("proposals", "generate"): boxlens.generate_proposals,
}
# What becomes of a result.
OUTPUT = {"help", "output", "figures", "images", "images_mb", "pdf", "json", "per_class"}
# Options that a verb takes in another form, or that lead to another function.
OTHERWISE = {
    ("difficulty",): {"strict_coco"},
    ("upper-bound",): {"scale", "epochs", "side_px", "batch", "learning_rate"},
    ("robustness",): {"more", "export", "sets", "results", "partial", "workers"},
    ("gate",): {"junit", "markdown", "github"},
    ("reconcile",): {"settings"},
    ("proposals", "recall"): {"files", "also"},
    ("proposals", "correlate"): {"files"},
    ("proposals", "oracle"): {"files"},
}
# A run of all pictures takes too long to be the usual one of a command; processes need a guard in
# scripts that commands do not.
USUAL_DIFFERS = {"n_images", "workers"}
# Keywords that are not the option's word: Python's own words, methods that are not proposals yet.
OTHER_WORDS = {
    "--from": "start",
    "--to": "end",
    "--with": "settings",
    "--iou": "iou_thresholds",
    "--area": "area_ranges",
    "--rules": "rules_file",
    "--method": "proposals",
    "--proposals": "files",
    "--model": "dt",
}


def parameters(verb) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(verb).parameters)


def named(path: tuple[str, ...]) -> str:
    return " ".join(path)


@pytest.mark.parametrize("path", VERBS, ids=named)
def test_every_option_is_a_keyword_of_its_verb(path):
    taken = {action.dest for action in command_parsers()[path]._actions}
    assert taken - {*parameters(VERBS[path])} - OUTPUT == OTHERWISE.get(path, set())


@pytest.mark.parametrize("path", VERBS, ids=named)
def test_a_keyword_is_the_word_of_its_option(path):
    """Perhaps as a plural, since an option may be repeated, or with its unit."""
    for action in command_parsers()[path]._actions:
        words = [one[2:].replace("-", "_") for one in action.option_strings if one[:2] == "--"]
        allowed = {form for word in words for form in (word, f"{word}s", f"{word[:-1]}ies")}
        allowed |= {f"{word}_px" for word in words} | {*map(OTHER_WORDS.get, action.option_strings)}
        assert not words or action.dest in allowed, words


@pytest.mark.parametrize("path", VERBS, ids=named)
def test_options_that_are_not_given_have_the_value_of_the_verb(path):
    known = parameters(VERBS[path])
    for action in command_parsers()[path]._actions:
        value = action.default
        if action.dest not in known or value in (None, [], argparse.SUPPRESS):
            continue
        if action.dest not in USUAL_DIFFERS:
            assert value == known[action.dest].default, action.dest


@pytest.mark.parametrize("path", VERBS, ids=named)
def test_verbs_have_the_same_keywords(path):
    """Ground truth, then detections, then settings that are given by name."""
    known = parameters(VERBS[path])
    settings = {name for name, one in known.items() if one.kind is one.KEYWORD_ONLY}
    assert {"progress"} <= settings
    if "gt" in known and path != ("proposals", "generate"):
        assert next(iter(known)) == "gt"
        assert {"split", "classes", "gt_format"} <= settings
    if "dt" in known and path not in {("robustness",), ("proposals", "correlate")}:
        assert {"names", "dt_format", "strict", "threads"} <= settings
    if "intervals" in known:
        assert {"replicates", "level", "interval_method", "seed"} <= settings


def results(text: str) -> dict:
    document = json.loads(text)
    # Files are named as they were given.
    return {name: document[name] for name in document if name != "provenance"}


ONE, BOTH = ("window.json",), ("window.json", "region.json")
CASES = [
    (("evaluate",), ONE, {}),
    (("diagnose",), ONE, {}),
    (("sensitivity",), ONE, {"--by": ("by", "area")}),
    (("compare",), BOTH, {"--replicates": ("replicates", 100)}),
    (("disagree",), BOTH, {"--min-score": ("min_score", 0.2)}),
    (("reconcile",), ONE, {"--to": ("end", "voc07")}),
    (("proposals", "oracle"), ONE, {}),
]


@pytest.mark.parametrize(("path", "found", "more"), CASES, ids=lambda one: named(one)[:20])
def test_a_command_answers_as_its_verb_does(path, found, more, demo, monkeypatch):
    """With the classes asked for alone, under the names given."""
    monkeypatch.chdir(demo)
    names = [f"the {file.removesuffix('.json')}" for file in found]
    words = [word for option, (_, value) in more.items() for word in (option, str(value))]
    done = boxlens_here(
        *(*path, "ground_truth.json", *found, "--json", "-", "--classes", "cat,dog", *words),
        *("--name", ",".join(names)),
        cwd=demo,
    )
    assert done.returncode == 0, done.stderr
    assert "counted over 2 classes of 16, as asked: dog, cat" in done.stderr
    dt = found[0] if len(found) == 1 else list(found)
    keywords = {name: [value] if name == "by" else value for name, value in more.values()}
    asked = VERBS[path]("ground_truth.json", dt, classes=["dog", "cat"], names=names, **keywords)
    assert results(done.stdout) == results(json.dumps(asked.to_json()))
    assert names[0] in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("difficulty", "ground_truth.json"),
        ("gate", "ground_truth.json", "--baseline", "window.json", "--candidate", "region.json"),
        ("proposals", "recall", "ground_truth.json", "--method", "uniform", "--budget", "10"),
    ],
    ids=named,
)
def test_a_note_says_which_classes_count(words, demo):
    done = boxlens_here(*words, "--classes", "cat", "--classes", "dog", cwd=demo)
    assert done.returncode == 0, done.stderr
    assert "note: counted over 2 classes of 16, as asked: dog, cat" in done.stderr
    assert "188 objects" in done.stdout


def test_a_class_that_is_not_there_is_named_with_one_that_is(demo):
    done = boxlens_here(
        "evaluate", "ground_truth.json", "window.json", "--classes", "cat,dgo", cwd=demo
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "boxlens: unknown class 'dgo': did you mean 'dog'? (--classes, classes)\n"
    )

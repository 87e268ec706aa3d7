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


GT = "ground_truth.json"
ONE, BOTH = ("window.json",), ("window.json", "region.json")
FEW = {"replicates": 100}
DRAWN = {"replicates": 120, "seed": 3, "level": 0.9, "interval_method": "percentile"}
CASES = [
    ("evaluate", ONE, {"also": ["olrp", "curves", "images"], "protocol": "voc12"}),
    ("evaluate", ONE, {"intervals": True, **DRAWN}),
    ("diagnose", ONE, {"tidecv": True, "tide_range": True, "similar": "none"}),
    ("diagnose", ONE, {"intervals": True, **DRAWN}),
    (
        *("sensitivity", ONE),
        {
            "by": ["area", "occlusion"],
            "bins": {"area": (1024, 9216)},
            "cross": [("area", "occlusion")],
        },
    ),
    ("compare", BOTH, {"permutations": 150, "metric": "AP50", "min_score": 0.3, **DRAWN}),
    (
        *("compare", BOTH),
        {
            "measure": "f1",
            "mapping": "literal",
            "class_agnostic": True,
            **FEW,
            "test": "permutation",
            "largest_t0": 0.2,
            "images_used": "all",
        },
    ),
    ("disagree", BOTH, {"min_score": 0.2, "class_agnostic": True, "by": "boxes"}),
    ("reconcile", ONE, {"end": "ultralytics"}),
    ("gate", BOTH, {"rules": ["AP>=0.1"], **FEW}),
    ("difficulty", BOTH, {"nodes": ["animal"], "iou": 0.6}),
    ("proposals oracle", ONE, {"filter_iou": 0.7}),
]
# Settings that have another name as an option, and commands that name their files.
OPTION_OF = {
    "end": "--to",
    "rules": "--rule",
    "nodes": "--node",
}
FILES_OF = {
    "gate": lambda one, other: ("--baseline", one, "--candidate", other),
    "difficulty": lambda *found: ("--dt", *found),
}


def word_of(value) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={word_of(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return (":" if isinstance(value, tuple) else ",").join(map(word_of, value))
    return str(value)


def options_of(settings: dict) -> list[str]:
    words = []
    for name, value in settings.items():
        option = OPTION_OF.get(name, f"--{name.replace('_', '-')}")
        words += [option] if value is True else [option, word_of(value)]
    return words


@pytest.mark.parametrize(("command", "found", "settings"), CASES)
def test_a_command_answers_as_its_verb_does(command, found, settings, demo, monkeypatch, tmp_path):
    """With the classes asked for alone, under the names given; on stdout JSON alone, or in a file."""
    monkeypatch.chdir(demo)
    path = tuple(command.split())
    names = [f"the {file.removesuffix('.json')}" for file in found]
    files = FILES_OF.get(command, lambda *found: found)(*found)
    words = (*path, GT, *files, *options_of(settings), "--classes", "cat,dog")
    words += ("--name", ",".join(names))
    done = boxlens_here(*words, "--json", "-", cwd=demo)
    assert done.returncode == 0, done.stderr
    assert "counted over 2 classes of 16, as asked: dog, cat" in done.stderr
    document = json.loads(done.stdout)
    assert list(document) == [
        *("schema", "provenance", "parameters", "dataset", "notices", "results"),
    ]
    assert document["schema"] == f"boxlens/{'-'.join(path)}/1"
    read = [document["provenance"]["ground_truth"], *document["provenance"]["detections"]]
    assert [one["path"] for one in read] == [GT, *found]
    assert {len(one["sha256"]) for one in read} == {64}
    assert read[0]["classes"] == ["dog", "cat"]
    tables = found if command == "gate" else [found[0] if len(found) == 1 else list(found)]
    asked = VERBS[path](GT, *tables, classes=["dog", "cat"], names=names, **settings)
    expected = json.loads(json.dumps(asked.to_json(), allow_nan=False))
    assert document == expected
    assert names[0] in done.stdout
    target = tmp_path / "deep" / "answer.json"
    beside = boxlens_here(*words, "--json", target, cwd=demo)
    assert names[0] in beside.stdout
    assert not beside.stdout.startswith("{")
    assert f"wrote {target}" in beside.stderr
    assert json.loads(target.read_text(encoding="utf-8")) == document


@pytest.mark.parametrize(
    "words",
    [("difficulty", GT), ("proposals", "recall", GT, "--method", "uniform", "--budget", "10")],
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

"""What is true of every verb that reads tables, whatever it answers."""

from __future__ import annotations

import json
import pickle

import pytest

from command_parsers import command_parsers
from every_verb import VERBS
from running import write_demo
from studies.diagnosis.worlds import demo_dataset, demo_detections, told

every_verb = pytest.mark.parametrize("verb", VERBS)


def tables():
    return demo_dataset(), demo_detections(), demo_detections("region")


# What they answer takes pictures, or they answer nothing about tables.
OTHERS = {
    *("upper-bound", "robustness", "report", "proposals-generate", "proposals-repeatability"),
    *("proposals-train", "proposals-tune", "train", "detect", "scenes-make", "convert"),
    *("serve", "formats", "demo"),
}


def test_every_command_is_looked_at_or_answers_nothing_about_tables():
    commands = {
        "-".join(path)
        for path, command in command_parsers().items()
        if any(action.dest == "json" for action in command._actions)
    }
    assert commands == {*VERBS, *OTHERS}


@every_verb
def test_threads_change_no_byte_and_inputs_stay(verb):
    inputs = tables()
    before = pickle.dumps(inputs)
    one, several = (
        json.dumps(VERBS[verb](*inputs, threads=threads).to_json(), allow_nan=False)
        for threads in (1, 3)
    )
    assert one == several
    assert pickle.dumps(inputs) == before


@every_verb
def test_files_are_answered_as_their_tables_and_progress_is_told(verb, tmp_path):
    folder = write_demo(tmp_path)
    files = [folder / f"{name}.json" for name in ("ground_truth", "window", "region")]
    steps = []
    asked = told(VERBS[verb](*files, progress=lambda *step: steps.append(step)))
    assert list(asked) == ["schema", "provenance", "parameters", "dataset", "notices", "results"]
    assert asked["schema"] == f"boxlens/{verb}/1"
    provenance = asked.pop("provenance")
    assert provenance["ground_truth"]["path"] == str(files[0])
    assert {len(one["sha256"]) for one in provenance["detections"]} <= {64}
    of_tables = told(VERBS[verb](*tables()))
    del of_tables["provenance"]
    assert asked == of_tables
    assert steps
    for what, done, total in steps:
        assert what.strip()
        assert 0 <= done <= total


@pytest.mark.parametrize("verb", ["evaluate", "diagnose", "compare", "gate", "proposals-recall"])
def test_another_seed_draws_other_test_sets(verb):
    usual, again, other = (
        told(VERBS[verb](*tables(), **how)) for how in ({}, {"seed": 0}, {"seed": 1})
    )
    assert usual == again
    assert usual["results"] != other["results"]

"""Killed without warning, a run over changed sets loses nothing and repeats nothing written."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time

from rendered_set import rendered_set
from running import PATIENCE_S

# Writes down what it sees before it begins, and is slow enough to be killed.
SCRIPT = """
import hashlib, math, sys, time
from pathlib import Path
from boxlens.detector_robustness.running import run_detector
from boxlens.detectors.from_callable import CallableDetector
from boxlens.formats import read_dataset
from boxlens.images import find_images
from boxlens.images.transforming.catalogue import CLEAN, steps_of
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.pictured import with_pictures
from boxlens.images.transforming.transform import TransformSettings

place, log, kept = map(Path, sys.argv[1:])
dataset = read_dataset(place / "ground_truth.json")
dataset, files, _ = with_pictures(dataset, find_images(place / "images", dataset=dataset)[0])

def find(pixels):
    with log.open("a") as file:
        file.write(hashlib.sha256(pixels.tobytes()).hexdigest() + "\\n")
    time.sleep(0.01)
    return [[0, 0, 5, 7 / 3]], [float(pixels.mean() / 765)], [0]

steps = (CLEAN, *steps_of(["crop", "gaussian_noise:1:3", "vertical_flip"]))
sets = [changed_set(dataset, files, step, TransformSettings()) for step in steps]
run_detector(CallableDetector(find, dataset.classes, "slow"), "slow", sets, kept, batch=2)
"""


def lines_of(path):
    return path.read_text().split() if path.exists() else []


def test_a_killed_run_loses_nothing(tmp_path):
    rendered = rendered_set(tmp_path / "set")
    (tmp_path / "script.py").write_text(SCRIPT)
    log, whole, kept = tmp_path / "log", tmp_path / "whole", tmp_path / "kept"

    def started(folder):
        arguments = [sys.executable, tmp_path / "script.py", rendered.folder, log, folder]
        return subprocess.Popen(arguments, stderr=subprocess.PIPE)

    def finished(folder):
        process = started(folder)
        _, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, errors

    finished(whole)
    order = lines_of(log)
    log.unlink()
    chance = random.Random(0)
    n_done = 0
    for _ in range(2):
        n_seen = len(lines_of(log))
        process = started(kept)
        deadline = time.monotonic() + PATIENCE_S
        until = n_seen + chance.randint(3, 9)
        while len(lines_of(log)) < until and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.kill()
        process.communicate()
        this_time = lines_of(log)[n_seen:]
        assert this_time == order[n_done : n_done + len(this_time)]
        # At most the batch in hand is done again.
        n_recorded = n_done + len(this_time)
        done = _recorded(kept)
        assert n_recorded - 2 <= done <= n_recorded
        n_done = done
    n_seen = len(lines_of(log))
    finished(kept)
    assert lines_of(log)[n_seen:] == order[n_done:]
    for path in whole.iterdir():
        assert (kept / path.name).read_bytes() == path.read_bytes()
    assert len(list(kept.iterdir())) == len(list(whole.iterdir()))


def _recorded(folder):
    """Pictures of finished sets, and of the journal of the one that was begun."""
    finished = sum(
        json.loads(path.read_text())["outcome"]["n_done"]
        for path in folder.glob("*.origin.json")
        if json.loads(path.read_text())["outcome"] is not None
        and not (folder / f"{path.name.removesuffix('.origin.json')}.json.partial").exists()
    )
    journals = [path.read_bytes().split(b"\n")[:-1] for path in folder.glob("*.partial")]
    return finished + sum(max(len(lines) - 1, 0) for lines in journals)

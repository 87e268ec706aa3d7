"""Killed without warning, a run over changed sets loses nothing and repeats nothing written."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys

from rendered_set import rendered_set
from running import PATIENCE_S

# Writes down what it sees before it begins, and kills itself where it is told to.
SCRIPT = """
import hashlib, os, signal, sys
from pathlib import Path
from boxlens.studies.robustness.running import run_detector
from boxlens.detectors.from_callable import CallableDetector
from boxlens.formats import read_dataset
from boxlens.images import find_images
from boxlens.images.transforming.catalogue import CLEAN, steps_of
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.pictured import with_pictures
from boxlens.images.transforming.transform import TransformSettings

place, log, kept = map(Path, sys.argv[1:4])
kill_at = int(sys.argv[4])
dataset = read_dataset(place / "ground_truth.json")
dataset, files, _ = with_pictures(dataset, find_images(place / "images", dataset=dataset)[0])

def find(pixels):
    with log.open("a") as file:
        file.write(hashlib.sha256(pixels.tobytes()).hexdigest() + "\\n")
    if len(log.read_text().split()) == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
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

    def run(folder, kill_at=-1):
        """To its end, or until so many pictures were seen, those of earlier runs among them."""
        command = [sys.executable, tmp_path / "script.py", rendered.folder, log, folder]
        done = subprocess.run(
            [*command, str(kill_at)], stderr=subprocess.PIPE, check=False, timeout=PATIENCE_S
        )
        assert done.returncode == (0 if kill_at < 0 else -signal.SIGKILL), done.stderr

    run(whole)
    order = lines_of(log)
    log.unlink()
    chance = random.Random(0)
    n_done = 0
    for _ in range(2):
        n_seen = len(lines_of(log))
        run(kept, kill_at=n_seen + chance.randint(3, 9))
        this_time = lines_of(log)[n_seen:]
        assert this_time == order[n_done : n_done + len(this_time)]
        # At most the batch in hand is done again.
        n_recorded = n_done + len(this_time)
        done = _recorded(kept)
        assert n_recorded - 2 <= done <= n_recorded
        n_done = done
    n_seen = len(lines_of(log))
    run(kept)
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

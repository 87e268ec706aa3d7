"""Killed without warning at random moments, a run loses nothing and repeats nothing written."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from pictures import write_pictures
from running import PATIENCE_S

N = 30
N_KILLS = 4

# Writes down what it sees before it begins, and kills its process where it is told to.
DETECTOR = """
import hashlib, os, signal
from pathlib import Path
classes = ["whole"]
def find(pixels):
    with open("seen.txt", "a") as log:
        log.write(hashlib.sha256(pixels.tobytes()).hexdigest() + "\\n")
    if os.environ.get("KILL_AT") == str(len(Path("seen.txt").read_text().split())):
        os.kill(os.getpid(), signal.SIGKILL)
    height, width = pixels.shape[:2]
    return [[0, 0, width / 3, height / 7]], [float(pixels.mean() / 765)], ["whole"]
"""


def run(folder: Path, output: str, kill_at: int | None = None) -> None:
    """To its end, or until so many pictures were seen, those of earlier runs among them."""
    command = ["detect", "in", "--model", "noting:find", "-o", output, "--batch", "3"]
    done = subprocess.run(
        [sys.executable, "-m", "boxlens", *command],
        cwd=folder,
        env=os.environ | {"KILL_AT": str(kill_at)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == (0 if kill_at is None else -signal.SIGKILL), done.stderr


def seen(folder: Path) -> list[str]:
    log = folder / "seen.txt"
    return log.read_text().split() if log.exists() else []


def recorded(folder: Path) -> int:
    """Whole lines of the journal, the header aside."""
    journal = folder / "out.json.partial"
    lines = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
    for line in lines:
        json.loads(line)
    return max(len(lines) - 1, 0)


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    chance = random.Random(0)
    write_pictures(tmp_path / "in", [f"{number}.png" for number in range(N)])
    (tmp_path / "noting.py").write_text(DETECTOR)
    run(tmp_path, "whole.json")
    order = seen(tmp_path)
    assert len(set(order)) == N
    (tmp_path / "seen.txt").unlink()

    n_done = 0
    for _ in range(N_KILLS):
        n_seen = len(seen(tmp_path))
        run(tmp_path, "out.json", kill_at=n_seen + chance.randint(1, 7))
        # Begins exactly at the first picture that was not recorded.
        this_time = seen(tmp_path)[n_seen:]
        assert this_time == order[n_done : n_done + len(this_time)]
        assert not (tmp_path / "out.json").exists()
        assert recorded(tmp_path) >= n_done
        n_done = recorded(tmp_path)
    assert 0 < n_done < N

    n_seen = len(seen(tmp_path))
    run(tmp_path, "out.json")
    assert seen(tmp_path)[n_seen:] == order[n_done:]
    assert (tmp_path / "out.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert not (tmp_path / "out.json.partial").exists()

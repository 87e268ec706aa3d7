"""Killed without warning at random moments, a run loses nothing and repeats nothing written."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

from pictures import write_pictures
from running import PATIENCE_S

N = 60
N_KILLS = 5

# Finds the picture's size, slowly, and writes down what it sees before it begins.
DETECTOR = """
import hashlib, time
classes = ["whole"]
def find(pixels):
    with open("seen.txt", "a") as log:
        log.write(hashlib.sha256(pixels.tobytes()).hexdigest() + "\\n")
    time.sleep(0.02)
    height, width = pixels.shape[:2]
    return [[0, 0, width / 3, height / 7]], [float(pixels.mean() / 765)], ["whole"]
"""


def started(folder: Path, output: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "boxlens",
            "detect",
            "in",
            "--model",
            "slow:find",
            "-o",
            output,
            "--batch",
            "3",
        ],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finished(folder: Path, output: str) -> None:
    process = started(folder, output)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors


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


def kill_after(process: subprocess.Popen[bytes], folder: Path, n_seen: int, delay_s: float) -> None:
    """Waits until so many pictures were seen, then a little, then kills."""
    deadline = time.monotonic() + PATIENCE_S
    while len(seen(folder)) < n_seen and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    time.sleep(delay_s)
    process.kill()
    process.communicate()


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    chance = random.Random(0)
    write_pictures(tmp_path / "in", [f"{number}.png" for number in range(N)])
    (tmp_path / "slow.py").write_text(DETECTOR)
    finished(tmp_path, "whole.json")
    order = seen(tmp_path)
    assert len(set(order)) == N
    (tmp_path / "seen.txt").unlink()

    n_done = 0
    for _ in range(N_KILLS):
        n_seen = len(seen(tmp_path))
        kill_after(
            started(tmp_path, "out.json"),
            tmp_path,
            n_seen + chance.randint(1, 7),
            chance.uniform(0, 0.03),
        )
        # Begins exactly at the first picture that was not recorded.
        this_time = seen(tmp_path)[n_seen:]
        assert this_time == order[n_done : n_done + len(this_time)]
        assert not (tmp_path / "out.json").exists()
        assert recorded(tmp_path) >= n_done
        n_done = recorded(tmp_path)
    assert 0 < n_done < N

    n_seen = len(seen(tmp_path))
    finished(tmp_path, "out.json")
    assert seen(tmp_path)[n_seen:] == order[n_done:]
    assert (tmp_path / "out.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert not (tmp_path / "out.json.partial").exists()

"""Killed before any change of its files and started again, a command ends with the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rendered_set import rendered_set

SCRIPT = Path(__file__).parents[1] / "killed_anywhere.py"
REPORT = ["-o", "out", "--figures", "none"]
PICTURES = ["{set}/ground_truth.json", "--images", "{set}/images"]
TUNED = [PICTURES[0], "edge-boxes", *PICTURES[1:]]
# Where each is killed: before all changes, or at shares of them. Reports take a while, and their
# pages are written alike: what a command keeps of its own comes before.
COMMANDS = {
    "detect": ("all", ["detect", "{set}/images", "--model", "mine:find", "-o", "out.json"]),
    "generate": ("all", ["proposals", "generate", "edge-boxes", *PICTURES[1:], "-o", "out.json"]),
    "scenes": (
        ".01,.2,.5,.7,.8,.9,.95,.97,.99",
        ["scenes", "make", "--images", "2", "--size", "64x48", "-o", "out"],
    ),
    "convert": ("all", ["convert", "{set}/ground_truth.json", "out", "--to", "voc"]),
    "export": (
        ".01,.05,.1,.3,.5,.7,.9,.99",
        ["robustness", *PICTURES, "--transform", "vertical_flip", "--export", "out"],
    ),
    "tune": (".15,.3,.5", ["proposals", "tune", *TUNED, "--trials", "2", *REPORT]),
    "repeatability": (
        ".1,.3",
        [
            *("proposals", "repeatability", "{set}/images", "--method", "edge-boxes"),
            *("--perturb", "blur", *REPORT),
        ],
    ),
    "recall": (".1", ["proposals", "recall", *PICTURES, "--method", "edge-boxes", *REPORT]),
    "difficulty": (".15,.5", ["difficulty", *PICTURES, "--windows", "edge-boxes", *REPORT]),
    "robustness": (
        ".05,.1,.2,.3",
        [
            *("robustness", *PICTURES, "--transform", "vertical_flip", "--model", "mine:find"),
            *REPORT,
        ],
    ),
    "upper-bound": (
        ".3",
        [
            *("upper-bound", *PICTURES, "--classifier", "torch:small", "--epochs", "1"),
            *("--side", "16", "--folds", "2", "--sampled-iou", "0", *REPORT),
        ],
    ),
}
WITH_WORKERS = ("generate", "scenes", "tune", "repeatability", "recall")
DETECTOR = """
classes = ["car", "person"]
def find(pixels):
    height, width = pixels.shape[:2]
    return [[0, 0, width / 3, height / 7]], [float(pixels.mean() / 765)], ["car"]
"""


@pytest.fixture(scope="module")
def pictures(tmp_path_factory) -> Path:
    """One of them cannot be read: that is told after a kill as well."""
    folder = tmp_path_factory.mktemp("killed") / "set"
    rendered_set(folder, (1, 2, 3, 4), width=64, height=48)
    (folder / "images" / "000002.png").write_bytes(b"no picture")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_goes_on_to_the_same_bytes(name, pictures, tmp_path):
    if name == "upper-bound":
        pytest.importorskip("torch", reason="torch is not installed")
    (tmp_path / "mine.py").write_text(DETECTOR)
    where, command = COMMANDS[name]
    workers = ["--workers", "1"] if name in WITH_WORKERS else []
    done = subprocess.run(
        [
            *(sys.executable, SCRIPT, tmp_path, where),
            *(word.format(set=pictures) for word in command),
            *workers,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    whole = contents(tmp_path / "whole")
    assert whole
    killed = [path for path in tmp_path.iterdir() if path.name.isdigit()]
    assert killed
    for folder in killed:
        assert contents(folder) == whole, f"killed before change {folder.name} of {done.stdout}"


def contents(folder: Path) -> dict[str, bytes | None]:
    """Of files and folders, hidden ones, too; how long something took aside."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
        if not path.name.endswith(".seconds.json")
    }

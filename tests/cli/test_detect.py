"""`boxlens detect` as a user runs it: results, notes, exit codes, interruption."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pictures import scene, write_pictures
from running import PATIENCE_S, boxlens_process

DETECTOR = """
import time
classes = ["dark", "light"]
def find(pixels):
    height, width = pixels.shape[:2]
    return [[0, 0, width, height]], [float(pixels.mean() / 255)], [int(pixels.mean() > 127)]
def slow(pixels):
    time.sleep(0.05)
    return find(pixels)
def wrong(pixels):
    return [1, 2, 3], [1], [0]
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    write_pictures(tmp_path / "in", ["000005.png", "000012.png", "000030.png"])
    (tmp_path / "mine.py").write_text(DETECTOR)
    return tmp_path


def detect(folder: Path, *arguments: str, model: str = "mine:find"):
    return boxlens_process(
        "detect", "in", "--model", model, "-o", "out.json", *arguments, cwd=folder
    )


def results(folder: Path) -> list[dict]:
    return json.loads((folder / "out.json").read_text())


def refused(done, *told: str) -> None:
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert lines[-1].startswith("boxlens: ")
    assert "Traceback" not in done.stderr
    for part in told:
        assert part in lines[-1], lines[-1]


def test_results_are_written_and_summed_up(folder):
    done = detect(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "wrote out.json: 3 detections of 'mine:find' in 3 images\n"
    assert done.stderr == ""
    assert [record["image_id"] for record in results(folder)] == [5, 12, 30]
    assert sorted(path.name for path in folder.iterdir() if path.name != "__pycache__") == [
        "in",
        "mine.py",
        "out.json",
    ]


def test_the_ground_truth_gives_ids_of_images_and_classes(folder):
    truth = {
        "images": [
            {"id": 100 + number, "file_name": f"{number:06d}.png", "width": 20, "height": 12}
            for number in (5, 12, 7)
        ],
        "annotations": [],
        "categories": [{"id": 70, "name": "light"}, {"id": 60, "name": "dark"}],
    }
    (folder / "gt.json").write_text(json.dumps(truth))
    done = detect(folder, "--gt", "gt.json")
    assert done.returncode == 0, done.stderr
    assert [record["image_id"] for record in results(folder)] == [105, 112]
    assert {record["category_id"] for record in results(folder)} <= {60, 70}
    assert "skipped 1 of 3 pictures, not in the ground truth" in done.stderr
    assert "no picture for 1 of 3 images" in done.stderr
    scored = boxlens_process("evaluate", "gt.json", "out.json", cwd=folder)
    assert scored.returncode == 0, scored.stderr


def bad_pictures(folder: Path) -> None:
    whole = folder / "in" / "000005.png"
    (folder / "in" / "000040.jpg").write_bytes(b"")
    (folder / "in" / "000041.jpg").write_bytes(b"not a picture")
    (folder / "in" / "000042.png").write_bytes(whole.read_bytes()[:-40])


def test_bad_pictures_are_listed_and_the_others_done(folder):
    bad_pictures(folder)
    done = detect(folder)
    assert done.returncode == 0
    *notes, last = done.stderr.splitlines()
    assert last == "note: 3 pictures failed"
    assert [note.split(":")[:3] for note in notes] == [
        ["note", " failed", f" 0000{number}"] for number in ("40.jpg", "41.jpg", "42.png")
    ]
    assert "3 of 6 images failed" in done.stdout
    assert len(results(folder)) == 3


def test_twenty_failures_are_shown_and_all_are_in_the_json(folder):
    for number in range(100, 125):
        (folder / "in" / f"{number}.jpg").write_bytes(b"")
    done = detect(folder, "--json", "-")
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 22
    assert done.stderr.endswith("note: failed: and 5 more\nnote: 25 pictures failed\n")
    document = json.loads(done.stdout)
    assert document["schema"] == "boxlens/detect/1"
    assert len(document["failed"]) == 25
    assert document["failed"][0] == {"file": "100.jpg", "reason": "the file is empty (0 bytes)"}
    assert (document["n_images"], document["n_detections"], document["n_resumed"]) == (28, 3, 0)


def test_changed_pictures_are_counted(folder):
    Image.fromarray(scene(0)).convert("CMYK").save(folder / "in" / "000050.jpg")
    Image.fromarray((np.arange(64, dtype=np.uint16) * 1024).reshape(8, 8)).save(
        folder / "in" / "000051.png"
    )
    done = detect(folder)
    assert "1 picture: CMYK to RGB" in done.stdout
    assert "1 picture: 16 bits to 8" in done.stdout


def test_all_pictures_bad_is_an_error(folder):
    for path in (folder / "in").iterdir():
        path.write_bytes(b"")
    refused(detect(folder), "none of the 3 pictures", "000005.png", "empty")
    assert not (folder / "out.json").exists()
    assert not (folder / "out.json.partial").exists()


def test_a_folder_without_pictures_is_refused(folder):
    (folder / "none").mkdir()
    done = boxlens_process("detect", "none", "--model", "mine:find", "-o", "out.json", cwd=folder)
    refused(done, "none", ".jpg", ".png")


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("mine:absent", ["mine:absent", "has no 'absent'"]),
        ("absent:find", ["absent", "cannot be imported"]),
        ("mine:wrong", ["000005.png", "mine:wrong", "shape (3,)"]),
        ("model.pt", ["model.pt", "unknown model", "package.module:function"]),
        ("absent.onnx", ["absent.onnx", "no such file"]),
        ("absent.npz", ["absent.npz", "no such file"]),
    ],
)
def test_a_model_that_is_none_is_refused(folder, model, told):
    refused(detect(folder, model=model), *told)
    assert not (folder / "out.json.partial").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--spec", "yolox"], ".onnx"),
        (["--split", "val"], "--gt"),
        (["--gt", "absent.json"], "absent.json"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(folder, arguments, told):
    refused(detect(folder, *arguments), told)


def test_finished_results_are_kept_until_restart(folder):
    assert detect(folder).returncode == 0
    before = (folder / "out.json").read_bytes()
    refused(detect(folder), "out.json", "already exists", "--restart")
    assert detect(folder, "--restart", "--min-score", "2").returncode == 0
    assert (folder / "out.json").read_bytes() != before


def test_the_exchange_of_a_whole_run(folder):
    bad_pictures(folder)
    (folder / "away").mkdir()
    (folder / "away" / "classes.txt").write_text("light\n")
    done = detect(folder, model="away")
    refused(done, "3 pictures are exported", "away/images", "away/results.json")
    assert "note: failed: 000040.jpg" in done.stderr
    listed = json.loads((folder / "away" / "images.json").read_text())
    found = [
        {"image_id": image["id"], "category_id": 1, "bbox": [0, 0, image["width"], 1], "score": 0.5}
        for image in listed["images"]
    ]
    (folder / "away" / "results.json").write_text(json.dumps(found))
    done = detect(folder, model="away")
    assert done.returncode == 0, done.stderr
    assert [(record["image_id"], record["bbox"][2]) for record in results(folder)] == [
        (key, image["width"]) for key, image in zip((5, 12, 30), listed["images"], strict=True)
    ]


def running(folder: Path) -> subprocess.Popen[str]:
    """A slow run that has begun to write its journal."""
    for number in range(100, 140):
        Image.fromarray(scene(number)).save(folder / "in" / f"{number}.png")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "boxlens",
            "detect",
            "in",
            "--model",
            "mine:slow",
            "-o",
            "out.json",
            "--batch",
            "1",
        ],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = folder / "out.json.partial"
    deadline = time.monotonic() + PATIENCE_S
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on_and_does(folder, ending):
    process = running(folder)
    process.send_signal(ending)
    out, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + ending
    assert out == ""
    assert errors == (
        "boxlens: stopped; finished work is kept in out.json.partial: run the same command to "
        "continue\n"
    )
    refused(detect(folder), "another detector, model or spec", "--restart")
    done = detect(folder, model="mine:slow")
    assert done.returncode == 0, done.stderr
    assert "images kept from an interrupted run" in done.stdout
    assert len(results(folder)) == 43


def test_a_second_process_is_turned_away(folder):
    process = running(folder)
    try:
        refused(detect(folder, model="mine:slow"), "out.json.partial", "another process")
    finally:
        process.kill()
        process.communicate()
    with (folder / "out.json.partial").open("rb") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a killed process holds nothing

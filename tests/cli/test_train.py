"""`boxlens train`: pictures and ground truth in, a model out that `boxlens detect` runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from boxlens.detectors.saved import load_detector
from running import boxlens_here, boxlens_process
from toy_pictures import as_files, toy_set


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    as_files(*toy_set(6, seed=1), tmp_path)
    return tmp_path


def train(
    folder: Path, *more: str, kind: str = "region", output: str = "model.npz", how=boxlens_process
):
    fixed = ("--images", "images", "--detector", kind, "-o", output)
    return how("train", "ground_truth.json", *fixed, *more, cwd=folder)


@pytest.mark.parametrize("kind", ["window", "region"])
def test_a_model_is_written_and_runs(toys: Path, kind: str):
    done = train(toys, kind=kind)
    assert done.returncode == 0, done.stderr
    assert f"wrote model.npz: a {kind} detector trained on 6 images" in done.stdout
    assert load_detector(toys / "model.npz").name == kind
    found = boxlens_process(
        "detect", "images", "--model", "model.npz", "-o", "found.json", cwd=toys
    )
    assert found.returncode == 0, found.stderr
    assert json.loads((toys / "found.json").read_text())


def test_the_same_seed_gives_the_same_bytes_for_any_number_of_workers(toys: Path):
    contents = set()
    for workers in ("1", "2"):
        assert train(toys, "--seed", "5", "--workers", workers).returncode == 0
        contents.add((toys / "model.npz").read_bytes())
    assert len(contents) == 1


def test_pictures_that_cannot_be_used_are_counted_and_named(toys: Path):
    (toys / "images" / "002.png").write_bytes(b"no picture")
    other, _ = toy_set(1, seed=3)
    import cv2

    cv2.imwrite(str(toys / "images" / "003.png"), other[0][:50])
    (toys / "images" / "004.png").unlink()
    done = train(toys, "--json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "boxlens/train/1"
    assert document["n_images"] == 3
    assert [failure["file"] for failure in document["failed"]] == ["002.png", "003.png"]
    assert "160 x 50 pixels, the ground truth says 160 x 120" in document["failed"][1]["reason"]
    assert "failed: 002.png" in done.stderr
    assert "no picture for 1 of 6 images" in done.stderr


def test_no_usable_picture_is_an_error_that_names_one(toys: Path):
    for path in (toys / "images").iterdir():
        path.write_bytes(b"")
    done = train(toys)
    assert done.returncode == 2
    assert "none of the 6 pictures could be used; 001.png" in done.stderr
    assert not (toys / "model.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--split", "train"], "no splits"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(toys: Path, arguments: list[str], problem: str):
    done = train(toys, *arguments, how=boxlens_here)
    assert done.returncode == 2
    assert problem in done.stderr


def test_a_model_is_an_npz_file_of_a_known_kind(toys: Path):
    assert "models can only be written as .npz" in train(toys, output="model.pkl").stderr
    assert "invalid choice: 'oracle'" in train(toys, kind="oracle", how=boxlens_here).stderr

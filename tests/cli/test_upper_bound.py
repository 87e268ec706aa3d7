"""`boxlens upper-bound` as a user runs it, on painted pictures."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from PIL import Image

import boxlens
from running import boxlens_here
from studies.upper_bound.painted_world import painted_set

READER = """
import numpy as np

classes = ["red", "green", "blue"]

def paint(crop):
    if getattr(paint, "raises", False) and crop.mean() > 0 and crop[0, 0, 2] > 150:
        raise RuntimeError("no blue, please")
    channel = int(crop.reshape(-1, 3).astype(float).mean(axis=0).argmax())
    return classes[channel], 5.0

def moody(crop):
    if crop[0, 0, 2] > 150:
        raise RuntimeError("no blue, please")
    return paint(crop)
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("painted")
    (folder / "images").mkdir()
    dataset, _ = painted_set(folder / "images", n=16)
    boxlens.write_dataset(dataset, folder / "gt.json", "coco")
    (folder / "readers_of_paint.py").write_text(READER)
    with (folder / "labels.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "label", "score"])
        for key, row in zip(dataset.gt.id, dataset.gt.class_row, strict=True):
            table.writerow([key, dataset.classes.name[row], 0.9])
    return folder


def upper_bound(world, *arguments):
    return boxlens_here("upper-bound", "gt.json", *arguments, cwd=world)


def test_the_json_has_the_bound_by_iou_and_class(world):
    done = upper_bound(
        world, "--images", "images", "--classifier", "readers_of_paint:paint", "--json", "-"
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["results"]
    assert results["uap"] == results["accuracy"] == 1
    assert set(results["uap_by_iou"].values()) == {1}
    assert [one["class"] for one in results["classes"]] == ["red", "green", "blue"]
    assert [one["uap"] for one in results["strategies"]] == [1, 1, 1]


def test_the_default_classifier_needs_pictures_alone(world):
    done = upper_bound(world, "--images", "images", "--folds", "2", "--per-class")
    assert done.returncode == 0, done.stderr
    assert "cross-validated" in done.stdout
    assert "The true box" in done.stdout
    assert "blue" in done.stdout


def test_a_file_of_labels_needs_no_pictures(world):
    done = upper_bound(world, "--classifier", "labels.csv", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["uap"] == 1


def test_a_trained_classifier_is_kept_and_used_again(world, tmp_path):
    train = ("--train-gt", "gt.json", "--train-images", "images")
    kept = str(tmp_path / "mine.npz")
    first = upper_bound(world, "--images", "images", *train, "--save", kept, "--json", "-")
    assert first.returncode == 0, first.stderr
    again = upper_bound(world, "--images", "images", "--classifier", kept, "--json", "-")
    found = [json.loads(one.stdout)["results"]["uap"] for one in (first, again)]
    assert found[0] == found[1]


def test_a_report_shows_mistakes_and_context(world, tmp_path):
    done = upper_bound(
        world,
        *("--images", "images", "--classifier", "readers_of_paint:paint"),
        *("--context", "--scale", "0.5,1,2", "-o", str(tmp_path / "out")),
    )
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    assert (out / "figures" / "bound_context.svg").exists()
    assert (out / "tables" / "bound_classes.parquet").exists()
    assert "picture without object" in done.stdout
    # A function is named once.
    assert done.stdout.partition("\n\n")[0].count("readers_of_paint:paint") == 1


def test_grey_and_16_bit_pictures_are_read(world, tmp_path):
    (tmp_path / "images").mkdir()
    dataset, _ = painted_set(tmp_path / "images", n=6)
    boxlens.write_dataset(dataset, tmp_path / "gt.json", "coco")
    first, second = (tmp_path / "images" / f"{key}.png" for key in (1, 2))
    Image.open(first).convert("L").save(first)
    grey = np.asarray(Image.open(second).convert("L")).astype(np.uint16) * 257
    Image.fromarray(grey).save(second)
    (tmp_path / "readers_of_grey.py").write_text(READER)
    done = upper_bound(
        tmp_path, "--images", "images", "--classifier", "readers_of_grey:paint", "--json", "-"
    )
    assert done.returncode == 0, done.stderr
    assert "1 picture: 16 bits to 8" in done.stderr
    assert 0 < json.loads(done.stdout)["results"]["accuracy"] < 1


def test_what_fails_is_listed_and_the_exit_code_says_so(world):
    done = upper_bound(
        world, "--images", "images", "--classifier", "readers_of_paint:moody", "--json", "-"
    )
    assert done.returncode == 3
    assert "no blue, please" in done.stderr
    results = json.loads(done.stdout)["results"]
    assert results["failed"]
    accuracy = {one["class"]: one["accuracy"] for one in results["classes"]}
    assert (accuracy["red"], accuracy["green"], accuracy["blue"]) == (1, 1, 0)


def test_labels_that_do_not_fit_are_listed_and_the_exit_code_says_so(world, tmp_path):
    labels = (world / "labels.csv").read_text().splitlines()
    labels[1] = labels[1].replace(",0.9", ",high")
    (tmp_path / "odd.csv").write_text("\n".join([*labels, "999,red,0.5", ""]))
    done = upper_bound(world, "--classifier", str(tmp_path / "odd.csv"))
    assert done.returncode == 3
    assert "failed: odd.csv: 1 label of an unknown object" in done.stderr
    assert "1 object: the score is not a number" in done.stderr
    assert "pictures failed" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "--images"),
        (("--images", "images", "--classifier", "nothing"), "unknown classifier"),
        (("--images", "images", "--save", "x.npz"), "--train-gt"),
        (("--images", "images", "--epochs", "3"), "torch"),
        (("--images", "images", "--scale", "2"), "--context"),
        (("--images", "images", "--train-gt", "gt.json"), "--train-images"),
        (("--classifier", "labels.csv", "--context"), "context"),
        (("--classifier", "labels.csv", "--sampled-iou", "0.7"), "a file of labels has none"),
        (("--classifier", "labels.csv", "--folds", "3"), "cross-validation"),
        (
            ("--classifier", "labels.csv", "--train-gt", "gt.json", "--train-images", "images"),
            "holds labels",
        ),
        (("--images", "images", "--spec", "a.yaml"), "belongs to an .onnx model"),
        (("--images", "images", "--keep", "there"), "checkpoints"),
    ],
)
def test_what_cannot_be_meant_is_told_in_a_line(world, arguments, told):
    done = upper_bound(world, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1

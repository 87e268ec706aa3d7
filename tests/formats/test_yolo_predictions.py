"""YOLO predictions: what is read, counted and refused."""

from __future__ import annotations

import gzip
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Classes, Images
from boxlens.errors import InputError
from boxlens.formats import yolo
from formats.yolo_sets import codes, dataset_of, put, set_of


def test_predictions_are_read_for_their_images(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(
        tmp_path / "run",
        labels__b_txt="0 0.5 0.5 1 1 0.75\n1 0.25 0.5 0.5 1 0.5\n",
        labels__a_txt="1 0.5 0.5 0.2 0.5 0.125\n",
    )
    for path in (folder, folder / "labels"):
        found = yolo.read_detections(path, dataset, name="mine")
        assert found.name == "mine"
        assert found.image_row.tolist() == [0, 1, 1]
        assert found.class_row.tolist() == [1, 0, 1]
        assert found.score.tolist() == [0.125, 0.75, 0.5]
        assert found.box.tolist() == [[20, 20, 10, 40], [0, 0, 200, 100], [0, 0, 100, 100]]
        assert found.notices == ()
    assert yolo.read_detections(folder, dataset).name == "run"


def test_predictions_for_unknown_images_and_classes_are_counted_or_refused(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(
        tmp_path / "run",
        a_txt="9 0.5 0.5 1 1 0.75\n0 0.5 0.5 1 1 0.75\n",
        other_txt="0 0.5 0.5 1 1 0.75\n" * 3,
    )
    found = yolo.read_detections(folder, dataset)
    assert len(found) == 1
    assert codes(found.notices) == {
        "unknown_image": 3,
        "unknown_class": 1,
        "class_never_detected": 1,
    }
    with pytest.raises(InputError, match=r"other.txt line 1: image not in the ground truth"):
        yolo.read_detections(folder, dataset, strict=True)


def test_packed_and_empty_predictions_are_read(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(tmp_path / "run", a_txt="")
    assert len(yolo.read_detections(folder, dataset)) == 0
    (folder / "b.txt.gz").write_bytes(gzip.compress(b"0 0.5 0.5 1 1 0.75\n"))
    calls = []
    found = yolo.read_detections(folder, dataset, progress=lambda *call: calls.append(call))
    assert found.image_row.tolist() == [1]
    assert calls[-1] == ("reading predictions", 2, 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 0.5 0.5 1 1", "missing confidence: 5 fields. Predict with save_conf=True"),
        ("0 0.5 0.5 1 1 0.5 7", "expected 6 fields, found 7"),
        ("0 0.5 0.5 1 1 nan", "expected finite numbers"),
        ("0 0.5 0.5 1 1 high", "not a number .*'high'"),
        ("0 0.5 0.5 1 -1 0.5", "negative width or height"),
        ("0 50 50 30 30 0.5", "50 is not relative to the image; it looks like pixels"),
        ("cat 0.5 0.5 1 1 0.5", "class 'cat' is not an index"),
    ],
)
def test_bad_predictions_are_refused_by_file_and_line(tmp_path, line, message):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(tmp_path / "run", a_txt=f"0 0.5 0.5 1 1 0.5\n{line}\n")
    with pytest.raises(InputError, match=rf"a\.txt, line 2: {message}"):
        yolo.read_detections(folder, dataset)


def test_a_folder_without_predictions_is_refused(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    (tmp_path / "run").mkdir()
    with pytest.raises(InputError, match="no predictions found"):
        yolo.read_detections(tmp_path / "run", dataset)


def test_images_of_number_ids_are_found_by_file_name_and_classes_by_order(tmp_path):
    images, _ = Images.of([1, 2], [50, 200], [80, 100], ["val/2.jpg", "val/1.jpg"])
    dataset = replace(dataset_of(), images=images, classes=Classes.of([3, 9], ["cat", "dog"]))
    folder = put(tmp_path / "run", labels__1_txt="1 0.5 0.5 1 1 0.5\n")
    found = yolo.read_detections(folder, dataset)
    assert found.image_row.tolist() == [1]
    assert found.class_row.tolist() == [1]
    assert codes(found.notices) == {"class_never_detected": 1, "class_by_order": 2}


def test_predictions_need_to_tell_images_apart_and_to_know_their_sizes(tmp_path):
    names = ["x/a.png", "y/a.png"]
    images, _ = Images.of(["x/a", "y/a"], [50, 200], [80, np.nan], names)
    dataset = replace(dataset_of(), images=images)
    folder = put(tmp_path / "run", x__a_txt="1 0.5 0.5 1 1 0.5\n")
    assert yolo.read_detections(folder, dataset).image_row.tolist() == [0]
    put(folder, y__a_txt="1 0.5 0.5 1 1 0.5\n")
    with pytest.raises(InputError, match="size of image 'y/a' is unknown"):
        yolo.read_detections(folder, dataset)
    put(folder, a_txt="1 0.5 0.5 1 1 0.5\n")
    with pytest.raises(InputError, match="the image name 'a' is not unique"):
        yolo.read_detections(folder, dataset)


# Writing

"""Ultralytics predictions, read and written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.errors import InputError
from boxlens.formats import ultralytics


def data(ids, files, class_ids=(1, 2, 3)) -> Dataset:
    images, _ = Images.of(ids, [10] * len(ids), [10] * len(ids), files, sort=True)
    classes = Classes.of(list(class_ids), [f"c{key}" for key in class_ids], sort=True)
    return Dataset(
        "x", images, classes, GroundTruth.of(len(ids), image_row=[], class_row=[], box=[])
    )


def prediction(image_id, category_id=1, **more):
    return {
        "image_id": image_id,
        "category_id": category_id,
        "bbox": [1, 2, 3, 4],
        "score": 0.5,
        **more,
    }


def read(tmp_path, records, dataset, **options):
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(records))
    return ultralytics.read_detections(path, dataset, **options)


def test_images_are_found_by_id(tmp_path):
    dataset = data([7, 3], ["b.jpg", "a.jpg"])
    detections = read(tmp_path, [prediction(7), prediction(3)], dataset)
    assert detections.image_row.tolist() == [0, 1]
    assert detections.source.format == "ultralytics"


def test_images_are_found_by_stem_where_no_id_fits(tmp_path):
    dataset = data([1, 2], ["val/000000000139.jpg", "val/street_7.png"])
    records = [prediction("street_7"), prediction("000000000139"), prediction("street_7")]
    assert read(tmp_path, records, dataset).image_row.tolist() == [0, 1, 1]
    assert read(tmp_path, [prediction(139)], dataset).image_row.tolist() == [0]


def test_an_image_that_is_nowhere_is_counted_or_refused(tmp_path):
    dataset = data([1, 2], ["a.jpg", "b.jpg"])
    detections = read(tmp_path, [prediction("a"), prediction("z")], dataset)
    assert [(one.code, one.count) for one in detections.notices] == [("unknown_image", 1)]
    with pytest.raises(InputError, match=r"record 1 .image_id 'z'"):
        read(tmp_path, [prediction("a"), prediction("z")], dataset, strict=True)


def test_a_number_that_is_an_id_and_another_files_stem_is_not_guessed(tmp_path):
    dataset = data([1, 2], ["0002.jpg", "0009.jpg"])
    # 9 is a stem only, so 2 may be the id of one image or the stem of the other.
    with pytest.raises(
        InputError, match=r"image_id 2 is the id of '0009.jpg' and the stem of '0002.jpg'"
    ):
        read(tmp_path, [prediction(2), prediction(9)], dataset)
    # The file name says which.
    records = [prediction(2, file_name="0002.jpg"), prediction(9, file_name="0009.jpg")]
    assert read(tmp_path, records, dataset).image_row.tolist() == [0, 1]
    # All are ids: they are taken as ids.
    assert read(tmp_path, [prediction(2), prediction(1)], dataset).image_row.tolist() == [0, 1]


def test_a_stem_that_two_files_share_names_neither(tmp_path):
    dataset = data([1, 2], ["x/a.jpg", "y/a.jpg"])
    assert len(read(tmp_path, [prediction("a")], dataset)) == 0


@pytest.mark.parametrize(
    ("found", "class_ids", "said"),
    [
        ([0, 1, 2], (1, 2, 3), "one too small"),
        ([2, 3, 4], (1, 2, 3), "one too large"),
        ([0, 1, 2, 3], (1, 2, 13, 90), "class numbers from 0 to 3"),
        ([1, 2, 3, 4], (1, 2, 13, 90), "class numbers from 1 to 4"),
    ],
)
def test_class_numbers_in_place_of_ids_are_refused_not_shifted(tmp_path, found, class_ids, said):
    dataset = data([1], ["a.jpg"], class_ids)
    with pytest.raises(InputError) as error:
        read(tmp_path, [prediction(1, key) for key in found], dataset)
    assert said in error.value.problem
    assert f"{class_ids[0]}, {class_ids[1]}" in error.value.problem
    assert "category ids" in error.value.remedy


def test_a_class_that_is_merely_unknown_is_counted(tmp_path):
    dataset = data([1], ["a.jpg"])
    detections = read(tmp_path, [prediction(1, 2), prediction(1, 77)], dataset)
    assert [(one.code, one.count) for one in detections.notices] == [("unknown_class", 1)]


@pytest.mark.parametrize("files", [["000139.jpg", "000007.jpg", "z_1.jpg"], ["", "", ""]])
def test_detections_come_back_from_a_file_as_they_were(tmp_path, files):
    dataset = data([7, 139, 20], files)
    random = np.random.default_rng(5)
    detections = Detections.of(
        "x",
        3,
        image_row=np.sort(random.integers(0, 3, 200)),
        class_row=random.integers(0, 3, 200),
        box=random.uniform(0, 100, (200, 4)),
        score=random.random(200),
    )
    ultralytics.write_detections(detections, dataset, tmp_path / "out.json")
    again = ultralytics.read_detections(tmp_path / "out.json", dataset)
    for column in ("image_row", "class_row", "box", "score"):
        assert np.array_equal(getattr(again, column), getattr(detections, column))

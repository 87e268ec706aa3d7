"""LVIS v0.5 and v1, read and written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.errors import InputError
from boxlens.formats import coco, lvis
from shared_data import shared

CATEGORIES = [
    {"id": 5, "name": "zebra", "frequency": "f", "synset": "zebra.n.01", "synonyms": ["zebra"]},
    {"id": 2, "name": "acorn", "frequency": "r", "synset": "acorn.n.01", "image_count": 3},
]
IMAGES = [
    {
        "id": 9,
        "coco_url": "http://images.example.org/val2017/000000000009.jpg",
        "width": 10,
        "height": 20,
        "neg_category_ids": [5, 2],
        "not_exhaustive_category_ids": [],
    },
    {
        "id": 4,
        "width": 10,
        "height": 20,
        "neg_category_ids": [],
        "not_exhaustive_category_ids": [2],
    },
]


def put(tmp_path, **changes):
    whole = {
        "images": IMAGES,
        "categories": CATEGORIES,
        "annotations": [
            {"id": 1, "image_id": 9, "category_id": 5, "bbox": [1, 2, 3, 4], "area": 12}
        ],
    }
    path = tmp_path / "lvis.json"
    path.write_text(json.dumps({**whole, **changes}))
    return path


def test_lists_of_classes_become_rows_of_the_images(tmp_path):
    dataset = lvis.read_dataset(put(tmp_path))
    assert dataset.source.format == "lvis"
    assert dataset.images.id.tolist() == [4, 9]
    assert [dataset.images.negative[row].tolist() for row in (0, 1)] == [[], [1, 0]]
    assert [dataset.images.not_exhaustive[row].tolist() for row in (0, 1)] == [[0], []]
    assert dataset.classes.frequency == ("r", "f")
    assert dataset.classes.extra["synset"] == ("acorn.n.01", "zebra.n.01")
    assert dataset.classes.extra["synonyms"] == (None, ["zebra"])
    assert dataset.classes.extra["image_count"] == (3, None)
    assert dataset.notices == ()


def test_a_file_without_names_takes_them_from_the_address(tmp_path):
    dataset = lvis.read_dataset(put(tmp_path))
    assert dataset.images.file_name == ("", "000000000009.jpg")


def test_ids_of_unknown_classes_in_lists_are_counted(tmp_path):
    images = [{**IMAGES[0], "neg_category_ids": [5, 77, 2, 78]}, IMAGES[1]]
    dataset = lvis.read_dataset(put(tmp_path, images=images))
    assert dataset.images.negative[1].tolist() == [1, 0]
    assert [(one.code, one.count) for one in dataset.notices] == [("unknown_neg_category_ids", 2)]


def test_an_unknown_frequency_is_refused(tmp_path):
    with pytest.raises(InputError, match="frequency 'x' of class 'acorn'"):
        lvis.read_dataset(
            put(tmp_path, categories=[CATEGORIES[0], {**CATEGORIES[1], "frequency": "x"}])
        )


@pytest.mark.parametrize("threads", [1, 4])
def test_a_data_set_comes_back_from_a_file_as_it_was(tmp_path, threads):
    dataset = lvis.read_dataset(put(tmp_path))
    lvis.write_dataset(dataset, tmp_path / "again.json")
    again = lvis.read_dataset(tmp_path / "again.json", threads=threads)
    assert again.images.file_name == dataset.images.file_name
    for links in ("negative", "not_exhaustive"):
        mine, other = getattr(again.images, links), getattr(dataset.images, links)
        assert np.array_equal(mine.right, other.right)
        assert np.array_equal(mine.offsets, other.offsets)
    assert again.classes.extra == dataset.classes.extra
    assert again.classes.frequency == dataset.classes.frequency
    assert np.array_equal(again.gt.box, dataset.gt.box)


def test_images_without_lists_are_written_with_empty_ones(tmp_path):
    images, _ = Images.of([1], [5], [5], ["a.jpg"])
    gt = GroundTruth.of(1, image_row=[], class_row=[], box=[])
    lvis.write_dataset(Dataset("x", images, Classes.of([1], ["a"]), gt), tmp_path / "x.json")
    written = json.loads((tmp_path / "x.json").read_text())
    assert written["images"][0]["neg_category_ids"] == []
    assert lvis.read_dataset(tmp_path / "x.json").images.negative is not None


def test_the_real_subset_is_read_without_loss(tmp_path):
    path = shared("lvis_100", "gt.json")
    dataset = lvis.read_dataset(path)
    raw = json.loads(path.read_bytes())
    assert (len(dataset.images), len(dataset.classes), len(dataset.gt)) == (100, 1230, 977)
    ids = dataset.classes.id
    by_id = {one["id"]: one for one in raw["images"]}
    for row, key in enumerate(dataset.images.id.tolist()):
        assert ids[dataset.images.negative[row]].tolist() == by_id[key]["neg_category_ids"]
        assert (
            ids[dataset.images.not_exhaustive[row]].tolist()
            == by_id[key]["not_exhaustive_category_ids"]
        )
    assert set(dataset.classes.extra) == {
        "image_count",
        "instance_count",
        "synset",
        "def",
        "synonyms",
    }
    lvis.write_dataset(dataset, tmp_path / "out.json")
    again = lvis.read_dataset(tmp_path / "out.json")
    assert again.classes.extra == dataset.classes.extra
    assert coco.read_spans(again.gt.spans["segmentation"]) == coco.read_spans(
        dataset.gt.spans["segmentation"]
    )
    detections = lvis.read_detections(shared("lvis_100", "yolox_nano.json"), dataset)
    # Its 80 classes are those of COCO.
    assert [one.code for one in detections.notices] == ["class_never_detected"]
    lvis.write_detections(detections, dataset, tmp_path / "det.json")
    assert np.array_equal(lvis.read_detections(tmp_path / "det.json", dataset).box, detections.box)


@pytest.mark.parametrize(
    "lists", ['3, "neg_category_ids": [5]', "[2], X: null, X: [5]", "[2, 5], X: null"]
)
def test_of_a_list_that_is_given_twice_the_last_one_counts(tmp_path, lists):
    text = put(tmp_path).read_text().replace('"neg_category_ids": []', '"neg_category_ids": LISTS')
    text = text.replace("LISTS", lists.replace("X", '"neg_category_ids"'))
    (tmp_path / "lvis.json").write_text(text)
    for _ in range(3):  # memory that nobody wrote to holds something else every time
        images = lvis.read_dataset(tmp_path / "lvis.json").images
        rows = [images.negative[row].tolist() for row in range(2)]
        assert rows == [[1] if lists.endswith("[5]") else [], [1, 0]]

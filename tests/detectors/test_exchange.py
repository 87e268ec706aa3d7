"""Pictures go out, results come back in any format, and never to other pictures."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from boxlens import formats
from boxlens.data import Classes
from boxlens.detectors import Detector
from boxlens.detectors.batches import detect_all
from boxlens.detectors.exchange import ExchangeFolder, export_files
from boxlens.detectors.opening import open_detector
from boxlens.errors import InputError
from boxlens.images import find_images
from pictures import CLASSES, quadrant_detector, scene, write_pictures
from small_world import assert_same_tables

PICTURES = [scene(seed, 20 + seed, 12) for seed in range(5)]


def exported(folder) -> ExchangeFolder:
    exchange = ExchangeFolder(folder / "elsewhere", CLASSES)
    exchange.export(iter(PICTURES))
    return exchange


def run_elsewhere(folder, name: str, format_name: str):
    """What the user does: reads the folder alone, runs a detector, writes results."""
    dataset = formats.read_dataset(folder / "images.json")
    images = [
        np.asarray(Image.open(folder / "images" / file_name))
        for file_name in dataset.images.file_name
    ]
    found = detect_all(quadrant_detector(), images, len(images))
    formats.write_detections(found, dataset, folder / name, format_name)


def test_the_export_is_a_coco_data_set_of_the_same_pixels(tmp_path):
    folder = exported(tmp_path).folder
    dataset = formats.read_dataset(folder / "images.json")
    assert dataset.images.id.tolist() == [1, 2, 3, 4, 5]
    assert dataset.images.width_px.tolist() == [20, 21, 22, 23, 24]
    assert dataset.classes.name == ("dark", "light")
    assert dataset.classes.id.tolist() == [3, 7]
    for name, pixels in zip(dataset.images.file_name, PICTURES, strict=True):
        np.testing.assert_array_equal(np.asarray(Image.open(folder / "images" / name)), pixels)


@pytest.mark.parametrize(
    ("name", "format_name"),
    [("results.json", "coco"), ("results.json.gz", "coco"), ("results.parquet", "parquet")],
)
def test_results_from_elsewhere_are_those_of_the_detector_itself(tmp_path, name, format_name):
    exchange = exported(tmp_path)
    run_elsewhere(exchange.folder, name, format_name)
    assert isinstance(exchange, Detector)
    found = detect_all(exchange, PICTURES, 5, batch=2)
    here = detect_all(quadrant_detector(), PICTURES, 5)
    for column in ("image_row", "class_row", "box", "score"):
        np.testing.assert_array_equal(getattr(found, column), getattr(here, column))
    assert found.name == "elsewhere"


@pytest.mark.parametrize("format_name", ["voc", "yolo"])
def test_results_may_be_a_folder(tmp_path, format_name):
    exchange = exported(tmp_path)
    run_elsewhere(exchange.folder, "results", format_name)
    found = detect_all(exchange, PICTURES, 5)
    here = detect_all(quadrant_detector(), PICTURES, 5)
    assert np.diff(found.offsets).tolist() == np.diff(here.offsets).tolist()
    for row in range(5):
        part = slice(*found.offsets[row : row + 2])
        np.testing.assert_allclose(
            np.sort(found.box[part], axis=0), np.sort(here.box[part], axis=0), atol=1e-4
        )


def test_pictures_are_found_in_any_order_and_any_part(tmp_path):
    exchange = exported(tmp_path)
    run_elsewhere(exchange.folder, "results.json", "coco")
    for order in ([4, 0], [2, 2, 1], []):
        images = [PICTURES[row] for row in order]
        found, here = exchange.detect(images), quadrant_detector().detect(images)
        np.testing.assert_array_equal(found.box, here.box)
        np.testing.assert_array_equal(found.offsets, here.offsets)


def test_equal_pictures_are_exported_once(tmp_path):
    exchange = ExchangeFolder(tmp_path / "x", CLASSES)
    assert exchange.export([scene(0), scene(1), scene(0)]) == 2


def test_without_results_the_next_step_is_told(tmp_path):
    with pytest.raises(InputError) as caught:
        exported(tmp_path).detect(PICTURES[:1])
    for part in ("5 pictures", "elsewhere/images", "images.json", "results.json", "again"):
        assert part in str(caught.value)


def test_another_picture_gets_no_results(tmp_path):
    exchange = exported(tmp_path)
    run_elsewhere(exchange.folder, "results.json", "coco")
    changed = PICTURES[1].copy()
    changed[0, 0, 0] ^= 1
    with pytest.raises(InputError, match="picture 1 of the batch is not among those exported"):
        exchange.detect([PICTURES[0], changed])


def test_an_export_is_not_mixed_with_another(tmp_path):
    exchange = exported(tmp_path)
    before = sorted((path, path.stat().st_mtime_ns) for path in exchange.folder.rglob("*"))
    assert exchange.export(PICTURES) == 5
    with pytest.raises(InputError, match="picture 0 is not among those exported"):
        exchange.export([scene(99)])
    assert before == sorted((path, path.stat().st_mtime_ns) for path in exchange.folder.rglob("*"))


def test_pictures_of_the_user_are_never_written_over(tmp_path):
    own = write_pictures(tmp_path / "set" / "images", ["000001.png"]) / "000001.png"
    before = own.read_bytes()
    with pytest.raises(InputError, match="not empty"):
        ExchangeFolder(tmp_path / "set", CLASSES).export(PICTURES)
    assert own.read_bytes() == before


def test_a_folder_of_other_things_is_not_written_into(tmp_path):
    (tmp_path / "thesis.tex").write_text("...")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        ExchangeFolder(tmp_path, CLASSES).export(PICTURES)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_two_results_are_one_too_many(tmp_path):
    exchange = exported(tmp_path)
    run_elsewhere(exchange.folder, "results.json", "coco")
    run_elsewhere(exchange.folder, "results.parquet", "parquet")
    with pytest.raises(InputError, match=r"results\.json, results\.parquet"):
        exchange.detect(PICTURES)


def test_results_of_unknown_pictures_are_counted(tmp_path):
    exchange = exported(tmp_path)
    results = [
        {"image_id": key, "category_id": 3, "bbox": [0, 0, 1, 1], "score": 0.5} for key in (1, 77)
    ]
    (exchange.folder / "results.json").write_text(json.dumps(results))
    found = exchange.detect(PICTURES)
    assert len(found) == 1
    assert [(notice.code, notice.count) for notice in exchange.notices] == [("unknown_image", 1)]


def test_a_foreign_list_of_images_is_named(tmp_path):
    (tmp_path / "images.json").write_text(
        '{"images": [{"id": 1}], "annotations": [], "categories": []}'
    )
    with pytest.raises(InputError, match=r"images\.json: not written by boxlens detect"):
        ExchangeFolder(tmp_path).export(PICTURES)


def test_classes_come_from_a_list_of_names(tmp_path):
    with pytest.raises(InputError, match=r"classes\.txt"):
        ExchangeFolder(tmp_path).export(PICTURES)
    (tmp_path / "classes.txt").write_text("cat\n\ndog\n")
    exchange = ExchangeFolder(tmp_path)
    exchange.export(PICTURES)
    assert_same_tables(exchange.classes, Classes.of([1, 2], ["cat", "dog"]))
    assert_same_tables(ExchangeFolder(tmp_path, CLASSES).classes, exchange.classes)


def test_files_that_cannot_be_read_are_given_back(tmp_path):
    write_pictures(tmp_path / "in", ["1.png", "2.png", "3.png"])
    (tmp_path / "in" / "2.png").write_bytes(b"")
    files, _ = find_images(tmp_path / "in")
    exchange = ExchangeFolder(tmp_path / "out", CLASSES)
    failed = export_files(exchange, files)
    assert [(failure.file, failure.reason) for failure in failed] == [
        ("2.png", "the file is empty (0 bytes)")
    ]
    assert len(list((tmp_path / "out" / "images").iterdir())) == 2


def test_an_export_without_one_readable_picture_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no picture"):
        ExchangeFolder(tmp_path / "out", CLASSES).export([])
    assert list((tmp_path / "out").iterdir()) == []


def test_other_results_are_another_identity(tmp_path):
    exchange = exported(tmp_path)
    run_elsewhere(exchange.folder, "results.json", "coco")
    _, first = open_detector(str(exchange.folder))
    assert open_detector(str(exchange.folder))[1] == first
    (exchange.folder / "results.json").write_text("[]")
    assert open_detector(str(exchange.folder))[1] != first

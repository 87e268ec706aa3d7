"""The demo set is what its script makes: scenes byte for byte, detections to the last digit kept."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from PIL import Image, features

import boxlens
from boxlens.images.writing import write_jpeg
from boxlens.scenes.make import JPEG_QUALITY, SceneSettings, make_scenes
from boxlens.scenes.scene import render_scene
from running import boxlens_process
from shared_data import ROOT

DEMO = files("boxlens") / "demo"
LIMIT_BYTES = 6_000_000
SEED, N_IMAGES = 2, 200
SAMPLE = (1, 77, 158, 200)
DETECTORS = ("window", "region")
# Another JPEG library packs the same pixels into other bytes.
JPEG_LIBRARY = "3.2.0"


def packed(name: str) -> Any:
    return json.loads(gzip.decompress((DEMO / f"{name}.json.gz").read_bytes()))


@pytest.fixture(scope="module")
def pictures() -> dict[int, bytes]:
    with zipfile.ZipFile(io.BytesIO((DEMO / "images.zip").read_bytes())) as archive:
        return {int(name.split(".")[0]): archive.read(name) for name in archive.namelist()}


def annotations_of(truth: dict[str, Any], number: int) -> list[dict[str, Any]]:
    found = [one for one in truth["annotations"] if one["image_id"] == number]
    return [{key: value for key, value in one.items() if key != "id"} for one in found]


@pytest.mark.parametrize("number", SAMPLE)
def test_a_scene_of_the_demo_is_drawn_again_as_it_is(number: int, pictures: dict[int, bytes]):
    from boxlens.scenes.records import image_record, object_records

    scene = render_scene(SEED, number)
    truth = packed("ground_truth")
    assert json.loads(json.dumps(object_records(scene, number))) == annotations_of(truth, number)
    assert image_record(scene, number, f"{number:06}.jpg") in truth["images"]
    decoded = np.asarray(Image.open(io.BytesIO(pictures[number]))).astype(int)
    assert np.abs(decoded - scene.pixels).mean() < 6


@pytest.mark.skipif(
    features.version("libjpeg_turbo") != JPEG_LIBRARY,
    reason=f"the demo's pictures were packed by libjpeg-turbo {JPEG_LIBRARY}",
)
@pytest.mark.parametrize("number", SAMPLE)
def test_a_picture_of_the_demo_is_packed_again_byte_for_byte(
    number: int, tmp_path, pictures: dict[int, bytes]
):
    scene = render_scene(SEED, number)
    write_jpeg(scene.pixels, tmp_path / "scene.jpg", quality=JPEG_QUALITY)
    assert (tmp_path / "scene.jpg").read_bytes() == pictures[number]


def test_the_command_makes_the_files_of_the_demo(tmp_path, pictures: dict[int, bytes]):
    make_scenes(SceneSettings(SEED, 3), tmp_path / "scenes")
    text = (tmp_path / "scenes" / "ground_truth.json").read_text(encoding="utf-8")
    made, truth = json.loads(text), packed("ground_truth")
    whole = gzip.decompress((DEMO / "ground_truth.json.gz").read_bytes()).decode()
    lines = [line.rstrip(",]") for line in text.splitlines() if line.startswith('{"id"')]
    assert len(lines) > 10
    assert all(line in whole for line in lines)
    assert made["categories"] == truth["categories"]
    assert made["images"] == truth["images"][:3]
    assert made["annotations"] == truth["annotations"][: len(made["annotations"])]
    tree = json.loads((tmp_path / "scenes" / "class_tree.json").read_text(encoding="utf-8"))
    assert tree == packed("class_tree")
    if features.version("libjpeg_turbo") == JPEG_LIBRARY:
        for number in (1, 2, 3):
            path = tmp_path / "scenes" / "images" / f"{number:06}.jpg"
            assert path.read_bytes() == pictures[number]


@pytest.mark.slow
@pytest.mark.parametrize("model", DETECTORS)
def test_a_detector_of_the_demo_finds_again_what_it_found(
    model: str, tmp_path, pictures: dict[int, bytes]
):
    folder = tmp_path / "images"
    folder.mkdir()
    for number in SAMPLE:
        (folder / f"{number:06}.jpg").write_bytes(pictures[number])
    settings = ("--min-score", "0.02", "--max-per-image", "60")
    done = boxlens_process(
        "detect", "images", "--model", model, "-o", "found.json", *settings, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    kept = [one for one in packed(model) if one["image_id"] in SAMPLE]
    # Other processors sum up in another order: what lies at the edge of a limit may differ.
    assert len(kept) > 20
    same = sum(any(_alike(one, other) for other in found) for one in kept)
    assert same >= 0.98 * len(kept)
    assert abs(len(found) - len(kept)) <= 0.02 * len(kept)


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return (
        one["image_id"] == other["image_id"]
        and one["category_id"] == other["category_id"]
        and np.allclose(one["bbox"], other["bbox"], atol=0.02)
        and abs(one["score"] - other["score"]) < 1e-3
    )


def test_the_demo_set_has_every_class_and_all_its_pictures(pictures: dict[int, bytes]):
    truth = packed("ground_truth")
    numbers = set(range(1, N_IMAGES + 1))
    assert {image["id"] for image in truth["images"]} == set(pictures) == numbers
    seen = {one["category_id"] for one in truth["annotations"]}
    assert seen == {category["id"] for category in truth["categories"]}


def test_both_detectors_work_and_fail_differently():
    result = boxlens.evaluate(
        DEMO / "ground_truth.json.gz", [DEMO / f"{name}.json.gz" for name in DETECTORS]
    )
    first, second = (detector.metrics for detector in result.detectors)
    assert min(first["AP50"], second["AP50"]) > 0.2
    assert abs(first["AP50"] - second["AP50"]) > 0.02


def test_the_demo_set_stays_light():
    folder = ROOT / "src" / "boxlens" / "demo"
    assert sum(path.stat().st_size for path in folder.iterdir()) < LIMIT_BYTES

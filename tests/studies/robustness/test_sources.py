"""What a study is made of: pictures that can be read, and what is told of the others."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image

import boxlens
from boxlens.detectors.from_callable import CallableDetector
from boxlens.detectors.run_result import Failure, NothingDetectedError
from boxlens.errors import InputError, ParameterError
from boxlens.formats import read_dataset
from boxlens.images.transforming.catalogue import steps_of
from boxlens.studies.robustness.analysis import changed_sets
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.failures import told_failures
from onnx_models import save_peeking

STEPS = ("vertical_flip", "white_background", "incongruent")
WIDTH, HEIGHT = 64, 64
BOX = (10, 20, 30, 40)


@pytest.fixture
def folder(tmp_path):
    """Two dark pictures with a white object each, and a third without."""
    (tmp_path / "images").mkdir()
    pixels = np.full((HEIGHT, WIDTH, 3), 20, dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "images" / "3.png")
    pixels[20:60, 10:40] = 255
    for number in (1, 2):
        Image.fromarray(pixels).save(tmp_path / "images" / f"{number}.png")
    write(tmp_path, [(1, BOX), (2, BOX)])
    return tmp_path


def write(folder, boxes):
    sizes = {"width": WIDTH, "height": HEIGHT}
    document = {
        "images": [{"id": n, "file_name": f"{n}.png", **sizes} for n in (1, 2, 3)],
        "annotations": [
            {"id": row, "image_id": image, "category_id": 1, "bbox": box, "area": box[2] * box[3]}
            for row, (image, box) in enumerate(boxes, start=1)
        ],
        "categories": [{"id": 1, "name": "cat"}],
    }
    (folder / "gt.json").write_text(json.dumps(document))


def changed(folder, words=STEPS, **options):
    dataset = read_dataset(folder / "gt.json")
    choice = RobustnessChoice(steps_of(words), n_images=options.pop("n_images", None))
    return changed_sets(dataset, folder / "images", choice, **options)


def told(found):
    return {one.code: one.message for one in found.notices}


def test_a_picture_that_cannot_be_read_is_in_no_set_and_listed_once(folder):
    (folder / "images" / "2.png").write_bytes(b"no picture")
    seen = []
    found = changed(folder, progress=lambda *words: seen.append(words))
    assert seen == [("looking at pictures", row, 3) for row in range(3)]
    assert [one.file for one in found.failed] == ["2.png"]
    assert told(found)["unreadable_picture"] == "1 picture cannot be used and is in no set"
    assert [one.ids.tolist() for one in found.sets] == [[1, 3], [1, 3], [1], [1, 3]]
    # No picture is pasted on it, either.
    assert all(one.read(row).pixels.any() for one in found.sets for row in range(len(one)))
    for name in ("1.png", "3.png"):
        (folder / "images" / name).write_bytes(b"")
    with pytest.raises(NothingDetectedError, match="none of the 3 pictures could be used"):
        changed(folder)


def test_scenes_that_cannot_be_read_are_left_out(folder):
    scenes = folder / "scenes"
    scenes.mkdir()
    whole = (folder / "images" / "3.png").read_bytes()
    (scenes / "whole.png").write_bytes(whole)
    (scenes / "torn.png").write_bytes(whole[:60])
    (scenes / "none.png").write_bytes(b"")
    found = changed(folder, ["incongruent"], scenes=scenes)
    assert sorted(one.file for one in found.failed) == ["none.png", "torn.png"]
    assert all(found.sets[1].read(row).pixels.shape == (HEIGHT, WIDTH, 3) for row in range(3))


def test_boxes_beyond_their_pictures_and_objects_without_a_pixel_are_told(folder):
    outside = (WIDTH + 5, 0, 9, 9)
    rim = (0, 0, WIDTH + 0.4, 9)
    write(folder, [(1, BOX), (1, outside), (1, (0, 0, 0, 5)), (2, (-5, 0, 20, 9)), (2, rim)])
    found = changed(folder)
    assert [(one.file, one.reason) for one in found.failed] == [
        ("1.png", "2 objects lie outside the picture")
    ]
    notices = told(found)
    # One that is wholly outside has no pixel: it is told as such.
    assert notices["box_beyond_picture"] == ("1 box extends beyond its picture and is clipped")
    assert [(one.file, one.remark) for one in found.remarks] == [
        ("3.png", "no objects"),
        ("2.png", "1 box extends beyond the picture"),
    ]
    assert notices["object_without_pixel"].startswith("2 objects lie outside their pictures")
    assert notices["picture_without_objects"].startswith(
        "1 picture has no objects and is in no set"
    )
    one_left = told(changed(folder, n_images=2))["pictures_left_out"]
    assert one_left == "1 of 3 pictures is skipped, as requested (--n-images)"


def test_a_picture_that_fails_in_many_sets_is_told_once():
    failed = [Failure(f"{slug}/a/1.png", "mine: no") for slug in ("clean", "fog-1", "fog-2")]
    failed += [Failure("fog-1/a/1.png", "other: no"), Failure("a/1.png", "torn")]
    assert told_failures(failed, {"clean", "fog-1", "fog-2"}) == (
        Failure("a/1.png", "mine: no (in 3 sets)"),
        Failure("a/1.png", "other: no"),
        Failure("a/1.png", "torn"),
    )


SPEC = """\
input: {layout: nchw, channels: rgb, scale: 1/255, resize: stretch}
outputs: [{axes: [boxes, columns], columns: [box, score, label]}]
boxes: {form: xywh}
keep: {nms: none, min_score: 0.5}
classes: [cat]
"""


def test_an_onnx_detector_is_run_on_changed_pictures(folder):
    """It finds the object where it is as long as the pixel (20, 58) is bright."""
    model = folder / "model.onnx"
    save_peeking(model, 58 * WIDTH + 20, input_shape=(1, 3, HEIGHT, WIDTH))
    (folder / "spec.yaml").write_text(SPEC)
    result = boxlens.robustness(
        folder / "gt.json",
        model,
        images=folder / "images",
        transforms=["vertical_flip", "white_background", "one_object"],
        spec=str(folder / "spec.yaml"),
    )
    (detector,) = result.detectors
    found = [(one.metrics["AP"], one.n_detections) for one in (detector.clean, *detector.steps)]
    assert found == [(1.0, 2), (0.0, 0), (1.0, 2), (1.0, 2)]
    assert detector.steps[0].relative["AP"] == 0
    assert detector.steps[0].examples[0].lost_clean_box.tolist() == [list(BOX)]
    assert result.failed == ()


def brighter_half(image):
    height, width = image.shape[:2]
    return [[0, 0, width, height / 2]], [0.9], [0]


def kept(folder, detector):
    return boxlens.robustness(
        folder / "gt.json",
        detector,
        images=folder / "images",
        transforms="vertical_flip",
        keep=folder / "kept",
    )


def test_what_a_detector_object_finds_is_kept_only_under_its_identity(folder):
    classes = read_dataset(folder / "gt.json").classes
    nameless = CallableDetector(brighter_half, classes, "mine")
    with pytest.raises(ParameterError, match=r"mine.*attribute `identity`"):
        kept(folder, nameless)

    @dataclass(frozen=True)
    class Known(CallableDetector):
        identity: str = "weights 1"

    first = kept(folder, Known(brighter_half, classes, "mine"))
    assert kept(folder, Known(brighter_half, classes, "mine")).to_json() == first.to_json()
    with pytest.raises(InputError, match="made from another model or spec"):
        kept(folder, Known(brighter_half, classes, "mine", identity="weights 2"))


def test_pictures_of_the_same_size_and_other_content_are_other_pictures(folder):
    @dataclass(frozen=True)
    class Known(CallableDetector):
        identity: str = "weights 1"

    for number in (1, 2, 3):
        path = folder / "images" / f"{number}.png"
        Image.open(path).save(path.with_suffix(".bmp"))
        path.unlink()
    document = (folder / "gt.json").read_text().replace(".png", ".bmp")
    (folder / "gt.json").write_text(document)
    detector = Known(brighter_half, read_dataset(folder / "gt.json").classes, "mine")
    kept(folder, detector)
    path = folder / "images" / "1.bmp"
    size = path.stat().st_size
    Image.fromarray(255 - np.asarray(Image.open(path))).save(path)
    assert path.stat().st_size == size
    with pytest.raises(InputError, match="made from another set of pictures"):
        kept(folder, detector)


def test_what_reading_changes_is_told_of_every_picture_whoever_fails_on_it(folder):
    path = folder / "images" / "1.png"
    Image.open(path).convert("L").save(path)
    found = changed(folder)
    assert told(found)["changed_picture"] == "1 picture: greyscale to RGB"
    assert [(one.file, one.remark) for one in found.remarks] == [
        ("1.png", "greyscale to RGB"),
        ("3.png", "no objects"),
    ]


def test_masks_are_read_only_where_a_step_looks_at_them(folder):
    document = json.loads((folder / "gt.json").read_text())
    document["annotations"][0]["segmentation"] = "damaged"
    document["annotations"][1]["segmentation"] = [[10, 20, 40, 20, 40, 60, 10, 60]]
    (folder / "gt.json").write_text(json.dumps(document))
    assert "damaged_mask" not in told(changed(folder, ("vertical_flip",)))
    assert "damaged_mask" in told(changed(folder, ("incongruent",)))


def test_other_masks_are_another_origin(folder):
    document = json.loads((folder / "gt.json").read_text())
    origins = []
    for right in (40, 30):
        for one in document["annotations"]:
            one["segmentation"] = [[10, 20, right, 20, right, 60, 10, 60]]
        (folder / "gt.json").write_text(json.dumps(document))
        origins.append(changed(folder, ("incongruent", "vertical_flip")).sets)
    first, second = ([one.made_from()["masks"] for one in sets] for sets in origins)
    assert first[0] == first[2] == second[0] == second[2] is None
    assert first[1] != second[1]


def test_functions_are_detectors_and_words_may_have_commas(folder):
    words = "vertical_flip,fog:3"
    pictures = folder / "images"
    for given in (brighter_half, [brighter_half]):
        result = boxlens.robustness(folder / "gt.json", given, images=pictures, transforms=words)
        assert result.detectors[0].name == "brighter_half"
        assert [one.step.slug for one in result.detectors[0].steps] == ["vertical_flip", "fog-3"]

"""Real models on real photographs give the detections that others recorded with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.detectors.onnx import open_onnx
from boxlens.detectors.onnx.detector import OnnxDetector
from boxlens.images import Pixels, read_picture
from shared_data import shared


@dataclass(frozen=True)
class Recorded:
    model: str
    spec: str
    results: str
    # Half of the last decimal that was written, and a little for the arithmetic of another machine.
    box_px: float
    score: float


RECORDED = [
    Recorded("yolox_nano_416", "yolox", "yolox_nano", box_px=0.02, score=5e-5),
    Recorded("fastestdet_352", "fastestdet", "fastestdet", box_px=0.1, score=3e-4),
]


@dataclass(frozen=True)
class Run:
    detector: OnnxDetector
    found: Detections
    recorded: Detections


@pytest.fixture(scope="module")
def photographs() -> dict[int, Pixels]:
    paths = sorted(shared("images").glob("*.jpg"))
    return {int(path.stem): read_picture(path).pixels for path in paths}


@pytest.fixture(scope="module", params=RECORDED, ids=lambda recorded: recorded.model)
def case(request) -> Recorded:
    return request.param


@pytest.fixture(scope="module")
def run(case: Recorded, photographs: dict[int, Pixels]) -> Run:
    detector = open_onnx(shared("models", f"{case.model}.onnx"))
    found = detector.detect(list(photographs.values()))
    images, _ = Images.of(
        list(photographs),
        [image.shape[1] for image in photographs.values()],
        [image.shape[0] for image in photographs.values()],
        [f"{number:012}.jpg" for number in photographs],
    )
    nothing = GroundTruth.of(len(images), image_row=[], class_row=[], box=[])
    world = Dataset("photographs", images, detector.classes, nothing)
    path = shared("coco_val2017", f"{case.results}.json.gz")
    return Run(detector, found, boxlens.read_detections(path, world))


def test_the_spec_is_recognised(case: Recorded, run: Run):
    assert run.detector.spec.name == case.spec


def test_the_classes_are_those_of_coco(run: Run):
    classes = boxlens.read_dataset(shared("coco_val2017_80", "instances.json")).classes
    assert names_by_id(run.detector.classes) == names_by_id(classes)


def names_by_id(classes: Classes) -> dict[int | str, str]:
    return dict(zip(classes.id.tolist(), classes.name, strict=True))


def test_every_detection_is_the_recorded_one(case: Recorded, run: Run):
    found, recorded = run.found, run.recorded
    assert found.n_images == recorded.n_images == 177
    assert len(found) == pytest.approx(len(recorded), abs=3)
    n_alone = 0
    for image in range(found.n_images):
        ours = slice(found.offsets[image], found.offsets[image + 1])
        theirs = slice(recorded.offsets[image], recorded.offsets[image + 1])
        same = (
            (np.abs(found.box[ours, None] - recorded.box[None, theirs]) <= case.box_px).all(axis=2)
            & (np.abs(found.score[ours, None] - recorded.score[None, theirs]) <= case.score)
            & (found.class_row[ours, None] == recorded.class_row[None, theirs])
        )
        n_alone += np.count_nonzero(~same.any(axis=0)) + np.count_nonzero(~same.any(axis=1))
    # Another build of onnxruntime may move a box over a threshold.
    assert n_alone <= 6


def test_average_precision_is_that_of_the_recorded_detections(
    case: Recorded, run: Run, photographs
):
    truth = boxlens.read_dataset(shared("coco_val2017_80", "instances.json"))
    rows = truth.images.row_of_id()
    image_row_of = np.array([rows.get(number, -1) for number in photographs], dtype=np.int32)
    class_row_of = np.arange(len(truth.classes), dtype=np.int32)
    ours = run.found.renumbered(image_row_of, class_row_of, len(truth.images))
    theirs = boxlens.read_detections(shared("coco_val2017", f"{case.results}.json.gz"), truth)
    result = boxlens.evaluate(truth, [ours, theirs])
    first, second = (detector.metrics for detector in result.detectors)
    for number in ("AP", "AP50", "AP75"):
        assert first[number] == pytest.approx(second[number], abs=0.002)


def test_batches_and_threads_change_nothing(case: Recorded, run: Run, photographs):
    some = list(photographs.values())[:6]
    path = shared("models", f"{case.model}.onnx")
    whole = run.found.where(run.found.image_row < 6)
    for threads in (1, 2):
        detector = open_onnx(path, threads=threads)
        parts = [detector.detect(some[:1]), detector.detect(some[1:4]), detector.detect(some[4:])]
        assert np.array_equal(np.concatenate([part.box for part in parts]), whole.box)
        assert np.array_equal(np.concatenate([part.score for part in parts]), whole.score)
        assert np.array_equal(np.concatenate([part.class_row for part in parts]), whole.class_row)

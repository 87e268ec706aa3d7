"""TIDE with tidecv's quirks switched on equals tidecv; without them it differs only as documented."""

import numpy as np
import pytest

import boxlens
from boxlens.data import Dataset, Detections
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.tide import GAINS, tide
from cases import random_scene
from oracles.convert import scene_to_tables
from shared_data import shared

tidecv = pytest.importorskip("tidecv", reason="tidecv is a tool of the tests")

NAMES = {
    "Cls": "cls",
    "Loc": "loc",
    "Both": "both",
    "Dupe": "dupe",
    "Bkg": "bkg",
    "Miss": "miss",
    "FalsePos": "fp",
    "FalseNeg": "fn",
}


def tidecv_run(dataset: Dataset, detections: Detections, high=0.5, low=0.1):
    """AP and dAP as fractions, from tidecv on the very same rows."""
    truth = tidecv.Data("truth", max_dets=100)
    for row in range(len(dataset.images)):
        truth.add_image(row, str(row))
    for row, name in enumerate(dataset.classes.name):
        truth.add_class(row, name)
    gt = dataset.gt
    for row in range(len(gt)):
        add = truth.add_ignore_region if gt.crowd[row] else truth.add_ground_truth
        add(int(gt.image_row[row]), int(gt.class_row[row]), gt.box[row].tolist())
    found = tidecv.Data("found")
    for row in range(len(detections)):
        found.add_detection(
            int(detections.image_row[row]),
            int(detections.class_row[row]),
            float(detections.score[row]),
            detections.box[row].tolist(),
        )
    run = tidecv.TIDE().evaluate(truth, found, high, low, mode=tidecv.TIDE.BOX)
    gains = {kind.short_name: gain for kind, gain in run.fix_main_errors().items()}
    gains |= {kind.short_name: gain for kind, gain in run.fix_special_errors().items()}
    counts = {kind.short_name: n for kind, n in run.count_errors().items()}
    return (
        run.ap / 100,
        {NAMES[name]: gain / 100 for name, gain in gains.items()},
        {NAMES[name]: n for name, n in counts.items()},
    )


def assert_same(dataset, detections, high=0.5, low=0.1):
    try:
        ap, gains, counts = tidecv_run(dataset, detections, high, low)
    except ZeroDivisionError:
        pytest.skip("tidecv divides by zero once a repair leaves no class")
    evidence = gather(dataset, detections, foreground_iou=high, background_iou=low)
    result = tide(evidence, quirks=True)
    assert result.ap == pytest.approx(ap, abs=1e-9)
    assert {name: result.gain[name] for name in GAINS} == pytest.approx(gains, abs=1e-9)
    assert {name: result.n[name] for name in counts} == counts


def without_difficult(dataset: Dataset) -> Dataset:
    """tidecv knows crowds, not difficult objects."""
    return dataset.where(~dataset.gt.difficult & ~dataset.gt.group_of)


@pytest.mark.parametrize("seed", range(120))
def test_random_scenes_with_quirks_equal_tidecv(seed):
    dataset, detections = scene_to_tables(random_scene(seed, n_images=6, n_objects=8))
    dataset = without_difficult(dataset)
    if not len(detections):
        pytest.skip("tidecv fails without detections")
    assert_same(dataset, detections)


@pytest.mark.parametrize(("high", "low"), [(0.75, 0.1), (0.5, 0.3), (0.9, 0.5)])
@pytest.mark.parametrize("seed", range(200, 215))
def test_other_thresholds_equal_tidecv(seed, high, low):
    dataset, detections = scene_to_tables(random_scene(seed, n_images=6, n_objects=8))
    if len(detections):
        assert_same(without_difficult(dataset), detections, high, low)


@pytest.mark.parametrize("detector", ["yolox_nano", "fastestdet"])
def test_a_real_detector_with_quirks_equals_tidecv(detector):
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    detections = boxlens.read_detections(shared("coco_val2017", f"{detector}.json.gz"), dataset)
    rows = np.arange(0, len(dataset.images), 25)
    part = dataset.select_images(rows)
    row_of = np.full(len(dataset.images), -1, dtype=np.int32)
    row_of[rows] = np.arange(len(rows))
    classes = np.arange(len(dataset.classes), dtype=np.int32)
    assert_same(part, detections.renumbered(row_of, classes, len(rows)))

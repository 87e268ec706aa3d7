"""COCO's seven curves: nested, equal to evaluate where they overlap, and to the slow oracle."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, Dataset, Detections
from boxlens.matching import COCO
from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.cells import cell_precision
from boxlens.scenes.plant import Recipe, plant
from boxlens.studies.diagnosis.coco_analyze import CURVES, coco_analyze
from boxlens.studies.diagnosis.evidence import gather
from cases import random_scene
from oracles import coco_analyze as oracle
from oracles.convert import scene_to_tables
from planted_worlds import roomy, world_of
from shared_data import shared

C75, C50, LOC, SIM, OTH, BG, FN = range(len(CURVES))
SEEDS = range(40)


def scene_with_pairs_of_similar_classes(seed, **knobs):
    """Classes two by two in a supercategory, so that some have a similar class and some not."""
    dataset, detections = scene_to_tables(random_scene(seed, **knobs))
    rows = range(len(dataset.classes))
    classes = Classes.of(
        dataset.classes.id,
        dataset.classes.name,
        supercategory=[f"group {row // 2}" for row in rows],
    )
    return Dataset("scene", dataset.images, classes, dataset.gt), detections


def analyzed(dataset, detections, **choice):
    return coco_analyze(gather(dataset, detections, **choice))


def metrics_of(dataset, detections):
    return evaluate_tables(dataset, [detections], choose("coco")).detectors[0]


def curve_by_c50(labels):
    """The curve of a detection from its labels on the five matched curves, by the oracle."""
    c75, c50, *later = labels
    if c50 is None or c50 == 0:
        return -1
    if c50 == 1:
        return C75 if c75 == 1 else C50
    return next((LOC + i for i, label in enumerate(later) if label != -1), BG)


def assert_nested(values, curves=CURVES):
    """Each curve up to the next, and over Sim where that is undefined."""
    rows = [CURVES.index(name) for name in curves]
    for first, second in (*pairwise(rows), (LOC, OTH)):
        both = ~np.isnan(values[first]) & ~np.isnan(values[second])
        below = values[first][both] <= values[second][both]
        assert below.all(), (CURVES[first], CURVES[second])


@pytest.mark.parametrize("seed", SEEDS)
def test_curves_and_labels_equal_the_slow_oracle(seed):
    dataset, detections = scene_with_pairs_of_similar_classes(seed)
    evidence = gather(dataset, detections)
    result = coco_analyze(evidence)
    expected = oracle.analyze(dataset, detections, evidence.similar.tolist())
    np.testing.assert_allclose(result.precision, expected["precision"], rtol=0, atol=1e-12)
    of_detections = [curve_by_c50(labels) for labels in zip(*expected["labels"], strict=True)]
    assert result.det_curve.tolist() == of_detections
    assert result.gt_curve.tolist() == expected["gt_curve"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_two_curves_are_those_of_evaluate(seed):
    dataset, detections = scene_with_pairs_of_similar_classes(seed)
    result = analyzed(dataset, detections)
    evaluated = metrics_of(dataset, detections)
    np.testing.assert_array_equal(result.mean_ap[C50, 0], evaluated.metrics["AP50"])
    np.testing.assert_array_equal(result.mean_ap[C75, 0], evaluated.metrics["AP75"])
    classes = [row.metrics["AP50"] for row in evaluated.classes]
    np.testing.assert_array_equal(result.ap[C50, :, 0], classes)


@pytest.mark.parametrize("seed", SEEDS)
def test_curves_are_nested_from_loc_on(seed):
    result = analyzed(*scene_with_pairs_of_similar_classes(seed))
    for values in (result.precision, result.ap, result.mean_ap, result.group_ap):
        assert_nested(values, CURVES[LOC:])


@pytest.mark.parametrize("seed", SEEDS)
def test_where_nothing_is_ignored_all_curves_are_nested(seed):
    scene = scene_with_pairs_of_similar_classes(seed, crowd=0.0, difficult=0.0, group_of=0.0)
    result = analyzed(*scene)
    for values in (result.precision, result.ap, result.mean_ap, result.group_ap):
        assert_nested(values[..., 0])


def test_a_detection_that_a_crowd_excuses_at_75_may_take_an_object_at_50():
    """So C50 can lie below C75, in COCO's own numbers too."""
    dataset = world_of(
        [[0, 0, 30, 30], [0, 0, 16, 30], [200, 200, 30, 30]], crowd=[False, True, False]
    )
    detections = Detections.of(
        "crowded",
        1,
        image_row=[0] * 3,
        class_row=[0] * 3,
        box=[[0, 0, 20, 30], [0, 0, 33, 30], [200, 200, 30, 30]],
        score=[0.9, 0.8, 0.7],
    )
    result = analyzed(dataset, detections)
    assert result.mean_ap[C75, 0] == 1
    assert result.mean_ap[C50, 0] == metrics_of(dataset, detections).metrics["AP50"] < 1


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_by_curve_add_up_to_hits_errors_and_objects(seed):
    dataset, detections = scene_with_pairs_of_similar_classes(seed)
    result = analyzed(dataset, detections)
    of_detections = np.bincount(result.det_curve + 1, minlength=len(CURVES) + 1)[1:]
    of_objects = np.bincount(result.gt_curve + 1, minlength=len(CURVES) + 1)[1:]
    assert of_objects.sum() == (~COCO.ignored(dataset.gt)).sum()
    assert of_detections[:LOC].sum() == of_objects[:LOC].sum()
    assert of_detections[FN] == 0
    n_out = (result.det_curve == -1).sum()
    assert of_detections.sum() + n_out == len(detections)


def one_object_seen_twice(class_of_detections, **columns):
    """One object and two boxes on it, 16 of 24 columns each."""
    dataset = world_of([[0, 0, 24, 24], [200, 200, 9, 9]], classes=[1, 0], **columns)
    detections = Detections.of(
        "two",
        1,
        image_row=[0, 0],
        class_row=[class_of_detections] * 2,
        box=[[0, 0, 16, 24], [8, 0, 16, 24]],
        score=[0.9, 0.8],
    )
    return dataset, detections


def test_an_object_of_another_class_excuses_one_detection_only():
    result = analyzed(*one_object_seen_twice(0))
    assert result.det_curve.tolist() == [SIM, BG]


def test_a_crowd_of_another_class_excuses_any_number():
    result = analyzed(*one_object_seen_twice(0, crowd=[True, False]))
    assert result.det_curve.tolist() == [SIM, SIM]


def test_a_crowd_of_another_class_excuses_by_the_share_inside_it():
    dataset = world_of([[0, 0, 200, 200], [300, 200, 9, 9]], classes=[4, 0], crowd=[True, False])
    detections = Detections.of(
        "inside", 1, image_row=[0], class_row=[0], box=[[50, 50, 10, 10]], score=[0.9]
    )
    assert analyzed(dataset, detections).det_curve.tolist() == [OTH]


def test_of_equal_overlaps_the_object_of_the_higher_class_is_taken():
    """As in the original, which sorts the objects of an image by class."""
    dataset = world_of([[100, 0, 24, 24], [116, 0, 24, 24], [300, 200, 9, 9]], classes=[2, 1, 0])
    detections = Detections.of(
        "between",
        1,
        image_row=[0, 0],
        class_row=[0, 0],
        box=[[108, 0, 24, 24], [90, 0, 24, 24]],
        score=[0.9, 0.8],
    )
    assert analyzed(dataset, detections).det_curve.tolist() == [SIM, BG]


def test_an_object_excuses_a_detection_of_each_class():
    dataset, detections = one_object_seen_twice(0)
    mixed = Detections.of(
        "mixed", 1, image_row=[0, 0], class_row=[0, 2], box=detections.box, score=[0.9, 0.8]
    )
    assert analyzed(dataset, mixed).det_curve.tolist() == [SIM, SIM]
    mixed = Detections.of(
        "mixed", 1, image_row=[0, 0], class_row=[0, 4], box=detections.box, score=[0.9, 0.8]
    )
    assert analyzed(dataset, mixed).det_curve.tolist() == [SIM, OTH]


def test_without_similar_classes_only_sim_is_undefined():
    dataset, detections = scene_to_tables(random_scene(3))
    result = analyzed(dataset, detections, similar=())
    assert np.isnan(result.ap[SIM]).all()
    assert np.isnan(result.mean_ap[SIM]).all()
    assert not np.isnan(result.mean_ap[[C75, C50, LOC, OTH, BG, FN], 0]).any()
    assert not (result.det_curve == SIM).any()
    assert result.groups == ()
    assert result.group_ap.shape == (len(CURVES), 0, len(result.areas))
    assert result.group_precision.shape == (len(CURVES), 101, 0, len(result.areas))


def test_a_class_without_similar_ones_enters_the_mean_of_sim_with_its_loc():
    dataset = roomy(n_images=20)
    planted = plant(dataset, Recipe(confuse_similar=0.3, background=1.0), seed=3)
    result = analyzed(dataset, planted.detections, similar=[("a", "b")])
    loc, sim = result.ap[LOC, :, 0], result.ap[SIM, :, 0]
    assert np.isnan(sim).tolist() == [False, False, True, True, True, True]
    assert result.mean_ap[SIM, 0] == pytest.approx(np.mean([sim[0], sim[1], loc[3], loc[4]]))


def test_no_detections_leave_only_misses():
    dataset, detections = scene_with_pairs_of_similar_classes(3)
    result = analyzed(dataset, detections.where(np.zeros(len(detections), dtype=bool)))
    assert len(result.det_curve) == 0
    assert set(result.gt_curve.tolist()) <= {-1, FN}
    with_objects = ~np.isnan(result.ap[FN])
    assert (result.ap[[C75, C50, LOC, OTH, BG]][:, with_objects] == 0).all()
    assert (result.ap[FN][with_objects] == 1).all()


def test_no_objects_leave_everything_undefined():
    dataset, detections = scene_with_pairs_of_similar_classes(3)
    result = analyzed(dataset.where(np.zeros(len(dataset.gt), dtype=bool)), detections)
    assert np.isnan(result.precision).all()
    assert np.isnan(result.mean_ap).all()
    assert set(result.det_curve.tolist()) <= {-1, BG}


def test_other_limits_move_the_curves():
    dataset, detections = scene_with_pairs_of_similar_classes(11)
    strict = analyzed(dataset, detections, foreground_iou=0.8, background_iou=0.3)
    np.testing.assert_array_equal(strict.precision[C75], strict.precision[C50])
    usual = analyzed(dataset, detections, foreground_iou=0.5, background_iou=0.3)
    np.testing.assert_array_equal(usual.precision[LOC:], strict.precision[LOC:])


@pytest.mark.parametrize("seed", range(8))
def test_curves_of_a_group_are_means_over_its_classes_with_objects(seed):
    dataset, detections = scene_with_pairs_of_similar_classes(seed)
    result = analyzed(dataset, detections)
    assert result.groups
    assert_nested(result.group_precision, CURVES[LOC:])
    np.testing.assert_allclose(result.group_precision.mean(axis=1), result.group_ap, atol=1e-12)
    for row, (_, names) in enumerate(result.groups):
        members = [dataset.classes.name.index(name) for name in names]
        curves = result.precision[C50, :, members, 0]
        known = ~np.isnan(curves[:, 0])
        expected = curves[known].mean(axis=0) if known.any() else np.full(101, np.nan)
        np.testing.assert_allclose(result.group_precision[C50, :, row, 0], expected)


@pytest.mark.parametrize(
    ("foreground", "names"),
    [(0.5, ("C75", "C50")), (0.6, ("C75", "C60")), (0.75, ("C75",) * 2), (0.8, ("C80",) * 2)],
)
def test_names_of_curves_tell_the_overlaps_that_were_asked_for(foreground, names):
    result = analyzed(*scene_with_pairs_of_similar_classes(11), foreground_iou=foreground)
    assert result.curve_names == (*names, *CURVES[LOC:])
    assert result.ious == (max(0.75, foreground), foreground, 0.1)
    told = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert told["ious"] == {"C75": max(0.75, foreground), "C50": foreground, "Loc": 0.1}
    assert list(told["overall"]["all"]) == list(CURVES)


def test_areas_are_unknown_where_boxes_are_fractions():
    dataset, detections = scene_with_pairs_of_similar_classes(4)
    relative = Dataset("r", dataset.images, dataset.classes, dataset.gt, relative=True)
    result = analyzed(relative, detections)
    assert np.isnan(result.mean_ap[:, 1:]).all()
    assert not np.isnan(result.mean_ap[:, 0]).any()


def test_json_names_areas_curves_groups_and_classes():
    dataset, detections = scene_with_pairs_of_similar_classes(7, n_classes=5)
    result = analyzed(dataset, detections)
    told = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert told["areas"] == ["all", "s", "m", "l"]
    assert list(told["overall"]["all"]) == list(CURVES)
    assert told["overall"]["all"]["C50"] == result.mean_ap[C50, 0]
    assert [row["class"] for row in told["classes"]] == list(dataset.classes.name)
    groups = {row["name"]: row["n_classes"] for row in told["supercategories"]}
    assert sum(groups.values()) == len(dataset.classes)
    assert told["curves"]["recall"] == COCO_RECALLS.tolist()
    curve = told["curves"]["all"]["C50"]
    assert np.mean(curve) == pytest.approx(told["overall"]["all"]["C50"])


def test_more_cells_than_bits_are_refused():
    dataset, detections = scene_with_pairs_of_similar_classes(3)
    evidence = gather(dataset, detections)
    bits = np.zeros(len(detections), dtype=np.uint64)
    rank = np.zeros(len(detections), dtype=np.int32)
    with pytest.raises(boxlens.ParameterError, match="64 cells"):
        cell_precision(
            evidence.ranking,
            detections.score,
            bits,
            bits,
            rank,
            np.ones((len(dataset.classes), 65), dtype=np.int64),
            max_dets=100,
        )


def test_on_real_data_sim_and_oth_are_those_of_the_original():
    """As pycocotools counted them class by class with `ignore` kept (see tests/parity)."""
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    detections = boxlens.read_detections(shared("coco_val2017", "yolox_nano.json.gz"), dataset)
    result = analyzed(dataset, detections)
    expected = [[0.51557501, 0.19764842], [0.54702873, 0.20876865]]
    np.testing.assert_allclose(result.mean_ap[[SIM, OTH], :2], expected, rtol=0, atol=5e-9)


@pytest.mark.parametrize("detector", ["yolox_nano", "fastestdet"])
def test_on_real_data_the_first_two_curves_are_those_of_evaluate(detector):
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    detections = boxlens.read_detections(shared("coco_val2017", f"{detector}.json.gz"), dataset)
    result = analyzed(dataset, detections)
    metrics = metrics_of(dataset, detections).metrics
    assert result.mean_ap[C50, 0] == metrics["AP50"]
    assert result.mean_ap[C75, 0] == metrics["AP75"]
    assert_nested(result.ap)
    assert_nested(result.mean_ap)
    assert len(result.groups) == 12

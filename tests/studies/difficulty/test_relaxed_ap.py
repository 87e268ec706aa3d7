"""AP as labels are relaxed: against plain loops, COCO's own AP, and its laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, ClassTree, Detections
from boxlens.formats.class_tree import known_tree
from boxlens.studies.difficulty.levels import accepted_classes
from boxlens.studies.difficulty.relaxed_ap import exact_ap, gather_labels, node_ap, relaxed_ap
from cases import random_scene
from oracles import difficulty_oracle as oracle
from oracles.convert import scene_to_tables
from planted_worlds import world_of
from shared_data import shared

# Few kinds of boxes in one image: labels get mixed up often.
CONFUSED = {"n_images": 3, "n_classes": 6, "n_objects": 8, "n_detections": 30}


def scene_of(seed):
    return random_scene(seed, **(CONFUSED if seed % 2 else {}))


def every_level(evidence, accepted, threads=0):
    """[level, class], from exact labels on."""
    above = relaxed_ap(evidence, accepted[1:], threads=threads)
    return np.stack([exact_ap(evidence, threads=threads), *above])


@pytest.mark.parametrize("seed", range(60))
def test_levels_equal_plain_loops_and_never_lose(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    accepted = accepted_classes(dataset.classes, dataset.classes.tree)
    by_level = [
        {cls: set(np.flatnonzero(row).tolist()) for cls, row in enumerate(matrix)}
        for matrix in accepted
    ]
    world, found = oracle.world_of(dataset), oracle.detections_of(detections)
    for iou in (0.5, 0.75):
        levels = every_level(gather_labels(dataset, detections, iou), accepted)
        plain = oracle.relaxed_ap(world, found, by_level, iou)
        np.testing.assert_allclose(levels, plain, rtol=0, atol=1e-12)
        defined = ~np.isnan(levels[0])
        assert (np.diff(levels[:, defined], axis=0) >= 0).all()
        assert np.isnan(levels[:, ~defined]).all()


@pytest.mark.parametrize("seed", range(60))
def test_a_node_is_one_class_matched_anew(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(rng.random(len(dataset.classes)) < 0.6).astype(np.int32)
    # Its classes are class 0 of this world, all others class 1.
    world = oracle.world_of(dataset)
    objects, found = (
        [replace(one, cls=int(one.cls not in rows)) for one in items]
        for items in (world.objects, oracle.detections_of(detections))
    )
    ((expected, _),) = oracle.relaxed_ap(
        replace(world, n_classes=2, objects=objects), found, [{}], 0.5
    )
    found_ap = node_ap(dataset, detections, rows, 0.5)
    assert found_ap == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(40))
def test_exact_labels_give_cocos_ap_to_the_last_bit(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    found = exact_ap(gather_labels(dataset, detections, 0.5))
    result = boxlens.evaluate(dataset, detections).detectors[0]
    np.testing.assert_array_equal(found, [row.metrics["AP50"] for row in result.classes])


def test_one_threads_numbers_are_those_of_two():
    dataset, detections = scene_to_tables(random_scene(5, n_images=40, n_detections=40))
    accepted = accepted_classes(dataset.classes, dataset.classes.tree)
    one, two = (
        every_level(gather_labels(dataset, detections, 0.5, threads=n), accepted, threads=n)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


# --- By hand

TREE = ClassTree({"cat": ("pet",), "dog": ("pet",)})
CLASSES = Classes.of(["cat", "dog", "owl"], ["cat", "dog", "owl"])
CAT, DOG, OWL = range(3)
HERE, THERE = [0, 0, 10, 10], [50, 50, 10, 10]


def ap_by_level(objects, found, **flags):
    """objects: class and box; found: class, box and score; all in one image."""
    labels, boxes = zip(*objects, strict=True) if objects else ((), ())
    dataset = replace(world_of(boxes, classes=labels, **flags), classes=CLASSES)
    detections = Detections.of(
        "toy",
        1,
        image_row=[0] * len(found),
        class_row=[label for label, _, _ in found],
        box=[box for _, box, _ in found],
        score=[score for _, _, score in found],
    )
    evidence = gather_labels(dataset, detections, 0.5)
    return every_level(evidence, accepted_classes(CLASSES, TREE))


def test_a_sisters_label_finds_the_object():
    exact, sisters = ap_by_level([(CAT, HERE), (DOG, THERE)], [(DOG, HERE, 0.9), (DOG, THERE, 0.5)])
    assert exact[:2].tolist() == pytest.approx([0, 0.5])
    assert sisters[:2].tolist() == pytest.approx([1, 1])


def test_a_better_scored_sister_moves_the_object_up():
    found = [(CAT, HERE, 0.2), (CAT, THERE, 0.5), (DOG, HERE, 0.9)]
    exact, sisters = ap_by_level([(CAT, HERE)], found)
    assert exact[CAT] == pytest.approx(0.5)
    assert sisters[CAT] == pytest.approx(1)


def test_a_duplicate_stays_an_error():
    found = [(CAT, HERE, 0.9), (CAT, HERE, 0.8), (CAT, THERE, 0.7)]
    exact, sisters = ap_by_level([(CAT, HERE), (CAT, THERE)], found)
    assert exact[CAT] == sisters[CAT] < 1


def test_a_label_from_outside_the_family_stays_an_error():
    exact, sisters = ap_by_level([(OWL, HERE)], [(CAT, HERE, 0.9), (OWL, HERE, 0.8)])
    assert exact[OWL] == sisters[OWL] == pytest.approx(1)
    exact, sisters = ap_by_level([(CAT, HERE), (OWL, THERE)], [(OWL, HERE, 0.9), (OWL, THERE, 0.8)])
    assert exact[OWL] == sisters[OWL] == pytest.approx(0.5)


def test_what_lies_on_a_crowd_or_a_difficult_object_is_not_mended():
    for flag in ("crowd", "difficult", "group_of"):
        levels = ap_by_level(
            [(CAT, HERE), (DOG, THERE)],
            [(DOG, HERE, 0.9), (DOG, THERE, 0.8)],
            **{flag: [True, False]},
        )
        assert levels[:, DOG].tolist() == pytest.approx([0.5, 0.5])
        assert np.isnan(levels[:, CAT]).all()


def test_nothing_detected_is_zero_at_every_level():
    levels = ap_by_level([(CAT, HERE)], [])
    assert levels[:, CAT].tolist() == [0, 0]
    assert np.isnan(levels[:, DOG]).all()


# --- Real detectors


@pytest.mark.parametrize(
    ("name", "ap"),
    [
        ("yolox_nano", [0.411349, 0.460236, 0.503020]),
        ("fastestdet", [0.253093, 0.307135, 0.358513]),
    ],
)
def test_real_detectors_gain_with_every_level_and_start_at_cocos_ap(name, ap):
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    detections = boxlens.read_detections(shared("coco_val2017", f"{name}.json.gz"), dataset)
    accepted = accepted_classes(dataset.classes, known_tree(dataset.classes).tree)
    levels = every_level(gather_labels(dataset, detections, 0.5), accepted)
    result = boxlens.evaluate(dataset, detections).detectors[0]
    np.testing.assert_array_equal(levels[0], [row.metrics["AP50"] for row in result.classes])
    assert (np.diff(levels, axis=0) >= 0).all()
    np.testing.assert_allclose(levels.mean(axis=1), ap, atol=5e-7)

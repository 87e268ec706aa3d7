"""AP as labels are relaxed: against plain loops, COCO's own AP, and its laws."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, ClassTree, Detections
from boxlens.formats.class_tree import known_tree
from boxlens.studies.difficulty.levels import accepted_classes
from boxlens.studies.difficulty.relaxed_ap import exact_ap, gather_labels, node_ap, relaxed_ap
from cases import random_scene
from oracles import coco
from oracles.convert import scene_to_tables
from oracles.model import iou as overlap
from planted_worlds import world_of
from shared_data import shared

# Few kinds of boxes in one image: labels get mixed up often.
CONFUSED = {"n_images": 3, "n_classes": 6, "n_objects": 8, "n_detections": 30}


class PlainLabels:
    """Every step a loop over a scene: hits at level 0, then levels one after another."""

    def __init__(self, scene, iou):
        matching = coco.match(scene, iou)
        self.scene, self.iou = scene, iou
        self.counted = [not ignored for ignored in matching.ignored]
        self.wrong = {d for d, label in enumerate(matching.label) if label == -1}
        self.credit = {
            matching.object_of[d]: d for d, label in enumerate(matching.label) if label == 1
        }

    def relax(self, accepted):
        """accepted[true class id] is a set of class ids."""
        assigned = {}
        for d in self.wrong:
            det, best, most = self.scene.detections[d], None, 0.0
            for g, obj in enumerate(self.scene.objects):
                if obj.image != det.image or not self.counted[g] or obj.cls == det.cls:
                    continue
                share = overlap(det.box, obj.box)
                if det.cls in accepted[obj.cls] and share >= max(self.iou, most):
                    best, most = g, share
            if best is not None:
                assigned[d] = best
        for d in sorted(assigned):
            self.wrong.discard(d)
            g = assigned[d]
            score = self.scene.detections[d].score
            if g not in self.credit or score > self.scene.detections[self.credit[g]].score:
                self.credit[g] = d

    def ap(self, classes):
        """Of these class ids in one ranking."""
        events = [(d, -1) for d in self.wrong if self.scene.detections[d].cls in classes]
        events += [(d, 1) for g, d in self.credit.items() if self.scene.objects[g].cls in classes]
        n_positive = sum(
            counted and obj.cls in classes
            for obj, counted in zip(self.scene.objects, self.counted, strict=True)
        )
        if n_positive == 0:
            return math.nan
        events.sort(
            key=lambda one: (
                -self.scene.detections[one[0]].score,
                self.scene.detections[one[0]].image,
                one[0],
            )
        )
        tp = fp = 0
        points = []
        for _, label in events:
            tp += label == 1
            fp += label == -1
            points.append((tp / n_positive, tp / (tp + fp + coco.EPS)))
        best = [max((p for r, p in points if r >= wanted), default=0.0) for wanted in coco.RECALLS]
        return float(np.mean(best))


def scene_of(seed):
    return random_scene(seed, **(CONFUSED if seed % 2 else {}))


def every_level(evidence, accepted, threads=0):
    """[level, class], from exact labels on."""
    above = relaxed_ap(evidence, accepted[1:], threads=threads)
    return np.stack([exact_ap(evidence, threads=threads), *above])


@pytest.mark.parametrize("seed", range(60))
def test_levels_equal_plain_loops_and_never_lose(seed):
    scene = scene_of(seed)
    dataset, detections = scene_to_tables(scene)
    accepted = accepted_classes(dataset.classes, dataset.classes.tree)
    for iou in (0.5, 0.75):
        evidence = gather_labels(dataset, detections, iou)
        found = every_level(evidence, accepted)
        plain = PlainLabels(scene, iou)
        ids = dataset.classes.id.tolist()
        for level, matrix in enumerate(accepted):
            if level:
                plain.relax(
                    {
                        key: {ids[at] for at in np.flatnonzero(row)}
                        for key, row in zip(ids, matrix, strict=True)
                    }
                )
            np.testing.assert_array_equal(found[level], [plain.ap({key}) for key in ids])
        defined = ~np.isnan(found[0])
        assert (np.diff(found[:, defined], axis=0) >= 0).all()
        assert np.isnan(found[:, ~defined]).all()


@pytest.mark.parametrize("seed", range(60))
def test_a_node_is_one_class_matched_anew(seed):
    scene = scene_of(seed)
    dataset, detections = scene_to_tables(scene)
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(rng.random(len(dataset.classes)) < 0.6).astype(np.int32)
    ids = set(dataset.classes.id[rows].tolist())
    as_one = replace(
        scene,
        classes=[1],
        objects=[replace(one, cls=1) for one in scene.objects if one.cls in ids],
        detections=[replace(one, cls=1) for one in scene.detections if one.cls in ids],
    )
    plain = PlainLabels(as_one, 0.5)
    np.testing.assert_equal(node_ap(dataset, detections, rows, 0.5), plain.ap({1}))


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

"""Scores up a class tree and at its nodes: planted, on real detectors, and by their laws."""

from __future__ import annotations

import contextlib
import io
import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, ClassTree, Dataset, Detections, GroundTruth, Images, select_images
from boxlens.errors import ParameterError
from boxlens.formats.class_tree import NamedTree, known_tree
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.guesses import System, guesses_of
from boxlens.studies.difficulty.judging import judge_systems
from boxlens.studies.difficulty.levels import (
    accepted_classes,
    classes_below,
    find_node,
    score_levels,
    score_nodes,
)
from boxlens.studies.difficulty.relaxed_ap import node_ap
from shared_data import shared
from studies.diagnosis.worlds import random_world
from studies.difficulty.made_classes import imagenet

RISING = ("cls", "cls_loc", "ap")
SIDE = 100.0


def own_tree(dataset: Dataset) -> NamedTree:
    return NamedTree(dataset.classes.tree, {})


# --- Laws


def test_systems_without_detections_have_no_ap():
    dataset, detections, _ = random_world(4)
    guesses = guesses_of(detections, 5)
    unplaced = replace(guesses, box=np.full_like(guesses.box, np.nan))
    choice = DifficultyChoice(nodes=dataset.classes.name)
    systems = [System("boxed", guesses), System("bare", unplaced)]
    judged = judge_systems(dataset, systems, choice)
    levels = score_levels(dataset.classes, judged, own_tree(dataset))
    assert [one.system for one in levels] == sorted((one.system for one in levels), reverse=True)
    assert all(math.isnan(one.scores["ap"]) for one in levels)
    for one in (*levels, *score_nodes(dataset, judged, own_tree(dataset), choice)):
        assert math.isnan(one.scores["cls_loc"]) == (one.system == "bare")
        assert json.dumps(one.to_json(), allow_nan=False)


# --- Nodes and their names

CLASSES = Classes.of([1, 2, 3], ["person", "cat", "dog"], supercategory=["person", "pet", "pet"])


def test_nodes_are_found_by_id_and_name_and_inner_ones_first():
    tree = known_tree(CLASSES)
    assert find_node(tree, CLASSES, "pet") == "pet"
    assert find_node(tree, CLASSES, "person") == "any person"
    assert find_node(tree, CLASSES, "cat") == 2
    assert find_node(tree, CLASSES, "2") == 2
    assert find_node(tree, CLASSES, "any class") == "any class"


def test_an_unknown_node_is_refused_with_names_that_are_close():
    tree = known_tree(CLASSES)
    with pytest.raises(ParameterError, match=r"no node 'persn': did you mean person"):
        find_node(tree, CLASSES, "persn")
    with pytest.raises(ParameterError, match=r"no node 'zzzzzz': some are .* and \d+ more"):
        find_node(tree, CLASSES, "zzzzzz")


def test_a_name_of_several_nodes_and_a_node_without_classes_are_refused():
    tree = NamedTree(
        ClassTree({1: ("x",), 2: ("y",), "z": ("w",)}),
        {"x": ("same",), "y": ("same",), "z": ("z",)},
    )
    with pytest.raises(ParameterError, match="'same' names several nodes, x, y: give one id"):
        find_node(tree, CLASSES, "same")
    assert find_node(tree, CLASSES, "x") == "x"
    with pytest.raises(ParameterError, match="no class of the data set lies below 'w'"):
        find_node(tree, CLASSES, "w")


def test_a_node_without_objects_is_undefined():
    dataset, detections, _ = random_world(1)
    empty = dataset.where(np.zeros(len(dataset.gt), dtype=np.bool_))
    system = System("it", guesses_of(detections, 5), detections)
    choice = DifficultyChoice(nodes=(dataset.classes.name[0],))
    judged = judge_systems(empty, [system], choice)
    (one,) = score_nodes(empty, judged, own_tree(dataset), choice)
    assert (one.n_images, one.n_objects) == (0, 0)
    assert all(math.isnan(value) for value in (*one.scores.values(), *one.exact_scores.values()))
    levels = score_levels(empty.classes, judged, own_tree(dataset))
    assert all(math.isnan(value) for level in levels for value in level.scores.values())
    assert levels[0].to_json()["n_accepted"] is None


# --- A thousand classes, planted


def planted(n_each: int, seed: int):
    """Every class in n images; each guess is drawn from the classes a level adds to those below.

    Returns the data set, detections, and by image the lowest level its guess is right at, and
    whether its box is.
    """
    classes, tree = imagenet()
    rng = np.random.default_rng(seed)
    accepted = accepted_classes(classes, tree.tree)
    ring = sum((~one).astype(np.int64) for one in accepted)
    true_class = np.repeat(np.arange(len(classes)), n_each)
    guessed, level = np.empty_like(true_class), np.empty_like(true_class)
    for image, label in enumerate(true_class):
        reached = np.unique(ring[label])
        level[image] = rng.choice(reached)
        guessed[image] = rng.choice(np.flatnonzero(ring[label] == level[image]))
    n = len(true_class)
    found = rng.random(n) < 0.7
    box = np.tile([10.0, 10.0, 40.0, 40.0], (n, 1))
    moved = box + np.where(found, 0.0, 45.0)[:, np.newaxis] * [1, 1, 0, 0]
    images, _ = Images.of(
        range(n), np.full(n, SIDE), np.full(n, SIDE), [f"{i}.jpg" for i in range(n)]
    )
    gt = GroundTruth.of(n, image_row=np.arange(n), class_row=true_class, box=box)
    detections = Detections.of(
        "planted", n, image_row=np.arange(n), class_row=guessed, box=moved, score=np.ones(n)
    )
    return Dataset("planted", images, classes, gt), detections, level, found


def test_what_is_planted_in_a_thousand_classes_is_counted_at_every_level():
    n_each = 4
    dataset, detections, level, found = planted(n_each, seed=7)
    _, tree = imagenet()
    system = System("planted", guesses_of(detections, 5), detections)
    judged = judge_systems(dataset, [system], DifficultyChoice())
    scored = score_levels(dataset.classes, judged, tree)
    assert len(scored) > 10
    for one in scored:
        right = level.reshape(-1, n_each) <= one.level
        np.testing.assert_array_equal(one.class_scores["cls"], right.mean(axis=1))
        placed = right & found.reshape(-1, n_each)
        np.testing.assert_array_equal(one.class_scores["cls_loc"], placed.mean(axis=1))
        assert one.scores["cls"] == pytest.approx(right.mean())
        assert one.scores["cls_loc"] == pytest.approx(placed.mean())
    assert scored[0].n_accepted == 1
    assert all(lower.scores["ap"] <= upper.scores["ap"] for lower, upper in pairwise(scored))
    # In the end all errors are boxes beside their object, or labels of another tree.
    assert scored[-1].scores["cls"] < 1


def test_any_dog_is_told_more_easily_than_which():
    dataset, detections, _, found = planted(4, seed=8)
    classes, tree = imagenet()
    dogs = classes_below(classes, tree.tree, "n02084071")
    assert len(dogs) == 118
    system = System("planted", guesses_of(detections, 5), detections)
    choice = DifficultyChoice(nodes=("domestic dog",))
    (one,) = score_nodes(dataset, judge_systems(dataset, [system], choice), tree, choice)
    shown = np.isin(dataset.gt.class_row, dogs)
    said = shown & np.isin(detections.class_row, dogs)
    assert one.node == "dog"
    assert one.n_images == one.n_objects == shown.sum() == 4 * 118
    assert one.scores["cls"] == said.sum() / shown.sum()
    assert one.scores["cls_loc"] == (said & found).sum() / shown.sum()
    assert one.scores["loc_given_cls"] == (said & found).sum() / said.sum()
    assert one.exact_scores["cls"] < one.scores["cls"]


# --- Real detectors


@pytest.mark.parametrize(
    ("name", "cls", "cls_loc"),
    [
        ("yolox_nano", [0.580055, 0.743097, 1], [0.524331, 0.557787, 0.595052]),
        ("fastestdet", [0.498337, 0.698907, 1], [0.406907, 0.456267, 0.514937]),
    ],
)
def test_real_detectors_know_supercategories_better_than_classes(name, cls, cls_loc):
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    detections = boxlens.read_detections(shared("coco_val2017", f"{name}.json.gz"), dataset)
    system = System(name, guesses_of(detections, 5), detections)
    tree, choice = known_tree(dataset.classes), DifficultyChoice(nodes=("animal", "person"))
    judged = judge_systems(dataset, [system], choice)
    levels = score_levels(dataset.classes, judged, tree)
    np.testing.assert_allclose([one.scores["cls"] for one in levels], cls, atol=5e-7)
    np.testing.assert_allclose([one.scores["cls_loc"] for one in levels], cls_loc, atol=5e-7)
    assert [one.n_accepted for one in levels] == [1, 7.625, 80]
    animal, person = score_nodes(dataset, judged, tree, choice)
    assert len(animal.classes) == 10
    assert all(animal.scores[score] > animal.exact_scores[score] for score in RISING)
    # One class alone below its supercategory: nothing to confuse.
    assert person.scores == pytest.approx(dict(person.exact_scores))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["yolox_nano", "fastestdet"])
def test_the_root_of_coco_is_pycocotools_without_classes(name, tmp_path):
    """Every class as one is what `useCats = 0` asks for; on some images, as pycocotools is slow."""
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    whole = boxlens.read_detections(shared("coco_val2017", f"{name}.json.gz"), dataset)
    dataset, detections = select_images(dataset, whole, np.arange(0, 5000, 25))
    rows = np.arange(len(dataset.classes), dtype=np.int32)
    expected = class_agnostic_ap50(dataset, detections, tmp_path)
    assert node_ap(dataset, detections, rows, 0.5) == pytest.approx(expected, abs=1e-12)


def class_agnostic_ap50(dataset, detections, folder):
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    boxlens.write_dataset(dataset, folder / "gt.json", format="coco")
    boxlens.write_detections(detections, dataset, folder / "dt.json", format="coco")
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(folder / "gt.json"))
        run = COCOeval(truth, truth.loadRes(str(folder / "dt.json")), "bbox")
        run.params.useCats = 0
        run.evaluate()
        run.accumulate()
    precision = run.eval["precision"][0, :, :, 0, 2]
    return precision[precision > -1].mean()

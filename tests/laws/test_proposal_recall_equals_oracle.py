"""Recall of proposals equals the slow oracle (METHODS 6.1-6.4, 8.4)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from boxlens.formats import read_dataset
from boxlens.formats.window_files import read_windows
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow
from boxlens.studies.proposals.recall.average_recall import (
    average_recall,
    average_recall_on_grid,
    coco_average_recall,
)
from boxlens.studies.proposals.recall.matched import match_objects
from boxlens.studies.proposals.sources import Searching, find_proposed
from cases import random_scene
from laws.proposal_worlds import CHOICE, SEEDS, equal, objects_by_image, ranked, scene_of, studied
from oracles import proposal_recall as oracle
from oracles.coco import AREAS
from oracles.convert import SIDE_PX, scene_to_tables
from oracles.model import inside
from shared_data import shared

WHOLE_RANGE = replace(CHOICE, ar_range=(0.0, 1.0))
ON_GRID = replace(CHOICE, ar_on_grid=True)
PARTS = replace(CHOICE, ar_range=(0.3, 0.7))
PARTS_ON_GRID = replace(PARTS, ar_on_grid=True)
CHOICES = (CHOICE, WHOLE_RANGE, ON_GRID, PARTS, PARTS_ON_GRID)
# As they are printed: an overlap of exactly .85 reaches .85.
CURVE = [(50 + step) / 100 for step in range(51)]


@pytest.mark.parametrize("choice", CHOICES, ids=["usual", "whole", "grid", "part", "part on grid"])
def test_every_number_is_that_of_the_oracle(choice):
    for seed in SEEDS:
        scene = random_scene(seed, flood=0)
        lists = ranked(scene)
        result = studied(scene, choice)
        (method,) = result.methods
        assert [row.budget for row in method.chosen] == [2, 7]
        assert [row.budget for row in method.by_budget] == [1, 2, 3, 7]
        for row in method.by_budget:
            check_budget(row, scene, lists, choice)
        heights = [row.ar for row in method.by_budget]
        assert method.volume == equal(oracle.volume([1, 2, 3, 7], heights))
        groups = {
            (one.by, one.value, one.budget): [one.n_objects, one.ar, *one.recall.values()]
            for one in method.groups
        }
        expected = slow_groups(scene, lists, choice)
        assert groups.keys() == expected.keys()
        for key, values in expected.items():
            assert groups[key] == equal(values)


def check_budget(row, scene, lists, choice):
    """Every number of one budget."""
    objects, found = slow_overlaps(scene, lists, row.budget)
    iou, best = [one.iou for one in found], [one.best for one in found]
    asked = [oracle.candidates(boxes, row.budget) for boxes in lists]
    assert row.n_mean == equal(oracle.mean(map(len, asked)))
    assert row.ar == equal(slow_average(iou, choice))
    assert row.coco_ar == equal(oracle.coco_average_recall(iou))
    assert row.best_overlap == equal(oracle.mean(best))
    classes = [obj.cls for obj in objects]
    assert row.best_overlap_by_class == equal(oracle.mean_of_class_means(best, classes))
    assert tuple(row.recall) == choice.ious
    for threshold, value in row.recall.items():
        assert value == equal(oracle.recall(iou, threshold))
    slow_curve = [oracle.recall(iou, threshold) for threshold in CURVE]
    assert row.curve.tolist() == equal(slow_curve)


def slow_overlaps(scene, lists, budget):
    """The countable objects, and how each was found."""
    objects = objects_by_image(scene)
    found = [
        one
        for here, boxes in zip(objects, lists, strict=True)
        for one in oracle.found_in_image([obj.box for obj in here], boxes, budget)
    ]
    return [obj for here in objects for obj in here], found


def slow_average(iou, choice):
    average = oracle.average_recall_on_grid if choice.ar_on_grid else oracle.average_recall
    return average(iou, *choice.ar_range)


def slow_groups(scene, lists, choice):
    """By kind, value and budget: objects, average recall and recalls; none without objects."""
    groups = {}
    for budget in choice.budgets:
        objects, found = slow_overlaps(scene, lists, budget)
        members = {
            ("class", f"class {cls}"): [o.cls == cls for o in objects] for cls in scene.classes
        }
        for size in ("small", "medium", "large"):
            members["size", size] = [inside(obj.area, AREAS[size]) for obj in objects]
        if any(obj.difficult for obj in objects):
            members["difficult", "yes"] = [obj.difficult for obj in objects]
            members["difficult", "no"] = [not obj.difficult for obj in objects]
        for (by, value), belongs in members.items():
            iou = [one.iou for one, member in zip(found, belongs, strict=True) if member]
            if iou:
                recalls = [oracle.recall(iou, threshold) for threshold in choice.ious]
                groups[by, value, budget] = [len(iou), slow_average(iou, choice), *recalls]
    return groups


def test_counts_and_sizes_are_those_of_the_oracle():
    for seed in SEEDS:
        scene = random_scene(seed, flood=0)
        lists = ranked(scene)
        result = studied(scene)
        (method,) = result.methods
        objects = [obj.box for here in objects_by_image(scene) for obj in here]
        assert (result.n_images, result.n_objects) == (len(scene.images), len(objects))
        asked = [box for boxes in lists for box in oracle.candidates(boxes, CHOICE.largest)]
        for found, boxes in ((method.sizes, asked), (result.sizes, objects)):
            sizes = [(SIDE_PX, SIDE_PX)] * len(boxes)
            assert found.tolist() == equal(oracle.size_shares(boxes, sizes))
        repeated = [not first for boxes in lists for first in oracle.first_on_pixels(boxes)]
        assert method.n_duplicates == sum(repeated)


def test_the_golden_case():
    """METHODS 8.4: overlaps of .4, .5, .75 and 1."""
    objects = [(0.0, 110.0 * row, 100.0, 100.0) for row in range(4)]
    proposals = [(x, y, w, h) for (x, y, _, h), w in zip(objects, (40, 50, 75, 100), strict=True)]
    scene = scene_of(objects, proposals)

    def found(choice):
        return studied(scene, choice).methods[0].chosen[-1]

    assert found(CHOICE).ar == 0.375
    assert found(ON_GRID).ar == pytest.approx(0.3755, abs=1e-12)
    assert found(WHOLE_RANGE).ar == pytest.approx(0.6625, abs=1e-12)
    assert found(CHOICE).best_overlap == pytest.approx(0.6625, abs=1e-12)


@pytest.mark.parametrize("rule", ["descending", "ascending", "given"])
def test_windows_of_a_file_stand_in_the_order_of_the_oracle(rule, tmp_path):
    for seed in SEEDS:
        scene = random_scene(seed, zero_size=0.0)
        if not scene.detections:
            continue
        path = tmp_path / f"{seed}.json"
        records = [
            {"image_id": det.image, "bbox": det.box, "score": det.score} for det in scene.detections
        ]
        path.write_text(json.dumps(records))
        found = read_windows(path, scene_to_tables(scene)[0], limit=None, order=rule)
        expected = []
        for image in scene.images:
            here = [det for det in scene.detections if det.image == image]
            places = oracle.ordered([det.score for det in here], rule)
            expected += [list(here[place].box) for place in places]
        assert found.box.tolist() == expected


def test_sliding_windows_on_photographs_are_found_as_by_the_oracle():
    dataset = read_dataset(shared("coco_val2017_80", "instances.json"))
    budgets = (100, 1000)
    (proposed,) = find_proposed(dataset, [SlidingWindow()], budgets, Searching())
    found = match_objects(dataset, proposed, budgets)
    for row, budget in enumerate(budgets):
        windows = proposed.at(budget)
        iou, best = [], []
        for image in range(len(dataset.images)):
            rows = found.object_row[dataset.gt.image_row[found.object_row] == image]
            objects = [tuple(box) for box in dataset.gt.box[rows].tolist()]
            start, end = windows.offsets[image : image + 2].tolist()
            ranked_boxes = [tuple(box) for box in windows.box[start:end].tolist()]
            matched = oracle.found_in_image(objects, ranked_boxes, budget)
            iou += [one.iou for one in matched]
            best += [one.best for one in matched]
        assert found.iou[row].tolist() == iou
        assert found.best[row].tolist() == best
        assert average_recall(found.iou[row]) == equal(oracle.average_recall(iou))
        assert average_recall_on_grid(found.iou[row]) == equal(oracle.average_recall_on_grid(iou))
        assert coco_average_recall(found.iou[row]) == equal(oracle.coco_average_recall(iou))

"""Every number equals that of a slow, plain re-implementation, on hard little scenes."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import attribute_column
from boxlens.studies.sensitivity import sensitivity
from cases import random_scene
from oracles import sensitivity as oracle
from oracles.convert import scene_to_tables
from studies.sensitivity.worlds import named

LEVELS = ("none", "low", "medium", "high")
SEEDS = range(60)
CHOICES = {
    "occlusion": (*LEVELS, None),
    "truncated": (0, 1, 1, None),
    "grade": (1, 2, 3, None),
    "part_wheel": (0, 1, None),
    "part_door": (0, 1, None),
}


def scene_with_attributes(seed):
    """The first object carries every annotation, so that every column is of its kind."""
    scene = random_scene(
        seed, n_objects=14, n_detections=20, n_classes=3, n_images=6, federated=False
    )
    while not scene.objects:
        seed += 1000
        scene = random_scene(
            seed, n_objects=14, n_detections=20, n_classes=3, n_images=6, federated=False
        )
    dataset, detections = scene_to_tables(scene)
    rng = random.Random(seed)
    columns = {
        name: attribute_column([values[0], *(rng.choice(values) for _ in scene.objects[1:])])
        for name, values in CHOICES.items()
    }
    return replace(dataset, gt=replace(dataset.gt, attributes=columns)), detections


def same(left, right):
    return left == pytest.approx(right, abs=1e-9, nan_ok=True)


def assert_spread(found, expected, values):
    """`values` are the oracle's keys of the subsets, in their order."""
    for name in ("highest", "lowest", "sensitivity", "impact"):
        assert same(getattr(found, name), expected[name]), name
    for row, told in zip(found.classes, expected["classes"], strict=True):
        assert same([row.ap_n, row.ap_n_se], [told["ap_n"], told["ap_n_se"]])
        assert same([row.highest, row.lowest], [told["highest"], told["lowest"]])
        for subset, value in zip(row.subsets, values, strict=True):
            other = told["subsets"].get(value)
            if other is None:
                assert (subset.n_objects, math.isnan(subset.ap_n)) == (0, True)
                continue
            assert (subset.n_objects, subset.n_missed) == (other["n_objects"], other["n_missed"])
            assert same([subset.ap_n, subset.ap_n_se], [other["ap_n"], other["ap_n_se"]])


@pytest.mark.parametrize("seed", SEEDS)
def test_spreads_and_entropy(seed):
    dataset, detections = scene_with_attributes(seed)
    names = ["area", "height", "aspect", "occlusion", "truncation", "grade"]
    result = sensitivity(dataset, detections, by=names)
    truth = oracle.find(dataset, detections)
    for name in names:
        found = named(result, name)
        if name in {"area", "height", "aspect"}:
            column, values = oracle.binned_column(truth, name), range(5)
        else:
            source = {"truncation": "truncated"}.get(name, name)
            column = oracle.attribute_column(dataset, truth, source)
            known = sorted({value for value in column if value is not None})
            values = {"occlusion": LEVELS, "truncation": (0.0, 1.0)}.get(name, known)
        expected = oracle.characteristic(truth, [column])
        assert_spread(found, expected, [(0, value) for value in values])
        assert same(found.entropy_share, expected["entropy_share"])
        shares = [row["entropy_share"] for row in expected["classes"]]
        assert same([row.entropy_share for row in found.classes], shares)


@pytest.mark.parametrize("seed", SEEDS)
def test_pooled_flags_and_grids(seed):
    dataset, detections = scene_with_attributes(seed)
    result = sensitivity(
        dataset,
        detections,
        by=["parts"],
        cross=[("truncation", "grade")],
        min_objects=2,
    )
    truth = oracle.find(dataset, detections)
    flags = [oracle.attribute_column(dataset, truth, name) for name in ("part_door", "part_wheel")]
    expected = oracle.characteristic(truth, flags, enough=2)
    values = [(place, value) for place in (0, 1) for value in (0.0, 1.0)]
    assert_spread(named(result, "parts"), expected, values)

    first, second = (
        oracle.attribute_column(dataset, truth, name) for name in ("truncated", "grade")
    )
    pairs = [
        None if one is None or two is None else (one, two)
        for one, two in zip(first, second, strict=True)
    ]
    classes = oracle.characteristic(truth, [pairs])["classes"]
    [grid] = result.interactions
    for row, one in enumerate((0.0, 1.0)):
        for place, two in enumerate(map(float, grid.second_names)):
            cells = [told["subsets"].get((0, (one, two))) for told in classes]
            cells = [cell for cell in cells if cell is not None]
            assert grid.n_objects[row, place] == sum(cell["n_objects"] for cell in cells)
            enough = [cell["ap_n"] for cell in cells if cell["n_objects"] >= 2]
            assert same(grid.ap_n[row, place], oracle.mean(enough))


@pytest.mark.parametrize("seed", SEEDS)
def test_misses_and_predictions(seed):
    dataset, detections = scene_with_attributes(seed)
    misses = sensitivity(dataset, detections).misses
    truth = oracle.find(dataset, detections)
    assert same(misses.achieved.tolist(), truth.achieved)
    assert misses.missed.tolist() == [truth.missed(g) for g in range(len(dataset.gt))]
    expected = oracle.looser(dataset, detections, (0.1, 0.2, 0.3, 0.4))
    for row, told in zip(misses.looser, expected, strict=True):
        assert row.n_missed == told["n_missed"]
        assert same(row.share_recovered, told["share_recovered"])
    columns = [
        *(oracle.binned_column(truth, name) for name in ("area", "aspect")),
        *(oracle.attribute_column(dataset, truth, name) for name in ("occlusion", "truncated")),
    ]
    predicted = oracle.predict(truth, columns)
    assert same(misses.predicted.tolist(), predicted)
    surprise = np.array(predicted) - np.array(truth.achieved)
    ranked = [row.gt_row for row in misses.difficult]
    best = np.sort(surprise[surprise > 1e-9])[::-1][:15]
    assert same(surprise[ranked].tolist(), best.tolist())


@pytest.mark.parametrize(
    ("iou", "looser"),
    [(0.05, ()), (0.1, ()), (0.15, (0.1,)), (0.2, (0.1,)), (0.4, (0.1, 0.2, 0.3))],
    ids=str,
)
def test_small_overlaps_are_looser_than_few_others(iou, looser):
    """The usual looser overlaps are used as far as they are looser; the others are told."""
    for seed in range(10):
        dataset, detections = scene_with_attributes(seed)
        result = sensitivity(dataset, detections, iou=iou)
        truth = oracle.find(dataset, detections, iou)
        assert same(result.misses.achieved.tolist(), truth.achieved)
        expected = oracle.looser(dataset, detections, looser, strict=iou)
        for row, told in zip(result.misses.looser, expected, strict=True):
            assert (row.iou, row.n_missed) == (told["iou"], told["n_missed"])
            assert same(row.share_recovered, told["share_recovered"])
        [notice] = [one for one in result.notices if one.code == "no_looser_overlap"]
        assert notice.count == 4 - len(looser)
    own = sensitivity(dataset, detections, iou=iou, looser=[iou / 2])
    assert [row.iou for row in own.misses.looser] == [iou / 2]
    assert not any(one.code == "no_looser_overlap" for one in own.notices)

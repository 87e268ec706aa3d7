"""METHODS 11: weights 1 change no bit, and whole weights are images written down repeatedly."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.metrics import choose, count_grid, evaluate_tables
from boxlens.metrics.evaluation import _grid_choice, _prepare_all, samplers
from boxlens.metrics.means import mean_defined
from boxlens.metrics.resampling import read_classes, read_whole, replicate
from cases import random_scene, scenes
from oracles import coco, lvis, open_images, voc, weighted_ap
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene, considered

AREAS = {"all": (0.0, 1e10), "s": (0.0, 1024.0), "l": (1024.0, 1e10)}
GRIDS = [
    choose("coco"),
    choose("lvis"),
    choose("coco", iou_thresholds=[0.5], area_ranges=AREAS, max_dets=[1, 2, 4]),
    choose("coco", iou_thresholds=[0.3, 0.75, 1.0], area_ranges={"all": (0.0, 1e10)}),
    choose("lvis", iou_thresholds=[0.5, 0.6], area_ranges=AREAS, max_dets=[3]),
]
RANKED = [
    choose("voc07"),
    choose("voc12", iou_thresholds=[0.5, 0.75]),
    *(choose("openimages", group_of_weight=weight) for weight in (1.0, 0.5, 0.0)),
]
MATCHERS = {
    "coco": lambda scene, iou: coco.match(scene, iou, AREAS["all"], 100),
    "lvis": lvis.match,
    "voc07": voc.match,
    "voc12": voc.match,
}


def law(test, max_examples=25):
    return settings(max_examples=max_examples)(test)


grids = pytest.mark.parametrize("choice", GRIDS, ids=range(len(GRIDS)))
seeds = st.integers(0, 2**32 - 1)


def sampler_of(tables, choice):
    dataset, detections = tables
    return samplers(dataset, [detections], choice, threads=1)[0]


def weighted(tables, choice, weights):
    """One replicate, with its precision where recalls are sampled."""
    walk = sampler_of(tables, choice).walk
    rows = np.asarray([weights], dtype=np.int32)
    return replicate(walk, rows, with_precision=bool(walk.recalls), threads=1)


def counted(tables, choice):
    """The grid that `evaluate` reads its numbers off."""
    dataset, detections = tables
    prepared = _prepare_all(dataset, [detections], choice)[0]
    return count_grid(
        prepared.dataset,
        prepared.detections,
        prepared.rule,
        _grid_choice(choice),
        det_dropped=prepared.det_dropped,
        det_unmatched_ignored=prepared.det_unmatched_ignored,
        threads=1,
    )


def evaluated(tables, choice):
    dataset, detections = tables
    return evaluate_tables(dataset, [detections], choice, threads=1).detectors[0]


def assert_same_grid(found, grid):
    # [class, area, threshold, recall] -> [threshold, recall, class, area]
    precision = found.precision[0].transpose(2, 3, 0, 1)
    np.testing.assert_array_equal(precision, grid.precision[..., -1])
    np.testing.assert_array_equal(found.recall[0].transpose(2, 0, 1, 3), grid.recall)


def assert_same_numbers(found, readings, result, tolerance):
    near = {"rtol": 0, "atol": tolerance}
    for name, mean in readings.whole.items():
        np.testing.assert_allclose(read_whole(found, mean)[0], result.metrics[name], **near)
    for name, mean in readings.by_class.items():
        expected = [one.metrics[name] for one in result.classes]
        np.testing.assert_allclose(read_classes(found, mean)[0], expected, **near)


# --- weights 1


@grids
@law
@given(scene=scenes())
def test_weights_of_one_give_precision_and_recall_to_the_bit(choice, scene):
    tables = scene_to_tables(scene)
    found, grid = weighted(tables, choice, [1] * len(scene.images)), counted(tables, choice)
    assert_same_grid(found, grid)
    by_threshold = found.precision[0].transpose(2, 3, 0, 1)[:, :, :, 0]
    np.testing.assert_array_equal(
        mean_defined(by_threshold), evaluated(tables, choice).metrics["AP"]
    )


@grids
def test_weights_of_one_give_crowded_scenes_to_the_bit(choice):
    """More detections than the limits let pass, and more images than hypothesis draws."""
    for seed in range(300, 312):
        tables = scene_to_tables(random_scene(seed, n_images=12, crowd=0.3))
        ones = [1] * len(tables[0].images)
        assert_same_grid(weighted(tables, choice, ones), counted(tables, choice))


# --- whole weights are copies


def untied(scene):
    """No two detections of an image and class share a score; ties between images stay."""
    seen = defaultdict(int)
    found = []
    for det in scene.detections:
        place = seen[det.image, det.cls, det.score]
        seen[det.image, det.cls, det.score] += 1
        found.append(replace(det, score=det.score + place * 2.0**-20))
    return replace(scene, detections=tuple(found))


def drawn_weights(seed, n):
    return np.random.default_rng(seed).integers(0, 4, n).tolist()


@grids
@law
@given(seed=seeds)
def test_whole_weights_are_copies_of_images_to_the_bit(choice, seed):
    """Matching is local to an image, so copies have the same verdicts: only the ranking is left.

    It goes by score, then image. A weighted detection stands for its copies in a row, and so do
    the copies themselves as long as nothing else of their own image has their score: of two such
    detections a, b the copies rank as a, b, a, b, their weights as a, a, b, b. Ties between
    different images do no harm, since an image's copies stand side by side.
    """
    scene = untied(random_scene(seed, flood=0))
    tables, weights = scene_to_tables(scene), drawn_weights(seed, len(scene.images))
    copies = weighted_ap.repeated_tables(*tables, weights)
    assert_same_grid(weighted(tables, choice, weights), counted(copies, choice))


@pytest.mark.parametrize("choice", [*GRIDS, *RANKED])
@law
@given(seed=seeds)
def test_whole_weights_read_as_evaluate_reads_the_copies(choice, seed):
    scene = untied(random_scene(seed, flood=0, group_of=0.2))
    tables, weights = scene_to_tables(scene), drawn_weights(seed, len(scene.images))
    copies = weighted_ap.repeated_tables(*tables, weights)
    found, readings = weighted(tables, choice, weights), sampler_of(tables, choice).readings
    assert_same_numbers(found, readings, evaluated(copies, choice), 1e-12)


def test_a_tie_inside_an_image_is_where_weights_and_copies_part():
    """A hit, then a miss of the same score: the hits of all copies first, or by turns."""
    box, far = (0.0, 0.0, 40.0, 40.0), (200.0, 200.0, 40.0, 40.0)
    tied = Scene(
        images=(1,),
        classes=(1,),
        objects=(Object(1, 1, box, 1600.0),),
        detections=(Detection(1, 1, box, 0.5), Detection(1, 1, far, 0.5)),
    )
    tables, choice = scene_to_tables(tied), choose("coco")
    assert weighted(tables, choice, [2]).ap[0, 0, 0, 0] == pytest.approx(1.0)
    by_turns = weighted_ap.coco101([1, -1, 1, -1], [1, 1, 1, 1], 2)
    copies = weighted_ap.repeated_tables(*tables, [2])
    assert evaluated(copies, choice).metrics["AP"] == pytest.approx(by_turns)
    assert by_turns < 1


# --- whole weights against the oracle, ties inside images and all


def weighted_class(scene, cls, matching, weight_of):
    """Labels and weights of the class's ranking, and its weighted positives."""
    ranking = considered(scene, cls, matching)
    labels = [matching.label[d] for d in ranking]
    weights = [weight_of[scene.detections[d].image] for d in ranking]
    positives = sum(
        weight_of[obj.image]
        for obj, ignored in zip(scene.objects, matching.ignored, strict=True)
        if obj.cls == cls and not ignored
    )
    return labels, weights, positives


@pytest.mark.parametrize("protocol", MATCHERS)
@pytest.mark.parametrize("iou", [0.5, 0.75])
@law
@given(seed=seeds)
def test_whole_weights_equal_the_oracle(protocol, iou, seed):
    scene = random_scene(seed, flood=0)
    weights = drawn_weights(seed, len(scene.images))
    weight_of = dict(zip(scene.images, weights, strict=True))
    found = weighted(scene_to_tables(scene), choose(protocol, iou_thresholds=[iou]), weights)
    matching = MATCHERS[protocol](scene, iou)
    ap = {"voc07": weighted_ap.voc07, "voc12": weighted_ap.area}.get(protocol, weighted_ap.coco101)
    for row, cls in enumerate(scene.classes):
        ranked_class = weighted_class(scene, cls, matching, weight_of)
        expected = ap(*ranked_class)
        assert found.ap[0, row, 0, 0] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if found.recall.size:
            recall = weighted_ap.recall(*ranked_class)
            np.testing.assert_array_equal(found.recall[0, row, 0, 0, -1], recall)


@pytest.mark.parametrize("group_weight", [0.0, 0.5, 1.0, 2.0])
@law
@given(seed=seeds)
def test_whole_weights_under_open_images_equal_the_oracle(group_weight, seed):
    scene = random_scene(seed, flood=0, group_of=0.25)
    weights = drawn_weights(seed, len(scene.images))
    weight_of = dict(zip(scene.images, weights, strict=True))
    choice = choose("openimages", group_of_weight=group_weight)
    found = weighted(scene_to_tables(scene), choice, weights)
    truth = open_images.match(scene, 0.5, group_weight)
    for row, cls in enumerate(scene.classes):
        ranking = considered(truth.scene, cls, truth.matching)
        labels, repeats, positives = weighted_class(truth.scene, cls, truth.matching, weight_of)
        groups = [obj for obj in truth.scene.objects if obj.cls == cls and obj.group_of]
        positives += group_weight * sum(weight_of[obj.image] for obj in groups)
        values = [truth.weight[d] for d in ranking]
        expected = weighted_ap.area(labels, repeats, positives, values)
        assert found.ap[0, row, 0, 0] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_group_that_weighs_nothing_defines_no_class_even_where_nothing_was_detected():
    box = (0.0, 0.0, 40.0, 40.0)
    scene = Scene(
        images=(1,),
        classes=(1, 2),
        objects=(Object(1, 1, box, 1600.0, group_of=True), Object(1, 2, box, 1600.0)),
        detections=(),
    )
    tables, choice = scene_to_tables(scene), choose("openimages", group_of_weight=0.0)
    np.testing.assert_array_equal(weighted(tables, choice, [1]).ap[0, :, 0, 0], [np.nan, 0.0])
    of_class = [one.metrics["AP"] for one in evaluated(tables, choice).classes]
    np.testing.assert_array_equal(of_class, [np.nan, 0.0])


def test_a_set_that_weighs_nothing_has_no_numbers():
    tables = scene_to_tables(random_scene(3))
    found = weighted(tables, choose("coco"), [0] * len(tables[0].images))
    assert np.isnan(found.ap).all()
    assert np.isnan(found.recall).all()
    readings = sampler_of(tables, choose("coco")).readings
    assert all(math.isnan(read_whole(found, mean)[0]) for mean in readings.whole.values())

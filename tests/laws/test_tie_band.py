"""METHODS 10: AP over every order of equal scores lies in a band, and its ends are reached."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.metrics import choose, evaluate_tables
from cases import random_scene
from oracles import average_precision, coco, lvis
from oracles.convert import scene_to_tables
from oracles.model import considered, count_positives

MATCHERS = {"coco": coco.match, "lvis": lvis.match}
close = pytest.approx


def evaluated(scene, protocol):
    dataset, detections = scene_to_tables(scene)
    return evaluate_tables(dataset, [detections], choose(protocol)).detectors[0]


def tie_orders(scene, cls, matching):
    """Every ranking of the counted detections of a class in which only equal scores change place."""
    ranked = [d for d in considered(scene, cls, matching) if matching.label[d] != 0]
    runs = []
    for _, run in itertools.groupby(ranked, key=lambda d: scene.detections[d].score):
        labels = [matching.label[d] for d in run]
        places = itertools.combinations(range(len(labels)), labels.count(1))
        runs.append([[1 if i in at else -1 for i in range(len(labels))] for at in places])
    for order in itertools.product(*runs):
        yield [label for run in order for label in run]


@pytest.mark.parametrize("protocol", ["coco", "lvis"])
def test_the_tie_band_ends_where_the_best_and_worst_orders_of_ties_do(protocol):
    tiny = {"n_images": 2, "n_classes": 2, "n_objects": 4, "n_detections": 4, "n_scores": 2}
    n_wide = 0
    for seed in range(150):
        scene = random_scene(seed, flood=0, **tiny)
        ends = []
        for threshold in coco.THRESHOLDS:
            matching = MATCHERS[protocol](scene, threshold)
            for cls in scene.classes:
                positives = count_positives(scene, cls, matching)
                if positives:
                    orders = tie_orders(scene, cls, matching)
                    aps = [average_precision.ap_coco101(order, positives) for order in orders]
                    ends.append((min(aps), max(aps)))
        result = evaluated(scene, protocol)
        if not ends:
            assert all(math.isnan(end) for end in result.tie_band)
            continue
        worst, best = np.mean(ends, axis=0)
        assert result.tie_band == close((worst, best), abs=1e-12)
        assert worst - 1e-12 <= result.metrics["AP"] <= best + 1e-12
        n_wide += best - worst > 1e-3
    assert n_wide >= 10


@pytest.mark.parametrize("protocol", ["coco", "lvis"])
def test_the_tie_band_is_a_point_where_all_scores_differ(protocol):
    for seed in range(40):
        scene = random_scene(seed)
        n = len(scene.detections)
        found = tuple(replace(d, score=(i + 1) / n) for i, d in enumerate(scene.detections))
        result = evaluated(replace(scene, detections=found), protocol)
        low, high = result.tie_band
        assert low == high or math.isnan(low)
        assert result.metrics["AP"] == close(low, abs=1e-12, nan_ok=True)


def test_a_wide_tie_band_is_told_in_a_notice():
    scene = random_scene(3)
    result = evaluated(scene, "coco")
    low, high = result.tie_band
    assert high - low > 1e-3
    [notice] = [notice for notice in result.notices if notice.code == "ties"]
    assert f"{low:.4f} and {high:.4f}" in notice.message

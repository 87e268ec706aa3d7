"""Exchanging outputs image by image: the numbers of each exchange, and the p-value they give."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.evaluation import samplers
from boxlens.studies.comparison.exchange import _sides, exchange, exchange_p
from cases import random_scene
from oracles import exchange as oracle
from oracles.convert import scene_to_tables
from studies.diagnosis.worlds import nothing_of

CHOICES = [
    choose("coco"),
    choose("coco", iou_thresholds=[0.5], max_dets=[1, 3, 6]),
    choose("lvis"),
    choose("voc07"),
    choose("voc12", iou_thresholds=[0.5, 0.75]),
    *(choose("openimages", group_of_weight=weight) for weight in (1.0, 0.5, 0.0)),
]
protocols = pytest.mark.parametrize(
    "choice", CHOICES, ids=lambda choice: f"{choice.protocol}-{choice.group_of_weight:g}"
)
N_EXCHANGES = 6


def two_detectors(seed, **knobs):
    """Detections of a fuzzed scene dealt out at random, some to both: ties everywhere."""
    scene = random_scene(seed, n_detections=24, **{"flood": 0, "group_of": 0.2, **knobs})
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(2):
        kept = tuple(det for det in scene.detections if rng.random() < 0.6)
        dataset, table = scene_to_tables(replace(scene, detections=kept))
        tables.append(table)
    return dataset, [replace(table, name=name) for table, name in zip(tables, "ab", strict=True)]


def samplers_of(dataset, tables, choice):
    return samplers(dataset, tables, choice, threads=1)


def assert_literal(dataset, tables, choice, seed):
    """Every number of every exchange is that of the tables written down."""
    found = exchange(*samplers_of(dataset, tables, choice), N_EXCHANGES, seed=seed, threads=1)
    for row in range(N_EXCHANGES):
        own = _sides(len(dataset.images), seed, row).tolist()
        first, second = oracle.evaluated(dataset, *tables, own, choice)
        for name, values in found.whole.items():
            expected = first.metrics[name] - second.metrics[name]
            assert values[row] == pytest.approx(expected, abs=1e-12, nan_ok=True), name
        for name, by_class in found.by_class.items():
            expected = [
                one.metrics[name] - other.metrics[name]
                for one, other in zip(first.classes, second.classes, strict=True)
            ]
            np.testing.assert_allclose(by_class[row], expected, rtol=0, atol=1e-12)


@protocols
@pytest.mark.parametrize("seed", range(8))
def test_an_exchange_equals_evaluating_the_swapped_tables(choice, seed):
    assert_literal(*two_detectors(seed, n_images=8), choice, seed)


@pytest.mark.parametrize("choice", [choose("coco"), choose("voc12"), choose("openimages")])
def test_scores_that_are_all_equal_stand_by_image(choice):
    for seed in range(8):
        dataset, tables = two_detectors(seed, n_images=8)
        tied = [replace(table, score=np.full(len(table), 0.5)) for table in tables]
        assert_literal(dataset, tied, choice, seed)


def test_more_detections_than_the_limit_are_cut_in_the_detector_they_come_from():
    dataset, tables = two_detectors(8, n_images=6, flood=260)
    assert any(np.diff(table.offsets).max() > 100 for table in tables)
    assert_literal(dataset, tables, choose("coco"), 0)


@protocols
def test_a_detector_that_found_nothing_takes_part(choice):
    for seed in range(6):
        dataset, (a, b) = two_detectors(seed, n_images=8)
        assert_literal(dataset, (a, nothing_of(b)), choice, seed)
        assert_literal(dataset, (nothing_of(a), b), choice, seed)


def test_sides_are_fair_coins_and_each_exchange_has_its_own():
    sides = np.stack([_sides(400, 7, row) for row in range(100)])
    assert abs(sides.mean() - 0.5) < 0.01
    assert abs(np.corrcoef(sides)[~np.eye(100, dtype=np.bool_)]).max() < 0.3
    assert (sides != np.stack([_sides(400, 8, row) for row in range(100)])).any(axis=1).all()


# --- p-values


@cache
def ten_images():
    """Small, and the second detector misplaces its boxes in some images."""
    found = (two_detectors(seed, n_images=10, n_classes=2, n_objects=4) for seed in range(400))
    dataset, (a, b) = next(world for world in found if len(world[0].images) == 10)
    moved = b.box.copy()
    moved[b.image_row % 3 == 0, 0] += 24
    return dataset, a, replace(b, box=moved)


@pytest.mark.parametrize("protocol", ["coco", "voc12"])
def test_the_sampled_p_value_is_that_of_all_exchanges_within_chance(protocol):
    dataset, a, b = ten_images()
    choice, n = choose(protocol), 2000
    exact = oracle.exact_p(dataset, a, b, choice)
    drawn = exchange(*samplers_of(dataset, [a, b], choice), n, seed=3)
    seen = [one.metrics for one in evaluate_tables(dataset, [a, b], choice).detectors]
    assert len(set(exact.values())) > len(exact) // 2, "the case should tell numbers apart"
    for name, p in exact.items():
        found = exchange_p(seen[0][name] - seen[1][name], drawn.whole[name])
        error = np.sqrt(p * (1 - p) / n)
        assert found == pytest.approx(p, abs=4 * np.nan_to_num(error) + 1 / n, nan_ok=True), name


def test_seed_and_pieces_decide_threads_do_not():
    dataset, tables = two_detectors(3, n_images=8)
    a, b = samplers_of(dataset, tables, choose("coco"))
    drawn = exchange(a, b, 120, seed=1, threads=1)
    for same in (exchange(a, b, 120, seed=1, threads=3), exchange(a, b, 130, seed=1)):
        for name, values in drawn.whole.items():
            np.testing.assert_array_equal(same.whole[name][:120], values)
    other = exchange(a, b, 120, seed=2)
    assert (other.whole["AP"] != drawn.whole["AP"]).any()


def test_progress_is_told_from_nothing_to_nearly_all():
    dataset, tables = two_detectors(3, n_images=8)
    told = []
    exchange(
        *samplers_of(dataset, tables, choose("voc12")),
        120,
        progress=lambda text, done, total: told.append((text, done, total)),
    )
    assert told == [("exchanging a and b", done, 120) for done in (0, 50, 100)]


def test_the_p_value_counts_what_was_seen_as_one_of_the_exchanges():
    drawn = np.array([0.0, 0.1, -0.2, 0.3, -0.3, 0.05])
    assert exchange_p(0.3, drawn) == 3 / 7
    assert exchange_p(-0.3, drawn) == 3 / 7
    assert exchange_p(0.1 + 0.2, drawn) == 3 / 7
    assert exchange_p(0.0, drawn) == 1
    assert exchange_p(1.0, drawn) == 1 / 7


def test_exchanges_without_a_number_are_left_out_of_the_p_value():
    drawn = np.array([0.1, np.nan, 0.2, np.nan])
    assert exchange_p(0.15, drawn) == 2 / 3
    assert np.isnan(exchange_p(float("nan"), drawn))
    assert np.isnan(exchange_p(0.1, np.full(3, np.nan)))

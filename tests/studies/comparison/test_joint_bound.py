"""What detectors could reach together: against slow loops, by hand, and as laws."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.matching import COCO
from boxlens.metrics import GridChoice, count_grid
from boxlens.metrics.means import mean_defined
from boxlens.studies.comparison.together.joint_bound import joint_bound
from oracles import joint_bound as oracle
from oracles.model import Detection, Object, Scene
from studies.comparison.real_detectors import coco_detectors
from studies.comparison.two_systems import several_systems, tables_of

SEEDS = range(24)
ALL_AREAS = GridChoice(area_ranges={"all": (0.0, 1e10)}, max_dets=(100,))


def random_scores(scene, systems, seed):
    """Some equal, some undefined."""
    scores = np.random.default_rng(seed).integers(0, 4, (len(systems), len(scene.images))) / 4.0
    scores[scores == 0.75] = np.nan
    return scores


def bound_of(seed, n_systems=2):
    scene, systems = several_systems(seed, n_systems=n_systems)
    dataset, tables = tables_of(scene, systems)
    scores = random_scores(scene, systems, seed)
    return scene, systems, scores, joint_bound(dataset, tables, image_scores=scores)


def as_pair(reached):
    return pytest.approx([reached.metrics["AP"], reached.metrics["AP50"]], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_guesses_equal_the_oracle(seed):
    scene, systems, _, result = bound_of(seed, 2 + seed % 2)

    def expected(chosen, n_guesses):
        shares = oracle.guess_accuracy(scene, chosen, n_guesses).values()
        return np.array([np.nan if share is None else share for share in shares])

    for row, system in enumerate(systems):
        np.testing.assert_array_equal(result.guesses[row].classes, expected([system], 5))
        more = expected([system], 5 * len(systems))
        np.testing.assert_array_equal(result.as_many_guesses[row].classes, more)
    np.testing.assert_array_equal(result.joint_guesses.classes, expected(systems, 5))


@pytest.mark.parametrize("seed", SEEDS)
def test_found_objects_equal_the_oracle(seed):
    scene, systems, _, result = bound_of(seed, 2 + seed % 2)
    found = [oracle.found(scene, system) for system in systems]
    assert result.found.n_objects == sum(oracle.counts(scene))
    assert result.found.each == tuple(len(objects) for objects in found)
    assert result.found.any == len(set.union(*found))
    assert result.found.all == len(set.intersection(*found))
    assert result.found.none == result.found.n_objects - result.found.any
    for row, objects in enumerate(found):
        others = set.union(*(found[other] for other in range(len(found)) if other != row))
        assert result.found.only[row] == len(objects - others)


@pytest.mark.parametrize("seed", SEEDS)
def test_rankings_equal_the_oracle(seed):
    scene, systems, scores, result = bound_of(seed, 2 + seed % 2)
    better_first = sorted(range(len(systems)), key=lambda row: -np.nansum(scores[row]))
    values = np.nan_to_num(scores, nan=-1)

    def choice(image):
        return max(better_first, key=lambda row: values[row, scene.images.index(image)])

    rankings = result.rankings
    assert list(oracle.chosen(scene, systems, choice)) == as_pair(rankings.chosen)
    for row in range(len(systems)):
        alone = oracle.chosen(scene, systems, lambda _, row=row: row)
        assert list(alone) == as_pair(rankings.single[row])
        assert list(oracle.with_hits(scene, systems, row)) == as_pair(rankings.with_hits[row])
    picked = [choice(image) for image in scene.images]
    assert rankings.n_chosen == tuple(picked.count(row) for row in range(len(systems)))


@pytest.mark.parametrize("seed", SEEDS)
def test_together_is_never_below_the_best_alone(seed):
    *_, result = bound_of(seed, 2 + seed % 2)
    best = np.fmax.reduce([row.classes for row in result.guesses])
    assert (np.isnan(best) | (result.joint_guesses.classes >= best)).all()
    assert result.found.any >= max(result.found.each)
    rankings = result.rankings
    for name in ("AP", "AP50"):
        for row, alone in enumerate(rankings.single):
            for joined in (rankings.with_hits[row], rankings.with_hits_aligned[row]):
                assert not joined.metrics[name] < alone.metrics[name]
            assert not rankings.joint()[name] < alone.metrics[name]
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.parametrize("seed", range(8))
def test_a_detector_adds_nothing_to_itself(seed):
    scene, systems = several_systems(seed)
    dataset, (table, _) = tables_of(scene, systems)
    scores = random_scores(scene, systems, seed)
    result = joint_bound(dataset, [table, table], image_scores=scores)
    np.testing.assert_array_equal(result.joint_guesses.classes, result.guesses[0].classes)
    assert result.found.any == result.found.all == result.found.each[0]
    assert result.found.only == (0, 0)
    for reached in (result.rankings.chosen, *result.rankings.with_hits):
        assert list(reached.metrics.values()) == as_pair(result.rankings.single[0])


def elsewhere(scene):
    """One box per image, and none on an object."""
    return [
        Detection(image, scene.classes[0], (1e4, 1e4, 10.0, 10.0), 0.5) for image in scene.images
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_detector_without_hits_adds_nothing_to_the_best(seed):
    scene, (system, _) = several_systems(seed)
    dataset, tables = tables_of(scene, [system, elsewhere(scene)])
    n_images = len(scene.images)
    always_first = np.stack([np.ones(n_images), np.zeros(n_images)])
    rankings = joint_bound(dataset, tables, image_scores=always_first).rankings
    assert rankings.n_chosen == (n_images, 0)
    np.testing.assert_equal(rankings.joint(), dict(rankings.single[0].metrics))
    # In whatever order they are named, and whichever is chosen in an image.
    scores = random_scores(scene, tables, seed)
    for order in ((0, 1), (1, 0)):
        named = [tables[row] for row in order]
        rankings = joint_bound(dataset, named, image_scores=scores[list(order)]).rankings
        for name, reached in rankings.joint().items():
            alone = [row.metrics[name] for row in rankings.single]
            chosen = [row.metrics[name] for row in (rankings.chosen, rankings.chosen_aligned)]
            np.testing.assert_equal(reached, np.max([*alone, *chosen]))


def test_hits_of_the_best_without_its_false_positives_are_not_what_a_bad_one_brings():
    """The first has a false positive above its hit; the second finds nothing at all."""
    here, nowhere = (0.0, 0.0, 10.0, 10.0), (50.0, 50.0, 10.0, 10.0)
    scene = Scene((0,), (0,), (Object(0, 0, here, 100.0),), ())
    first = [Detection(0, 0, nowhere, 0.9), Detection(0, 0, here, 0.5)]
    dataset, tables = tables_of(scene, [first, [Detection(0, 0, nowhere, 0.1)]])
    rankings = joint_bound(dataset, tables, image_scores=np.array([[1.0], [0.0]])).rankings
    assert [row.metrics["AP50"] for row in rankings.single] == pytest.approx([0.5, 0])
    assert rankings.with_hits[1].metrics["AP50"] == pytest.approx(1)
    assert rankings.joint() == pytest.approx({"AP": 0.5, "AP50": 0.5})


@pytest.mark.parametrize("seed", range(8))
def test_alignment_sees_the_order_of_scores_only(seed):
    scene, systems = several_systems(seed)
    dataset, (first, second) = tables_of(scene, systems)
    scores = random_scores(scene, systems, seed)
    other_scale = replace(second, score=second.score**3 / 100)
    before, after = (
        joint_bound(dataset, [first, table], image_scores=scores).rankings
        for table in (second, other_scale)
    )
    assert before.chosen_aligned == after.chosen_aligned
    assert before.with_hits_aligned == after.with_hits_aligned


def test_a_merged_ranking_of_two_scales_is_mended_by_alignment():
    """Each is perfect on one image and noisy on the other; the second's scores are tiny."""
    here, nowhere = (0.0, 0.0, 10.0, 10.0), (50.0, 50.0, 10.0, 10.0)
    objects = tuple(Object(image, 0, here, 100.0) for image in (0, 1))
    scene = Scene((0, 1), (0,), objects, ())
    first = [Detection(0, 0, here, 0.9), Detection(1, 0, nowhere, 0.3)]
    first.append(Detection(0, 0, nowhere, 0.2))
    second = [Detection(1, 0, here, 0.09), Detection(0, 0, nowhere, 0.03)]
    dataset, tables = tables_of(scene, [first, second])
    rankings = joint_bound(dataset, tables, image_scores=np.eye(2)).rankings
    # As they are: hit .9, false .2, hit .09. Aligned: both hits stand first.
    assert rankings.chosen.metrics["AP50"] == pytest.approx((51 * 1 + 50 * 2 / 3) / 101)
    assert rankings.chosen_aligned.metrics["AP50"] == 1
    assert rankings.n_chosen == (1, 1)


def test_guesses_beyond_the_fifth_do_not_count():
    box = (0.0, 0.0, 10.0, 10.0)
    scene = Scene((0,), (0, 1), (Object(0, 0, box, 100.0),), ())
    wrong = [Detection(0, 1, box, 0.9)] * 5
    dataset, tables = tables_of(scene, [[*wrong, Detection(0, 0, box, 0.1)], wrong])
    result = joint_bound(dataset, tables, image_scores=np.zeros((2, 1)))
    assert result.guesses[0].mean == 0
    assert result.as_many_guesses[0].mean == 1
    assert result.joint_guesses.mean == 0
    assert np.isnan(result.joint_guesses.classes[1])


def test_nothing_found_and_nothing_to_find():
    scene, systems = several_systems(2)
    dataset, (first, second) = tables_of(scene, systems)
    nothing = first.where(np.zeros(len(first), bool))
    scores = random_scores(scene, systems, 2)
    silent = joint_bound(dataset, [nothing, nothing], image_scores=scores)
    assert silent.found.none == silent.found.n_objects
    assert silent.rankings.joint() == {"AP": 0.0, "AP50": 0.0}
    one = joint_bound(dataset, [nothing, second], image_scores=scores)
    assert one.rankings.with_hits[1].metrics == one.rankings.single[1].metrics
    bare = dataset.where(np.zeros(len(dataset.gt), bool))
    empty = joint_bound(bare, [first, second], image_scores=scores)
    assert np.isnan(empty.rankings.joint()["AP"])
    assert empty.to_json()["found"]["recall_any"] is None


def ap_of(dataset, table):
    precision = count_grid(dataset, table, COCO, ALL_AREAS).precision
    return {"AP": mean_defined(precision), "AP50": mean_defined(precision[0])}


def test_real_detectors_are_counted_as_the_evaluation_counts():
    dataset, tables, _, scores = coco_detectors()
    result = joint_bound(dataset, tables, image_scores=scores)
    rankings = result.rankings
    for reached, table in zip(rankings.single, tables, strict=True):
        assert reached.metrics == ap_of(dataset, table)
    assert rankings.chosen.metrics == ap_of(dataset, mixed(tables, scores))
    # Their scores do not compare: as they are, the mix loses to the better one.
    better = rankings.single[0].metrics["AP50"]
    assert rankings.chosen.metrics["AP50"] < better < rankings.chosen_aligned.metrics["AP50"]
    assert rankings.joint()["AP"] > rankings.single[0].metrics["AP"]
    # The weaker one adds less than five more guesses of the better one.
    assert result.guesses[0].mean < result.joint_guesses.mean < result.as_many_guesses[0].mean
    assert result.found.only[0] > 10 * result.found.only[1] > 0


def mixed(tables, scores):
    taken = np.argmax(scores, axis=0)
    parts = [table.where(taken[table.image_row] == row) for row, table in enumerate(tables)]
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("image_row", "class_row", "box", "score")
    }
    return Detections.of("mixed", tables[0].n_images, **columns)

"""Where each of two detectors wins: counts, errors over images, and who is called the leader."""

from __future__ import annotations

import json

import numpy as np
import pytest

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.data.columns import attribute_column
from boxlens.studies.comparison.together.strengths import holm, strengths
from oracles import joint_bound as oracle
from studies.comparison.real_detectors import coco_detectors
from studies.comparison.two_systems import several_systems, tables_of

CUTS = (0.25, 0.5)


def world(found, n_images=40, per_image=3, scores=(0.9, 0.9)):
    """Objects in a row, classes by turns, every other one "hidden"; `found[detector](object)`."""
    n = n_images * per_image
    place = np.arange(n)
    box = np.stack([place % per_image * 50.0, np.zeros(n), np.full(n, 40.0), np.full(n, 40.0)], 1)
    rows = {"image_row": place // per_image, "class_row": place % 2, "box": box}
    sizes = np.full(n_images, 500.0)
    images, _ = Images.of(np.arange(n_images), sizes, sizes, [""] * n_images)
    hidden = attribute_column(["hidden" if k % 4 < 2 else "seen" for k in place])
    gt = GroundTruth.of(n_images, **rows, attributes={"sight": hidden})
    dataset = Dataset("world", images, Classes.of([0, 1], ["ant", "bee"]), gt)
    tables = []
    for name, finds, score in zip(("A", "B"), found, scores, strict=True):
        kept = np.array([finds(k) for k in place], dtype=bool)
        columns = {key: value[kept] for key, value in rows.items()}
        tables.append(Detections.of(name, n_images, **columns, score=np.full(kept.sum(), score)))
    return dataset, *tables


def group_of(result, characteristic, value):
    return next(row for row in result.of(characteristic) if row.value == value)


def test_each_leads_where_it_finds_more():
    """A finds ants and some bees, B bees and some ants."""
    result = strengths(
        *world([lambda k: k % 2 == 0 or k % 5 == 0, lambda k: k % 2 == 1 or k % 7 == 0]),
        min_score=CUTS,
    )
    assert group_of(result, "class", "ant").ranked.leader == "A"
    assert group_of(result, "class", "bee").ranked.leader == "B"
    assert [row.value for row in result.of("sight")] == ["hidden", "seen"]
    assert [row.value for row in result.of("size")] == ["medium"]
    ant = group_of(result, "class", "ant")
    assert (ant.n_objects, ant.n_images) == (60, 40)
    assert ant.ranked.only_second == ant.ranked.neither == 0
    assert ant.ranked.difference == ant.ranked.only_first / 60
    assert ant.ranked.low < ant.ranked.difference < ant.ranked.high


def test_a_score_cut_takes_part_in_the_second_reading_only():
    dataset, a, b = world([lambda k: k % 3 > 0, lambda k: k % 3 > 0], scores=(0.9, 0.4))
    result = strengths(dataset, a, b, min_score=CUTS)
    assert result.overall.ranked.leader is None
    assert result.overall.ranked.p == 1
    assert result.overall.cut.leader == "A"
    assert result.overall.cut.both == 0


def test_error_is_that_of_a_ratio_over_images():
    """By the jackknife over images of unequal size, which a linearised ratio agrees with."""
    rng = np.random.default_rng(2)
    n_images, per_image = 60, 6
    n = n_images * per_image
    # Crowded images are the ones A is good at, so that sizes matter.
    kept = rng.random(n) < np.repeat(rng.random(n_images), per_image)
    size = np.repeat(kept.reshape(n_images, per_image).sum(axis=1), per_image)
    found = rng.random((2, n)) < np.stack([0.2 + 0.1 * size, np.full(n, 0.4)])
    dataset, a, b = world([lambda k, f=f: f[k] for f in found], n_images, per_image)
    result = strengths(dataset.where(kept), a, b, min_score=CUTS).overall.ranked
    more = (kept * (found[0].astype(float) - found[1])).reshape(n_images, per_image).sum(axis=1)
    n_objects = kept.reshape(n_images, per_image).sum(axis=1)
    more, n_objects = more[n_objects > 0], n_objects[n_objects > 0]
    left_out = (more.sum() - more) / (n_objects.sum() - n_objects)
    m = len(more)
    jackknife = np.sqrt((m - 1) / m * ((left_out - left_out.mean()) ** 2).sum())
    assert result.difference == pytest.approx(more.sum() / n_objects.sum())
    assert (result.high - result.low) / 2 == pytest.approx(1.959964 * jackknife, rel=0.05)


def test_objects_of_one_image_are_no_independent_witnesses():
    """Ten objects per image found or missed together count as one: the interval is wider."""
    rng = np.random.default_rng(0)
    luck = rng.random(40) < 0.6
    alone = rng.random(400) < 0.6
    together, apart = (
        strengths(*world([finds, lambda k: k % 2], per_image=10), min_score=CUTS).overall.ranked
        for finds in (lambda k: luck[k // 10], lambda k: alone[k])
    )
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_identical_detectors_have_no_strengths():
    dataset, a, _ = world([lambda k: k % 3 > 0, lambda _: False])
    result = strengths(dataset, a, a, min_score=CUTS)
    for group in (result.overall, *result.groups):
        for outcome in (group.ranked, group.cut):
            assert (outcome.only_first, outcome.only_second, outcome.difference) == (0, 0, 0)
            assert (outcome.p, outcome.leader) == (1, None)


def test_swapping_the_detectors_swaps_the_sides():
    dataset, a, b = world([lambda k: k % 3 > 0, lambda k: k % 5 > 2])
    there = strengths(dataset, a, b, min_score=CUTS)
    back = strengths(dataset, b, a, min_score=CUTS[::-1])
    for first, second in zip(there.groups, back.groups, strict=True):
        for x, y in ((first.ranked, second.ranked), (first.cut, second.cut)):
            assert (x.only_first, x.difference, x.low) == (y.only_second, -y.difference, -y.high)
            assert (x.p, x.p_holm, x.leader) == (y.p, y.p_holm, y.leader)


def test_few_images_are_counted_and_not_tested():
    result = strengths(*world([lambda _: True, lambda _: False], n_images=9), min_score=CUTS)
    assert np.isnan([row.ranked.p for row in result.groups]).all()
    assert [notice.code for notice in result.notices].count("few_images") == 1
    json.dumps(result.to_json(), allow_nan=False)


def test_a_difference_without_spread_is_as_sure_as_its_images():
    result = strengths(*world([lambda _: True, lambda _: False], n_images=12), min_score=CUTS)
    outcome = result.overall.ranked
    assert outcome.p == 2.0**-11
    assert outcome.leader == "A"
    assert np.isnan(outcome.low)


def test_holm_steps_by_hand():
    adjusted = holm(np.array([0.01, np.nan, 0.04, 0.03, 0.5]))
    np.testing.assert_allclose(adjusted, [0.04, np.nan, 0.09, 0.09, 0.5])
    assert len(holm(np.empty(0))) == 0


def test_nothing_to_find_is_no_strength():
    dataset, a, b = world([lambda _: True, lambda _: False])
    result = strengths(dataset.where(np.zeros(len(dataset.gt), bool)), a, b, min_score=CUTS)
    assert result.groups == ()
    assert result.overall.n_objects == 0
    assert result.overall.to_json()["ranked"]["difference"] is None


@pytest.mark.parametrize("seed", range(16))
def test_counts_equal_the_oracle(seed):
    scene, systems = several_systems(seed)
    dataset, tables = tables_of(scene, systems)
    result = strengths(dataset, *tables, min_score=CUTS)
    strong = [[d for d in s if d.score >= cut] for s, cut in zip(systems, CUTS, strict=True)]
    counted = {g for g, counts in enumerate(oracle.counts(scene)) if counts}
    groups = {
        ("class", f"class {cls}"): {g for g in counted if scene.objects[g].cls == cls}
        for cls in scene.classes
    }
    for value, low, high in (("small", 0, 1024), ("medium", 1024, 9216), ("large", 9216, 1e10)):
        inside = {g for g in counted if low <= scene.objects[g].area <= high}
        groups["size", value] = inside
    assert [(row.characteristic, row.value) for row in result.groups] == [
        key for key, members in groups.items() if members
    ]
    for row in result.groups:
        members = groups[row.characteristic, row.value]
        assert row.n_images == len({scene.objects[g].image for g in members})
        for outcome, kept in ((row.ranked, systems), (row.cut, strong)):
            a, b = (oracle.found(scene, system) & members for system in kept)
            told = (outcome.only_first, outcome.only_second, outcome.both, outcome.neither)
            assert told == (len(a - b), len(b - a), len(a & b), len(members - a - b))


def test_no_leader_is_found_by_chance():
    """Two draws of one detector: with 95 % confidence, few worlds have a leader anywhere."""
    n_alarms = 0
    for seed in range(100):
        found = np.random.default_rng(seed).random((2, 120)) < 0.5
        result = strengths(*world([lambda k, f=f: f[k] for f in found]), min_score=CUTS)
        n_alarms += any(row.ranked.leader for row in result.groups)
    assert n_alarms <= 8


def test_real_detectors_differ_by_size_and_class():
    dataset, tables, cuts, _ = coco_detectors()
    result = strengths(dataset, *tables, min_score=tuple(cuts))
    assert {row.ranked.leader for row in result.of("size")} == {"yolox_nano"}
    leaders = [row.ranked.leader for row in result.of("class")]
    assert leaders.count("yolox_nano") > 60
    assert "fastestdet" not in leaders
    assert result.overall.n_objects == 36_335
    itself = strengths(dataset, tables[0], tables[0], min_score=(0.3, 0.3))
    assert not any(row.cut.leader for row in itself.groups)

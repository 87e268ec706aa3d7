"""Regions by merging and by graph cuts: against all bipartitions, drawn blocks and one object."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from boxlens.studies.proposals.generators.rantalankila import Rantalankila
from boxlens.studies.proposals.generators.rantalankila_cuts import (
    BRANCHES,
    COST_UNITS,
    GRAPH_NODES,
    Branch,
    best_cuts,
    cut_objects,
)
from boxlens.studies.proposals.generators.rantalankila_regions import (
    Regions,
    find_regions,
    find_words,
    merge_regions,
)
from shared_data import shared
from studies.proposals.generator_pictures import best_iou

# Left, top, right and bottom of what is drawn.
OBJECT = (60, 30, 110, 90)


def four_bars() -> tuple[np.ndarray, np.ndarray]:
    """Bars of 10, 20, 30 and 100 columns: two reds, an orange and a blue."""
    labels = np.repeat(np.arange(4), (10, 20, 30, 100))[None].repeat(40, axis=0).astype(np.int32)
    colours = np.array([(200, 20, 20), (205, 25, 22), (250, 140, 20), (20, 30, 220)], np.uint8)
    return colours[labels], labels


def drawing(height: int = 120, width: int = 160) -> np.ndarray:
    """One object of two colours on a noisy ground."""
    chance = np.random.default_rng(4)
    image = np.full((height, width, 3), (90, 140, 90), dtype=np.int16)
    left, top, right, bottom = OBJECT
    image[top:bottom, left:right] = (200, 40, 30)
    image[top : top + 20, left:right] = (215, 120, 40)
    return (image + chance.integers(-8, 9, image.shape)).clip(0, 255).astype(np.uint8)


def random_regions(n: int, seed: int) -> Regions:
    """A chain with random further pairs; boxes and borders are of no pattern."""
    chance = np.random.default_rng(seed)
    pairs = {(row, row + 1) for row in range(n - 1)}
    pairs |= {tuple(sorted(chance.choice(n, 2, replace=False).tolist())) for _ in range(n)}
    histogram = chance.dirichlet(np.ones(6) * 0.5, n)
    corners = np.sort(chance.integers(0, 50, (n, 2, 2)), axis=1).reshape(n, 4)
    corners[:, 2:] += 1
    return Regions(
        size_px=chance.integers(1, 90, n).astype(np.float64),
        corners=corners.astype(np.float64),
        histogram=histogram,
        touches=chance.random((n, 4)) < 0.2,
        pairs=np.array(sorted(pairs), dtype=np.int64),
    )


def value(taken: tuple[bool, ...], gain: list[int], pairs: np.ndarray, cost: list[int]) -> int:
    kept = sum(amount for amount, here in zip(gain, taken, strict=True) if here)
    parted = zip(pairs.tolist(), cost, strict=True)
    return kept - sum(amount for (a, b), amount in parted if taken[a] != taken[b])


@pytest.mark.parametrize("seed", range(6))
def test_a_cut_is_the_best_of_all_bipartitions_with_the_fewest_regions(seed):
    chance = np.random.default_rng(seed)
    n = 8
    pairs = random_regions(n, seed).pairs
    # Few distinct whole numbers, so that there are ties.
    gain, cost = chance.integers(-4, 5, (5, n)), chance.integers(0, 4, len(pairs))
    gain[0, 0], gain[1, -1] = 100, -100
    cuts = best_cuts(gain / COST_UNITS, pairs, cost / COST_UNITS)
    for row, cut in zip(gain.tolist(), cuts, strict=True):
        every = list(itertools.product((False, True), repeat=n))
        best = max(value(taken, row, pairs, cost.tolist()) for taken in every)
        winners = [taken for taken in every if value(taken, row, pairs, cost.tolist()) == best]
        assert tuple(cut.tolist()) == min(winners, key=sum)


def test_cuts_found_together_are_those_found_alone():
    chance = np.random.default_rng(3)
    pairs = random_regions(30, seed=3).pairs
    gain, cost = chance.normal(0, 1, (500, 30)), chance.random(len(pairs))
    assert gain.size > GRAPH_NODES
    together = best_cuts(gain, pairs, cost)
    some = range(0, 500, 37)
    alone = np.concatenate([best_cuts(gain[row : row + 1], pairs, cost) for row in some])
    np.testing.assert_array_equal(together[some], alone)


def test_every_region_that_is_not_background_is_cut_out_once_a_branch():
    stage = random_regions(20, seed=5)
    sides = (True, False, True, False)
    (corners,) = cut_objects(stage, [Branch(sides, 1.0, 1.0)])
    seeds = np.flatnonzero(~(stage.touches[:, 0] | stage.touches[:, 2]))
    assert len(corners) == len(seeds)
    assert (corners[:, :2] <= stage.corners[seeds, :2]).all()
    assert (corners[:, 2:] >= stage.corners[seeds, 2:]).all()
    everywhere = replace(stage, touches=np.ones((20, 4), dtype=bool))
    assert [len(found) for found in cut_objects(everywhere, BRANCHES[:1])] == [0]


def test_an_object_of_three_regions_is_cut_out_whole():
    # Bars: ground, an object whose middle is like both of its ends, ground that touches the sides.
    rights = np.array([30.0, 40.0, 50.0, 60.0, 90.0])
    stage = Regions(
        size_px=np.array([300.0, 100.0, 100.0, 100.0, 300.0]),
        corners=np.stack([np.r_[0, rights[:-1]], 0 * rights, rights, 0 * rights + 10], axis=1),
        histogram=np.array([[1, 0, 0], [0, 0.9, 0.1], [0, 0.5, 0.5], [0, 0.1, 0.9], [1, 0, 0]]),
        touches=np.array([[row == 0, True, row == 4, True] for row in range(5)]),
        pairs=np.array([[0, 1], [1, 2], [2, 3], [3, 4]]),
    )
    (corners,) = cut_objects(stage, [Branch((True, False, True, False), 1.0, 1.0)])
    assert corners.tolist() == [[30, 0, 60, 10]] * 3


def test_merging_goes_from_the_most_alike_to_the_whole_picture():
    image, labels = four_bars()
    merging = merge_regions(find_regions(labels, find_words(image)), size_weight=1.0)
    assert merging.n_leaves == 4
    rights = merging.regions.corners[:, 2].tolist()
    assert rights == [10, 30, 60, 160, 30, 60, 160]
    assert merging.regions.corners[4:, 0].tolist() == [0, 0, 0]
    assert merging.parts.tolist() == [[0, 1], [2, 4], [3, 5]]
    assert (np.diff(merging.similarity) < 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_merging_takes_the_most_similar_pair_at_every_step(seed):
    leaves = random_regions(15, seed)
    merging = merge_regions(leaves, size_weight=0.7)
    assert len(merging.parts) == 14
    members = {row: [row] for row in range(15)}
    touching = {frozenset(pair) for pair in leaves.pairs.tolist()}

    def alike(pair: frozenset[int]) -> float:
        mixed = [
            np.average(leaves.histogram[members[row]], axis=0, weights=leaves.size_px[members[row]])
            for row in pair
        ]
        small = 1 - sum(leaves.size_px[members[row]].sum() for row in pair) / leaves.size_px.sum()
        return (np.minimum(*mixed).sum() + 0.7 * small) / 1.7

    for step, (a, b) in enumerate(merging.parts.tolist()):
        best = max(touching, key=alike)
        assert best == {a, b}
        assert merging.similarity[step] == pytest.approx(alike(best))
        union = 15 + step
        members[union] = members[a] + members[b]
        renamed = {frozenset(union if row in (a, b) else row for row in pair) for pair in touching}
        touching = {pair for pair in renamed if len(pair) == 2}
        assert merging.regions.size_px[union] == leaves.size_px[members[union]].sum()
        stage = merging.stage(step + 1)
        assert len(stage) == 14 - step
        assert len(stage.pairs) == len(touching)
        assert stage.size_px.sum() == leaves.size_px.sum()


def test_histograms_of_regions_add_up_to_one_and_tell_colour_and_texture():
    image, labels = four_bars()
    regions = find_regions(labels, find_words(image))
    np.testing.assert_allclose(regions.histogram.sum(axis=1), 1)
    assert regions.touches.tolist() == [[True, True, False, True]] + [
        [False, True, row == 3, True] for row in (1, 2, 3)
    ]
    stripes = np.zeros((40, 80, 3), dtype=np.uint8)
    stripes[:, :40] = np.where(np.arange(40) // 4 % 2, 60, 200)[:, None]
    stripes[:, 40:] = stripes[:, :40].transpose(1, 0, 2)
    halves = np.repeat([0, 1], 40)[None].repeat(40, axis=0).astype(np.int32)
    upright, level = find_regions(halves, find_words(stripes)).histogram
    n_colours = find_words(stripes)[0][1]
    assert np.minimum(upright, level)[:n_colours].sum() > 0.49
    assert np.minimum(upright, level)[n_colours:].sum() < 0.25


def test_a_planted_object_is_found():
    boxes, _ = Rantalankila().propose(drawing(), 100)
    assert best_iou(boxes, OBJECT) >= 0.8


def test_cuts_find_what_merging_alone_does_not():
    picture = real_picture()
    merged, _ = Rantalankila(branches=0).propose(picture, 5000)
    everything, _ = Rantalankila().propose(picture, 5000)
    assert len(everything) > len(merged) * 1.1
    assert {tuple(box) for box in merged.tolist()} < {tuple(box) for box in everything.tolist()}


def real_picture() -> np.ndarray:
    """A photograph at a quarter of its size."""
    import cv2

    file = shared("images", "000000005001.jpg")
    picture = cv2.imread(str(file))[..., ::-1]
    return np.ascontiguousarray(cv2.resize(picture, (160, 120), interpolation=cv2.INTER_AREA))

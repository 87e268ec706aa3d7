"""Geodesic-style proposals: distances, seeds and levels against plain loops, and planted objects."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.studies.proposals.generators.geodesic import (
    Geodesic,
    SuperpixelGraph,
    all_distances,
    border_strength,
    critical_levels,
    place_seeds,
    signed_distances,
    superpixel_graph,
)


def random_graph(n: int, seed: int) -> SuperpixelGraph:
    """A ring, so that it is connected, and some chords; boxes and areas at random."""
    chance = np.random.default_rng(seed)
    ring = {(i, i + 1) for i in range(n - 1)} | {(0, n - 1)}
    chords = {tuple(sorted(pair)) for pair in chance.integers(0, n, (n, 2)).tolist()}
    pairs = np.array(sorted(pair for pair in ring | chords if pair[0] != pair[1]))
    return SuperpixelGraph(
        box=np.hstack([chance.integers(0, 50, (n, 2)), chance.integers(1, 30, (n, 2))]) * 1.0,
        area=chance.integers(1, 100, n).astype(np.float64),
        pairs=pairs,
        cost=chance.uniform(0.01, 2, len(pairs)),
        at_frame=np.array([0, n // 2]),
    )


def floyd_warshall(graph: SuperpixelGraph) -> np.ndarray:
    n = len(graph)
    distance = np.full((n, n), np.inf)
    np.fill_diagonal(distance, 0)
    for (a, b), cost in zip(graph.pairs, graph.cost, strict=True):
        distance[a, b] = distance[b, a] = min(distance[a, b], cost)
    for via in range(n):
        for a in range(n):
            for b in range(n):
                distance[a, b] = min(distance[a, b], distance[a, via] + distance[via, b])
    return distance


@pytest.mark.parametrize("seed", range(4))
def test_distances_are_those_of_floyd_and_warshall(seed):
    graph = random_graph(12, seed)
    np.testing.assert_allclose(all_distances(graph), floyd_warshall(graph), rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_every_seed_is_the_farthest_from_those_before(seed):
    distance = all_distances(random_graph(15, seed))
    seeds = place_seeds(distance, 6)
    assert distance[seeds[0]].sum() == pytest.approx(distance.sum(axis=1).min())
    for count in range(1, len(seeds)):
        to_seeds = distance[seeds[:count]].min(axis=0)
        assert to_seeds[seeds[count]] == to_seeds.max()
    np.testing.assert_array_equal(place_seeds(distance, 3), seeds[:3])


def test_no_superpixel_is_a_seed_twice():
    distance = all_distances(random_graph(9, 0))
    assert sorted(place_seeds(distance, 100)) == list(range(9))


def test_signed_distances_compare_with_the_nearest_part_of_the_frame():
    graph = random_graph(10, 5)
    distance = all_distances(graph)
    plain, signed = signed_distances(distance, np.array([3, 7]), graph.at_frame)
    for row, seed in enumerate((3, 7)):
        for node in range(10):
            to_frame = min(distance[node, frame] for frame in graph.at_frame)
            assert plain[row, node] == distance[seed, node]
            assert signed[row, node] == pytest.approx(distance[seed, node] - to_frame)


def test_level_sets_of_blocks_in_a_row_are_exact():
    # Five blocks of 10 x 10; the third and fourth belong together, all else is far.
    graph = SuperpixelGraph(
        box=np.array([[10.0 * i, 0, 10, 10] for i in range(5)]),
        area=np.full(5, 100.0),
        pairs=np.array([[0, 1], [1, 2], [2, 3], [3, 4]]),
        cost=np.array([0.5, 1.0, 0.1, 2.0]),
        at_frame=np.arange(5),
    )
    distance = all_distances(graph)
    levels = critical_levels(distance[[2, 0]], graph, 4, overlap=0.95)
    # Around the third: pair (gap .9), with the first (.5), with the second (.5, smaller), alone.
    assert levels.box[0].tolist() == [
        [20, 0, 20, 10],
        [0, 0, 40, 10],
        [10, 0, 30, 10],
        [20, 0, 10, 10],
    ]
    # Around the first, the last gap (2) is the largest.
    assert levels.box[1, 0].tolist() == [0, 0, 40, 10]
    assert levels.exists.all()


def test_levels_around_a_seed_are_the_clearest_that_differ_enough():
    graph = random_graph(20, 8)
    signed = all_distances(graph)
    found = critical_levels(signed, graph, 4, overlap=0.7)
    for seed in range(20):
        boxes = slow_levels(signed[seed], graph, 4, 0.7)
        assert found.exists[seed].sum() == len(boxes)
        np.testing.assert_allclose(found.box[seed][found.exists[seed]], boxes)


def slow_levels(signed: np.ndarray, graph: SuperpixelGraph, n: int, overlap: float) -> list:
    order = sorted(range(len(signed)), key=lambda node: signed[node])
    regions = []
    for end in range(1, len(order)):
        held = order[:end]
        area = sum(graph.area[node] for node in held)
        if area <= 0.98 * graph.area.sum():
            gap = signed[order[end]] - signed[order[end - 1]]
            regions.append((gap * area**0.15, area, held))
    regions.sort(key=lambda region: -region[0])
    chosen: list = []
    for region in regions:
        area = region[1]
        if all(min(area, k[1]) / max(area, k[1]) <= overlap for k in chosen):
            chosen.append(region)
    boxes = []
    for _, _, held in chosen[:n]:
        low = graph.box[held, :2].min(axis=0)
        boxes.append([*low, *((graph.box[held, :2] + graph.box[held, 2:]).max(axis=0) - low)])
    return boxes


def test_strength_along_a_border_is_the_mean_over_its_pixels():
    labels = np.array([[0, 0, 1], [0, 2, 1], [2, 2, 1]], dtype=np.int32)
    strength = np.zeros((3, 3), dtype=np.float32)
    pairs, mean = border_strength(labels, strength)
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert mean.tolist() == [0, 0, 0]
    # An edge reaches one pixel: the right column and the middle one.
    strength[:, 2] = 1
    _, mean = border_strength(labels, strength)
    # 0 and 2 touch between the columns (0, 1), in the middle column, and in the left one.
    assert mean.tolist() == [1, (0.5 + 1 + 0) / 3, 1]


def test_steps_across_what_differs_cost_more():
    image = np.full((60, 80, 3), 120, dtype=np.uint8)
    image[:, 27:54] = (150, 120, 120)
    image[:, 54:] = (20, 200, 40)
    settings = Geodesic(sigma=0.1, k=10, min_size_px=200, edge_weight=1, colour_weight=1)
    graph = superpixel_graph(image, settings)
    assert graph.box.tolist() == [[0, 0, 27, 60], [27, 0, 27, 60], [54, 0, 26, 60]]
    assert graph.area.tolist() == [27 * 60, 27 * 60, 26 * 60]
    assert graph.pairs.tolist() == [[0, 1], [1, 2]]
    assert 0.01 < graph.cost[0] < graph.cost[1]
    assert graph.at_frame.tolist() == [0, 1, 2]

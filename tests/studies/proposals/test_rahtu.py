"""Rahtu-style proposals: windows and features against plain loops, and planted objects."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from boxlens.studies.proposals.edges import Edges, find_edges
from boxlens.studies.proposals.generators.rahtu import (
    BAND_CUTS,
    FEATURES,
    Rahtu,
    border_sides,
    connected_triplets,
    edge_bands,
    initial_windows,
    superpixel_windows,
    symmetry,
    window_features,
)
from boxlens.studies.proposals.segments import neighbours
from studies.proposals.generator_pictures import on_gradient


def random_labels(seed: int, height: int = 14, width: int = 17) -> np.ndarray:
    coarse = np.random.default_rng(seed).integers(0, 9, (height // 3 + 1, width // 3 + 1))
    labels = np.kron(coarse, np.ones((3, 3), dtype=np.int64))[:height, :width]
    return np.unique(labels, return_inverse=True)[1].reshape(height, width).astype(np.int32)


def random_edges(seed: int, height: int = 14, width: int = 17) -> Edges:
    chance = np.random.default_rng(seed)
    strength = chance.random((height, width)) * (chance.random((height, width)) < 0.4)
    normal = chance.random((height, width)) * np.pi
    return Edges(strength.astype(np.float32), normal.astype(np.float32))


def random_boxes(seed: int, n: int = 40, height: int = 14, width: int = 17) -> np.ndarray:
    chance = np.random.default_rng(seed)
    x, y = chance.integers(0, width - 1, n), chance.integers(0, height - 1, n)
    w, h = chance.integers(1, width - x + 1), chance.integers(1, height - y + 1)
    return np.column_stack([x, y, w, h]).astype(np.float64)


def test_triplets_are_all_threes_that_hang_together():
    labels = random_labels(0)
    pairs, _ = neighbours(labels)
    touching = {frozenset(pair) for pair in pairs.tolist()}
    n = int(labels.max()) + 1
    expected = [
        three
        for three in combinations(range(n), 3)
        if sum(frozenset(two) in touching for two in combinations(three, 2)) >= 2
    ]
    assert list(map(tuple, connected_triplets(pairs, n).tolist())) == expected


def test_windows_enclose_superpixels_pairs_and_triplets():
    labels = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], [3, 3, 3, 3, 3, 3]], dtype=np.int32)
    found = {tuple(box) for box in superpixel_windows(labels).tolist()}
    singles = {(0, 0, 2, 2), (2, 0, 2, 2), (4, 0, 2, 2), (0, 2, 6, 1)}
    pairs = {(0, 0, 4, 2), (2, 0, 4, 2), (0, 0, 6, 3)}
    assert found == singles | pairs | {(0, 0, 6, 2)}


def test_a_single_superpixel_has_one_window():
    assert superpixel_windows(np.zeros((4, 5), dtype=np.int32)).tolist() == [[0, 0, 5, 4]]


def test_initial_windows_are_distinct_whole_and_wide_enough():
    image, labels = on_gradient(), random_labels(2, 120, 160)
    boxes = initial_windows(image, labels, n_drawn=500, seed=3, min_side_px=6)
    assert len(np.unique(boxes, axis=0)) == len(boxes) > 400
    np.testing.assert_array_equal(boxes, np.round(boxes))
    assert boxes[:, 2:].min() >= 6
    assert (boxes[:, :2] + boxes[:, 2:] <= (160, 120)).all()


def test_border_of_sides_is_the_mean_of_nearness_along_them():
    labels, boxes = random_labels(1), random_boxes(1)
    found = border_sides(boxes, labels)
    for row, (x, y, w, h) in enumerate(boxes.astype(int)):
        sides = (
            np.mean([_near(labels.T, x, i) for i in range(y, y + h)]),
            np.mean([_near(labels, y, i) for i in range(x, x + w)]),
            np.mean([_near(labels.T, x + w, i) for i in range(y, y + h)]),
            np.mean([_near(labels, y + h, i) for i in range(x, x + w)]),
        )
        np.testing.assert_allclose(found[row], sides)


def _near(labels: np.ndarray, line: int, place: int) -> float:
    """1 where the line lies on a border or the frame, 2/3 one pixel off, 1/3 two pixels off."""
    best = 0.0
    for other in range(len(labels) + 1):
        framed = other in (0, len(labels))
        if framed or labels[other - 1, place] != labels[other, place]:
            best = max(best, 1 - abs(line - other) / 3)
    return best


def test_bands_hold_the_edges_that_run_along_the_sides():
    edges, boxes = random_edges(2), random_boxes(2)
    found = edge_bands(boxes, edges)
    cosine = edges.strength * np.cos(edges.normal) ** 2
    sine = edges.strength * np.sin(edges.normal) ** 2
    for row, (x, y, w, h) in enumerate(boxes.astype(int)):
        for band, (near, far) in enumerate(pairwise(BAND_CUTS)):
            total = 0.0
            for depth in range(round(near * w), round(far * w)):
                total += _column(cosine, x + depth, y, h) / h
                total += _column(cosine, x + w - 1 - depth, y, h) / h
            for depth in range(round(near * h), round(far * h)):
                total += _column(sine.T, y + depth, x, w) / w
                total += _column(sine.T, y + h - 1 - depth, x, w) / w
            assert found[row, band] == pytest.approx(total / 4, abs=1e-6)


def _column(values: np.ndarray, place: int, start: int, length: int) -> float:
    if not 0 <= place < values.shape[1]:
        return 0.0
    return float(values[start : start + length, place].sum())


def test_symmetry_is_what_mirrored_cells_share():
    edges, boxes = random_edges(3), random_boxes(3)
    found = symmetry(boxes, edges)
    bins = np.round(edges.normal / (np.pi / 4)).astype(int) % 4
    for row, (x, y, w, h) in enumerate(boxes.astype(int)):
        xs = np.round(x + np.arange(5) / 4 * w).astype(int)
        ys = np.round(y + np.arange(5) / 4 * h).astype(int)
        cells = np.zeros((4, 4, 4))
        for i in range(4):
            for j in range(4):
                part = np.s_[ys[i] : ys[i + 1], xs[j] : xs[j + 1]]
                for b in range(4):
                    cells[b, i, j] = edges.strength[part][bins[part] == b].sum()
        common = sum(
            min(cells[b, i, j], cells[-b % 4, i, 3 - j])
            for b in range(4)
            for i in range(4)
            for j in range(4)
        )
        whole = cells.sum()
        assert found[row] == pytest.approx(common / whole if whole else 0, abs=1e-6)


def test_what_is_its_own_mirror_image_is_symmetric():
    half = np.random.default_rng(4).random((20, 16)).astype(np.float32)
    normal = np.random.default_rng(5).random((20, 16)).astype(np.float32) * 1.5
    edges = Edges(np.hstack([half, half[:, ::-1]]), np.hstack([normal, np.pi - normal[:, ::-1]]))
    assert symmetry(np.array([[0.0, 0, 32, 20]]), edges)[0] == pytest.approx(1)
    assert symmetry(np.array([[5.0, 0, 20, 20]]), edges)[0] < 0.9


def test_features_are_finite_and_have_their_names():
    labels, edges, boxes = random_labels(6), random_edges(6), random_boxes(6)
    features = window_features(boxes, labels, edges)
    assert features.shape == (len(boxes), len(FEATURES))
    assert np.isfinite(features).all()
    np.testing.assert_array_equal(features[:, 1], border_sides(boxes, labels).min(axis=1))
    assert Rahtu(symmetry=7.0).weights[FEATURES.index("symmetry")] == 7


def test_a_window_around_an_object_scores_above_shifted_ones():
    image = on_gradient()
    labels = np.zeros((120, 160), dtype=np.int32)
    labels[30:80, 20:80] = 1
    boxes = np.array([[20, 30, 60, 50], [35, 30, 60, 50], [20, 45, 60, 50], [28, 38, 40, 30.0]])
    score = window_features(boxes, labels, find_edges(image)) @ Rahtu().weights
    assert score.argmax() == 0

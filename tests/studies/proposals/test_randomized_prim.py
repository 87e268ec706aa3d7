"""Random trees over superpixels: their graph, their laws of chance, and what they find."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from boxlens.studies.proposals.generators.randomized_prim import (
    BINS,
    RandomizedPrim,
    SuperpixelGraph,
    _drawn_edge,
    _uniforms,
    superpixel_graph,
    tree_boxes,
)
from studies.proposals.generator_pictures import best_iou, board

NEVER, ALWAYS = [0.0, 0.0], [1.0, 1.0]
# Left, top, right and bottom of the object that is drawn.
OBJECT = (50, 30, 110, 90)


def drawing(seed: int = 0) -> np.ndarray:
    """An object of two colours on a ground of several, with a little noise."""
    image = np.full((120, 160, 3), (90, 140, 90), dtype=np.int16)
    image[:, :30] = (70, 110, 80)
    image[95:] = (110, 150, 110)
    image[:20, 120:] = (120, 160, 140)
    left, top, right, bottom = OBJECT
    image[top:bottom, left:right] = (210, 40, 30)
    image[top + 30 : bottom, left:right] = (180, 60, 50)
    noise = np.random.default_rng(seed).integers(-5, 6, image.shape)
    return (image + noise).clip(0, 255).astype(np.uint8)


def row_of_pieces(n: int) -> SuperpixelGraph:
    """Pieces of 10 x 10 pixels side by side."""
    labels = np.repeat(np.arange(n, dtype=np.int32), 10)[None].repeat(10, axis=0)
    return superpixel_graph(labels, np.zeros((10, 10 * n, 3), dtype=np.uint8))


def boxes_of(graph: SuperpixelGraph, similarity: float, size_stop: list[float], n: int) -> list:
    alike = np.full(len(graph.pair), similarity)
    return list(islice(tree_boxes(graph, alike, size_stop, np.random.default_rng(0)), n))


def test_features_are_those_of_a_slow_loop():
    chance = np.random.default_rng(5)
    labels = np.kron(np.arange(6).reshape(2, 3), np.ones((4, 4), dtype=np.int64)).astype(np.int32)
    lab = (chance.integers(0, 3, (8, 12, 3)) * 40).astype(np.uint8)
    graph = superpixel_graph(labels, lab)
    framed = np.pad(labels, 1, constant_values=-1)
    perimeter = [0] * 6
    for row, column in np.ndindex(labels.shape):
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            beside = framed[row + 1 + down, column + 1 + right]
            perimeter[labels[row, column]] += int(beside != labels[row, column])
    histograms = [
        np.histogramdd(lab[labels == label], bins=BINS, range=[(0, 256)] * 3)[0] / 16
        for label in range(6)
    ]
    assert graph.area.tolist() == [1 / 6] * 6
    for (one, other), (colour, border, size) in zip(graph.pair, graph.features, strict=True):
        assert colour == pytest.approx(np.minimum(histograms[one], histograms[other]).sum())
        assert border == 4 / min(perimeter[one], perimeter[other])
        assert size == pytest.approx(2 / 3)


def test_alike_neighbours_that_no_size_stops_make_the_whole_picture():
    assert set(boxes_of(row_of_pieces(5), 1.0, NEVER, 50)) == {(0, 0, 50, 10)}


def test_unlike_neighbours_that_every_size_stops_stay_alone():
    boxes = boxes_of(row_of_pieces(5), 1e-4, ALWAYS, 200)
    assert set(boxes) == {(10.0 * left, 0, 10.0 * left + 10, 10) for left in range(5)}


@pytest.mark.parametrize(("similarity", "size_stop"), [(0.9, 0.0), (0.5, 0.3), (0.2, 0.9)])
def test_a_tree_stops_by_dissimilarity_and_size_against_its_luck(similarity, size_stop):
    boxes = boxes_of(row_of_pieces(2), similarity, [size_stop] * 2, 4000)
    grown = np.mean([right - left == 20 for left, _, right, _ in boxes])
    assert grown == pytest.approx(1 - (size_stop + 1 - similarity) / 2, abs=0.025)


@pytest.mark.parametrize("largest", [1.0, 1000.0])
def test_edges_are_drawn_in_proportion_to_their_similarity(largest):
    """Where the largest is far above all that lead out, lots run out and all are looked at."""
    draw = _uniforms(np.random.default_rng(2)).__next__
    leading_out = [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4)]
    # Edges within the tree are never drawn, however many there are.
    within = [(4, 1.0)] * 30
    drawn = [_drawn_edge([*within, *leading_out], {4}, largest, draw)[0] for _ in range(4000)]
    assert np.bincount(drawn) / 4000 == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=0.025)


@pytest.mark.parametrize("seed", range(3))
def test_an_object_of_two_colours_is_found(seed):
    boxes, _ = RandomizedPrim(seed=seed).propose(drawing(seed), 200)
    assert best_iou(boxes, OBJECT) >= 0.7


def test_there_are_as_many_boxes_as_asked_for_and_fewer_are_the_first_of_more():
    generator = RandomizedPrim(seed=2)
    assert len(generator.propose(board(), 300)[0]) == 300
    # Many more than there are in the first picture, fewer than in the second.
    for image in (drawing(), board()):
        more, _ = generator.propose(image, 400)
        for limit in (0, 1, 60):
            few, _ = generator.propose(image, limit)
            np.testing.assert_array_equal(few, more[:limit])

"""Boxes of superpixels: exact on what is drawn, in a random order that can be repeated."""

from __future__ import annotations

import numpy as np

from boxlens.studies.proposals.generators.superpixels import Superpixels


def blocks(n: int = 5, side: int = 24) -> np.ndarray:
    """A board of plain squares whose colours differ in every colour space."""
    colours = [(220, 30, 30), (30, 200, 40), (30, 40, 220), (230, 220, 40), (120, 120, 120)]
    rows = [[colours[(row + 2 * column) % 5] for column in range(n)] for row in range(n)]
    return np.kron(np.array(rows, dtype=np.uint8), np.ones((side, side, 1), dtype=np.uint8))


def test_boxes_of_drawn_blocks_are_exact():
    boxes, _ = Superpixels(sigma=0.1).propose(blocks(), 1000)
    expected = {(24.0 * x, 24.0 * y, 24.0, 24.0) for x in range(5) for y in range(5)}
    assert set(map(tuple, boxes.tolist())) == expected


def test_the_order_favours_no_size():
    boxes, _ = Superpixels(min_size_px=10).propose(noisy(), 10_000)
    area = boxes[:, 2] * boxes[:, 3]
    place = np.arange(len(area))
    assert len(area) > 100
    ranks = np.argsort(np.argsort(area))
    assert abs(np.corrcoef(ranks, place)[0, 1]) < 0.25


def noisy() -> np.ndarray:
    noise = np.random.default_rng(3).integers(0, 256, (18, 24, 3), dtype=np.uint8)
    return np.kron(noise, np.ones((6, 6, 1), dtype=np.uint8))

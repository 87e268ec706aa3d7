"""Boxes of superpixels: exact on what is drawn, in a random order that can be repeated."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.generators.superpixels import Superpixels
from shared_data import shared


def blocks(n: int = 5, side: int = 24) -> np.ndarray:
    """A board of plain squares whose colours differ in every colour space."""
    colours = [(220, 30, 30), (30, 200, 40), (30, 40, 220), (230, 220, 40), (120, 120, 120)]
    rows = [[colours[(row + 2 * column) % 5] for column in range(n)] for row in range(n)]
    return np.kron(np.array(rows, dtype=np.uint8), np.ones((side, side, 1), dtype=np.uint8))


def photograph() -> np.ndarray:
    from boxlens.images import read_picture

    return read_picture(shared("images", "000000005001.jpg")).pixels[100:220, 100:260]


def test_it_is_a_generator():
    generator = Superpixels()
    assert isinstance(generator, Generator)
    assert generator.nested
    assert generator.identity.startswith("superpixels; ")


def test_boxes_of_drawn_blocks_are_exact():
    boxes, _ = Superpixels(sigma=0.1).propose(blocks(), 1000)
    expected = {(24.0 * x, 24.0 * y, 24.0, 24.0) for x in range(5) for y in range(5)}
    assert set(map(tuple, boxes.tolist())) == expected


def test_fewer_boxes_are_the_first_of_more():
    generator = Superpixels(seed=4)
    more, scores = generator.propose(blocks(), 1000)
    assert (np.diff(scores) < 0).all()
    for limit in (0, 1, 7, 24):
        few, _ = generator.propose(blocks(), limit)
        np.testing.assert_array_equal(few, more[:limit])


def test_the_seed_alone_changes_the_order_and_nothing_else():
    one, again, other = (Superpixels(seed=seed).propose(blocks(), 1000)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert one.tolist() != other.tolist()
    assert sorted(one.tolist()) == sorted(other.tolist())
    assert Superpixels(seed=1).identity != Superpixels(seed=2).identity


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


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (200, 3), (30, 40)])
def test_a_plain_picture_is_one_piece(size):
    boxes, scores = Superpixels().propose(np.full((*size, 3), 77, dtype=np.uint8), 10)
    assert boxes.tolist() == [[0, 0, size[1], size[0]]]
    assert scores.tolist() == [1]


def test_boxes_of_a_photograph_are_distinct_and_inside():
    image = photograph()
    boxes, _ = Superpixels().propose(image, 1000)
    height, width = image.shape[:2]
    assert len(boxes) > 20
    assert len(np.unique(boxes, axis=0)) == len(boxes)
    assert (boxes[:, 2:] > 0).all()
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, :2] + boxes[:, 2:] <= (width, height)).all()


def test_settings_that_cannot_be_meant_are_refused():
    with pytest.raises(ParameterError, match="sigma"):
        Superpixels(sigma=-1)

"""Boxes matched one to one by overlap, and boxes told apart by pixels, against the slow oracle."""

from __future__ import annotations

import random

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.matching.box_matching import first_on_pixels, match_boxes
from oracles import proposal_recall as oracle

SEEDS = range(30)
BUDGETS = (1, 2, 5, 8, 100)
# A coarse grid makes ties and duplicates, a fine one overlaps of every kind.
PLACES = {
    "coarse": (0.0, 10.0, 20.0),
    "half pixels": (0.0, 0.4, 0.5, 1.5, 9.6, 10.0),
    "fine": tuple(i / 7 for i in range(140)),
}
SIDES = {
    "coarse": (0.0, 10.0, 20.0),
    "half pixels": (0.0, 9.5, 10.0, 10.2),
    "fine": tuple(i / 3 for i in range(90)),
}


def drawn_lists(rng, most, grid):
    """Boxes image by image, some images without any."""
    places, sides = PLACES[grid], SIDES[grid]
    return [
        [
            (rng.choice(places), rng.choice(places), rng.choice(sides), rng.choice(sides))
            for _ in range(rng.choice((0, 1, most, rng.randint(0, most))))
        ]
        for _ in range(6)
    ]


def columns(lists):
    """The same as offsets and boxes."""
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return offsets, np.array([box for one in lists for box in one]).reshape(-1, 4)


def by_the_oracle(a, b, budget):
    """IoU, best IoU and partner's row of every box of a."""
    starts = columns(b)[0].tolist()
    iou, best, partner = [], [], []
    for objects, proposals, start in zip(a, b, starts[:-1], strict=True):
        overlaps = oracle.overlaps_of(objects, proposals[:budget])
        for overlap, place in oracle.greedy(overlaps):
            iou.append(overlap)
            partner.append(-1 if place < 0 else start + place)
        best += oracle.best_overlaps(overlaps)
    return iou, best, partner


@pytest.mark.parametrize("grid", PLACES)
@pytest.mark.parametrize("most", [(4, 12), (10, 3)], ids=["more proposals", "more objects"])
def test_pairs_are_those_of_the_oracle_to_the_last_bit(grid, most):
    for seed in SEEDS:
        rng = random.Random(seed)
        a, b = drawn_lists(rng, most[0], grid), drawn_lists(rng, most[1], grid)
        found = match_boxes(*columns(a), *columns(b), BUDGETS)
        for row, budget in enumerate(BUDGETS):
            iou, best, partner = by_the_oracle(a, b, budget)
            assert found.iou[row].tolist() == iou
            assert found.best[row].tolist() == best
            assert found.partner[row].tolist() == partner


def test_equal_overlaps_go_to_the_earlier_box_of_the_first_list_then_of_the_second():
    same = [(0.0, 0.0, 10.0, 10.0)] * 2
    found = match_boxes(*columns([same]), *columns([[*same, (0.0, 0.0, 10.0, 5.0)]]))
    assert found.partner.tolist() == [[0, 1]]
    assert found.iou.tolist() == [[1.0, 1.0]]


def test_the_largest_overlap_goes_first_even_if_the_sum_would_be_larger_otherwise():
    objects = [(0.0, 0.0, 10.0, 10.0), (4.0, 0.0, 10.0, 10.0)]
    proposals = [(3.0, 0.0, 10.0, 10.0), (8.0, 0.0, 10.0, 10.0)]
    found = match_boxes(*columns([objects]), *columns([proposals]))
    assert found.partner.tolist() == [[1, 0]]
    # Crosswise the two would be 7/13 and 3/7.
    assert found.iou.tolist() == [[1 / 9, 9 / 11]]
    assert found.best.tolist() == [[7 / 13, 9 / 11]]


def test_boxes_without_area_have_no_partner():
    flat = [(0.0, 0.0, 10.0, 0.0), (5.0, 5.0, 0.0, 0.0)]
    found = match_boxes(*columns([flat]), *columns([flat]))
    assert found.partner.tolist() == [[-1, -1]]
    assert not found.iou.any()
    assert not found.best.any()


def test_several_budgets_at_once_are_one_at_a_time():
    rng = random.Random(1)
    a, b = drawn_lists(rng, 6, "fine"), drawn_lists(rng, 20, "fine")
    together = match_boxes(*columns(a), *columns(b), BUDGETS)
    for row, budget in enumerate(BUDGETS):
        alone = match_boxes(*columns(a), *columns(b), [budget])
        for name in ("iou", "best", "partner"):
            assert getattr(together, name)[row].tobytes() == getattr(alone, name)[0].tobytes()


def test_without_budgets_all_boxes_are_asked():
    rng = random.Random(2)
    a, b = drawn_lists(rng, 6, "fine"), drawn_lists(rng, 20, "fine")
    every = match_boxes(*columns(a), *columns(b))
    assert every.partner.tobytes() == match_boxes(*columns(a), *columns(b), [20]).partner.tobytes()


def test_boxes_of_other_images_are_never_partners():
    box = (0.0, 0.0, 10.0, 10.0)
    found = match_boxes(*columns([[box], [], [box]]), *columns([[], [box], [box]]))
    assert found.partner.tolist() == [[-1, 1]]


@pytest.mark.parametrize("lists", [[], [[]], [[], []]], ids=["no images", "one image", "two"])
def test_nothing_is_matched_with_nothing(lists):
    found = match_boxes(*columns(lists), *columns(lists))
    assert found.iou.shape == found.best.shape == found.partner.shape == (1, 0)
    assert first_on_pixels(*columns(lists)).tolist() == []


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_a_bit(threads):
    rng = random.Random(3)
    a = [drawn for _ in range(10) for drawn in drawn_lists(rng, 6, "fine")]
    b = [drawn for _ in range(10) for drawn in drawn_lists(rng, 20, "half pixels")]
    usual = match_boxes(*columns(a), *columns(b), BUDGETS)
    found = match_boxes(*columns(a), *columns(b), BUDGETS, threads=threads)
    for name in ("iou", "best", "partner"):
        assert getattr(found, name).tobytes() == getattr(usual, name).tobytes()
    first = first_on_pixels(*columns(b), threads=threads)
    assert first.tobytes() == first_on_pixels(*columns(b)).tobytes()


@pytest.mark.parametrize("budgets", [[], [0], [5, 2], [-1, 3]])
def test_budgets_must_be_positive_and_ascend(budgets):
    with pytest.raises(ParameterError, match="budgets must be 1 or more and ascend"):
        match_boxes(*columns([[]]), *columns([[]]), budgets)


def test_lists_of_other_images_cannot_be_matched():
    with pytest.raises(ParameterError, match="boxes of 1 images"):
        match_boxes(*columns([[]]), *columns([[], []]))


@pytest.mark.parametrize("grid", PLACES)
def test_first_boxes_on_their_pixels_are_those_of_the_oracle(grid):
    for seed in SEEDS:
        boxes = drawn_lists(random.Random(seed), 25, grid)
        expected = [first for one in boxes for first in oracle.first_on_pixels(one)]
        assert first_on_pixels(*columns(boxes)).tolist() == expected


def test_left_and_top_round_to_the_nearest_pixel_right_and_bottom_up():
    ranked = [
        (0.4, 0.4, 9.0, 9.0),
        # On the pixels of the first: from 0 to 10.
        (0.0, 0.0, 10.0, 10.0),
        (0.0, 0.0, 9.1, 9.9),
        # From 1: halves go up.
        (0.5, 0.0, 9.5, 10.0),
        (1.0, 0.0, 9.0, 10.0),
        # Up to 11.
        (0.0, 0.0, 10.0, 10.1),
    ]
    assert first_on_pixels(*columns([ranked])).tolist() == [True, False, False, True, False, True]


def test_the_same_box_in_another_image_is_no_duplicate():
    box = (3.0, 4.0, 5.0, 6.0)
    assert first_on_pixels(*columns([[box], [box, box]])).tolist() == [True, True, False]

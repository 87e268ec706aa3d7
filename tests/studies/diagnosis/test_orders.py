"""Gains over all orders of repairs, against a walk through every permutation."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from boxlens.studies.diagnosis.borji import STEPS, borji
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.orders import repair_gains, subsets
from boxlens.studies.diagnosis.tide import tide
from studies.diagnosis.worlds import random_world

NAMES = "abcdef"


def walked(n, ap):
    """For every order of n repairs, what each of them adds when its turn comes."""
    for order in permutations(range(n)):
        done, gains = 0, [0.0] * n
        for repair in order:
            gains[repair] = ap[done | 1 << repair] - ap[done]
            done |= 1 << repair
        yield order, gains


def random_ap(n, seed):
    """Values on a coarse grid of binary fractions, so that gains are exact and some are equal."""
    return np.random.default_rng(seed).integers(0, 17, 1 << n) / 16


def test_subsets_are_the_bits_of_their_place():
    assert subsets(2).tolist() == [[False, False], [True, False], [False, True], [True, True]]
    assert subsets(6).shape == (64, 6)


def test_two_repairs_worked_by_hand():
    # Alone a brings .25 and b .125; together .75.
    first, second = repair_gains("ab", np.array([0.125, 0.375, 0.25, 0.875]))
    assert (first.name, first.first, first.last) == ("a", 0.25, 0.625)
    assert (first.lowest, first.highest, first.mean) == (0.25, 0.625, 0.4375)
    assert (second.first, second.last, second.mean) == (0.125, 0.5, 0.3125)
    # Who comes last brings more.
    assert (first.share_largest, second.share_largest) == (0.5, 0.5)


def test_where_repairs_do_not_meet_the_order_does_not_matter():
    gains = np.array([0.25, 0.125, 0.0625])
    rows = repair_gains("abc", subsets(3) @ gains)
    for row, gain in zip(rows, gains.tolist(), strict=True):
        assert {row.first, row.last, row.lowest, row.highest} == {gain}
        assert row.mean == pytest.approx(gain)
    assert [row.share_largest for row in rows] == [1, 0, 0]


def test_equal_gains_share_the_first_place_though_sums_are_rounded():
    # .3 - .2 is not .1 in binary.
    rows = repair_gains("abc", subsets(3) @ np.array([0.1, 0.1, 0.1]))
    assert [row.share_largest for row in rows] == [1, 1, 1]


def test_a_repair_that_helps_only_as_the_last():
    ap = np.zeros(8)
    ap[7] = 1
    for row in repair_gains("abc", ap):
        assert (row.first, row.last, row.lowest, row.highest) == (0, 1, 0, 1)
        assert row.mean == pytest.approx(1 / 3)
        assert row.share_largest == pytest.approx(1 / 3)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_every_number_is_that_of_all_permutations(n, seed):
    ap = random_ap(n, seed)
    orders = list(walked(n, ap.tolist()))
    for repair, row in enumerate(repair_gains(NAMES[:n], ap)):
        gains = [gain[repair] for _, gain in orders]
        as_first = {gain[repair] for order, gain in orders if order[0] == repair}
        as_last = {gain[repair] for order, gain in orders if order[-1] == repair}
        assert as_first == {row.first}
        assert as_last == {row.last}
        assert (row.lowest, row.highest) == (min(gains), max(gains))
        assert row.mean == pytest.approx(math.fsum(gains) / len(gains))
        most = sum(gain[repair] == max(gain) for _, gain in orders)
        assert row.share_largest == pytest.approx(most / len(orders))


@pytest.mark.parametrize("n", [1, 4, 6])
@pytest.mark.parametrize("seed", range(20))
def test_means_add_up_to_what_all_repairs_bring(n, seed):
    ap = np.random.default_rng(seed).random(1 << n)
    rows = repair_gains(NAMES[:n], ap)
    assert math.fsum(row.mean for row in rows) == pytest.approx(ap[-1] - ap[0])
    assert all(row.lowest <= row.mean <= row.highest for row in rows)


def test_where_ap_is_undefined_so_is_every_gain():
    for row in repair_gains(NAMES, np.full(64, np.nan)):
        told = row.to_json()
        assert told.pop("repair") in NAMES
        assert set(told.values()) == {None}


@pytest.mark.parametrize("seed", range(24))
def test_a_repair_that_comes_first_brings_what_its_scheme_says(seed):
    dataset, detections, groups = random_world(seed)
    evidence = gather(dataset, detections, similar=groups)
    by_tide, sequence = tide(evidence), borji(evidence)
    # TIDE's mean may hold classes without objects, the orders are over those with some.
    with_objects = sum(row.n_objects > 0 for row in by_tide.classes)
    scale = by_tide.n_mean / with_objects if with_objects else math.nan
    for row in by_tide.orders:
        # A gain below 0 is told as 0; dAP does not see classes that are wholly missed.
        if row.name == "miss" and not math.isnan(row.first):
            assert row.first >= scale * by_tide.gain["miss"] - 1e-12
        else:
            assert max(row.first, 0) == pytest.approx(scale * by_tide.gain[row.name], nan_ok=True)
    if with_objects:
        # Everything repaired, every class with objects has an AP of 1.
        end = scale * by_tide.ap + math.fsum(row.mean for row in by_tide.orders)
        assert end == pytest.approx(1)
    by_name = {row.name: row for row in sequence.orders}
    assert tuple(by_name) == STEPS[1:]
    start, background, _, duplicate, end = sequence.ap
    assert by_name["background"].first == pytest.approx(background - start, nan_ok=True)
    assert by_name["miss"].last == pytest.approx(end - duplicate, nan_ok=True)
    whole = math.fsum(row.mean for row in sequence.orders)
    assert whole == pytest.approx(end - start, nan_ok=True)

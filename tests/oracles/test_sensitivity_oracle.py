"""The oracle of sensitivity against hand-worked cases."""

from __future__ import annotations

import math

import pytest

from oracles import sensitivity
from oracles.one_image import GOLDEN, at, gt, tables


def test_golden_case_1():
    found = sensitivity.find(*GOLDEN, normal=10)
    ap_n, standard_error = sensitivity.class_ap_n(found)[0]
    assert ap_n == pytest.approx(0.51)
    assert standard_error == pytest.approx(0.212368, abs=5e-7)
    # R N = 2, 4, 6 at F = 0, 1, 2: 1, .8 and .75; nothing for the other two; the last is ignored.
    assert found.achieved[:5] == pytest.approx([1, 0.8, 0.75, 0, 0])
    assert math.isnan(found.achieved[5])


def test_bins_have_the_published_sizes():
    for n, sizes in ((285, [29, 57, 114, 57, 28]), (756, [76, 151, 302, 151, 76])):
        bins = sensitivity.percentile_bins([float(value) for value in range(n)])
        assert [bins.count(place) for place in range(5)] == sizes
    # Halves go up: .7 x 45 is 31.5, though not in floating point.
    assert sensitivity.percentile_bins(list(map(float, range(45)))).count(2) == 32 - 14
    assert sensitivity.percentile_bins([3.0] * 9) == [0] * 9
    # Places 0, 1, 1 and 2: the larger is above three thresholds, the smaller above none but 0.
    assert sensitivity.percentile_bins([2.0, 1.0]) == [3, 1]
    assert sensitivity.percentile_bins([]) == []


def test_objects_outside_a_subset_are_neither_hits_nor_errors():
    found = sensitivity.find(*GOLDEN, normal=10)
    # Labels 0 - + 0 - 0 with two positives: R N = 5 at F = 1.
    ap_n, standard_error = sensitivity.subset_ap_n(found, 0, [1, 3])
    assert ap_n == pytest.approx(5 / 6 / 2)
    assert standard_error == pytest.approx(5 / 6 / 2)


def ten_objects(value_of):
    """The first five found, the others not, and a column of their values."""
    objects = [gt(at(20 * place)) for place in range(10)]
    world = tables(objects, [(at(20 * place), 0) for place in range(5)])
    return sensitivity.find(*world), [value_of(place) for place in range(10)]


def test_sensitivity_and_impact_are_spreads_over_subsets_of_five():
    found, column = ten_objects(lambda place: "low" if place < 5 else "high")
    result = sensitivity.characteristic(found, [column])
    assert result["highest"] == 1
    assert result["sensitivity"] == 1
    assert result["impact"] == 0.5
    assert result["entropy_share"] == 1
    subset = result["classes"][0]["subsets"][0, "high"]
    assert subset == {"n_objects": 5, "ap_n": 0, "ap_n_se": 0, "n_missed": 5}
    # Six and four: the four do not count. Of the six, five are found.
    found, column = ten_objects(lambda place: place < 6)
    result = sensitivity.characteristic(found, [column])
    assert result["highest"] == result["lowest"] == pytest.approx(5 / 6)
    # An unknown value is in no subset.
    found, column = ten_objects(lambda place: "low" if place < 5 else None)
    assert list(sensitivity.characteristic(found, [column])["classes"][0]["subsets"]) == [
        (0, "low")
    ]


def test_share_of_entropy():
    found, column = ten_objects(lambda place: place % 5)
    assert sensitivity.entropy_share(found, 0, column) == pytest.approx(0)
    # Two of five found with the one value, three of five with the other.
    found, column = ten_objects(lambda place: place in (0, 1, 5, 6, 7))
    bits = -0.4 * math.log2(0.4) - 0.6 * math.log2(0.6)
    assert sensitivity.entropy_share(found, 0, column) == pytest.approx(1 - bits)
    only_found = sensitivity.find(*tables([gt(at(0))], [(at(0), 0)]))
    assert math.isnan(sensitivity.entropy_share(only_found, 0, [1]))


def test_an_object_found_too_late_is_missed():
    for n_before, missed in ((1, False), (2, True)):
        world = tables([gt(at(0))], [*[(at(50), 0)] * n_before, (at(0), 0)])
        # P_N is .1/1.1, then .1/2.1.
        assert sensitivity.find(*world, normal=0.1).missed(0) == missed


def test_a_looser_overlap_finds_more():
    world = tables([gt(at(0)), gt(at(100)), gt(at(200))], [(at(0), 0), (at(105), 0)])
    strict, loose = sensitivity.looser(*world, [0.5, 0.1])
    assert strict == {"iou": 0.5, "n_missed": 2, "share_recovered": 0}
    assert loose == {"iou": 0.1, "n_missed": 1, "share_recovered": 0.5}


def test_prediction_is_the_mean_of_like_objects():
    found, column = ten_objects(lambda place: place in (0, 1, 5, 6, 7))
    expected = [0.4 if like else 0.6 for like in column]
    assert sensitivity.predict(found, [column]) == pytest.approx(expected)
    dataset, _ = GOLDEN
    golden = sensitivity.find(*GOLDEN, normal=10)
    # Boxes all alike: the prediction is the mean, AP_N.
    columns = sensitivity.prediction_columns(dataset, golden)
    assert sensitivity.predict(golden, columns)[:5] == pytest.approx([0.51] * 5)

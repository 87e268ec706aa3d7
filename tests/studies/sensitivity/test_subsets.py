"""AP_N of all objects and of subsets, worked out by hand (METHODS 2.1 to 2.5, 8.1)."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from boxlens.data.columns import attribute_column
from planted_worlds import world_of
from studies.sensitivity.worlds import (
    analysed,
    codes,
    detections_on,
    golden_world,
    named,
    side_by_side,
    subset_of,
)

NEAR = {"abs": 5e-7}


def test_the_golden_case():
    result = analysed(*golden_world())
    [score] = result.classes
    assert (score.name, score.n_objects) == ("a", 5)
    assert score.ap == pytest.approx(0.453333, **NEAR)
    assert score.ap_se == pytest.approx(0.197090, **NEAR)
    assert score.ap_n == pytest.approx(0.51, **NEAR)
    assert score.ap_n_se == pytest.approx(0.212368, **NEAR)
    assert (result.normal, result.ap_n, result.iou) == (10.0, score.ap_n, 0.5)


def test_other_objects_become_dont_cares_and_false_positives_stay():
    # Ranked: red, FP, blue, (difficult), FP, red; one red and one blue are not found.
    colour = ["red", "blue", "red", "red", "blue", "red"]
    found = named(analysed(*golden_world(colour=colour), min_objects=1), "colour")
    [spread] = found.classes
    assert found.subset_names == ("blue", "red")
    red, blue = subset_of(spread, "red"), subset_of(spread, "blue")
    assert (red.n_objects, red.n_missed) == (3, 1)
    assert (blue.n_objects, blue.n_missed) == (2, 1)
    assert red.ap_n == pytest.approx((1 + 20 / 26) / 3)
    assert blue.ap_n == pytest.approx((5 / 6) / 2)
    assert blue.ap_n_se == pytest.approx(np.std([5 / 6, 0], ddof=1) / math.sqrt(2))
    assert (spread.highest, spread.lowest) == (red.ap_n, blue.ap_n)
    assert found.sensitivity == pytest.approx(red.ap_n - blue.ap_n)
    assert found.impact == pytest.approx(red.ap_n - 0.51)
    assert found.subset_ap_n == (blue.ap_n, red.ap_n)


def test_objects_without_the_annotation_are_neither_counted_nor_hit():
    colour = ["red", "blue", None, "red", None, None]
    result = analysed(*golden_world(colour=colour), min_objects=1)
    [spread] = named(result, "colour").classes
    assert subset_of(spread, "blue").ap_n == pytest.approx(10 / 11)
    assert subset_of(spread, "red").ap_n == pytest.approx(1 / 2)
    # The class as a whole keeps them.
    assert spread.ap_n == pytest.approx(0.51)
    [notice] = [notice for notice in result.notices if notice.code == "not_annotated_objects"]
    assert (notice.count, "colour" in notice.message) == (2, True)


def test_subsets_of_too_few_objects_are_shown_but_do_not_make_the_spread():
    colour = ["red", "blue", "red", "red", "blue", "red"]
    dataset, detections = golden_world(colour=colour)
    found = named(analysed(dataset, detections, min_objects=3), "colour")
    [spread] = found.classes
    assert spread.highest == spread.lowest == subset_of(spread, "red").ap_n
    assert not math.isnan(subset_of(spread, "blue").ap_n)
    found = named(analysed(dataset, detections, min_objects=4), "colour")
    assert math.isnan(found.sensitivity)
    assert math.isnan(found.impact)


def test_means_skip_classes_without_a_spread():
    # Class b has one object: no subset of it is large enough, so it takes no part in any mean.
    dataset = world_of(
        side_by_side(7),
        classes=[0] * 6 + [1],
        names="abc",
        attributes={"kind": attribute_column(["x", "y"] * 3 + ["x"])},
    )
    result = analysed(dataset, detections_on(dataset, [0, 2, 4, 1, 6]), min_objects=3)
    found = named(result, "kind")
    assert [row.ap_n for row in result.classes][:2] == pytest.approx([4 / 6, 1])
    assert (found.highest, found.lowest) == pytest.approx((1, 1 / 3))
    assert found.ap_n == pytest.approx(4 / 6)
    assert found.impact == pytest.approx(1 / 3)
    assert result.ap_n == pytest.approx((4 / 6 + 1) / 2)
    # By subset every class that has it counts.
    assert found.subset_ap_n == pytest.approx((1, 1 / 3))
    assert math.isnan(result.classes[2].ap_n)


def test_flags_are_pooled_and_named_without_their_prefix():
    dataset, detections = golden_world(
        part_wheel=[1, 1, 0, 0, None, 1], part_side_door=[None, 1, 1, 0, None, 1]
    )
    found = named(analysed(dataset, detections, min_objects=1), "parts")
    assert found.kind == "flags"
    assert found.subset_names == (
        "side door hidden",
        "side door visible",
        "wheel hidden",
        "wheel visible",
    )
    [spread] = found.classes
    assert [subset.n_objects for subset in spread.subsets] == [1, 2, 2, 2]
    # Wheels visible: found with no false positive above, and with one.
    assert subset_of(spread, "wheel visible").ap_n == pytest.approx((1 + 10 / 11) / 2)
    assert subset_of(spread, "wheel hidden").ap_n == pytest.approx(5 / 7 / 2)
    assert spread.lowest == subset_of(spread, "side door hidden").ap_n == 0


def test_two_characteristics_make_a_grid():
    dataset, detections = golden_world(
        colour=["red", "blue", "red", "red", "blue", "red"], shape=[1, 1, 2, 2, 2, 2]
    )
    result = analysed(dataset, detections, cross=[("colour", "shape")], min_objects=1)
    [grid] = result.interactions
    assert (grid.first_names, grid.second_names) == (("blue", "red"), ("1", "2"))
    assert grid.n_objects.tolist() == [[1, 1], [1, 2]]
    np.testing.assert_allclose(grid.ap_n, [[10 / 11, 0], [1, 5 / 7 / 2]])
    result = analysed(dataset, detections, cross=[("colour", "shape")], min_objects=2)
    assert np.isnan(result.interactions[0].ap_n).tolist() == [[True, True], [True, False]]


def test_flags_can_be_crossed_with_another_characteristic():
    dataset, detections = golden_world(
        colour=["red", "blue", "red", "red", "blue", "red"],
        part_wheel=[1, 1, 0, 0, None, 1],
        part_door=[0, 0, 1, 1, 1, 1],
    )
    result = analysed(dataset, detections, cross=[("parts", "colour")], min_objects=1)
    [grid] = result.interactions
    assert grid.first_names == ("door hidden", "door visible", "wheel hidden", "wheel visible")
    assert grid.n_objects.tolist() == [[1, 1], [1, 2], [0, 2], [1, 1]]
    assert grid.ap_n[3].tolist() == pytest.approx([10 / 11, 1])


def test_own_bins_replace_the_percentiles():
    boxes = [[60.0 * place, 0, 10 + place, 10] for place in range(6)]
    dataset = world_of(boxes, names="a")
    result = analysed(dataset, detections_on(dataset, [0, 1]), bins={"area": (100, 120)})
    found = named(result, "area")
    assert found.subset_names == ("up to 100", "100 to 120", "above 120")
    assert [subset.n_objects for subset in found.classes[0].subsets] == [1, 2, 3]
    assert [subset.ap_n for subset in found.classes[0].subsets] == [1, 0.5, 0]


def test_the_whole_result_is_json_with_null_for_undefined():
    dataset, detections = golden_world(colour=["red", "blue", "red", "red", None, "red"])
    result = analysed(dataset, detections, cross=[("colour", "area")])
    text = json.dumps(result.to_json(), allow_nan=False)
    document = json.loads(text)
    told = document["results"]["sensitivity"]
    assert told["N"] == 10
    assert told["classes"][0]["AP_N"] == pytest.approx(0.51)
    assert [row["name"] for row in told["characteristics"]][:3] == ["area", "height", "aspect"]
    colour = told["characteristics"][3]
    assert (colour["sensitivity"], colour["classes"][0]["subsets"][0]["name"]) == (None, "blue")
    assert document["results"]["misses"]["n_objects"] == 5
    assert {*codes(result), "no_spread"} == {notice["code"] for notice in document["notices"]}

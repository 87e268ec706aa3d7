"""Empty corners: a result that says what could not be computed, no crash, no warning, no zero."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import attribute_column
from boxlens.studies.sensitivity import sensitivity
from planted_worlds import world_of
from studies.diagnosis.worlds import told
from studies.sensitivity.worlds import analysed, codes, detections_on, named, side_by_side


def test_no_detections_at_all():
    dataset = world_of(side_by_side(8), names="a")
    result = analysed(dataset, detections_on(dataset, []), cross=[("area", "aspect")])
    assert (result.ap_n, result.misses.n_missed) == (0, 8)
    assert np.all(result.misses.predicted == 0)
    assert (result.misses.difficult, result.misses.easy) == ((), ())
    assert [row.share_recovered for row in result.misses.looser] == [0] * 4
    told(result)


def test_no_objects_at_all():
    dataset = world_of([], names="ab", attributes={"occlusion": attribute_column([])})
    result = analysed(dataset, detections_on(dataset, [-1, -1]))
    assert math.isnan(result.ap_n)
    assert [row.name for row in result.characteristics] == ["area", "height", "aspect"]
    for row in result.characteristics:
        assert all(map(math.isnan, (row.sensitivity, row.impact, row.entropy_share)))
        assert all(map(math.isnan, row.subset_ap_n))
    assert (result.misses.n_objects, result.misses.n_missed) == (0, 0)
    assert {"no_objects", "class_without_objects"} <= set(codes(result))
    told(result)


def test_no_images_no_classes():
    dataset = world_of([], names="", n_images=0, image_row=[])
    detections = detections_on(dataset, [])
    result = sensitivity(dataset, detections)
    assert math.isnan(result.ap_n)
    assert (result.normal, result.classes) == (0, ())
    told(result)


def test_a_class_without_objects_is_undefined_and_its_detections_are_counted_in_a_notice():
    dataset = world_of(side_by_side(5), classes=[1] * 5, names="abc")
    result = analysed(dataset, detections_on(dataset, [-1, 0, -1, 1]))
    assert [row.n_objects for row in result.classes] == [0, 5, 0]
    assert [math.isnan(row.ap_n) for row in result.classes] == [True, False, True]
    [notice] = [notice for notice in result.notices if notice.code == "class_without_objects"]
    assert (notice.count, "2 detections of 1 classes" in notice.message) == (2, True)
    area = named(result, "area")
    assert [row.name for row in area.classes] == ["a", "b", "c"]
    assert math.isnan(area.classes[0].highest)
    # Boxes of one size: nothing to compare.
    assert math.isnan(area.ap_n)


def test_a_class_without_detections_scores_zero():
    dataset = world_of(side_by_side(10), classes=[0, 1] * 5, names="ab")
    result = analysed(dataset, detections_on(dataset, [0, 2]))
    assert [row.ap_n for row in result.classes] == pytest.approx([0.4, 0])


def test_all_correct_leaves_no_spread_and_no_surprise():
    boxes = [[60.0 * place, 0, 5 + place, 30 + place // 2] for place in range(30)]
    dataset = world_of(boxes, names="a")
    result = analysed(dataset, detections_on(dataset, range(30)), min_objects=3)
    assert result.ap_n == 1
    assert [row.sensitivity for row in result.characteristics] == [0] * 3
    assert [row.impact for row in result.characteristics] == [0] * 3
    assert result.misses.n_missed == 0
    np.testing.assert_allclose(result.misses.predicted, 1)
    assert (result.misses.difficult, result.misses.easy) == ((), ())


def test_none_correct_leaves_no_spread_either():
    boxes = [[60.0 * place, 0, 5 + place, 30 + place // 2] for place in range(30)]
    dataset = world_of(boxes, names="a")
    result = analysed(dataset, detections_on(dataset, [-1] * 5), min_objects=3)
    assert (result.ap_n, result.misses.n_missed) == (0, 30)
    assert [row.sensitivity for row in result.characteristics] == [0] * 3
    assert all(math.isnan(row.entropy_share) for row in result.characteristics)


def test_only_objects_that_do_not_count():
    dataset = world_of(side_by_side(3), names="a", crowd=[True] * 3)
    result = analysed(dataset, detections_on(dataset, [0, 1]))
    assert math.isnan(result.ap_n)
    assert np.isnan(result.misses.achieved).all()
    assert not result.misses.missed.any()


def test_notices_of_the_tables_come_first():
    dataset = world_of(side_by_side(3), names="a")
    detections = detections_on(dataset, [0])
    noted = analysed(dataset, detections).notices[0]
    first, second = replace(noted, code="read"), replace(noted, code="found")
    result = analysed(replace(dataset, notices=(first,)), replace(detections, notices=(second,)))
    assert codes(result)[:2] == ["read", "found"]

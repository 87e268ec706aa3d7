"""The rules on cases worked by hand (METHODS 0.5, 9.4, 9.5), and what matching refuses."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.matching import (
    COCO,
    HOIEM,
    LVIS,
    OPEN_IMAGES,
    RULES,
    VOC,
    assign,
    find_overlaps,
    pair_one_to_one,
    paired_iou,
)
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene

# [0,10), [4,14), [2,12), all ten high: BETWEEN has 80/120 = 2/3 with each, A has 60/140 with B.
A, B, BETWEEN = (0.0, 0.0, 10.0, 10.0), (4.0, 0.0, 10.0, 10.0), (2.0, 0.0, 10.0, 10.0)
REGION = (0.0, 0.0, 40.0, 10.0)
FAR = (500.0, 0.0, 10.0, 10.0)
HIT, MISS, IGNORED = 1, -1, 0
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def gt(box, **flags):
    return Object(1, 1, box, box[2] * box[3], **flags)


def tables(objects, boxes):
    """Detections on these boxes, scores descending."""
    found = tuple(Detection(1, 1, box, 0.9 - 0.01 * i) for i, box in enumerate(boxes))
    return scene_to_tables(Scene((1,), (1,), tuple(objects), found))


def match(rule, objects, boxes, **choice):
    dataset, detections = tables(objects, boxes)
    overlaps = find_overlaps(dataset, detections, rule, floor=0.1)
    choice = {"iou_thresholds": (0.5,), "keep_hits": True, **choice}
    return assign(dataset, detections, overlaps, rule, **choice)


def verdict(rule, objects, boxes, **choice):
    """Labels, and the object of each detection."""
    matches = match(rule, objects, boxes, **choice)
    return matches.labels().tolist(), matches.hit_row[0].tolist()


# --- one detection on two objects


@rules
def test_the_closer_object_is_taken(rule):
    near = (1.0, 0.0, 10.0, 10.0)  # 90/110 with A, 70/130 with B
    for objects, row in (([gt(A), gt(B)], 0), ([gt(B), gt(A)], 1)):
        assert verdict(rule, objects, [near]) == ([HIT], [row])


@pytest.mark.parametrize(
    ("rule", "row"), [(COCO, 1), (LVIS, 1), (VOC, 0), (HOIEM, 0), (OPEN_IMAGES, 0)]
)
def test_of_two_objects_alike_coco_takes_the_last_and_the_others_the_first(rule, row):
    assert verdict(rule, [gt(A), gt(B)], [BETWEEN]) == ([HIT], [row])


@pytest.mark.parametrize(
    ("rule", "labels", "rows"),
    [
        (COCO, [HIT, HIT, MISS], [0, 1, -1]),
        (LVIS, [HIT, HIT, MISS], [0, 1, -1]),
        (HOIEM, [HIT, HIT, MISS], [0, 1, -1]),
        (VOC, [HIT, MISS, MISS], [0, -1, -1]),
        (OPEN_IMAGES, [HIT, MISS, MISS], [0, -1, -1]),
    ],
)
def test_when_the_best_object_is_taken_only_voc_and_open_images_give_up(rule, labels, rows):
    assert verdict(rule, [gt(A), gt(B)], [A, BETWEEN, A]) == (labels, rows)


@rules
def test_a_duplicate_is_a_false_positive_and_the_object_is_hit_once(rule):
    matches = match(rule, [gt(A)], [A, A, A])
    assert matches.labels().tolist() == [HIT, MISS, MISS]
    assert matches.gt_hit.tolist() == [1]


@rules
def test_an_overlap_exactly_at_the_threshold_is_enough(rule):
    half = (0.0, 0.0, 5.0, 10.0)
    assert verdict(rule, [gt(A)], [half])[0] == [HIT]
    assert verdict(rule, [gt(A)], [half], iou_thresholds=(0.5000001,))[0] == [MISS]


# --- difficult objects


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        (VOC, [IGNORED, IGNORED]),
        (OPEN_IMAGES, [IGNORED, IGNORED]),
        (HOIEM, [IGNORED, MISS]),
        (COCO, [IGNORED, MISS]),
        (LVIS, [IGNORED, MISS]),
    ],
)
def test_a_difficult_object_excuses_any_number_in_voc_and_one_elsewhere(rule, labels):
    matches = match(rule, [gt(A, difficult=True)], [A, A])
    assert matches.labels().tolist() == labels
    assert matches.positives().tolist() == [False]
    assert matches.gt_hit.tolist() == [0]


@pytest.mark.parametrize(
    ("rule", "label"), [(VOC, IGNORED), (HOIEM, IGNORED), (COCO, HIT), (LVIS, HIT)]
)
def test_coco_prefers_a_regular_object_to_a_closer_difficult_one(rule, label):
    # [0,8): 80/100 with the difficult A, 60/120 with [2,12).
    objects = [gt(A, difficult=True), gt(BETWEEN)]
    assert verdict(rule, objects, [(0.0, 0.0, 8.0, 10.0)])[0] == [label]


# --- crowds and groups


@pytest.mark.parametrize("flag", ["crowd", "group_of"])
def test_coco_reuses_a_region_for_what_lies_half_inside_it(flag):
    # Inside: whole, whole, exactly half, less than half. The regular object comes first.
    boxes = [A, A, (35.0, 0.0, 10.0, 10.0), (36.0, 0.0, 10.0, 10.0)]
    objects = [gt(REGION, **{flag: True}), gt(A)]
    assert verdict(COCO, objects, boxes) == ([HIT, IGNORED, IGNORED, MISS], [1, 0, 0, -1])


@pytest.mark.parametrize("flag", ["crowd", "group_of"])
@pytest.mark.parametrize("rule", [VOC, HOIEM])
def test_voc_and_hoiem_ignore_regions_by_plain_overlap(rule, flag):
    objects = [gt(REGION, **{flag: True})]
    matches = match(rule, objects, [A, REGION])  # 1/4 of the region, and all of it
    assert matches.labels().tolist() == [MISS, IGNORED]
    assert matches.positives().tolist() == [False]


@pytest.mark.parametrize("flag", ["crowd", "group_of"])
def test_lvis_knows_no_regions(flag):
    matches = match(LVIS, [gt(REGION, **{flag: True})], [REGION, A])
    assert matches.labels().tolist() == [HIT, MISS]
    assert matches.positives().tolist() == [True]


def test_open_images_counts_a_group_once_and_ignores_the_rest():
    # d0 takes the single object; d1 finds it taken and is first in the group; d2 is second.
    boxes = [A, A, A, (35.0, 0.0, 10.0, 10.0), (36.0, 0.0, 10.0, 10.0)]
    matches = match(OPEN_IMAGES, [gt(REGION, group_of=True), gt(A)], boxes)
    assert matches.labels().tolist() == [HIT, HIT, IGNORED, IGNORED, MISS]
    assert (matches.det_group != 0).tolist() == [False, True, False, False, False]
    assert (matches.det_tp != 0).tolist() == [True, False, False, False, False]
    assert matches.hit_row[0].tolist() == [1, 0, 0, 0, -1]
    assert matches.positives().tolist() == [True, True]


def test_open_images_treats_crowds_as_difficult_objects():
    assert verdict(OPEN_IMAGES, [gt(REGION, crowd=True)], [REGION, REGION, A])[0] == [
        IGNORED,
        IGNORED,
        MISS,
    ]


# --- marks, ranks, cells


def test_dropped_detections_take_no_part_and_use_up_their_place():
    dropped = np.array([True, False, False])
    matches = match(COCO, [gt(A)], [A, A, A], det_dropped=dropped, max_dets=2)
    assert matches.labels().tolist() == [IGNORED, HIT, IGNORED]
    assert matches.det_rank.tolist() == [-1, 1, 2]
    assert matches.det_counted().tolist() == [False, True, False]


def test_excused_detections_are_no_false_positives_yet_may_hit():
    excused = np.array([True, True])
    assert verdict(COCO, [gt(A)], [A, FAR], det_unmatched_ignored=excused)[0] == [HIT, IGNORED]


def test_each_cell_is_matched_on_its_own():
    # At .5 the better scored detection takes A; at .75 it does not reach A, and the second does.
    loose = (2.5, 0.0, 10.0, 10.0)  # 75/125 = .6
    matches = match(COCO, [gt(A)], [loose, A], iou_thresholds=(0.5, 0.75))
    assert matches.labels(0).tolist() == [HIT, MISS]
    assert matches.labels(1).tolist() == [MISS, HIT]
    assert matches.hit_row.tolist() == [[0, -1], [-1, 0]]


def test_outside_its_area_range_an_object_excuses_and_a_miss_is_excused():
    ranges = ((0.0, 1e10), (1000.0, 1e10))
    matches = match(COCO, [gt(A)], [A, FAR], area_ranges=ranges)
    assert matches.labels(0, 0).tolist() == [HIT, MISS]
    assert matches.labels(0, 1).tolist() == [IGNORED, IGNORED]
    assert matches.positives(0, 1).tolist() == [False]


# --- overlaps and pairs


def test_overlaps_hold_every_pair_from_the_floor_on_and_none_without_common_area():
    objects = [gt(A), gt(B), gt((10.0, 0.0, 10.0, 10.0)), gt((0.0, 0.0, 0.0, 10.0))]
    dataset, detections = tables(objects, [A, BETWEEN, FAR])
    overlaps = find_overlaps(dataset, detections, VOC, floor=0)
    assert overlaps.offsets.tolist() == [0, 2, 5, 5]
    assert overlaps.gt_row.tolist() == [0, 1, 0, 1, 2]
    assert overlaps.iou.tolist() == [1, 60 / 140, 80 / 120, 80 / 120, 20 / 180]
    assert len(find_overlaps(dataset, detections, VOC, floor=2 / 3)) == 3


def test_one_to_one_pairs_go_by_overlap_then_score_then_row():
    # BETWEEN has the better score, yet A is closer to A; BETWEEN is left with B.
    dataset, detections = tables([gt(A), gt(B)], [BETWEEN, A, FAR])
    overlaps = find_overlaps(dataset, detections, COCO, floor=0.5, same_class=False)
    partner = pair_one_to_one(dataset, detections, overlaps, floor=0.5)
    assert partner.tolist() == [1, 0, -1]
    np.testing.assert_array_equal(
        paired_iou(dataset, detections, partner, COCO), [80 / 120, 1.0, np.nan]
    )


def test_detections_of_other_images_are_refused():
    dataset, detections = tables([gt(A)], [A])
    with pytest.raises(ParameterError, match="rows for 1 image,"):
        find_overlaps(dataset.select_images([]), detections, COCO, floor=0.5)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"iou_thresholds": ()}, "above 0"),
        ({"iou_thresholds": (0.0,)}, "above 0"),
        ({"iou_thresholds": (1.1,)}, "at most 1"),
        ({"iou_thresholds": (float("nan"),)}, "above 0"),
        ({"iou_thresholds": (0.7, 0.5)}, "ascend"),
        ({"iou_thresholds": (0.05,)}, "too high"),
        ({"area_ranges": ()}, "area ranges"),
        ({"area_ranges": ((2.0, 1.0),)}, "area ranges"),
        ({"area_ranges": ((0.0, 1.0),) * 65}, "64 pairs"),
        ({"max_dets": 0}, "max_dets: expected a whole number from 1"),
    ],
)
def test_choices_that_cannot_be_meant_are_refused(choice, message):
    with pytest.raises(ParameterError, match=message):
        match(COCO, [gt(A)], [A], **choice)


def test_matching_needs_overlaps_of_one_class():
    dataset, detections = tables([gt(A)], [A])
    overlaps = find_overlaps(dataset, detections, COCO, floor=0.1, same_class=False)
    with pytest.raises(ParameterError, match="one class"):
        assign(dataset, detections, overlaps, COCO, iou_thresholds=(0.5,))


def test_marks_of_another_length_are_refused():
    with pytest.raises((ParameterError, ValueError)):
        match(COCO, [gt(A)], [A, A, A], det_dropped=np.array([True]))

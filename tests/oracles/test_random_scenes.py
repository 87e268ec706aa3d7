"""The oracles against hand-worked cases, and the scenes they are asked about."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from cases import random_scene, scenes
from oracles import (
    average_precision,
    coco,
    confidence,
    confusion,
    hoiem,
    lvis,
    olrp,
    open_images,
    voc,
)
from oracles.convert import scene_to_tables, table_order
from oracles.model import Detection, Object, Scene, count_positives, iou, ranked_labels

SQUARE = (0.0, 0.0, 10.0, 10.0)


def gt(box, *, cls=1, image=0, **flags):
    return Object(image, cls, box, box[2] * box[3], **flags)


def det(box, score, *, cls=1, image=0):
    return Detection(image, cls, box, score)


def scene_of(objects, detections, *, images=(0,), classes=(1,), **labels):
    return Scene(images, classes, tuple(objects), tuple(detections), **labels)


# --- METHODS 8


def test_golden_case_1_average_precisions_and_standard_errors():
    labels, positives, n_normal = [1, -1, 1, 0, -1, 1], 5, 10
    close = pytest.approx
    assert average_precision.ap_full(labels, positives) == close(0.453333, abs=5e-7)
    assert average_precision.ap_voc10(labels, positives) == close(0.453333, abs=5e-7)
    assert average_precision.ap_voc07(labels, positives) == close(0.503030, abs=5e-7)
    assert average_precision.ap_coco101(labels, positives) == close(0.458746, abs=5e-7)
    assert average_precision.ap_normalized(labels, positives, n_normal) == close(0.51)
    se_normalized = average_precision.standard_error_normalized(labels, positives, n_normal)
    assert se_normalized == close(0.212368, abs=5e-7)
    assert average_precision.standard_error(labels, positives) == close(0.197090, abs=5e-7)


def test_golden_case_5_olrp():
    labels, overlaps = [1, -1, 1], [0.9, math.nan, 0.8]
    assert olrp.lrp_curve(labels, overlaps, 3) == pytest.approx([0.73333333, 0.8, 0.65])
    best = olrp.olrp(labels, overlaps, 3)
    assert best.rank == 2
    parts = (best.olrp, best.localization, best.false_positives, best.false_negatives)
    assert parts == pytest.approx((0.65, 0.15, 1 / 3, 1 / 3))


def test_average_precision_of_degenerate_rankings():
    for ap in (average_precision.ap_voc07, average_precision.ap_voc10, average_precision.ap_full):
        assert ap([], 3) == 0
        assert ap([-1, 0, -1], 3) == 0
        assert math.isnan(ap([-1], 0))
        assert ap([0, 1, 1], 2) == 1
    assert math.isnan(average_precision.standard_error([1], 1))


def test_olrp_without_a_true_positive_is_one_and_has_no_parts():
    none = olrp.olrp([-1, 0], [math.nan, math.nan], 2)
    assert none.olrp == 1
    assert math.isnan(none.localization)
    assert math.isnan(olrp.olrp([-1], [math.nan], 0).olrp)


# --- overlaps


def test_overlap_in_inclusive_pixels_and_continuous():
    # METHODS 0.1: [1,1,10,10] and [1,6,10,15], inclusive: 10x10 and 10x10, sharing 10x5: 50/150.
    assert iou(SQUARE, (0, 5, 10, 10)) == 50 / 150
    # The same corners read as continuous: 9x9 and 9x9 sharing 9x4: 36/126 = 2/7.
    assert iou((1, 1, 9, 9), (1, 6, 9, 9)) == pytest.approx(2 / 7)
    assert iou((5, 0, 10, 10), SQUARE, crowd=True) == 0.5
    assert iou((10, 0, 10, 10), SQUARE) == 0
    assert iou((5, 5, 0, 0), SQUARE) == 0


# --- the rules on one scene: A = [0,10), B = [4,14), one high; 60 shared: IoU(A,B) = 60/140 = 3/7.
# d0 = A: IoU 1 with A. d1 = [2,12): 80 shared with each: 80/120 = 2/3 with A and with B.
A, B, BETWEEN = SQUARE, (4.0, 0.0, 10.0, 10.0), (2.0, 0.0, 10.0, 10.0)


def test_the_rules_differ_when_the_best_object_is_taken():
    # d0 takes A. d1 ties A and B at 2/3. VOC: the first, A, which is taken: false positive.
    # COCO and Hoiem ask only free objects: B. d2 = A again: A is taken, B at 3/7 is too far.
    scene = scene_of([gt(A), gt(B)], [det(A, 0.9), det(BETWEEN, 0.8), det(A, 0.7)])
    assert voc.match(scene, 0.5).label == [1, -1, -1]
    assert coco.match(scene, 0.5).label == [1, 1, -1]
    strong = hoiem.match(scene, 0.5)
    assert strong.label == [1, 1, -1]
    assert strong.object_of == [0, 1, -1]
    assert strong.duplicate == {2}


def test_equal_overlaps_go_to_the_later_object_in_coco_and_to_the_first_elsewhere():
    scene = scene_of([gt(A), gt(B)], [det(BETWEEN, 0.8)])
    assert coco.match(scene, 0.5).object_of == [1]
    assert lvis.match(scene, 0.5).object_of == [1]
    assert voc.match(scene, 0.5).object_of == [0]
    assert hoiem.match(scene, 0.5).object_of == [0]
    assert open_images.match(scene, 0.5).matching.object_of == [0]


def test_difficult_objects_absorb_any_number_in_voc_and_one_in_hoiem():
    scene = scene_of([gt(A, difficult=True)], [det(A, 0.9), det(A, 0.8)])
    assert voc.match(scene, 0.5).label == [0, 0]
    strong = hoiem.match(scene, 0.5)
    assert strong.label == [0, -1]
    assert strong.duplicate == {1}


def test_voc_gives_a_detection_to_the_closest_object_even_if_difficult():
    # d = [0,8): 80/100 = .8 with the difficult A; with [2,12): 60 shared of 120: .5.
    scene = scene_of([gt(A, difficult=True), gt(BETWEEN)], [det((0, 0, 8, 10), 0.9)])
    assert voc.match(scene, 0.5).label == [0]
    # COCO asks regular objects first, however close the difficult one.
    assert coco.match(scene, 0.5).label == [1]


def test_coco_asks_regular_objects_before_crowds_and_reuses_crowds():
    # A crowd [0,20) holds every detection (inter/area = 1). d0 = A at IoU 1 is regular all the
    # same; d1 and d2 find A taken and both go to the crowd.
    crowd = gt((0.0, 0.0, 20.0, 10.0), crowd=True)
    scene = scene_of([crowd, gt(A)], [det(A, 0.9), det(A, 0.8), det(A, 0.7)])
    matching = coco.match(scene, 0.5)
    assert matching.label == [1, 0, 0]
    assert matching.object_of == [1, 0, 0]
    assert matching.detection_of == [2, 0]


def test_coco_area_ranges_are_closed_and_read_the_area_field():
    # The box has 100 px, the field says 1024: small and medium, not large.
    scene = scene_of([Object(0, 1, A, 1024.0)], [det(A, 0.9), det((50, 50, 5, 5), 0.8)])
    positives = {
        name: count_positives(scene, 1, coco.match(scene, 0.5, area_range))
        for name, area_range in coco.AREAS.items()
    }
    assert positives == {"all": 1, "small": 1, "medium": 1, "large": 0}
    # d1 has 25 px: a false positive among small ones, outside the medium range don't-care.
    assert coco.match(scene, 0.5, coco.AREAS["small"]).label == [1, -1]
    assert coco.match(scene, 0.5, coco.AREAS["medium"]).label == [1, 0]


def test_coco_cuts_each_class_and_lvis_each_image():
    found = [det(A, 0.9), det(A, 0.8, cls=2), det(A, 0.7)]
    scene = scene_of([gt(A), gt(A, cls=2)], found, classes=(1, 2))
    assert coco.match(scene, 0.5, max_det=1).label == [1, 1, None]
    assert lvis.match(scene, 0.5, max_det=1).label == [1, None, None]


def test_lvis_drops_unverified_classes_and_excuses_not_exhaustive_ones():
    # Class 1 is boxed, 2 known absent, 3 unknown; 1 is not annotated exhaustively.
    found = [det(A, 0.9), det(A, 0.8), det(A, 0.7, cls=2), det(A, 0.6, cls=3)]
    labels = {"negative": {0: frozenset({2})}, "not_exhaustive": {0: frozenset({1})}}
    scene = scene_of([gt(A)], found, classes=(1, 2, 3), **labels)
    assert lvis.match(scene, 0.5).label == [1, 0, -1, None]


def test_lvis_frequency_groups_meet_at_10_and_100():
    assert [lvis.frequency_of(n) for n in (1, 9, 10, 99, 100)] == ["r", "r", "c", "c", "f"]


# --- Open Images: 1 is the parent of 2, 2 of 3


def test_open_images_expands_boxes_up_and_negatives_down():
    labels = {"negative": {0: frozenset({2})}, "positive": {5: frozenset({3})}}
    tree = {2: (1,), 3: (2,)}
    images, classes = (0, 5), (1, 2, 3)
    scene = scene_of(
        [gt(A, cls=2, image=5)], [], images=images, classes=classes, parents=tree, **labels
    )
    wide = open_images.expand(scene)
    assert [obj.cls for obj in wide.objects] == [2, 1]
    assert wide.negative == {0: frozenset({2, 3})}
    assert wide.positive == {5: frozenset({1, 2, 3})}


def test_open_images_drops_unverified_classes_only():
    # Class 2 is boxed, so is its parent 1; 3 is labelled absent; nothing is known of 4.
    found = [det(A, 0.9, cls=cls) for cls in (1, 2, 3, 4)]
    labels = {"negative": {0: frozenset({3})}, "parents": {2: (1,)}}
    scene = scene_of([gt(A, cls=2)], found, classes=(1, 2, 3, 4), **labels)
    assert open_images.match(scene).matching.label == [1, 1, -1, None]


def test_open_images_counts_a_group_once_with_its_weight():
    # Group [0,20). d0 = A hits the single A. d1, d2 = A: A is taken; inside the group by 1.
    # d3 = [15,25): 50/100 inside: exactly at the threshold. d4 = [16,26): 40/100: outside.
    group = gt((0.0, 0.0, 20.0, 10.0), group_of=True)
    boxes = [A, A, A, (15.0, 0.0, 10.0, 10.0), (16.0, 0.0, 10.0, 10.0)]
    found = [det(box, 0.9 - 0.1 * i) for i, box in enumerate(boxes)]
    scene = scene_of([group, gt(A)], found)
    result = open_images.match(scene, group_weight=1.0)
    assert result.matching.label == [1, 1, 0, 0, -1]
    assert result.positives[1] == 2
    assert open_images.mean_average_precision(scene) == 1
    ignored = open_images.match(scene, group_weight=0.0)
    assert ignored.matching.label == [1, 0, 0, 0, -1]
    assert ignored.positives[1] == 1
    # Weight 1/4, and only d1 and d4, d4 first: precision .25/1.25 at recall .25/1.25.
    late = scene_of([group, gt(A)], [det(boxes[4], 0.9), det((10.0, 0.0, 10.0, 10.0), 0.5)])
    assert open_images.mean_average_precision(late, group_weight=0.25) == pytest.approx(0.04)


# --- confusion and confidence


def test_confusion_pairs_the_closest_first_and_drops_what_lies_on_ignored_objects():
    # d0 (class 2, score .9) has 2/3 with A, d1 (class 1, score .5) has 1: d1 takes A although its
    # score is lower; d0 takes B at 2/3. d2 lies on a crowd: dropped. d3: background. d4: cut.
    crowd = gt((100.0, 0.0, 50.0, 50.0), cls=2, crowd=True)
    missed = gt((200.0, 0.0, 10.0, 10.0), cls=2)
    found = [
        det(BETWEEN, 0.9, cls=2),
        det(A, 0.5),
        det((100.0, 0.0, 10.0, 10.0), 0.8),
        det((300.0, 0.0, 10.0, 10.0), 0.8),
        det((400.0, 0.0, 10.0, 10.0), 0.4),
    ]
    scene = scene_of([gt(A), gt(B), crowd, missed], found, classes=(1, 2))
    assert confusion.confusion_matrix(scene, 0.5, 0.5) == [[1, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_confidence_takes_the_highest_f1_and_the_higher_of_equal_thresholds():
    # Two objects. .9: hit, F1 = 2/(1+0+2). .8: a hit and two misses, F1 = 4/(2+2+2) = 2/3 again.
    far = (100.0, 0.0, 10.0, 10.0)
    found = [det(A, 0.9), det(far, 0.8), det(far, 0.8), det((4.0, 0.0, 10.0, 10.0), 0.8)]
    scene = scene_of([gt(A), gt(B)], found)
    points = confidence.operating_points(scene, 1, coco.match(scene, 0.5))
    assert [(p.threshold, p.precision, p.recall) for p in points] == [(0.9, 1, 0.5), (0.8, 0.5, 1)]
    best = confidence.best_point(points)
    assert best is not None
    assert (best.threshold, best.f1) == (0.9, 2 / 3)
    assert confidence.best_point([]) is None


# --- the generators


def test_random_scenes_repeat_and_reach_every_hard_corner():
    assert random_scene(3) == random_scene(3)
    many = [random_scene(seed) for seed in range(40)]
    objects = [obj for scene in many for obj in scene.objects]
    assert {1024.0, 9216.0} <= {obj.area for obj in objects}
    assert any(obj.crowd for obj in objects)
    assert any(obj.difficult for obj in objects)
    assert any(obj.group_of for obj in objects)
    assert any(obj.box[2] == 0 for obj in objects)
    assert any(scene.images[0] == 0 for scene in many)
    overlaps = {iou(d.box, g.box) for s in many for d in s.detections for g in s.objects}
    assert {0.0, 0.5, 0.75, 1.0} <= overlaps
    for scene in many[:40:8]:
        assert None in coco.match(scene, 0.5).label


@settings(max_examples=40)
@given(scenes())
def test_tables_hold_a_scene_row_by_row(scene):
    dataset, detections = scene_to_tables(scene)
    objects_at = table_order(scene, scene.objects)
    detections_at = table_order(scene, scene.detections)
    assert dataset.images.id.tolist() == list(scene.images)
    assert [tuple(box) for box in dataset.gt.box.tolist()] == [
        scene.objects[i].box for i in objects_at
    ]
    assert dataset.gt.id.tolist() == [i + 1 for i in objects_at]
    assert detections.score.tolist() == [scene.detections[i].score for i in detections_at]


@settings(max_examples=60)
@given(scenes())
def test_the_area_under_the_curve_equals_the_mean_over_hits(scene):
    # METHODS 0.6: (b) and (d) are one number.
    matching = voc.match(scene, 0.5)
    for cls in scene.classes:
        positives = count_positives(scene, cls, matching)
        labels = ranked_labels(scene, cls, matching)
        by_area = average_precision.ap_voc10(labels, positives)
        by_hits = average_precision.ap_full(labels, positives)
        assert by_area == pytest.approx(by_hits, nan_ok=True)

"""Pictures shown as evidence: what was found before, and is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles import coco
from planted_worlds import roomy, scene_of
from studies.robustness.measured_sets import (
    FLIP,
    an_object_each,
    measured,
    scene_of_images,
    seen_in,
    thinned,
    whole,
)
from studies.sensitivity.worlds import detections_on


def perfect(dataset, score=0.9):
    """Every object found, with one score."""
    n = len(dataset.gt)
    return detections_on(dataset, range(n), np.full(n, score), "perfect")


def without(detections, rows):
    return detections.where(~np.isin(np.arange(len(detections)), rows))


def examples(sets, *tables, **choice):
    return measured(sets, *tables, **choice).detectors[0].steps[0].examples


def test_pictures_that_lost_most_come_first_and_equals_in_order():
    dataset = roomy(6)
    sets = [whole(dataset), whole(dataset, FLIP)]
    # Two of image 1, one of image 3, two of image 4.
    shown = examples(
        sets, perfect(dataset), without(perfect(dataset), [4, 5, 14, 16, 19]), n_examples=3
    )
    assert [one.row for one in shown] == [1, 4, 3]
    assert [one.image_id for one in shown] == [2, 5, 4]
    assert shown[0].file_name == "1.jpg"
    assert shown[0].lost_class == ("a", "b")
    np.testing.assert_array_equal(shown[0].lost_box, dataset.gt.box[4:6])
    np.testing.assert_array_equal(shown[0].lost_clean_box, dataset.gt.box[4:6])
    assert shown[0].found_class == ("d", "e")
    np.testing.assert_array_equal(shown[0].found_box, dataset.gt.box[6:8])
    assert len(shown[0].false_box) == 0


def test_as_many_are_shown_as_asked_for_and_none_that_lost_nothing():
    dataset = roomy(6)
    sets = [whole(dataset), whole(dataset, FLIP)]
    fewer = without(perfect(dataset), [0, 4, 8])
    assert len(examples(sets, perfect(dataset), fewer, n_examples=2)) == 2
    assert len(examples(sets, perfect(dataset), fewer, n_examples=9)) == 3
    assert examples(sets, perfect(dataset), fewer, n_examples=0) == ()


def test_objects_that_were_never_found_are_not_lost():
    dataset = roomy(3)
    sets = [whole(dataset), whole(dataset, FLIP)]
    shown = examples(sets, without(perfect(dataset), [0]), without(perfect(dataset), [0, 1]))
    assert [one.lost_class for one in shown] == [("b",)]


def test_a_score_below_the_shown_one_is_a_loss_and_no_false_box():
    dataset = roomy(3)
    sets = [whole(dataset), whole(dataset, FLIP)]
    faint = perfect(dataset)
    faint = replace(faint, score=np.where(np.arange(12) == 0, 0.2, faint.score))
    (shown,) = examples(sets, perfect(dataset), faint)
    assert shown.lost_class == ("a",)
    assert len(shown.false_box) == 0
    assert examples(sets, perfect(dataset), faint, shown_score=0.1) == ()


def test_boxes_that_hit_nothing_are_shown_with_their_scores():
    dataset = roomy(3)
    sets = [whole(dataset), whole(dataset, FLIP)]
    wrong = perfect(dataset)
    wrong = replace(wrong, class_row=np.where(np.arange(12) == 2, 5, wrong.class_row))
    (shown,) = examples(sets, perfect(dataset), wrong)
    assert (shown.lost_class, shown.false_class) == (("d",), ("f",))
    np.testing.assert_array_equal(shown.false_box, dataset.gt.box[2:3])
    assert shown.false_score.tolist() == [0.9]
    assert shown.to_json()["false"] == [{"class": "f", "box": dataset.gt.box[2].tolist()}]


def test_the_surest_false_boxes_come_first_and_lost_objects_are_known_where_they_were():
    dataset = roomy(2)
    moved = replace(dataset, gt=replace(dataset.gt, box=dataset.gt.box + np.array([3, 5, 0, 0])))
    sets = [whole(dataset), whole(moved, FLIP)]
    wrong = replace(
        perfect(moved),
        class_row=np.full(8, 5, dtype=np.int32),
        score=np.array([0.5, 0.9, 0.4, 0.8, 0.1, 0.1, 0.1, 0.1]),
    )
    (shown, _) = examples(sets, perfect(dataset), wrong)
    assert shown.false_score.tolist() == [0.9, 0.8, 0.5, 0.4]
    np.testing.assert_array_equal(shown.false_box, moved.gt.box[[1, 3, 0, 2]])
    np.testing.assert_array_equal(shown.lost_box, moved.gt.box[:4])
    np.testing.assert_array_equal(shown.lost_clean_box, dataset.gt.box[:4])


def test_one_image_is_shown_once_however_many_pictures_it_made():
    dataset = roomy(3)
    pictures = an_object_each(dataset)
    nothing = seen_in(pictures, perfect(dataset).where(np.zeros(12, dtype=bool)))
    shown = examples([whole(dataset), pictures], perfect(dataset), nothing, n_examples=3)
    assert [one.row for one in shown] == [0, 4, 8]
    assert [one.image_id for one in shown] == [1, 2, 3]


def test_objects_of_another_scene_are_no_loss():
    dataset = roomy(3)
    pasted = replace(whole(dataset, FLIP), object_row=np.full(12, -1, dtype=np.int32))
    nothing = perfect(dataset).where(np.zeros(12, dtype=bool))
    assert examples([whole(dataset), pasted], perfect(dataset), nothing) == ()


def found_slowly(dataset, detections, shown_score):
    """By the slow matcher: which objects count and are found."""
    scene = scene_of(dataset, detections.where(detections.score >= shown_score))
    matching = coco.match(scene, 0.5)
    pairs = zip(matching.detection_of, matching.ignored, strict=True)
    return np.array([hit >= 0 and not ignored for hit, ignored in pairs])


@pytest.mark.parametrize("seed", range(0, 60, 20))
def test_losses_are_those_of_the_slow_matcher(seed):
    dataset, detections = scene_of_images(5, seed)
    fewer = thinned(detections, seed)
    shown = examples([whole(dataset), whole(dataset, FLIP)], detections, fewer, n_examples=99)
    before, after = (found_slowly(dataset, one, 0.3) for one in (detections, fewer))
    gt = dataset.gt
    counted = ~(gt.crowd | gt.difficult | gt.group_of)
    n_lost = np.bincount(gt.image_row[before & ~after & counted], minlength=len(dataset.images))
    assert {one.row: len(one.lost_box) for one in shown} == {
        row: n for row, n in enumerate(n_lost.tolist()) if n
    }
    assert all(len(one.found_box) == after[gt.image_row == one.row].sum() for one in shown)

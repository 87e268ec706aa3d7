"""Every convention on a world so small that its effect can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from boxlens.studies.comparison.conventions.ap import ConventionAp
from boxlens.studies.comparison.conventions.values import (
    PROTOCOLS,
    STEPS,
    TITLES,
    Conventions,
    Limit,
    differing,
    sentence,
    value_text,
)
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene

OBJECT, FAR = (0.0, 0.0, 100.0, 100.0), (300.0, 300.0, 100.0, 100.0)
INSIDE_FAR = (310.0, 310.0, 20.0, 20.0)
NOWHERE = (0.0, 400.0, 20.0, 20.0)


def same(value):
    return pytest.approx(value, abs=1e-12)


def world(objects, detections, **more):
    """Objects as (box, flag), detections as (box, score); one class in one image."""
    scene = Scene(
        images=(1,),
        classes=(1,),
        objects=tuple(
            Object(1, 1, box, box[2] * box[3], **({flag: True} if flag else {}))
            for box, flag in objects
        ),
        detections=tuple(Detection(1, 1, box, score) for box, score in detections),
        **more,
    )
    return ConventionAp(*scene_to_tables(scene))


@pytest.mark.parametrize("matcher", ["coco", "voc"])
@pytest.mark.parametrize(
    ("treatment", "expected"),
    [("region", 1.0), ("ignored", 1 / 3), ("removed", 1 / 3), ("counted", 1 / 6)],
)
@pytest.mark.parametrize(("flag", "convention"), [("crowd", "crowds"), ("group_of", "groups")])
def test_what_small_boxes_inside_a_region_count(flag, convention, treatment, expected, matcher):
    ap = world([(OBJECT, ""), (FAR, flag)], [(OBJECT, 0.5), (INSIDE_FAR, 0.9), (INSIDE_FAR, 0.8)])
    conventions = Conventions(matcher=matcher, **{convention: treatment})
    assert ap.of(conventions) == same(expected)


@pytest.mark.parametrize("matcher", ["coco", "voc"])
def test_a_group_of_box_is_hit_once_under_either_matching(matcher):
    inside = [(INSIDE_FAR, 0.9), (INSIDE_FAR, 0.8)]
    found = world([(OBJECT, ""), (FAR, "group_of")], [(OBJECT, 0.5), *inside])
    missed = world([(OBJECT, ""), (FAR, "group_of")], [(OBJECT, 0.5), (NOWHERE, 0.9)])
    conventions = Conventions(matcher=matcher, groups="one_hit")
    # Two objects: the group by its best detection, the second one counts nothing.
    assert found.of(conventions) == same(1.0)
    assert missed.of(conventions) == same(1 / 4)


@pytest.mark.parametrize(
    ("treatment", "on_it", "missed"),
    [("ignored", 1.0, 1.0), ("counted", 1.0, 1 / 2), ("removed", 1 / 2, 1.0)],
)
def test_what_a_difficult_object_counts(treatment, on_it, missed):
    objects = [(OBJECT, ""), (FAR, "difficult")]
    conventions = Conventions(difficult=treatment)
    assert world(objects, [(OBJECT, 0.5), (FAR, 0.9)]).of(conventions) == same(on_it)
    assert world(objects, [(OBJECT, 0.5)]).of(conventions) == same(missed)


def test_a_detection_on_a_taken_object_tries_the_next_only_under_coco():
    beside = (20.0, 0.0, 100.0, 100.0)
    # The second lies closer to the first object, but overlaps the other by 94 / 106, too.
    ap = world([(OBJECT, ""), (beside, "")], [(OBJECT, 0.9), ((9.0, 0.0, 100.0, 100.0), 0.8)])
    assert ap.of(Conventions(matcher="coco")) == same(1.0)
    assert ap.of(Conventions(matcher="voc")) == same(1 / 2)


def test_ultralytics_gives_an_object_to_the_better_scored_of_two():
    """Not to the better placed one, although pairs are sorted by overlap at first."""
    ap = world([(OBJECT, "")], [((0.0, 0.0, 100.0, 60.0), 0.9), (OBJECT, 0.8)])
    found = PROTOCOLS["ultralytics50"].conventions
    assert ap.of(found) == same(0.995)
    # At .75 only the second one is right, after one that is wrong.
    assert ap.of(replace(found, iou_thresholds=(0.75,))) == same(0.995 / 2)


def test_an_overlap_of_62_percent_is_right_at_three_of_ten_thresholds():
    ap = world([(OBJECT, "")], [((0.0, 0.0, 100.0, 62.0), 0.9)])
    assert ap.of(PROTOCOLS["coco50"].conventions) == same(1.0)
    assert ap.of(PROTOCOLS["coco"].conventions) == same(0.3)


@pytest.mark.parametrize(
    ("interpolation", "half", "all_found"),
    [
        ("coco101", 51 / 101, 1.0),
        ("voc07", 6 / 11, 1.0),
        ("area", 1 / 2, 1.0),
        ("lines", 0.495, 0.995),
        ("lines_to_one", 0.75, 0.995),
    ],
)
def test_how_a_curve_of_half_the_recall_is_read(interpolation, half, all_found):
    ap = world([(OBJECT, ""), (FAR, "")], [(OBJECT, 0.9)])
    assert ap.of(Conventions(interpolation=interpolation)) == same(half)
    ap = world([(OBJECT, ""), (FAR, "")], [(OBJECT, 0.9), (FAR, 0.8)])
    assert ap.of(Conventions(interpolation=interpolation)) == same(all_found)


@pytest.mark.parametrize(
    ("interpolation", "expected"), [("area", 0.453333), ("voc07", 0.503030), ("coco101", 0.458746)]
)
def test_the_golden_curve(interpolation, expected):
    """METHODS 8.1: hit, wrong, hit, don't care, wrong, hit; five objects."""
    places = [(150.0 * column, 0.0, 100.0, 100.0) for column in range(6)]
    boxes = [places[0], NOWHERE, places[1], places[5], NOWHERE, places[2]]
    ap = world(
        [*((box, "") for box in places[:5]), (places[5], "difficult")],
        [(box, 0.9 - 0.1 * rank) for rank, box in enumerate(boxes)],
    )
    value = ap.of(Conventions(interpolation=interpolation))
    assert value == pytest.approx(expected, abs=1e-6)


def test_equal_scores_in_their_worst_and_best_order():
    ap = world([(OBJECT, "")], [(OBJECT, 0.5), (NOWHERE, 0.5)])
    values = {ties: ap.of(Conventions(ties=ties)) for ties in ("stable", "worst", "best")}
    assert values == {"stable": 1.0, "worst": 0.5, "best": 1.0}


def test_a_score_cut_leaves_out_the_score_itself():
    ap = world([(OBJECT, "")], [(OBJECT, 0.5), (NOWHERE, 0.9)])
    assert ap.of(Conventions(score_cut=0.49)) == same(1 / 2)
    assert ap.of(Conventions(score_cut=0.5)) == 0.0


def two_classes(**more):
    scene = Scene(
        images=(1, 2),
        classes=(1, 2),
        objects=(Object(1, 1, OBJECT, 1e4),),
        detections=(
            Detection(1, 2, NOWHERE, 0.9),
            Detection(1, 1, OBJECT, 0.5),
            Detection(2, 1, NOWHERE, 0.7),
        ),
        **more,
    )
    return ConventionAp(*scene_to_tables(scene))


def test_a_limit_counts_by_class_or_over_all_classes():
    ap = two_classes()
    assert ap.of(Conventions(max_dets=Limit(1))) == same(1 / 2)
    assert ap.of(Conventions(max_dets=Limit(1, per_class=False))) == 0.0


def test_a_class_of_detections_only_counts_0_or_not_at_all():
    ap = two_classes()
    assert ap.of(Conventions()) == same(1 / 2)
    assert ap.of(Conventions(class_mean="with_detections")) == same(1 / 4)


def test_detections_of_unverified_classes_are_left_out():
    nothing = {1: frozenset(), 2: frozenset()}
    ap = two_classes(positive=nothing, negative=nothing)
    assert ap.of(Conventions(verified="openimages")) == 1.0
    known_absent = {1: frozenset(), 2: frozenset({1})}
    ap = two_classes(positive=nothing, negative=known_absent)
    assert ap.of(Conventions(verified="openimages")) == same(1 / 2)


def test_an_ancestor_is_found_only_in_the_expanded_tree():
    scene = Scene(
        images=(1,),
        classes=(1, 2),
        objects=(Object(1, 2, OBJECT, 1e4),),
        detections=(Detection(1, 1, OBJECT, 0.9),),
        parents={2: (1,)},
    )
    ap = ConventionAp(*scene_to_tables(scene))
    assert ap.of(Conventions()) == 0.0
    assert ap.of(Conventions(hierarchy="expanded")) == same(1 / 2)


def test_every_convention_has_a_title_and_every_change_a_sentence():
    assert tuple(TITLES) == STEPS
    for start, end in permutations(PROTOCOLS.values(), 2):
        for name in differing(start.conventions, end.conventions):
            before, after = getattr(start.conventions, name), getattr(end.conventions, name)
            told = sentence(name, before, after)
            assert told[0].isupper()
            assert told.endswith(".")
            assert value_text(name, before) != value_text(name, after)

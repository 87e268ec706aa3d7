"""The confusion matrix obeys the protocol it is read under."""

from __future__ import annotations

import math

from boxlens.metrics import choose, evaluate_tables
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene

BOX = (0.0, 0.0, 10.0, 10.0)


def matrix(scene: Scene, protocol: str = "coco") -> list[list[int]]:
    dataset, detections = scene_to_tables(scene)
    choice = choose(protocol, also=["confusion"])
    [result] = evaluate_tables(dataset, [detections], choice).detectors
    return result.extras.confusion.matrix.tolist()


def test_equal_overlaps_go_to_the_same_class():
    objects = (Object(1, 0, BOX, 100.0), Object(1, 1, BOX, 100.0))
    found = (Detection(1, 1, BOX, 0.9), Detection(1, 0, BOX, 0.8))
    assert matrix(Scene((1,), (0, 1), objects, found)) == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_open_images_looks_at_objects_as_annotated():
    # 0 vehicle, 1 car: the car is also a vehicle, but it is one object.
    objects = (Object(1, 1, BOX, 100.0),)
    found = (Detection(1, 1, BOX, 0.9),)
    scene = Scene((1,), (0, 1), objects, found, parents={1: (0,)})
    assert matrix(scene, "openimages") == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_classes_not_annotated_exhaustively_are_excused_in_lvis():
    found = (Detection(1, 0, (50.0, 50.0, 9.0, 9.0), 0.9), Detection(1, 0, BOX, 0.8))
    scene = Scene(
        (1,),
        (0,),
        (Object(1, 0, BOX, 100.0),),
        found,
        negative={1: frozenset()},
        not_exhaustive={1: frozenset({0})},
    )
    assert matrix(scene, "lvis") == [[1, 0], [0, 0]]


def test_detections_beyond_max_dets_do_not_count():
    found = tuple(Detection(1, 0, BOX, 1 - i / 1000) for i in range(150))
    assert matrix(Scene((1,), (0,), (Object(1, 0, BOX, 100.0),), found)) == [[1, 0], [99, 0]]


def test_a_score_exactly_at_the_cut_counts_and_one_below_does_not():
    """Both ways: as a pair with an object, and as a detection of nothing."""
    elsewhere = (50.0, 50.0, 9.0, 9.0)
    below = math.nextafter(0.25, 0)
    for score, expected in ((0.25, [[1, 0], [1, 0]]), (below, [[0, 1], [0, 0]])):
        found = (Detection(1, 0, BOX, score), Detection(1, 0, elsewhere, score))
        assert matrix(Scene((1,), (0,), (Object(1, 0, BOX, 100.0),), found)) == expected


def test_detections_on_a_crowd_are_not_background():
    """However many, of whatever class, and by the share of the detection inside the crowd."""
    crowd = Object(1, 0, (0.0, 0.0, 100.0, 100.0), 10000.0, crowd=True)
    inside = tuple(Detection(1, cls, (10.0, 10.0, 8.0, 8.0), 0.9) for cls in (0, 0, 1))
    assert matrix(Scene((1,), (0, 1), (crowd,), inside)) == [[0] * 3] * 3
    beside = (*inside, Detection(1, 0, (200.0, 200.0, 8.0, 8.0), 0.9))
    assert matrix(Scene((1,), (0, 1), (crowd,), beside)) == [[0] * 3, [0] * 3, [1, 0, 0]]


def test_difficult_objects_excuse_as_crowds_do_but_by_their_overlap():
    hard = Object(1, 0, BOX, 100.0, difficult=True)
    on_it, a_part_of_it = Detection(1, 0, BOX, 0.9), Detection(1, 0, (0.0, 0.0, 3.0, 3.0), 0.9)
    assert matrix(Scene((1,), (0,), (hard,), (on_it,)), "voc12") == [[0, 0], [0, 0]]
    assert matrix(Scene((1,), (0,), (hard,), (on_it, a_part_of_it)), "voc12") == [[0, 0], [1, 0]]

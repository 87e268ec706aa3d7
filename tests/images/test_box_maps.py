"""Boxes under affine maps: the published averaging of corners, ellipses, maps that lead back."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.errors import ParameterError
from boxlens.images.box_maps import composed, inside, inverted, map_boxes, map_ellipses
from oracles.repeatability import mapped
from shared_data import shared

IDENTITY = np.eye(2, 3)

sides = st.floats(0.01, 900)
places = st.floats(-900, 900)
angles = st.floats(-180, 180)
boxes = st.lists(st.tuples(places, places, sides, sides), min_size=1, max_size=6).map(
    lambda rows: np.array(rows, dtype=np.float64)
)


@st.composite
def maps(draw, turns=angles) -> np.ndarray:
    angle = math.radians(draw(turns))
    factors = np.diag([draw(st.floats(0.25, 4)), draw(st.floats(0.25, 4))])
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    return np.column_stack([turn @ factors, [draw(places), draw(places)]])


def centres(box: np.ndarray) -> np.ndarray:
    return box[:, :2] + box[:, 2:] / 2


@settings(max_examples=60)
@given(boxes, maps())
def test_corners_are_averaged_as_published(box, matrix):
    expected = [mapped(tuple(row), matrix.tolist()) for row in box.tolist()]
    np.testing.assert_allclose(map_boxes(box, matrix), expected, rtol=1e-10, atol=1e-9)


@settings(max_examples=60)
@given(boxes, maps(), maps())
def test_maps_invert_and_compose(box, one, other):
    np.testing.assert_allclose(composed(one, inverted(one)), IDENTITY, atol=1e-9)
    np.testing.assert_allclose(composed(inverted(one), one), IDENTITY, atol=1e-9)
    there = map_boxes(box, one)
    # A turn back cannot restore averaged sides, but it does restore the centres.
    np.testing.assert_allclose(
        centres(map_boxes(there, inverted(one))), centres(box), rtol=1e-9, atol=1e-9
    )
    step_by_step = centres(map_boxes(there, other))
    at_once = centres(map_boxes(box, composed(one, other)))
    np.testing.assert_allclose(at_once, step_by_step, rtol=1e-9, atol=1e-8)


@settings(max_examples=40)
@given(boxes, maps(turns=st.just(0.0)))
def test_boxes_come_back_whole_where_nothing_turns(box, matrix):
    back = map_boxes(map_boxes(box, matrix), inverted(matrix))
    np.testing.assert_allclose(back, box, rtol=1e-9, atol=1e-9)


def test_the_identity_keeps_every_bit():
    box = np.random.default_rng(0).uniform(0.1, 900, (500, 4))
    np.testing.assert_array_equal(map_boxes(box, IDENTITY), box)
    np.testing.assert_array_equal(map_boxes(box, inverted(IDENTITY)), box)


def test_no_boxes_map_to_no_boxes():
    assert map_boxes(np.zeros((0, 4)), IDENTITY).shape == (0, 4)
    assert inside(np.zeros((0, 4)), 5, 5).shape == (0,)


def test_a_turned_box_is_averaged_and_not_enclosed():
    angle = math.radians(20)
    turn = np.array([[math.cos(angle), math.sin(angle), 0], [-math.sin(angle), math.cos(angle), 0]])
    _, _, w, h = map_boxes(np.array([[0.0, 0, 100, 100]]), turn)[0]
    assert w == pytest.approx(100 * math.cos(angle))
    assert h == pytest.approx(100 * math.cos(angle))


def test_inside_asks_for_the_centre_and_includes_the_border():
    box = np.array([[-4.0, 2, 8, 2], [-4.01, 2, 8, 2], [8, 2, 4, 2], [8.01, 2, 4, 2], [1, 5, 2, 2]])
    assert inside(box, 10, 6).tolist() == [True, False, True, False, True]


def test_a_map_that_flattens_the_picture_has_no_inverse():
    with pytest.raises(ParameterError, match="no inverse"):
        inverted(np.array([[1.0, 2, 0], [2, 4, 0]]))


@settings(max_examples=60)
@given(boxes, maps())
def test_the_mapped_ellipse_fills_its_box(box, matrix):
    found = map_ellipses(box, matrix)
    around = np.linspace(0, 2 * math.pi, 3601)
    circle = np.stack([np.cos(around), np.sin(around)], axis=1)
    for one, (x, y, w, h) in zip(box, found, strict=True):
        ellipse = one[:2] + one[2:] / 2 * (1 + circle)
        points = ellipse @ matrix[:, :2].T + matrix[:, 2]
        near = 1e-5 * max(w, h) + 1e-9
        np.testing.assert_allclose(points.min(axis=0), [x, y], atol=near)
        np.testing.assert_allclose(points.max(axis=0), [x + w, y + h], atol=near)


@settings(max_examples=30)
@given(boxes, maps(st.sampled_from([0.0])))
def test_without_a_turn_the_box_of_the_ellipse_is_the_mapped_box(box, matrix):
    np.testing.assert_array_equal(map_ellipses(box, matrix), map_boxes(box, matrix))


def overlap(first: np.ndarray, second: np.ndarray) -> float:
    low = np.maximum(first[:2], second[:2])
    high = np.minimum(first[:2] + first[2:], second[:2] + second[2:])
    both = np.clip(high - low, 0, None).prod()
    return float(both / (first[2:].prod() + second[2:].prod() - both))


@pytest.mark.parametrize("angle", [5, 10, 15, 20])
def test_ellipses_come_nearer_to_turned_masks_than_averaged_corners(angle):
    """Real outlines, turned, and the boxes around them."""
    document = json.loads(shared("coco_val2017_80", "instances.json").read_text())
    turn = math.radians(angle)
    linear = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    matrix = np.column_stack([linear, [0.0, 0.0]])
    found: dict[str, list[float]] = {"ellipse": [], "corners": []}
    for one in document["annotations"]:
        if one["iscrowd"]:
            continue
        outline = np.concatenate([np.reshape(ring, (-1, 2)) for ring in one["segmentation"]])
        box = np.concatenate([outline.min(axis=0), np.ptp(outline, axis=0)])[None]
        turned = outline @ linear.T
        tight = np.concatenate([turned.min(axis=0), np.ptp(turned, axis=0)])
        found["ellipse"].append(overlap(map_ellipses(box, matrix)[0], tight))
        found["corners"].append(overlap(map_boxes(box, matrix)[0], tight))
    ellipse, corners = np.mean(found["ellipse"]), np.mean(found["corners"])
    assert len(found["ellipse"]) > 700
    assert ellipse > corners + 0.0005 * angle

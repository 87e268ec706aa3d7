"""Mean scores up to a value of a measure, for all classes and within groups."""

from __future__ import annotations

import json

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.studies.difficulty.cumulative import cumulate
from studies.difficulty.made_classes import (
    NAN,
    made_difficulty,
    made_properties,
    made_system,
    permuted,
    random_world,
)


def points(curve):
    return list(zip(curve.x.tolist(), curve.mean.tolist(), curve.n_classes.tolist(), strict=True))


def which(curve):
    return (curve.system, curve.score, curve.measure, curve.property, curve.group)


def test_a_small_case_by_hand():
    # Two classes at 2 enter together; the last two lack a score or the measure.
    difficulty = made_difficulty(6, scale=[2, 1, 2, 5, 3, NAN])
    (curve,) = cumulate([made_system(cls=[0.5, 1.0, 0.0, 0.1, NAN, 0.7])], difficulty)
    assert which(curve) == ("system", "cls", "scale", "", "")
    assert points(curve) == [
        (1, 1.0, 1),
        (2, 0.5, 3),
        (5, pytest.approx(0.4), 4),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_curves_equal_plain_loops(seed):
    measures, scores, columns = random_world(seed)
    properties = made_properties(**columns)
    curves = cumulate([made_system(**scores)], made_difficulty(30, **measures), properties)
    assert len({which(curve) for curve in curves}) == len(curves)
    for curve in curves:
        members = [
            (measures[curve.measure][row], scores[curve.score][row])
            for row in range(30)
            if not curve.property or properties.values[curve.property][row] == curve.group
        ]
        known = [(x, y) for x, y in members if not np.isnan(x + y)]
        expected = []
        for limit in sorted({x for x, _ in known}):
            below = [y for x, y in known if x <= limit]
            expected.append((limit, pytest.approx(sum(below) / len(below)), len(below)))
        assert points(curve) == expected


def test_groups_are_followed_along_cpl_and_clutter_by_scores_of_boxes_only():
    values = [1, 2, 3, 4]
    names = ("instances_per_image", "neighbours", "scale", "cpl", "clutter")
    difficulty = made_difficulty(4, **dict.fromkeys(names, values))
    scores = {name: [0.1, 0.2, 0.3, 0.4] for name in ("cls", "cls_loc", "loc_given_cls", "ap")}
    curves = cumulate(
        [made_system(**scores)], difficulty, made_properties(kind=["a", "a", "b", "b"])
    )
    assert sum(not curve.property for curve in curves) == 4 * 5
    in_groups = {(curve.score, curve.measure, curve.group) for curve in curves if curve.property}
    assert in_groups == {
        (score, measure, group)
        for score in ("cls_loc", "loc_given_cls", "ap")
        for measure in ("cpl", "clutter")
        for group in "ab"
    }


@pytest.mark.parametrize("seed", range(4))
def test_groups_within_a_value_of_another_property_are_those_of_its_classes_alone(seed):
    measures, scores, columns = random_world(seed)
    properties = made_properties(**columns)
    world = [made_system(**scores)], made_difficulty(30, **measures), properties
    curves = cumulate(*world, [("origin", "size"), ("size", "weight_kg")])
    plain = [curve for curve in curves if not curve.within_property]
    assert [points(curve) for curve in plain] == [points(curve) for curve in cumulate(*world)]
    found = {
        (which(curve), curve.within_value): points(curve)
        for curve in curves
        if curve.within_property == "origin"
    }
    assert {value for _, value in found} == {"natural", "man-made"}
    for value in ("natural", "man-made"):
        rows = [row for row in range(30) if columns["origin"][row] == value]
        alone = cumulate(
            [made_system(**permuted(scores, rows))],
            made_difficulty(len(rows), **permuted(measures, rows)),
            made_properties(size=permuted(columns, rows)["size"]),
        )
        expected = {(which(curve), value): points(curve) for curve in alone if curve.property}
        assert {key: found[key] for key in found if key[1] == value} == expected


def test_json_tells_within_what_a_group_is_looked_at():
    difficulty = made_difficulty(4, cpl=[1, 2, 3, 4])
    properties = made_properties(kind=["a", "a", "b", "b"], size=["s", "s", "s", "l"])
    curves = cumulate([made_system(ap=[0.1, 0.2, 0.3, 0.4])], difficulty, properties)
    assert all(curve.to_json()["within"] is None for curve in curves)
    *_, nested = cumulate(
        [made_system(ap=[0.1, 0.2, 0.3, 0.4])], difficulty, properties, [("kind", "size")]
    )
    assert nested.to_json()["within"] == {"property": "kind", "value": "a"}
    assert (nested.group, points(nested)) == ("s", [(1, 0.1, 1), (2, pytest.approx(0.15), 2)])


@pytest.mark.parametrize("pair", [("kind", "colour"), ("colour", "kind"), ("kind", "kind")])
def test_properties_that_cannot_be_nested_are_refused(pair):
    difficulty, properties = made_difficulty(2, cpl=[1, 2]), made_properties(kind=["a", "b"])
    with pytest.raises(ParameterError, match=r"colour|twice"):
        cumulate([made_system(ap=[0, 1])], difficulty, properties, [pair])


def test_groups_of_one_class_and_measures_that_no_class_has_make_no_curve():
    difficulty = made_difficulty(4, cpl=[0.1, 0.2, 0.3, NAN])
    properties = made_properties(kind=["a", "a", "b", "b"])
    curves = cumulate([made_system(ap=[1, 0, 1, 1])], difficulty, properties)
    assert [(curve.measure, curve.group) for curve in curves] == [("cpl", ""), ("cpl", "a")]


def test_no_class_at_all_makes_no_curve():
    assert cumulate([], made_difficulty(3, cpl=[1, 2, 3])) == ()
    assert cumulate([made_system(ap=[NAN, NAN])], made_difficulty(2, cpl=[1, 2])) == ()


def test_a_curve_is_plain_in_json_and_cannot_be_written_on():
    (curve,) = cumulate([made_system(ap=[0.5, 1])], made_difficulty(2, cpl=[1, 1]))
    record = json.loads(json.dumps(curve.to_json()))
    assert (record["x"], record["mean"], record["n_classes"]) == ([1], [0.75], [2])
    with pytest.raises(ValueError, match="read-only"):
        curve.mean[0] = 0

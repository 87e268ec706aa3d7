"""Scores by the values of a property: hand-made cases, laws, intervals and nesting."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_groups import score_properties
from studies.difficulty.made_classes import (
    NAN,
    made_difficulty,
    made_properties,
    made_system,
    permuted,
    random_world,
)

CHOICE = DifficultyChoice()
# Six classes: three natural, two man-made, one that nobody judged.
ORIGIN = ["natural", "man-made", "natural", "natural", "man-made", None]
SIZE = ["L", "S", "S", "L", "S", "L"]


def grouped(scores, properties, choice=CHOICE, **measures):
    difficulty = made_difficulty(len(scores), **measures)
    return score_properties([made_system(cls_loc=scores)], difficulty, properties, choice)


def test_a_small_case_by_hand():
    (found,) = grouped(
        [0.2, 0.5, 0.4, NAN, 0.9, 1.0],
        made_properties(origin=ORIGIN),
        cpl=[0.1, NAN, 0.3, 0.5, NAN, 0.9],
    )
    assert (found.system, found.score, found.property) == ("system", "cls_loc", "origin")
    assert (found.within_property, found.within_value) == ("", "")
    assert found.n_without == 1
    natural, made = found.groups
    assert (natural.value, made.value) == ("natural", "man-made")
    assert natural.classes == ("class0", "class2", "class3")
    assert (natural.n_classes, made.n_classes) == (2, 2)
    assert (natural.mean, made.mean) == pytest.approx((0.3, 0.7))
    assert natural.measures["cpl"] == pytest.approx(0.3)
    assert math.isnan(made.measures["cpl"])
    assert math.isnan(natural.measures["clutter"])


def test_two_classes_have_the_interval_of_their_three_means():
    (found,) = grouped([0.2, 0.6], made_properties(kind=["a", "a"]))
    (group,) = found.groups
    # A quarter of the draws takes each class twice.
    assert (group.low, group.mean, group.high) == pytest.approx((0.2, 0.4, 0.6))


def test_one_class_is_its_score_without_an_interval():
    (found,) = grouped([0.25, NAN, NAN], made_properties(kind=["a", "a", "b"]))
    one, none = found.groups
    assert (one.n_classes, one.mean) == (1, 0.25)
    assert (none.n_classes, none.classes) == (0, ("class2",))
    assert np.isnan([one.low, one.high, none.mean, none.low, none.high]).all()
    record = json.loads(json.dumps(found.to_json()))
    assert record["within"] is None
    assert record["groups"][1]["mean"] is None


def test_an_interval_equals_a_plain_bootstrap_and_the_normal_law():
    random = np.random.default_rng(0)
    scores = random.random(60)
    (found,) = grouped(scores, made_properties(kind=["a"] * 60))
    (group,) = found.groups
    draws = [np.mean(random.choice(scores, 60)) for _ in range(4000)]
    assert (group.low, group.high) == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.008)
    reach = 1.96 * scores.std() / math.sqrt(60)
    assert group.low == pytest.approx(scores.mean() - reach, abs=0.008)
    assert group.high == pytest.approx(scores.mean() + reach, abs=0.008)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_classes_and_systems_does_not_matter_even_to_intervals(seed):
    measures, scores, columns = random_world(seed)
    order = np.random.default_rng(seed).permutation(30)

    def found(permutation, names):
        return {
            (one.system, one.score, one.property, group.value): (
                group.n_classes,
                group.mean,
                group.low,
                group.high,
            )
            for one in score_properties(
                [made_system(name, **permuted(scores, permutation)) for name in names],
                made_difficulty(30, **permuted(measures, permutation)),
                made_properties(**permuted(columns, permutation)),
                CHOICE,
            )
            for group in one.groups
        }

    assert found(range(30), "ab") == found(order, "ba")


def test_the_seed_moves_intervals_and_nothing_else():
    scores = np.random.default_rng(1).random(20)
    properties = made_properties(kind=["a"] * 20)
    (first,), (again,), (other,) = (
        grouped(scores, properties, DifficultyChoice(seed=seed)) for seed in (0, 0, 1)
    )
    assert first.to_json() == again.to_json()
    assert other.groups[0].mean == first.groups[0].mean
    assert other.groups[0].low != first.groups[0].low


def test_a_property_within_each_value_of_another():
    choice = DifficultyChoice(nest=(("origin", "size"),))
    scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    found = grouped(scores, made_properties(origin=ORIGIN, size=SIZE), choice)
    plain, nested = found[:2], found[2:]
    assert [one.property for one in plain] == ["origin", "size"]
    assert [(one.property, one.within_property, one.within_value) for one in nested] == [
        ("size", "origin", "natural"),
        ("size", "origin", "man-made"),
    ]
    natural, made = nested
    assert [(group.value, group.classes) for group in natural.groups] == [
        ("S", ("class2",)),
        ("L", ("class0", "class3")),
    ]
    # No man-made class is large: there is no such group.
    assert [(group.value, group.mean) for group in made.groups] == [("S", pytest.approx(0.35))]
    assert natural.to_json()["within"] == {"property": "origin", "value": "natural"}


def test_classes_without_a_value_of_the_inner_property_are_counted_within_the_outer_one():
    choice = DifficultyChoice(nest=(("size", "origin"),))
    found = grouped([0.5] * 6, made_properties(origin=ORIGIN, size=SIZE), choice)
    assert [(one.within_value, one.n_without) for one in found[2:]] == [("S", 0), ("L", 1)]


def test_quantities_group_by_quarters_and_nest_too():
    weights = [1, 2, 3, 4, 5, 6, 7, 8]
    properties = made_properties(weight=weights, kind=["a", "b"] * 4)
    choice = DifficultyChoice(nest=(("weight", "kind"),))
    found = grouped(np.arange(8) / 10, properties, choice)
    assert [group.value for group in found[0].groups] == ["1-2", "3-4", "5-6", "7-8"]
    assert [group.mean for group in found[0].groups] == pytest.approx([0.05, 0.25, 0.45, 0.65])
    assert [one.within_value for one in found[2:]] == ["1-2", "3-4", "5-6", "7-8"]


@pytest.mark.parametrize("pair", [("kind", "size"), ("origin", "colour")])
def test_an_unknown_property_is_refused_with_the_known_ones(pair):
    properties = made_properties(origin=ORIGIN, size=SIZE)
    with pytest.raises(ParameterError, match=r"'origin', 'size', got '(kind|colour)'"):
        grouped([0.5] * 6, properties, DifficultyChoice(nest=(pair,)))


def test_a_property_within_itself_is_refused():
    with pytest.raises(ParameterError, match="'size' twice"):
        grouped([0.5] * 6, made_properties(size=SIZE), DifficultyChoice(nest=(("size", "size"),)))


def test_scores_that_no_class_has_are_left_out():
    systems = [made_system("boxes", cls=[1, 0], ap=[0.5, NAN]), made_system("guesses", cls=[1, 0])]
    found = score_properties(systems, made_difficulty(2), made_properties(kind=["a", "b"]), CHOICE)
    assert [(one.system, one.score) for one in found] == [
        ("boxes", "cls"),
        ("boxes", "ap"),
        ("guesses", "cls"),
    ]

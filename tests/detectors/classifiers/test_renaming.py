"""A classifier's answers under the classes of a data set: right, wrong, or no answer at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.data import Classes
from boxlens.detectors.classifiers.from_function import CallableClassifier
from boxlens.detectors.classifiers.renaming import answers_of, with_classes
from boxlens.errors import InputError
from pictures import scene

OWN = Classes.of([1, 2, 3], ["cat", "wolf", "dog"])
TRUTH = Classes.of([10, 20, 30], ["ant", "dog", "cat"])


def saying(*rows):
    """A classifier that answers with these rows, and as many crops."""
    classifier = CallableClassifier(
        lambda _: [list(row) for row in rows], OWN, "mine", batched=True
    )
    return classifier, [scene(0)] * len(rows)


def test_a_class_that_the_data_set_lacks_is_a_wrong_answer():
    classifier, crops = saying([0.1, 0.2, 0.7], [0.1, 0.8, 0.05], [5, -3, 4])
    answers = with_classes(classifier, TRUTH)[0].answers(crops)
    assert answers.class_row.tolist() == [1, -1, 2]
    assert answers.score.tolist() == [0.7, 0.8, 5]
    assert answers.lacking == {1: "wolf"}
    assert answers.sums_to_one.tolist() == [True, False, False]
    assert answers.usable.all()
    assert len(answers) == 3


@pytest.mark.parametrize(
    "row", [[np.nan] * 3, [-np.inf] * 3, [np.nan, -np.inf, np.nan], [0.5, np.inf, 0.5]]
)
def test_a_row_without_a_number_or_with_infinity_is_no_answer(row):
    classifier, crops = saying(row, [1, 0, 0])
    answers = with_classes(classifier, TRUTH)[0].answers(crops)
    assert answers.usable.tolist() == [False, True]
    assert answers.class_row.tolist() == [-1, 2]
    np.testing.assert_array_equal(answers.score, [np.nan, 1])
    assert answers.lacking == {}


def test_a_single_number_is_enough_and_the_first_of_equals_is_taken():
    classifier, crops = saying([np.nan, -np.inf, 3], [2, 2, 2])
    answers = with_classes(classifier, TRUTH)[0].answers(crops)
    assert answers.sums_to_one.tolist() == [True, False]


def test_a_label_outside_a_functions_classes_is_a_class_of_the_data_set_or_a_wrong_answer():
    said = iter([("ant", 0.5), ("unicorn", 0.9), ("unicorn", np.nan), ("dog", 0.2)])
    classifier = CallableClassifier(lambda _: next(said), OWN, "mine")
    answers = with_classes(classifier, TRUTH)[0].answers([scene(0)] * 4)
    assert answers.class_row.tolist() == [0, -1, -1, 1]
    np.testing.assert_array_equal(answers.score, [0.5, 0.9, np.nan, 0.2])
    assert answers.lacking == {1: "unicorn"}


def test_notices_tell_which_classes_are_not_shared():
    _, notices = with_classes(saying()[0], TRUTH)
    assert [(one.code, one.count) for one in notices] == [
        ("class_without_name", 1),
        ("class_never_named", 1),
    ]
    assert "1 of the 3 classes of classifier 'mine' is not in" in notices[0].message
    assert "wolf" in notices[0].message
    assert "ant" in notices[1].message
    assert with_classes(saying()[0], OWN)[1] == ()


def test_a_classifier_of_other_classes_is_refused():
    with pytest.raises(InputError, match="knows none of the classes"):
        with_classes(saying()[0], Classes.of([1], ["unicorn"]))


TWINS = Classes.of([1, 2, 3], ["cat", "cat", "dog"])


def test_two_classes_of_one_name_stay_apart_where_they_are_the_data_sets_own():
    rows = [[0.9, 0.1, 0], [0.1, 0.9, 0], [0, 0, 1]]
    classifier = CallableClassifier(lambda _: rows, TWINS, "mine", batched=True)
    same = Classes.of([1, 2, 3], ["cat", "cat", "dog"])
    joined, notices = with_classes(classifier, same)
    assert joined.answers([scene(0)] * 3).class_row.tolist() == [0, 1, 2]
    assert notices == ()


def test_two_classes_of_one_name_are_refused_where_names_join_them():
    for own, truth in ((TWINS, OWN), (OWN, TWINS)):
        classifier = CallableClassifier(lambda _: [], own, "mine", batched=True)
        with pytest.raises(InputError, match="the class name 'cat' is not unique"):
            with_classes(classifier, truth)
    # A name that the other does not have joins nothing.
    dogs = CallableClassifier(lambda _: ("cat", 1.0), Classes.of([1], ["dog"]), "mine")
    joined, _ = with_classes(dogs, TWINS)
    with pytest.raises(InputError, match="the class name 'cat' is not unique"):
        joined.answers([scene(0)])
    spoken = CallableClassifier(lambda _: ("cat", 1.0), TWINS, "mine")
    with pytest.raises(InputError, match="'cat' is not unique: answer with its index"):
        with_classes(spoken, TWINS)[0].answers([scene(0)])


def test_answers_of_another_shape_are_refused():
    class Odd:
        name, classes = "odd", OWN

        def classify(self, crops):
            return np.zeros((len(crops), 2))

    with pytest.raises(InputError, match=r"shape \(1, 2\) for 1 crops and 3 classes"):
        with_classes(Odd(), TRUTH)[0].answers([scene(0)])


NUMBERS = st.sampled_from([np.nan, -np.inf, -1.5, 0.0, 0.25, 0.5, 2.0])


@settings(max_examples=100)
@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), max_size=4))
def test_answers_equal_a_plain_loop(rows):
    class_row_of = np.array([2, -1, 1], dtype=np.int32)
    found = answers_of(np.array(rows).reshape(-1, 3), class_row_of, OWN.name)
    for number, row in enumerate(rows):
        finite = sorted((value for value in row if np.isfinite(value)), reverse=True)
        best = row.index(finite[0]) if finite else -1
        assert found.class_row[number] == (class_row_of[best] if finite else -1)
        np.testing.assert_array_equal(found.score[number], [*finite, np.nan][0])
        assert found.lacking.get(number) == ("wolf" if best == 1 else None)
        assert found.sums_to_one[number] == (len(finite) < 2 or abs(sum(finite) - 1) < 0.01)


def test_one_class_alone_need_not_be_a_share():
    found = answers_of(np.array([[0.5]]), np.array([0], dtype=np.int32), ["cat"])
    assert found.score.tolist() == [0.5]
    assert found.sums_to_one.all()

"""Classification and localization accuracy against plain loops, golden cases and laws."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Dataset, Detections
from boxlens.errors import ParameterError
from boxlens.studies.difficulty.accuracy import SCORES, SystemAccuracy, accuracy, upper_bound
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.guesses import Guesses, System, guesses_of
from boxlens.studies.difficulty.judging import judge_systems
from planted_worlds import world_of


def without_boxes(guesses: Guesses, rows: slice = slice(None)) -> Guesses:
    box = guesses.box.copy()
    box[rows] = np.nan
    return replace(guesses, box=box)


def accuracy_of(dataset: Dataset, guesses: Guesses, choice: DifficultyChoice) -> SystemAccuracy:
    (judged,) = judge_systems(dataset, [System("it", guesses)], choice)
    return accuracy(dataset.classes, judged)


def bound_of(dataset: Dataset, guesses: list[Guesses], choice: DifficultyChoice) -> SystemAccuracy:
    systems = [System(str(at), one) for at, one in enumerate(guesses)]
    return upper_bound(dataset.classes, judge_systems(dataset, systems, choice))


def test_the_share_that_is_localized_has_no_bound():
    # One system names only the image that it localizes; another one names both, without boxes.
    boxed = guess([1], [1], [[0, 0, 50, 50]])
    bare = without_boxes(guess([0, 1], [1, 1], [[0, 0, 50, 50]] * 2))
    assert accuracy_of(toy(), boxed, DifficultyChoice()).scores["loc_given_cls"] == 1
    bound = bound_of(toy(), [boxed, bare], DifficultyChoice())
    assert bound.scores["cls_loc"] == 0.25
    assert math.isnan(bound.scores["loc_given_cls"])
    assert all(math.isnan(one.scores["loc_given_cls"]) for one in bound.classes)


def toy(**flags) -> Dataset:
    """Two images; the first has two cats and a dog, the second a dog."""
    return world_of(
        [[0, 0, 10, 10], [50, 50, 10, 10], [20, 20, 30, 30], [0, 0, 50, 50]],
        classes=[0, 0, 1, 1],
        size=(100.0, 100.0),
        n_images=2,
        image_row=[0, 0, 0, 1],
        names=("cat", "dog", "owl"),
        **flags,
    )


def guess(image_row, class_row, box) -> Guesses:
    score = -np.arange(len(class_row), dtype=np.float64)
    table = Detections.of("toy", 2, image_row=image_row, class_row=class_row, box=box, score=score)
    return guesses_of(table, 1000)


def test_the_golden_case():
    # In image 1 the second cat is found at exactly half, the dog only named; image 2 has no guess.
    guesses = guess([0, 0, 0], [0, 1, 2], [[50, 50, 10, 5], [0, 0, 10, 10], [20, 20, 30, 30]])
    (judged,) = judge_systems(toy(), [System("it", guesses)], DifficultyChoice())
    ap = np.array([0.5, 0.25, np.nan])
    result = accuracy(toy().classes, replace(judged, exact={**judged.exact, "ap": ap}))
    cat, dog, owl = (row.scores for row in result.classes)
    assert cat == {"cls": 1.0, "cls_loc": 1.0, "loc_given_cls": 1.0, "ap": 0.5}
    assert dog == {"cls": 0.5, "cls_loc": 0.0, "loc_given_cls": 0.0, "ap": 0.25}
    assert all(math.isnan(value) for value in owl.values())
    assert result.scores == {"cls": 0.75, "cls_loc": 0.5, "loc_given_cls": 0.5, "ap": 0.375}
    assert result.to_json()["classes"][2] == {
        "class": "owl",
        "n_images": 0,
        **dict.fromkeys(SCORES),
    }


def test_guesses_beyond_the_first_k_do_not_count():
    guesses = guess([0, 0], [2, 0], [[0, 0, 10, 10]] * 2)
    assert accuracy_of(toy(), guesses, DifficultyChoice(top_k=1)).scores["cls"] == 0
    assert accuracy_of(toy(), guesses, DifficultyChoice(top_k=2)).classes[0].scores["cls_loc"] == 1


def test_crowds_and_groups_are_no_cases_and_difficult_objects_only_if_asked_for():
    marks = [True, True, False, False]
    for flag in ("crowd", "group_of", "difficult"):
        dataset = toy(**{flag: marks})
        n_images = accuracy_of(dataset, guess([], [], []), DifficultyChoice()).classes[0].n_images
        assert n_images == 0
        asked = accuracy_of(dataset, guess([], [], []), DifficultyChoice(difficult=True))
        assert asked.classes[0].n_images == (flag == "difficult")


def test_no_guesses_at_all_are_wrong_everywhere():
    scores = accuracy_of(toy(), guess([], [], []), DifficultyChoice()).scores
    assert (scores["cls"], scores["cls_loc"]) == (0, 0)
    assert math.isnan(scores["loc_given_cls"])


def test_without_boxes_only_the_class_can_be_right():
    guesses = without_boxes(guess([0, 1], [0, 1], [[0, 0, 10, 10], [0, 0, 50, 50]]))
    scores = accuracy_of(toy(), guesses, DifficultyChoice()).scores
    assert scores["cls"] == 0.75
    assert math.isnan(scores["cls_loc"])
    assert math.isnan(scores["loc_given_cls"])
    boxed = guess([1], [1], [[0, 0, 50, 50]])
    both = bound_of(toy(), [guesses, boxed], DifficultyChoice())
    assert both.scores["cls"] == 0.75
    assert both.scores["cls_loc"] == 0.25
    assert math.isnan(bound_of(toy(), [guesses], DifficultyChoice()).scores["cls_loc"])


def test_a_data_set_without_objects_has_no_accuracy():
    dataset = toy().where(np.zeros(4, dtype=np.bool_))
    scores = accuracy_of(dataset, guess([0], [0], [[0, 0, 10, 10]]), DifficultyChoice()).scores
    assert all(math.isnan(value) for value in scores.values())


def test_guesses_at_other_images_are_refused():
    dataset = toy().select_images([0])
    with pytest.raises(ParameterError, match="rows of 2 images, the data set has 1"):
        accuracy_of(dataset, guess([], [], []), DifficultyChoice())

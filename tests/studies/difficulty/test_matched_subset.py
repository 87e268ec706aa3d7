"""The hardest classes that reach a target together, and the data set they make (METHODS 3.7)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Notice
from boxlens.errors import ParameterError
from boxlens.formats import read_dataset, write_dataset
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_measures import (
    ClassDifficulty,
    DatasetDifficulty,
    mean_of_defined,
    measure_dataset,
)
from boxlens.studies.difficulty.matched_subset import matched_subset, subset_dataset
from boxlens.studies.difficulty.measures import MEASURE_NAMES
from cases import random_scene
from oracles.convert import scene_to_tables
from planted_worlds import world_of
from shared_data import shared

USUAL = DifficultyChoice()


def difficulty_of(values, names=None):
    """Classes that have these values of every measure."""
    classes = tuple(
        ClassDifficulty(name, 1, 2, value, value, value, value, value)
        for name, value in zip(names or map(str, range(len(values))), values, strict=True)
    )
    n_defined = sum(not math.isnan(value) for value in values)
    return DatasetDifficulty(
        name="made",
        n_images=1,
        n_objects=2 * len(values),
        n_left_out=0,
        classes=classes,
        means=dict.fromkeys(MEASURE_NAMES, mean_of_defined(values)),
        n_defined=dict.fromkeys(MEASURE_NAMES, n_defined),
    )


def rows_of(values, measure, target, names=None):
    return matched_subset(difficulty_of(values, names), measure, target).class_rows.tolist()


def test_low_values_of_cpl_are_hard():
    values = [0.375, 0.125, 0.25, 0.75]
    assert rows_of(values, "cpl", 0.1875) == [1, 2]
    assert rows_of(values, "cpl", 0.25) == [1, 2, 0]
    assert rows_of(values, "scale", 0.125) == [1]


def test_high_values_of_clutter_are_hard():
    values = [3.0, 1.0, 2.0, 9.0]
    assert rows_of(values, "clutter", 6.0) == [3, 0]
    assert rows_of(values, "neighbours", 5.9) == [3, 0]
    assert rows_of(values, "instances_per_image", 3.75) == [3, 0, 2, 1]


def test_no_class_may_be_hard_enough_or_all_may_be():
    none = matched_subset(difficulty_of([0.3, 0.2]), "cpl", 0.1)
    assert none.classes == ()
    assert math.isnan(none.mean)
    assert none.to_json()["mean"] is None
    assert none.means.tolist() == [0.2, 0.25]
    assert rows_of([0.3, 0.2], "cpl", 5.0) == [1, 0]


def test_classes_without_the_measure_are_never_chosen():
    found = matched_subset(difficulty_of([math.nan, 0.2, math.nan]), "cpl", 1.0)
    assert found.class_rows.tolist() == [1]
    assert len(found.means) == 1
    assert rows_of([math.nan], "clutter", 1.0) == []
    assert rows_of([], "clutter", 1.0) == []


def test_ties_are_broken_by_name_then_by_row():
    names = ["b", "a", "c", "a"]
    assert rows_of([1.0] * 4, "clutter", 1.0, names) == [1, 3, 0, 2]
    assert rows_of([1.0] * 4, "cpl", 1.0, names) == [1, 3, 0, 2]


@pytest.mark.parametrize("measure", MEASURE_NAMES)
@pytest.mark.parametrize("seed", range(40))
def test_the_mean_of_all_classes_chooses_all_of_them(measure, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice(rng.random(4), 30) if seed % 2 else rng.random(1 + seed) * 10.0**-seed
    difficulty = difficulty_of(values.tolist())
    found = matched_subset(difficulty, measure, difficulty.means[measure], "another")
    assert len(found.classes) == len(values)
    assert found.mean == difficulty.means[measure]
    assert found.target_of == "another"


def test_equal_values_reach_a_target_of_their_value():
    for n in range(1, 60):
        for measure in ("cpl", "clutter"):
            assert len(rows_of([0.1] * n, measure, 0.1)) == n


def test_a_target_that_is_no_number_is_refused():
    for target in (math.nan, math.inf):
        with pytest.raises(ParameterError, match="finite"):
            DifficultyChoice(match=(("cpl", target),))


def four_images():
    """Class 0 is small, 1 large, 3 in between; image 3 has nothing."""
    boxes = [[0, 0, 4, 3], [0, 0, 400, 300], [0, 0, 40, 30], [9, 9, 4, 3]]
    dataset = world_of(boxes, classes=[0, 1, 3, 0], n_images=4, image_row=[0, 1, 0, 2])
    return replace(dataset, notices=(Notice("read", 1, "read"),))


def test_a_subset_is_a_data_set_of_its_classes_and_their_images():
    dataset = four_images()
    subset = matched_subset(measure_dataset(dataset, USUAL), "scale", 0.01)
    assert subset.classes == ("a", "d")
    part = subset_dataset(dataset, subset)
    assert part.classes.name == ("a", "d")
    assert part.images.id.tolist() == [1, 3]
    assert part.gt.id.tolist() == [1, 3, 4]
    assert part.gt.class_row.tolist() == [0, 1, 0]
    assert [(notice.code, notice.count) for notice in part.notices] == [
        ("read", 1),
        ("class_left_out", 4),
        ("image_left_out", 2),
    ]
    assert "4 of 6 classes with 1 objects" in part.notices[1].message
    assert dataset.notices == (Notice("read", 1, "read"),)


def test_a_subset_of_everything_leaves_nothing_out():
    dataset = world_of([[0, 0, 4, 3]], names="a")
    subset = matched_subset(measure_dataset(dataset, USUAL), "scale", 1.0)
    part = subset_dataset(dataset, subset)
    assert part.notices == ()
    assert part.gt.box.tolist() == dataset.gt.box.tolist()


def test_an_empty_subset_is_an_empty_data_set():
    dataset = four_images()
    part = subset_dataset(dataset, matched_subset(measure_dataset(dataset, USUAL), "scale", 0.0))
    assert (len(part.classes), len(part.images), len(part.gt)) == (0, 0, 0)
    assert [notice.count for notice in part.notices] == [1, 6, 4]


def test_a_subset_of_another_data_set_is_refused():
    subset = matched_subset(measure_dataset(four_images(), USUAL), "scale", 0.01)
    for names in ("xyzuvw", "ab"):
        with pytest.raises(ParameterError, match="not those that the subset was chosen from"):
            subset_dataset(world_of([], names=names), subset)


@pytest.mark.parametrize("seed", range(15))
def test_measured_again_a_subset_has_the_mean_it_was_chosen_for(seed):
    dataset, _ = scene_to_tables(random_scene(seed, n_images=6, n_classes=6))
    whole = measure_dataset(dataset, USUAL)
    for measure in MEASURE_NAMES[:-1]:
        values = [one.value(measure) for one in whole.classes]
        target = float(np.nanmedian(values)) if not np.isnan(values).all() else 0.0
        subset = matched_subset(whole, measure, target)
        again = measure_dataset(subset_dataset(dataset, subset), USUAL)
        assert repr(again.means[measure]) == repr(subset.mean)
        assert sorted(one.name for one in again.classes) == sorted(subset.classes)


def test_coco_s_hardest_classes_written_and_read_are_as_hard(tmp_path):
    dataset = read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    subset = matched_subset(measure_dataset(dataset, USUAL), "cpl", 0.01)
    assert 0 < len(subset.classes) < 80
    assert subset.mean <= 0.01 < subset.means[len(subset.classes)]
    path = tmp_path / "hardest.json"
    write_dataset(subset_dataset(dataset, subset), path, "coco")
    again = measure_dataset(read_dataset(path), USUAL)
    assert again.means["cpl"] == subset.mean

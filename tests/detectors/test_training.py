"""Who is an example: crowds, difficult and tiny objects teach nothing, neither yes nor no."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import attribute_column
from boxlens.detectors.calibration import fit_sigmoids, margin_of, scores_of
from boxlens.detectors.region_training import train_regions
from boxlens.detectors.training import TrainingSet, overlaps, whole_weights
from boxlens.detectors.window_training import train_windows
from boxlens.errors import InputError, ParameterError
from toy_pictures import toy_set

TRAINERS = pytest.mark.parametrize("train", [train_windows, train_regions])


def training_of(dataset, n: int) -> TrainingSet:
    pictures = [np.zeros((120, 160, 3), dtype=np.uint8)] * n
    return TrainingSet.of(pictures, dataset, seed=1, workers=1, progress=None)


def every_third(n: int) -> np.ndarray:
    return np.arange(n) % 3 == 0


@pytest.mark.parametrize("mark", ["crowd", "difficult", "group_of"])
def test_marked_objects_are_no_examples_and_no_negatives(mark: str):
    _, dataset = toy_set(20, seed=1, **{mark: every_third})
    training = training_of(dataset, 20)
    gt = dataset.gt
    marked = getattr(gt, mark)
    np.testing.assert_array_equal(training.example, ~marked)
    row = int(np.flatnonzero(marked)[0])
    of = (gt.box[[row]], gt.class_row[[row]], int(gt.image_row[row]))
    assert training.overlap(*of, examples_only=True) < 0.3
    assert training.overlap(*of, examples_only=False) == 1
    assert not training.is_background(gt.box[[row]], int(gt.image_row[row]))


def test_difficult_may_be_an_attribute_as_in_coco_files():
    _, dataset = toy_set(20, seed=1)
    stated = attribute_column([float(row % 2) for row in range(len(dataset.gt))])
    marked = replace(dataset, gt=replace(dataset.gt, attributes={"difficult": stated}))
    np.testing.assert_array_equal(training_of(marked, 20).example, stated == 0)


def test_a_box_inside_a_crowd_overlaps_it_wholly():
    box, crowd = np.array([[10.0, 10, 5, 5]]), np.array([[0.0, 0, 100, 100]])
    assert overlaps(box, crowd, np.array([True])) == 1
    assert overlaps(box, crowd, np.array([False])) == 0.0025


def test_boxes_without_area_overlap_nothing():
    flat = np.array([[10.0, 10, 0, 5]])
    assert overlaps(flat, flat, np.array([False])) == 0
    assert overlaps(flat, flat, np.array([True])) == 0


@TRAINERS
def test_a_class_without_examples_is_told_and_never_found(train):
    pictures, dataset = toy_set(12, seed=1)
    wedge = dataset.gt.class_row == 2
    marked = replace(dataset, gt=replace(dataset.gt, difficult=wedge))
    detector = train(pictures, marked, seed=1)
    assert [notice.code for notice in detector.notices] == ["untrained_classes"]
    assert "wedge" in detector.notices[0].message
    assert set(detector.detect(pictures).class_row.tolist()) <= {0, 1}


@TRAINERS
def test_tiny_objects_are_counted(train):
    pictures, dataset = toy_set(12, seed=1)
    box = dataset.gt.box.copy()
    box[0, 2:] = 3
    detector = train(pictures, replace(dataset, gt=replace(dataset.gt, box=box)), seed=1)
    assert [(notice.code, notice.count) for notice in detector.notices] == [("tiny_objects", 1)]


@TRAINERS
def test_nothing_to_learn_from_is_an_error(train):
    pictures, dataset = toy_set(3, seed=1, crowd=lambda n: np.ones(n, dtype=bool))
    with pytest.raises(InputError, match="no objects to train on"):
        train(pictures, dataset, seed=1)


@TRAINERS
def test_what_cannot_be_meant_is_refused(train):
    pictures, dataset = toy_set(3, seed=1)
    with pytest.raises(ParameterError, match="2 images for a data set of 3"):
        train(pictures[:2], dataset)
    with pytest.raises(ParameterError, match="workers"):
        train(pictures, dataset, workers=0)
    with pytest.raises(ParameterError, match=r"seed .*got -1"):
        train(pictures, dataset, seed=-1)
    with pytest.raises(InputError, match="fractions"):
        train(pictures, replace(dataset, relative=True))


@TRAINERS
def test_progress_reaches_its_end(train):
    seen: dict[str, list[int]] = {}
    pictures, dataset = toy_set(6, seed=1)
    train(pictures, dataset, progress=lambda what, *counts: seen.__setitem__(what, [*counts]))
    assert len(seen) >= 3
    assert all(done == total for done, total in seen.values())


def test_images_held_back_are_not_learnt_from():
    _, dataset = toy_set(20, seed=1)
    training = training_of(dataset, 20)
    assert len(training.judge_rows) == 4
    assert sorted([*training.learn_rows, *training.judge_rows]) == list(range(20))


def test_all_images_serve_for_both_where_a_part_would_hold_no_example():
    _, dataset = toy_set(20, seed=1)
    one = np.arange(len(dataset.gt)) != 5
    training = training_of(replace(dataset, gt=replace(dataset.gt, difficult=one)), 20)
    assert len(training.learn_rows) == len(training.judge_rows) == 20


def test_a_class_that_only_images_held_back_show_is_told():
    _, dataset = toy_set(20, seed=1)
    judged = np.isin(dataset.gt.image_row, training_of(dataset, 20).judge_rows)
    wedge = dataset.gt.class_row == 2
    assert (wedge & judged).any()
    training = training_of(replace(dataset, gt=replace(dataset.gt, difficult=wedge & ~judged)), 20)
    assert [notice.code for notice in training.notices] == ["untrained_classes"]


def test_turns_give_other_images_as_long_as_there_are_some():
    training = training_of(toy_set(20, seed=1)[1], 20)
    turns = [set(training.some(6, turn).tolist()) for turn in range(2)]
    assert not turns[0] & turns[1]
    assert len(training.some(100, 3)) == 16


def margins_of(n: int, slope: float, offset: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Margins that are right as often as a sigmoid says."""
    random = np.random.RandomState(seed)
    margins = random.normal(0, 2, n)
    return margins, random.random_sample(n) < 1 / (1 + np.exp(-(slope * margins + offset)))


def test_the_sigmoid_of_each_judge_says_how_often_it_is_right():
    first, second = margins_of(20_000, 1.5, -1, seed=0), margins_of(20_000, 1.2, 1, seed=1)
    margins, right = (np.concatenate(pair) for pair in zip(first, second, strict=True))
    slope, offset = fit_sigmoids(np.repeat([0, 1], 20_000), margins, right, 2)
    np.testing.assert_allclose(slope, [1.5, 1.2], atol=0.1)
    np.testing.assert_allclose(offset, [-1, 1], atol=0.1)
    np.testing.assert_allclose(scores_of(margin_of(0.25, slope, offset), slope, offset), 0.25)


def test_a_judge_of_few_examples_stays_near_all_together():
    margins, right = margins_of(2_000, 2, -1, seed=0)
    judge = np.zeros(2_000, dtype=int)
    judge[np.flatnonzero(right)[:2]] = 1
    slope, offset = fit_sigmoids(judge, margins, right, 3)
    assert abs(slope[1] - slope[0]) < 1
    assert abs(offset[1] - offset[0]) < 1
    together = fit_sigmoids(np.zeros(2_000, dtype=int), margins, right, 1)
    np.testing.assert_allclose([slope[2], offset[2]], np.ravel(together), atol=0.05)


@pytest.mark.parametrize("right", [[], [True], [False], [True, True], [False] * 50])
def test_few_margins_make_no_sure_sigmoid(right: list[bool]):
    margins = np.linspace(-1, 1, len(right))
    judge = np.zeros(len(right), dtype=int)
    slope, offset = fit_sigmoids(judge, margins, np.array(right, dtype=bool), 1)
    assert slope[0] > 0
    assert 0 < scores_of(np.array([0.0]), slope, offset)[0] < 1


def test_weights_become_whole_numbers():
    weights, step = whole_weights(np.array([-2.0, 0.5, 1.0]), 100)
    np.testing.assert_array_equal(weights, [-100, 25, 50])
    assert step == 0.02
    assert whole_weights(np.zeros(3), 100)[1] == 1

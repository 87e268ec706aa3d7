"""The default classifier learns, says what it leaves out, and answers the same in any batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import boxlens.detectors.classifiers.hog_classifier as training
from boxlens.data import Classes
from boxlens.detectors import Classifier
from boxlens.detectors.classifiers.hog_classifier import train_hog_classifier
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.errors import InputError, ParameterError
from detectors.classifiers.hog_toys import (
    only_classes,
    pixels_of,
    toy_classifier,
    toy_crops,
    with_objects,
)


def codes(classifier) -> dict[str, int]:
    return {notice.code: notice.count for notice in classifier.notices}


def test_it_names_crops_of_pictures_it_has_not_seen():
    classifier = toy_classifier()
    assert isinstance(classifier, Classifier)
    assert classifier.name == "hog"
    assert classifier.notices == ()
    unseen = toy_crops(16, seed=5)
    answers = classifier.classify(pixels_of(unseen))
    assert np.mean(answers.argmax(axis=1) == unseen.class_row) >= 0.9


def test_answers_are_probabilities_whatever_the_crop():
    random = np.random.RandomState(0)
    shapes = [(1, 1), (1, 300), (300, 1), (7, 5), (64, 48)]
    crops = [random.randint(0, 256, (*shape, 3)).astype(np.uint8) for shape in shapes]
    answers = toy_classifier().classify([*crops, np.zeros((9, 9, 3), dtype=np.uint8)])
    assert answers.shape == (6, 3)
    assert (answers >= 0).all()
    np.testing.assert_allclose(answers.sum(axis=1), 1)
    assert toy_classifier().classify([]).shape == (0, 3)


def test_a_batch_changes_nothing_to_the_bit():
    crops = pixels_of(toy_crops(6, seed=3))
    together = toy_classifier().classify(crops)
    alone = [toy_classifier().classify([crop])[0] for crop in crops]
    np.testing.assert_array_equal(together, alone)
    many = toy_classifier().classify(crops * 60)
    np.testing.assert_array_equal(many, np.tile(together, (60, 1)))


def test_seed_and_crops_decide_and_workers_do_not():
    crops = toy_crops(8)
    told = []
    first = train_hog_classifier(crops, seed=3, workers=1, progress=lambda *one: told.append(one))
    again = train_hog_classifier(crops, seed=3, workers=3)
    for name in ("class_row", "weights", "step", "bias"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert ("reading crops", 8, 8) in told
    assert told[-1][1] == told[-1][2]


def test_one_class_is_certain():
    classifier = train_hog_classifier(only_classes(toy_crops(), 1))
    answers = classifier.classify(pixels_of(toy_crops(2, seed=3)))
    np.testing.assert_array_equal(answers, np.tile([0.0, 1.0, 0.0], (len(answers), 1)))
    assert codes(classifier) == {"untrained_classes": 2}
    assert "ring, wedge" in classifier.notices[0].message


def test_two_classes_are_told_apart_and_the_third_is_impossible():
    classifier = train_hog_classifier(only_classes(toy_crops(), 0, 2))
    unseen = only_classes(toy_crops(16, seed=5), 0, 2)
    answers = classifier.classify(pixels_of(unseen))
    assert (answers[:, 1] == 0).all()
    np.testing.assert_allclose(answers.sum(axis=1), 1)
    assert np.mean(answers.argmax(axis=1) == unseen.class_row) >= 0.9
    assert codes(classifier) == {"untrained_classes": 1}


def test_a_class_of_one_example_is_learnt():
    crops = toy_crops()
    rings = np.flatnonzero(crops.class_row == 0)
    kept = np.setdiff1d(np.arange(len(crops)), rings[1:])
    part = LabelledCrops(crops.dataset, crops.images, crops.object_row[kept])
    classifier = train_hog_classifier(part)
    assert classifier.class_row.tolist() == [0, 1, 2]
    assert classifier.classify([pixels_of(crops)[rings[0]]]).argmax() == 0


def test_one_picture_is_enough_to_learn_from():
    crops = toy_crops().in_images(np.array([1], dtype=np.int32))
    assert len(train_hog_classifier(crops).class_row) == len(set(crops.class_row.tolist()))


def test_of_large_classes_some_crops_are_drawn_and_it_is_said(monkeypatch):
    monkeypatch.setattr(training, "MOST_A_CLASS", 4)
    crops = toy_crops()
    counts = np.bincount(crops.class_row)
    classifier = train_hog_classifier(crops)
    assert codes(classifier) == {"crops_beyond_limit": int(np.maximum(counts - 4, 0).sum())}
    assert f"of {len(crops)} crops" in classifier.notices[0].message
    other = train_hog_classifier(crops, seed=1)
    assert (classifier.weights != other.weights).any()


def test_boxes_outside_their_picture_are_counted():
    crops = toy_crops()
    box = crops.dataset.gt.box.copy()
    box[[0, 3]] = [500, 500, 10, 10]
    moved = LabelledCrops.of(with_objects(crops.dataset, box=box), crops.images)
    assert codes(train_hog_classifier(moved)) == {"boxes_outside": 2}


def test_boxes_without_area_are_counted_with_them():
    crops = toy_crops()
    box = crops.dataset.gt.box.copy()
    box[0] = [500, 500, 10, 10]
    box[2, 2] = 0
    moved = LabelledCrops.of(with_objects(crops.dataset, box=box), crops.images)
    (told,) = train_hog_classifier(moved).notices
    assert told.message == "2 objects outside their pictures are not used for training"


def test_nothing_to_learn_from_is_an_error():
    crops = toy_crops()
    everything = np.ones(len(crops.dataset.gt), dtype=bool)
    crowds = LabelledCrops.of(with_objects(crops.dataset, crowd=everything), crops.images)
    with pytest.raises(InputError, match="no objects to train on"):
        train_hog_classifier(crowds)
    outside = crops.dataset.gt.box + np.array([1_000, 0, 0, 0])
    with pytest.raises(InputError, match="no objects to train on"):
        train_hog_classifier(
            LabelledCrops.of(with_objects(crops.dataset, box=outside), crops.images)
        )


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": 2**32}, {"workers": -1}])
def test_settings_that_cannot_be_meant_are_refused(options):
    with pytest.raises(ParameterError):
        train_hog_classifier(toy_crops(), **options)


def test_classes_keep_their_ids_and_more_of_them_change_nothing():
    crops = toy_crops()
    classes = Classes.of([3, 5, 8, 9], [*crops.classes.name, "unicorn"])
    more = replace(crops, dataset=replace(crops.dataset, classes=classes))
    classifier = train_hog_classifier(more, seed=2)
    np.testing.assert_array_equal(classifier.weights, toy_classifier().weights)
    assert classifier.classify(pixels_of(toy_crops(2)))[:, 3].max() == 0

from __future__ import annotations

import numpy as np
import pytest

import boxlens
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.errors import InputError
from boxlens.recognition_bound.choice import UpperBoundChoice
from boxlens.recognition_bound.learning import (
    Lessons,
    Training,
    fold_of_images,
    save_trained,
    taught,
)
from recognition_bound.painted_world import painted_set


def test_parts_are_alike_in_size_and_depend_on_the_seed(tmp_path):
    dataset, _ = painted_set(tmp_path, n=20)
    crops = LabelledCrops.of(dataset, ())
    folds = fold_of_images(crops, 4, seed=0)
    sizes = np.bincount(folds[np.unique(crops.image_row)], minlength=4)
    assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(folds, fold_of_images(crops, 4, seed=0))
    assert not np.array_equal(folds, fold_of_images(crops, 4, seed=1))


def test_every_object_is_named_by_a_classifier_that_has_not_seen_its_image(tmp_path):
    """A class whose objects lie in one image alone cannot be known where that image is tested."""
    dataset, files = painted_set(tmp_path, n=24)
    first = int(dataset.gt.image_row[np.flatnonzero(dataset.gt.class_row == 0)[0]])
    only = (dataset.gt.class_row != 0) | (dataset.gt.image_row == first)
    lonely = dataset.where(only)
    result = boxlens.upper_bound(lonely, images=files, choice=UpperBoundChoice(n_folds=2))
    assert {one.name: one.accuracy for one in result.bound.classes}["red"] == 0


def test_one_image_with_objects_leaves_nothing_to_learn_from(tmp_path):
    dataset, files = painted_set(tmp_path, n=6)
    one = dataset.where(dataset.gt.image_row == dataset.gt.image_row[0])
    with pytest.raises(InputError, match="fewer than two images"):
        boxlens.upper_bound(one, images=files)


def test_a_classifier_that_was_saved_gives_the_same_bound(tmp_path):
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=16, seed=7)
    dataset, files = painted_set(tmp_path, n=8)
    source = taught("hog", dataset, Lessons(train, train_files), Training())
    save_trained(source.trained, "hog", str(tmp_path / "hog.npz"))
    fresh = boxlens.upper_bound(dataset, images=files, train_gt=train, train_images=train_files)
    again = boxlens.upper_bound(dataset, images=files, classifier=tmp_path / "hog.npz")
    assert again.bound.to_json() == fresh.bound.to_json()


def test_a_function_is_a_classifier_of_the_classes_of_the_data_set(tmp_path):
    dataset, files = painted_set(tmp_path, n=8)

    def reddest(crop):
        channel = int(crop.mean(axis=(0, 1)).argmax())
        return dataset.classes.name[channel], 1.0

    result = boxlens.upper_bound(dataset, images=files, classifier=reddest)
    assert result.classifier == "reddest"
    assert result.bound.uap == 1


def test_what_each_part_cannot_learn_is_told_of_that_part(tmp_path):
    """Two classes that lie in one image each: only the classifiers without it lack them."""
    dataset, files = painted_set(tmp_path, n=24)
    first = {
        row: int(dataset.gt.image_row[np.flatnonzero(dataset.gt.class_row == row)[0]])
        for row in (0, 1)
    }
    lonely = dataset.where(
        [
            int(of_class) not in first or first[int(of_class)] == image
            for of_class, image in zip(dataset.gt.class_row, dataset.gt.image_row, strict=True)
        ]
    )
    result = boxlens.upper_bound(lonely, images=files, choice=UpperBoundChoice(n_folds=2))
    untrained = [one for one in result.notices if one.code == "untrained_classes"]
    assert sum(one.count for one in untrained) == len(first)
    assert all(one.message.startswith("classifier of part ") for one in untrained)


def test_training_pictures_that_are_missing_are_told(tmp_path):
    folder = tmp_path / "train"
    folder.mkdir()
    train, _ = painted_set(folder, n=16, seed=7)
    (folder / "3.png").unlink()
    dataset, files = painted_set(tmp_path, n=8)
    result = boxlens.upper_bound(dataset, images=files, train_gt=train, train_images=folder)
    assert "training set: 1 of 16 images of the ground truth have no picture here" in [
        one.message for one in result.notices
    ]

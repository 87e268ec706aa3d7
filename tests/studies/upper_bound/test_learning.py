from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data.columns import frozen
from boxlens.detectors.classifiers.hog_classifier import HogClassifier
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.errors import InputError
from boxlens.studies.upper_bound.learning import (
    Training,
    TrainingData,
    fold_of_images,
    save_trained,
    trained_on,
    trainer_of,
)
from studies.upper_bound.painted_world import painted_set


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
    result = boxlens.upper_bound(lonely, images=files, folds=2)
    assert {one.name: one.accuracy for one in result.bound.classes}["red"] == 0


def test_images_are_visited_part_by_part_and_told_in_their_order(tmp_path, monkeypatch):
    dataset, files = painted_set(tmp_path, n=24)
    for row in (20, 3, 11):
        files.paths[row].write_bytes(b"no picture")
    calls = []
    plain = HogClassifier.classify

    def counting(self, crops):
        calls.append(len(crops))
        return plain(self, crops)

    monkeypatch.setattr(HogClassifier, "classify", counting)
    result = boxlens.upper_bound(dataset, images=files, sampled_iou=None, folds=3)
    assert len(calls) == 3
    assert [one.file for one in result.failed] == ["4.png", "12.png", "21.png"]


def test_one_image_with_objects_leaves_nothing_to_learn_from(tmp_path):
    dataset, files = painted_set(tmp_path, n=6)
    one = dataset.where(dataset.gt.image_row == dataset.gt.image_row[0])
    with pytest.raises(InputError, match="fewer than two images"):
        boxlens.upper_bound(one, images=files)


def test_a_classifier_that_was_saved_gives_the_same_bound(tmp_path):
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=16, seed=7)
    dataset, files = painted_set(tmp_path, n=8)
    source = trained_on(
        trainer_of("hog", Training(), None), dataset, TrainingData(train, train_files)
    )
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
    result = boxlens.upper_bound(lonely, images=files, folds=2)
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
    assert "training set: no picture for 1 of 16 images of the ground truth" in [
        one.message for one in result.notices
    ]


def as_fractions(dataset):
    """The same boxes as fractions of their image, whose size is not told."""
    sides = np.tile(dataset.images.known_sizes(), 2)[dataset.gt.image_row]
    unknown = np.full(len(dataset.images), np.nan)
    images = replace(dataset.images, width_px=unknown, height_px=unknown)
    gt = replace(dataset.gt, box=frozen(dataset.gt.box / sides, np.float64))
    return replace(dataset, images=images, gt=gt, relative=True)


def test_fractions_of_images_are_learnt_from_as_pixels_are(tmp_path):
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=16, seed=7)
    dataset, files = painted_set(tmp_path, n=8)
    in_pixels, relative = (
        boxlens.upper_bound(dataset, images=files, train_gt=one, train_images=train_files)
        for one in (train, as_fractions(train))
    )
    assert relative.bound.to_json() == in_pixels.bound.to_json()
    assert relative.bound.accuracy > 0.9


def test_training_pictures_without_a_size_are_left_out_and_told(tmp_path):
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=16, seed=7)
    train_files.paths[2].write_bytes(b"no picture")
    dataset, files = painted_set(tmp_path, n=8)
    result = boxlens.upper_bound(
        dataset, images=files, train_gt=as_fractions(train), train_images=train_files
    )
    assert "15 images" in result.learnt_from
    (told,) = result.notices
    assert told.message == (
        "training set: 1 image without a size in the ground truth or its file was skipped: 3.png"
    )


def shared(result):
    return [one for one in result.notices if one.code == "training_pictures_tested"]


def test_pictures_that_are_learnt_from_and_tested_on_are_told(tmp_path):
    train, files = painted_set(tmp_path, n=16)
    some = train.select_images(np.arange(3, 8))
    linked = tmp_path / "linked"
    linked.mkdir()
    for path in files.paths:
        (linked / path.name).symlink_to(path)
    result = boxlens.upper_bound(some, images=linked, train_gt=train, train_images=files)
    (told,) = shared(result)
    assert told.count == 5
    assert told.message == (
        "5 of 5 test pictures are among the pictures that were learnt from: the classifier has "
        "seen these labels, and the bound is too high"
    )
    (tmp_path / "train").mkdir()
    others, other_files = painted_set(tmp_path / "train", n=16, seed=7)
    apart = boxlens.upper_bound(some, images=files, train_gt=others, train_images=other_files)
    assert shared(apart) == []


def test_copies_of_pictures_are_known_by_their_ground_truth(tmp_path):
    (tmp_path / "copies").mkdir()
    dataset, files = painted_set(tmp_path, n=12)
    _, copies = painted_set(tmp_path / "copies", n=12)
    boxlens.write_dataset(dataset, tmp_path / "gt.json", "coco")
    gt = tmp_path / "gt.json"
    result = boxlens.upper_bound(gt, images=files, train_gt=gt, train_images=copies)
    assert [one.count for one in shared(result)] == [12]

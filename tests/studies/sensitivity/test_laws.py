"""What must hold for any data: no matter the order or the names, and the sign rule of AP_N."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Dataset, Detections, GroundTruth, Images
from boxlens.data.columns import attribute_column
from boxlens.scenes.large import large_dataset, large_recipe
from boxlens.scenes.plant import plant
from boxlens.studies.sensitivity import sensitivity

POSES = ("left", "right", None)


@pytest.fixture(scope="module")
def world():
    dataset = large_dataset(120, 1500, 5, seed=8)
    rng = np.random.default_rng(8)
    columns = {
        "pose": attribute_column([POSES[k] for k in rng.integers(0, 3, len(dataset.gt))]),
        "part_wheel": attribute_column(rng.integers(0, 2, len(dataset.gt)).tolist()),
        "occluded_fraction": attribute_column(rng.random(len(dataset.gt)).tolist()),
    }
    dataset = replace(dataset, gt=replace(dataset.gt, attributes=columns))
    return dataset, plant(dataset, large_recipe(dataset, 4000), seed=8).detections


def moved(dataset, detections, rng):
    """The same images in another order, under other ids, their objects and detections shuffled."""
    n = len(dataset.images)
    new_row = rng.permutation(n)
    images, _ = Images.of(
        [f"img {row:05}" for row in range(n)],
        dataset.images.width_px[np.argsort(new_row)],
        dataset.images.height_px[np.argsort(new_row)],
        [f"{row}.png" for row in range(n)],
    )
    gt, mixed = dataset.gt, rng.permutation(len(dataset.gt))
    objects = GroundTruth.of(
        n,
        image_row=new_row[gt.image_row[mixed]],
        class_row=gt.class_row[mixed],
        box=gt.box[mixed],
        crowd=gt.crowd[mixed],
        attributes={name: values[mixed] for name, values in gt.attributes.items()},
    )
    order = rng.permutation(len(detections))
    found = Detections.of(
        detections.name,
        n,
        image_row=new_row[detections.image_row[order]],
        class_row=detections.class_row[order],
        box=detections.box[order],
        score=detections.score[order],
    )
    return Dataset(dataset.name, images, dataset.classes, objects), found


def numbers(result):
    """Everything but rows and ids of single objects."""
    told = result.parts_to_json()
    for which in ("difficult", "easy"):
        told["misses"][which] = [
            (row["class"], row["predicted"], row["achieved"]) for row in told["misses"][which]
        ]
    return told


def assert_near(left, right):
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key, value in left.items():
            assert_near(value, right[key])
    elif isinstance(left, (list, tuple)):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_near(one, other)
    else:
        assert left == (pytest.approx(right, abs=1e-12) if isinstance(left, float) else right)


def test_order_of_images_and_ids_do_not_matter(world):
    dataset, detections = world
    # Equal boxes and scores aside, which the planted world does not have.
    assert len(np.unique(detections.score)) == len(detections)
    choices = {"interactions": [("area", "pose"), ("parts", "occlusion")]}
    first = sensitivity(dataset, detections, **choices)
    again = sensitivity(*moved(dataset, detections, np.random.default_rng(1)), **choices)
    assert_near(numbers(first), numbers(again))


def test_names_of_classes_do_not_matter(world):
    dataset, detections = world
    renamed = tuple(f"kind {name}" for name in dataset.classes.name)
    other = replace(dataset, classes=replace(dataset.classes, name=renamed))
    first, again = (sensitivity(one, detections) for one in (dataset, other))
    assert [row.name for row in again.classes] == list(renamed)
    np.testing.assert_array_equal(first.misses.predicted, again.misses.predicted)
    for one, two in zip(first.characteristics, again.characteristics, strict=True):
        assert (one.sensitivity, one.impact) == (two.sensitivity, two.impact)


@pytest.mark.parametrize("share", [0.2, 1.0, 5.0])
def test_normalized_ap_lies_above_ap_where_a_class_has_fewer_objects_than_n(world, share):
    result = sensitivity(*world, positives_share=share)
    for row in result.classes:
        assert 0 < row.ap < 1
        assert (row.ap_n > row.ap) == (row.n_objects < result.normal)

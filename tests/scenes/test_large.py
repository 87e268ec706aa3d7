"""Large sets look like COCO, come from a seed, and carry planted detections like any other."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens import evaluate, read_dataset
from boxlens.errors import ParameterError
from boxlens.matching import COCO, UNLIMITED, assign, find_overlaps
from boxlens.scenes.large import large_dataset, large_recipe
from boxlens.scenes.plant import Kind, plant
from planted_worlds import assert_true_by_supercategory
from shared_data import shared
from small_world import assert_same_tables


@pytest.fixture(scope="module")
def dataset():
    return large_dataset(3_000, 21_000, 80, seed=1)


def shares_by_size(dataset):
    area = dataset.gt.area_px[~dataset.gt.crowd]
    return np.histogram(area, [0, 32**2, 96**2, np.inf])[0] / len(area)


def test_sizes_are_those_asked_for(dataset):
    assert (len(dataset.images), len(dataset.gt), len(dataset.classes)) == (3_000, 21_000, 80)
    assert len(set(dataset.classes.supercategory)) == 12


def test_statistics_are_those_of_coco(dataset):
    np.testing.assert_allclose(shares_by_size(dataset), [0.41, 0.34, 0.25], atol=0.03)
    assert 0.005 < dataset.gt.crowd.mean() < 0.02
    n_of_class = np.sort(np.bincount(dataset.gt.class_row, minlength=80))[::-1]
    assert 0.25 < n_of_class[0] / n_of_class.sum() < 0.35
    assert n_of_class[0] > 5 * n_of_class[1]
    assert n_of_class[1] > 5 * n_of_class[-1] > 0
    n_in_image = np.diff(dataset.gt.offsets)
    assert 0.003 < (n_in_image == 0).mean() < 0.03
    assert np.median(n_in_image) < n_in_image.mean()
    assert n_in_image.max() > 30


def test_counts_an_image_and_a_class_are_near_those_of_real_coco(dataset):
    real = read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    for quantile in (0.1, 0.25, 0.5, 0.75, 0.9):
        ours, theirs = (np.quantile(np.diff(d.gt.offsets), quantile) for d in (dataset, real))
        assert abs(ours - theirs) <= 3
    ours, theirs = (np.bincount(d.gt.class_row).max() / len(d.gt) for d in (dataset, real))
    assert ours == pytest.approx(theirs, abs=0.03)


def test_boxes_lie_inside_their_images(dataset):
    size = np.stack([dataset.images.width_px, dataset.images.height_px], axis=1)
    box = dataset.gt.box
    assert box[:, :2].min() >= 0
    assert (box[:, :2] + box[:, 2:] <= size[dataset.gt.image_row] + 1e-9).all()
    assert box[:, 2:].min() >= 3
    assert (dataset.gt.area_px <= box[:, 2] * box[:, 3]).all()


def test_the_same_seed_gives_the_same_set_and_another_seed_another():
    one, again, other = (large_dataset(50, 300, 10, seed=seed) for seed in (3, 3, 4))
    assert_same_tables(one.gt, again.gt)
    assert_same_tables(one.images, again.images)
    assert not np.array_equal(one.gt.box, other.gt.box)


@pytest.mark.parametrize("n_detections", [0, 500, 9_000, 40_000, 200_000])
def test_a_recipe_gives_the_number_of_detections_asked_for(dataset, n_detections):
    planted = plant(dataset, large_recipe(dataset, n_detections), seed=0)
    assert len(planted) == n_detections - sum(planted.short.values())
    assert sum(planted.short.values()) <= 0.005 * n_detections


def test_every_kind_is_planted_and_found_by_the_kernel(dataset):
    planted = plant(dataset, large_recipe(dataset, 100_000), seed=0)
    assert min(planted.counts()[kind.label] for kind in Kind if kind != Kind.IGNORED) > 300
    overlaps = find_overlaps(dataset, planted.detections, COCO, floor=0.5)
    matches = assign(
        dataset,
        planted.detections,
        overlaps,
        COCO,
        iou_thresholds=(0.5,),
        max_dets=UNLIMITED,
        keep_hits=True,
    )
    correct = planted.label == Kind.CORRECT
    np.testing.assert_array_equal(matches.labels(), np.where(correct, 1, -1))
    np.testing.assert_array_equal(matches.hit_row[0][correct], planted.gt_row[correct])


def test_the_detector_is_plausible(dataset):
    planted = plant(dataset, large_recipe(dataset, 100_000), seed=0)
    metrics = evaluate(dataset, planted.detections).detectors[0].metrics
    assert 0.15 < metrics["AP"] < metrics["AP50"] < 0.7


@pytest.mark.parametrize(
    ("n_images", "n_objects", "n_classes"), [(1, 0, 1), (1, 9, 1), (30, 4, 2), (5, 60, 9)]
)
def test_small_ones_work_too(n_images, n_objects, n_classes):
    dataset = large_dataset(n_images, n_objects, n_classes, seed=0, crowd_share=0.2)
    assert len(dataset.gt) == n_objects
    planted = plant(dataset, large_recipe(dataset, 3 * n_objects + 5), seed=0)
    assert_true_by_supercategory(dataset, planted)


@pytest.mark.parametrize(
    "wrong",
    [{"n_images": 0}, {"n_classes": 0}, {"n_objects": -1}, {"crowd_share": 2.0}, {"seed": -1}],
)
def test_sizes_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(ParameterError):
        large_dataset(**({"n_images": 2, "n_objects": 3, "n_classes": 4, "seed": 0} | wrong))

"""The region detector names crops, proposes boxes and moves them onto objects."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.detectors import Classifier, ProposalGenerator
from boxlens.detectors.hog import cut
from boxlens.detectors.region_training import train_regions
from boxlens.detectors.regions import RegionDetector, find_regions, moved, shifts_between
from boxlens.detectors.training import overlaps
from toy_pictures import toy_set


@pytest.fixture(scope="module")
def trained() -> RegionDetector:
    return train_regions(*toy_set(24, seed=1), seed=4)


def test_regions_come_sorted_and_the_same_every_time():
    pixels = toy_set(1, seed=5)[0][0]
    first = find_regions(pixels)
    np.testing.assert_array_equal(first, np.unique(first, axis=0))
    for _ in range(3):
        np.testing.assert_array_equal(find_regions(pixels), first)


def test_large_pictures_are_segmented_small_and_boxes_stretched_back():
    pixels = toy_set(1, seed=5)[0][0]
    large = np.kron(pixels, np.ones((5, 5, 1), dtype=np.uint8))
    boxes = find_regions(large)
    assert (boxes[:, :2] + boxes[:, 2:]).max(axis=0) == pytest.approx([800, 600])


def test_it_names_crops(trained: RegionDetector):
    pictures, dataset = toy_set(16, seed=2)
    gt = dataset.gt
    crops = [
        cut(pictures[row], box) for row, box in zip(gt.image_row.tolist(), gt.box, strict=True)
    ]
    scores = trained.classify(crops)
    assert isinstance(trained, Classifier)
    assert scores.shape == (len(gt), 3)
    assert (scores.argmax(axis=1) == gt.class_row).mean() > 0.9
    assert trained.classify([]).shape == (0, 3)


def test_it_proposes_where_objects_are(trained: RegionDetector):
    pictures, dataset = toy_set(16, seed=2)
    assert isinstance(trained, ProposalGenerator)
    best = []
    for row, pixels in enumerate(pictures):
        boxes, scores = trained.propose(pixels, 10)
        assert len(boxes) == len(scores) <= 10
        assert (np.diff(scores) <= 0).all()
        objects = dataset.gt.box[dataset.gt.image_row == row]
        best += overlaps(boxes, objects, np.zeros(len(objects), bool)).max(axis=0).tolist()
    assert np.mean(np.array(best) > 0.5) > 0.9


def test_moving_a_box_by_its_shift_reaches_the_object():
    boxes = np.array([[10.0, 20, 30, 40], [50, 50, 20, 20]])
    objects = np.array([[14.0, 18, 36, 44], [45, 52, 24, 18]])
    np.testing.assert_allclose(moved(boxes, shifts_between(boxes, objects), 200, 200), objects)


def test_moved_boxes_stay_near_and_inside():
    box = np.array([[10.0, 20, 30, 40]])
    np.testing.assert_allclose(moved(box, np.array([[9.0, 0, 0, 0]]), 200, 200), [[25, 20, 30, 40]])
    np.testing.assert_allclose(moved(box, np.array([[9.0, 0, 0, 0]]), 50, 200), [[25, 20, 25, 40]])

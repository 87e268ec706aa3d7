"""Selection by a predicate is selection by the mask it gives."""

from __future__ import annotations

import numpy as np

from cases import random_scene
from oracles.convert import scene_to_tables


def test_a_predicate_selects_what_its_mask_selects():
    dataset, detections = scene_to_tables(random_scene(5))
    small = dataset.gt.area_px < 1024
    np.testing.assert_array_equal(
        dataset.where(lambda gt: gt.area_px < 1024).gt.box, dataset.where(small).gt.box
    )
    np.testing.assert_array_equal(
        detections.where(lambda d: d.score > 0.4).score, detections.score[detections.score > 0.4]
    )

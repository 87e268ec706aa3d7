"""Selection by a predicate is selection by the mask it gives."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.data import Detections, GroundTruth
from boxlens.errors import ParameterError
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


def test_a_table_does_not_change_with_the_array_it_was_made_from():
    box, score = np.array([[0.0, 0.0, 5.0, 5.0]]), np.array([0.5])
    table = Detections.of("d", 1, image_row=[0], class_row=[0], box=box, score=score)
    box[0, 0], score[0] = 99, 99
    assert table.box[0, 0] == 0
    assert table.score[0] == 0.5


@pytest.mark.parametrize("bad", [[0, 0, np.nan, 1], [0, 0, np.inf, 1], [0, 0, -5, 1]])
def test_boxes_that_no_file_may_hold_are_refused(bad):
    with pytest.raises(ParameterError, match="row 0"):
        Detections.of("d", 1, image_row=[0], class_row=[0], box=[bad], score=[0.5])
    with pytest.raises(ParameterError, match="row 0"):
        GroundTruth.of(1, image_row=[0], class_row=[0], box=[bad])


def test_scores_that_cannot_be_ranked_are_refused():
    with pytest.raises(ParameterError, match="score nan of row 0"):
        Detections.of("d", 1, image_row=[0], class_row=[0], box=[[0, 0, 1, 1]], score=[np.nan])

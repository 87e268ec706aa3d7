"""Nothing to look at: no classes, no images, no objects; every protocol still answers."""

from __future__ import annotations

import math

import pytest

from boxlens.data import select_classes, select_images
from boxlens.metrics import EXTRAS, PROTOCOLS, choose, evaluate_tables
from cases import random_scene
from oracles.convert import scene_to_tables


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("cut", [select_classes, select_images])
def test_an_empty_selection_is_undefined_not_an_error(protocol, cut):
    dataset, detections = cut(*scene_to_tables(random_scene(3)), [])
    result = evaluate_tables(dataset, [detections], choose(protocol, also=EXTRAS))
    assert all(math.isnan(value) for value in result.detectors[0].metrics.values())
    result.to_json()

"""What must hold of the measures of difficulty, whatever the data (METHODS 3.4-3.6)."""

from __future__ import annotations

import json
import math

import boxlens
from laws.difficulty_worlds import (
    ROW_KEYS,
    any_seed,
    numbers,
    scene_of,
    windows_on,
)
from oracles.convert import scene_to_tables


@any_seed
def test_no_measure_depends_on_the_overlap_that_counts_as_right(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    windows = windows_on(dataset, seed)
    # METHODS 3.5 and 3.6: chance localization and clutter ask for a half.
    half, *others = (
        numbers(boxlens.difficulty(dataset, windows=windows, iou=iou)) for iou in (0.5, 0.3, 0.9)
    )
    assert all(repr(other) == repr(half) for other in others)


@any_seed
def test_further_windows_at_the_end_never_raise_clutter(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    many = windows_on(dataset, seed)
    before = [math.log2(1001)] * len(dataset.classes)
    for n in (1, 2, 5, 12):
        classes = boxlens.difficulty(dataset, windows=many.limited(n)).datasets[0].classes
        for row, one in enumerate(classes):
            if one.n_images:
                assert 0 <= one.clutter <= before[row]
                before[row] = one.clutter


@any_seed
def test_json_has_no_nan_and_rows_of_classes_their_keys(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    windows = windows_on(dataset, seed)
    for more in ({}, {"dt": [detections], "windows": windows}):
        result = boxlens.difficulty(dataset, **more)
        told = json.loads(json.dumps(result.to_json(), allow_nan=False))["results"]
        assert len(told["classes"]) == len(dataset.classes)
        assert all(row.keys() >= ROW_KEYS for row in told["classes"])
        assert {"classes", "dataset", "levels", "correlations"} <= told.keys()

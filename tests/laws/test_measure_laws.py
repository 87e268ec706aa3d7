"""What must hold of the measures of difficulty, whatever the data (METHODS 3.4-3.6)."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np

import boxlens
from laws.difficulty_worlds import (
    ROW_KEYS,
    any_seed,
    close,
    numbers,
    scene_of,
    windows_on,
)
from oracles import difficulty_oracle as oracle
from oracles.convert import scene_to_tables


@any_seed
def test_chance_localization_is_a_share_and_one_where_all_boxes_are_equal(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    for one in boxlens.difficulty(dataset).datasets[0].classes:
        assert math.isnan(one.cpl) if one.n_objects < 2 else 0 <= one.cpl <= 1
    same = np.tile(dataset.images.width_px[dataset.gt.image_row, None] * 0.25, (1, 4))
    equal = replace(dataset, gt=replace(dataset.gt, box=same))
    for one in boxlens.difficulty(equal).datasets[0].classes:
        assert math.isnan(one.cpl) if one.n_objects < 2 else one.cpl == 1


@any_seed
def test_relabelled_as_one_class_all_objects_have_the_chance_localization_of_the_union(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    union = replace(dataset, gt=replace(dataset.gt, class_row=np.zeros_like(dataset.gt.class_row)))
    world = oracle.world_of(dataset)
    boxes = [oracle.relative(world, obj) for obj in world.objects if oracle.counts(obj)]
    together = boxlens.difficulty(union).datasets[0].classes[0]
    assert together.n_objects == len(boxes)
    assert together.cpl == close(oracle.chance_localization(boxes))


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
def test_neighbours_are_mutual_and_grow_with_the_gap(seed):
    dataset, _ = scene_to_tables(scene_of(seed, n_classes=2))
    before = [0.0] * len(dataset.classes)
    for gap in (0.0, 8.0, 100.0, 1e6):
        for row, one in enumerate(boxlens.difficulty(dataset, gap_px=gap).datasets[0].classes):
            if one.n_objects:
                total = one.neighbours * one.n_objects
                assert total == close(2 * round(total / 2))
                assert one.neighbours >= before[row]
                before[row] = one.neighbours


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

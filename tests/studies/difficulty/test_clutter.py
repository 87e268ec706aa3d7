"""How many windows must be looked at: golden cases, laws, and a slow search (METHODS 3.6, 8.3)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.windows import Windows
from boxlens.errors import ParameterError
from boxlens.studies.difficulty import clutter as clutter_module
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.clutter import measure_clutter
from boxlens.studies.difficulty.counted_objects import counted_objects
from boxlens.studies.difficulty.measures import OVERLAP
from cases import random_scene
from oracles.convert import scene_to_tables
from oracles.model import iou
from planted_worlds import world_of

USUAL = DifficultyChoice()
OBJECT, AWAY = [0.0, 0.0, 40.0, 40.0], [200.0, 200.0, 40.0, 40.0]


def found_in(dataset, windows, choice=USUAL, **options):
    return measure_clutter(dataset, counted_objects(dataset, choice), windows, choice, **options)


def windows_of(*images, searched=None):
    """Windows of image after image, the best first."""
    rows = [row for row, boxes in enumerate(images) for _ in boxes]
    boxes = [box for boxes in images for box in boxes]
    known = [True] * len(images) if searched is None else searched
    return Windows.of("windows", len(images), image_row=rows, box=boxes, searched=known)


def detections_as_windows(dataset, detections, searched=None):
    return Windows.of(
        "windows",
        len(dataset.images),
        image_row=detections.image_row,
        box=detections.box,
        searched=np.ones(len(dataset.images), dtype=bool) if searched is None else searched,
    )


def slow_ranks(dataset, windows, choice, class_row):
    """Image row -> rank of the first window on an object of the class, in searched images."""
    gt = dataset.gt
    counted = ~(gt.crowd | gt.group_of) & (choice.difficult | ~gt.difficult)
    ranks = {}
    for image in range(len(dataset.images)):
        here = (gt.image_row == image) & (gt.class_row == class_row) & counted
        targets = gt.box[here].tolist()
        if not targets or not windows.searched[image]:
            continue
        shown = windows.box[windows.offsets[image] : windows.offsets[image + 1]].tolist()
        ranks[image] = choice.n_windows + 1
        for rank, window in enumerate(shown[: choice.n_windows], start=1):
            if any(iou(window, target) >= OVERLAP for target in targets):
                ranks[image] = rank
                break
    return ranks


def test_ranks_1_3_and_none_give_the_golden_number():
    dataset = world_of([OBJECT] * 3, n_images=3, image_row=[0, 1, 2])
    windows = windows_of([OBJECT], [AWAY, AWAY, OBJECT], [AWAY])
    found = found_in(dataset, windows)
    assert found.rank.tolist() == [1, 3, 1001]
    assert found.clutter[0] == pytest.approx(8.388017, abs=5e-7)
    assert found.clutter[0] == math.log2(1005 / 3)


def test_windows_on_the_objects_come_first_and_leave_no_clutter():
    dataset = world_of([OBJECT, AWAY], n_images=2, image_row=[0, 1], classes=[0, 1])
    found = found_in(dataset, windows_of([OBJECT, AWAY], [AWAY]))
    assert found.clutter[:2].tolist() == [0, 0]


def test_one_object_of_several_is_enough():
    dataset = world_of([OBJECT, AWAY])
    assert found_in(dataset, windows_of([AWAY, OBJECT])).rank.tolist() == [1]


def test_a_window_that_overlaps_exactly_as_asked_for_counts():
    dataset = world_of([OBJECT])
    half = [0.0, 0.0, 20.0, 40.0]
    assert found_in(dataset, windows_of([half])).rank[0] == 1
    assert found_in(dataset, windows_of([[0.0, 0.0, 19.99, 40.0]])).rank[0] == 1001


def test_windows_beyond_the_limit_are_not_looked_at():
    dataset = world_of([OBJECT])
    windows = windows_of([AWAY, AWAY, OBJECT])
    for limit, rank in ((2, 3), (3, 3), (4, 3), (1, 2)):
        assert found_in(dataset, windows, DifficultyChoice(n_windows=limit)).rank[0] == rank


def test_a_searched_image_without_windows_counts_as_not_found():
    dataset = world_of([OBJECT] * 2, n_images=2, image_row=[0, 1])
    found = found_in(dataset, windows_of([], []))
    assert found.rank.tolist() == [1001, 1001]
    assert found.clutter[0] == math.log2(1001)
    assert found.notices == ()


def test_images_that_were_not_searched_are_left_out_and_counted():
    dataset = world_of([OBJECT] * 4, n_images=4, image_row=[0, 1, 1, 2], classes=[0, 0, 1, 0])
    windows = windows_of([AWAY, OBJECT], [], [OBJECT], [], searched=[True, False, True, False])
    found = found_in(dataset, windows)
    assert found.clutter[0] == math.log2(1.5)
    assert math.isnan(found.clutter[1])
    assert found.n_images_searched.tolist()[:2] == [2, 0]
    assert repr(found.rank.tolist()) == repr([2.0, math.nan, 1.0, math.nan])
    (notice,) = found.notices
    assert (notice.code, notice.count) == ("image_without_windows", 1)
    assert "1 of 3 images with objects" in notice.message


@pytest.mark.parametrize("seed", range(30))
def test_it_equals_a_slow_search(seed, monkeypatch):
    monkeypatch.setattr(clutter_module, "IMAGES_AT_ONCE", 1 + seed % 4)
    scene = random_scene(seed, n_images=7, n_objects=5, n_detections=30)
    dataset, detections = scene_to_tables(scene)
    searched = np.ones(len(dataset.images), dtype=bool)
    without = np.flatnonzero(np.diff(detections.offsets) == 0)
    searched[without[::2]] = False
    windows = detections_as_windows(dataset, detections, searched)
    choice = DifficultyChoice(
        n_windows=(3, 10, 1000)[seed % 3],
        difficult=seed % 2 == 0,
    )
    found = found_in(dataset, windows, choice)
    for row in range(len(dataset.classes)):
        ranks = slow_ranks(dataset, windows, choice, row)
        mean = sum(ranks.values()) / len(ranks) if ranks else math.nan
        assert found.n_images_searched[row] == len(ranks)
        assert found.clutter[row] == pytest.approx(math.log2(mean), rel=1e-12, nan_ok=True)
        pairs = found.class_images
        of_class = (pairs.class_row == row) & searched[pairs.image_row]
        told = dict(
            zip(pairs.image_row[of_class].tolist(), found.rank[of_class].tolist(), strict=True)
        )
        assert told == ranks


def test_units_are_the_data_set_s_own():
    box = [0.1, 0.1, 0.5, 0.5]
    dataset = replace(world_of([box], size=(math.nan, math.nan)), relative=True)
    assert found_in(dataset, windows_of([box])).clutter[0] == 0


def test_windows_of_other_images_are_refused():
    with pytest.raises(ParameterError, match="rows of 2 images"):
        found_in(world_of([OBJECT]), windows_of([OBJECT], []))


def test_progress_is_told_and_ends():
    told = []
    dataset = world_of([OBJECT])
    found_in(dataset, windows_of([OBJECT]), progress=lambda *step: told.append(step))
    assert [step[1:] for step in told] == [(0, 1), (1, 1)]


def test_nothing_is_found_in_nothing():
    found = found_in(world_of([], names=""), windows_of([OBJECT]))
    assert len(found.clutter) == len(found.rank) == 0
    assert np.isnan(found_in(world_of([], n_images=0), windows_of()).clutter).all()

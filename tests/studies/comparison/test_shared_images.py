"""Were the detectors run on the same images? What is taken, what is said, and when it stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.studies.comparison.shared_images import shared_images
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of

N = 200


def on(table, rows, name=None):
    """Its detections on some images only."""
    kept = table.where(np.isin(table.image_row, list(rows)))
    return replace(kept, name=name or table.name)


@pytest.fixture(scope="module")
def world():
    """Both detectors, without the images on which one of them is silent of itself."""
    dataset, tables = demo_dataset(), [demo_detections(name) for name in ("window", "region")]
    assert len(dataset.images) == N
    assert all((np.diff(table.offsets) > 0).all() for table in tables)
    return dataset, tables


def codes(notices):
    return [(notice.code, notice.count) for notice in notices]


@pytest.mark.parametrize("choice", ["check", "all", "common"])
def test_the_same_images_are_taken_as_they_are(world, choice):
    dataset, tables = world
    taken, found, notices = shared_images(dataset, tables, choice)
    assert taken is dataset
    assert [id(table) for table in found] == [id(table) for table in tables]
    assert notices == ()


@pytest.mark.parametrize("choice", ["check", "all"])
def test_a_few_silent_images_count_as_nothing_found_and_are_told(world, choice):
    dataset, (a, b) = world
    fewer = on(b, range(20, N))
    taken, found, notices = shared_images(dataset, [a, fewer], choice)
    assert taken is dataset
    assert found[1] is fewer
    assert codes(notices) == [("silent_images", 20)]
    assert (
        "region: no detections on 20 images where another detector has some" in notices[0].message
    )


def test_silent_images_are_told_of_every_detector(world):
    dataset, (a, b) = world
    tables = [on(a, range(30, N)), on(b, range(190)), replace(a, name="third")]
    _, _, notices = shared_images(dataset, tables, "check")
    assert codes(notices) == [("silent_images", 30), ("silent_images", 10)]
    assert [notice.message.split(":")[0] for notice in notices] == ["window", "region"]


def test_images_on_which_all_are_silent_say_nothing(world):
    dataset, (a, b) = world
    tables = [on(table, range(5)) for table in (a, b)]
    assert shared_images(dataset, tables, "check")[2] == ()


def test_plainly_different_images_stop_it_and_both_ways_out_are_named(world):
    dataset, (a, b) = world
    with pytest.raises(ParameterError) as stop:
        shared_images(dataset, [a, on(b, range(60))], "check")
    told = str(stop.value)
    assert "region has detections on 60 images, the others on 200" in told
    assert "the 60 images where all have some (--images-used common)" in told
    assert "--images-used all" in told
    _, found, notices = shared_images(dataset, [a, on(b, range(60))], "all")
    assert len(found[0]) == len(a)
    assert codes(notices) == [("silent_images", 140)]


@pytest.mark.parametrize("n_first", [60, 100, 140])
def test_disjoint_images_stop_it_wherever_they_are_cut(world, n_first):
    dataset, (a, b) = world
    tables = [on(a, range(n_first)), on(b, range(n_first, N))]
    with pytest.raises(ParameterError, match="were they run on the same"):
        shared_images(dataset, tables, "check")
    with pytest.raises(ParameterError, match="no image has detections of all detectors"):
        shared_images(dataset, tables, "common")


def test_the_message_counts_the_images_of_the_others(world):
    dataset, (a, b) = world
    tables = [on(a, range(60)), on(b, range(50, N))]
    with pytest.raises(
        ParameterError, match="window has detections on 60 images, the others on 150"
    ):
        shared_images(dataset, tables, "check")


def test_common_cuts_all_tables_to_the_same_images(world):
    dataset, (a, b) = world
    tables = [on(a, range(40, N)), on(b, range(150)), replace(a, name="third")]
    taken, found, notices = shared_images(dataset, tables, "common")
    rows = np.arange(40, 150)
    np.testing.assert_array_equal(taken.images.id, dataset.images.id[rows])
    assert len(taken.gt) == np.isin(dataset.gt.image_row, rows).sum()
    assert [table.name for table in found] == ["window", "region", "third"]
    for before, after in zip((a, b, a), found, strict=True):
        kept = np.isin(before.image_row, rows)
        assert after.n_images == len(rows)
        np.testing.assert_array_equal(after.image_row, before.image_row[kept] - 40)
        np.testing.assert_array_equal(after.box, before.box[kept])
        np.testing.assert_array_equal(after.score, before.score[kept])
    assert codes(notices) == [("images_left_out", 90)]
    assert notices[0].message == (
        "compared over the 110 of 200 images where all detectors have detections; skipped: 90 images"
    )


def test_common_leaves_out_images_on_which_all_are_silent(world):
    dataset, (a, b) = world
    tables = [on(table, range(25)) for table in (a, b)]
    taken, _, notices = shared_images(dataset, tables, "common")
    assert len(taken.images) == 25
    assert codes(notices) == [("images_left_out", 175)]


def test_a_detector_that_found_nothing_at_all_stops_only_the_check(world):
    dataset, (a, b) = world
    empty = nothing_of(b)
    with pytest.raises(ParameterError, match="region has no detections at all, the others") as stop:
        shared_images(dataset, [a, empty], "check")
    assert "--images-used all" in str(stop.value)
    assert "--images-used common" not in str(stop.value), "no image is common to both"
    assert codes(shared_images(dataset, [a, empty], "all")[2]) == [("silent_images", 200)]
    with pytest.raises(ParameterError, match="no image has detections of all"):
        shared_images(dataset, [a, empty], "common")


def test_detectors_that_all_found_nothing_are_equal(world):
    dataset, (a, b) = world
    tables = [nothing_of(a), nothing_of(b)]
    assert shared_images(dataset, tables, "check")[2] == ()


def test_an_unknown_choice_is_refused(world):
    with pytest.raises(ParameterError, match="check, all, common, got 'some'"):
        shared_images(*world, "some")

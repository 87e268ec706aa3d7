"""Ranked windows as a table."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.data.windows import Windows
from boxlens.errors import ParameterError


def boxes(*sides: float) -> np.ndarray:
    return np.array([[0.0, 0.0, side, side] for side in sides])


def test_windows_are_grouped_by_image_and_keep_their_order_within_one():
    windows = Windows.of("w", 3, image_row=[2, 0, 2, 0], box=boxes(1, 2, 3, 4))
    np.testing.assert_array_equal(windows.offsets, [0, 2, 2, 4])
    np.testing.assert_array_equal(windows.box, boxes(2, 4, 1, 3))
    assert (len(windows), windows.n_images) == (4, 3)


def test_images_with_windows_were_searched_unless_more_is_known():
    known = Windows.of("w", 3, image_row=[1], box=boxes(1))
    np.testing.assert_array_equal(known.searched, [False, True, False])
    told = Windows.of("w", 3, image_row=[1], box=boxes(1), searched=[True, True, False])
    np.testing.assert_array_equal(told.searched, [True, True, False])


def test_the_best_of_each_image_stay():
    windows = Windows.of("w", 3, image_row=[0, 0, 0, 2], box=boxes(1, 2, 3, 4))
    best = windows.limited(2)
    np.testing.assert_array_equal(best.offsets, [0, 2, 2, 3])
    np.testing.assert_array_equal(best.box, boxes(1, 2, 4))
    np.testing.assert_array_equal(best.searched, windows.searched)
    assert windows.limited(3) is windows


def test_a_table_without_windows_or_without_images_is_one():
    assert len(Windows.of("w", 2, image_row=[], box=[]).limited(5)) == 0
    assert Windows.of("w", 0, image_row=[], box=[]).limited(5).n_images == 0


def test_the_table_does_not_change_with_what_it_was_made_of():
    box, row = boxes(1, 2), np.array([0, 1], dtype=np.int32)
    windows = Windows.of("w", 2, image_row=row, box=box)
    box[:], row[:] = 9, 0
    np.testing.assert_array_equal(windows.box, boxes(1, 2))
    for column in (windows.box, windows.offsets, windows.searched, windows.limited(1).box):
        assert not column.flags.writeable


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"image_row": [3]}, "image rows must be between"),
        ({"image_row": [0, 1]}, r"column box: expected 2 rows.* got 1"),
        ({"image_row": [0.9]}, "column image_row: expected whole numbers"),
        ({"box": np.zeros((4, 1))}, r"column box: expected shape \(n, 4\)"),
        ({"box": [[0, 0, -1, 1]]}, "width and height 0 or more"),
        ({"box": [[0, 0, np.nan, 1]]}, "must be finite"),
        ({"searched": [True]}, "`searched` of 3 images"),
        ({"searched": [False] * 3}, "has windows, but was not searched"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes, problem):
    given = {"image_row": [0], "box": boxes(1)} | changes
    with pytest.raises(ParameterError, match=problem):
        Windows.of("w", 3, **given)


def test_no_window_is_no_limit():
    with pytest.raises(ParameterError, match="1 or more windows per image"):
        Windows.of("w", 1, image_row=[0], box=boxes(1)).limited(0)

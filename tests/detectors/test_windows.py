"""The margins of the sliding-window detector, and where its boxes lie."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.detectors.hog import N_CHANNELS
from boxlens.detectors.window_training import train_windows
from boxlens.detectors.windows import View, WindowDetector, scan
from toy_pictures import toy_set


@pytest.fixture(scope="module")
def trained() -> WindowDetector:
    return train_windows(*toy_set(24, seed=1), seed=4)


def test_margins_are_sums_over_the_window_without_rounding(trained: WindowDetector):
    templates = trained.templates
    view = View.of(toy_set(1, seed=7)[0][0], trained.finest)
    windows = scan(view, templates, templates.banks(), np.full(len(templates), -0.5))
    ends = np.cumsum(templates.shape.prod(axis=1) * N_CHANNELS)
    assert len(windows.margin) > 20
    for row in range(0, len(windows.margin), max(len(windows.margin) // 50, 1)):
        template = windows.template[row]
        rows, columns = templates.shape[template]
        top, left = windows.row[row], windows.column[row]
        cells = view.levels[windows.level[row]].cells[top : top + rows, left : left + columns]
        weights = templates.weights[ends[template] - cells.size : ends[template]].astype(int)
        total = int(cells.ravel().astype(int) @ weights)
        assert windows.margin[row] == total * templates.step[template] + templates.bias[template]


def test_boxes_lie_in_the_image_and_scores_between_0_and_1(trained: WindowDetector):
    found = trained.detect(toy_set(3, seed=8)[0])
    assert (found.box[:, :2] >= 0).all()
    assert (found.box[:, :2] + found.box[:, 2:] <= [160.01, 120.01]).all()
    assert ((found.score > 0) & (found.score < 1)).all()
    np.testing.assert_array_equal(found.score, found.score.round(5))


def test_it_learns_from_tiny_and_plain_pictures_without_failing():
    pictures, dataset = toy_set(3, seed=1)
    plain = [np.full_like(pictures[0], 90), pictures[1][:1, :1], pictures[2]]
    assert train_windows(plain, dataset, seed=1).detect(pictures).n_images == 3

"""The sliding-window detector finds what it was trained on, and always the same."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.detectors import Detector
from boxlens.detectors.hog import N_CHANNELS
from boxlens.detectors.window_training import train_windows
from boxlens.detectors.windows import View, WindowDetector, scan
from small_world import assert_same_tables
from toy_pictures import ap50, shuffled_toy_set, toy_set


@pytest.fixture(scope="module")
def trained() -> WindowDetector:
    return train_windows(*toy_set(24, seed=1), seed=4)


def test_it_finds_in_new_pictures_what_it_was_trained_on(trained: WindowDetector):
    assert isinstance(trained, Detector)
    assert ap50(trained) > 0.9


def test_shuffled_labels_teach_it_nothing_of_the_kind():
    assert ap50(train_windows(*shuffled_toy_set(), seed=4)) < 0.75


def test_the_number_of_workers_and_the_run_do_not_matter(trained: WindowDetector):
    again = train_windows(*toy_set(24, seed=1), seed=4, workers=2)
    assert_same_tables(trained.templates, again.templates)
    assert trained.finest == again.finest


def test_batches_do_not_matter(trained: WindowDetector):
    pictures, _ = toy_set(5, seed=6)
    together = trained.detect(pictures)
    for row, pixels in enumerate(pictures):
        alone = trained.detect([pixels])
        here = together.image_row == row
        np.testing.assert_array_equal(together.box[here], alone.box)
        np.testing.assert_array_equal(together.score[here], alone.score)
        np.testing.assert_array_equal(together.class_row[here], alone.class_row)


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


@pytest.mark.parametrize(("height", "width"), [(1, 1), (5, 300), (20, 20), (400, 17)])
def test_pictures_smaller_than_a_template_do_not_matter(
    trained: WindowDetector, height: int, width: int
):
    random = np.random.RandomState(0)
    pixels = random.randint(0, 256, (height, width, 3), dtype=np.uint8)
    found = trained.detect([pixels, np.zeros_like(pixels)])
    assert found.n_images == 2
    assert (found.box[:, 2:] <= [width, height]).all()


def test_an_empty_batch_is_empty(trained: WindowDetector):
    assert trained.detect([]).n_images == 0


def test_it_learns_from_tiny_and_plain_pictures_without_failing():
    pictures, dataset = toy_set(3, seed=1)
    plain = [np.full_like(pictures[0], 90), pictures[1][:1, :1], pictures[2]]
    assert train_windows(plain, dataset, seed=1).detect(pictures).n_images == 3

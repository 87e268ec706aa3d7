"""Pairs of boxes of one group are counted exactly, however many boxes there are."""

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.matching import box_overlap, count_neighbours, count_overlapping_pairs


def plain_pairs(box, iou):
    """Every pair is looked at."""
    first, second = np.triu_indices(len(box), k=1)
    return int((box_overlap(box[first], box[second]) >= min(iou, 1 - 1e-10)).sum())


def random_boxes(rng, n, *, whole):
    if whole:
        return rng.integers(0, 7, (n, 4)).astype(np.float64)
    size = rng.random((n, 2)) ** 2
    return np.concatenate([rng.random((n, 2)) * (1 - size), size], axis=1)


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 300))
    box, group = random_boxes(rng, n, whole=seed % 2), rng.integers(0, 4, n).astype(np.int32)
    for iou in (0.1, 0.5, 0.9, 1.0):
        counted = count_overlapping_pairs(box, group, 5, iou)
        assert counted.tolist() == [plain_pairs(box[group == row], iou) for row in range(5)]


@pytest.mark.slow
def test_threads_change_nothing():
    rng = np.random.default_rng(3)
    box, group = random_boxes(rng, 4000, whole=False), np.zeros(4000, dtype=np.int32)
    counts = {int(count_overlapping_pairs(box, group, 1, 0.5, threads=t)[0]) for t in (1, 2, 3, 8)}
    assert counts == {plain_pairs(box, 0.5)}


def test_order_and_copies_do_not_matter():
    rng = np.random.default_rng(5)
    box, group = random_boxes(rng, 500, whole=False), np.zeros(500, dtype=np.int32)
    n = count_overlapping_pairs(box, group, 1, 0.5)[0]
    assert count_overlapping_pairs(box[rng.permutation(500)], group, 1, 0.5)[0] == n
    twice = np.concatenate([box, box])
    # Each pair four times, and each box with its own copy.
    both = count_overlapping_pairs(twice, np.zeros(1000, dtype=np.int32), 1, 0.5)[0]
    assert both == 4 * n + 500


def test_boxes_without_area_overlap_nothing():
    box = np.array([[0, 0, 0, 5], [0, 0, 0, 5], [1, 1, 2, 0], [1, 1, 2, 0.0]])
    assert count_overlapping_pairs(box, np.zeros(4, dtype=np.int32), 1, 0.5).tolist() == [0]


def test_inputs_stay_as_they_are():
    rng = np.random.default_rng(1)
    box, group = random_boxes(rng, 100, whole=False), rng.integers(0, 3, 100).astype(np.int32)
    before = box.copy(), group.copy()
    count_overlapping_pairs(box, group, 3, 0.5)
    assert np.array_equal(box, before[0])
    assert np.array_equal(group, before[1])


@pytest.mark.parametrize("iou", [0.0, -1.0, 1.5, np.nan])
def test_an_overlap_that_cannot_be_meant_is_refused(iou):
    with pytest.raises(ParameterError, match="overlap"):
        count_overlapping_pairs(np.zeros((0, 4)), np.zeros(0, dtype=np.int32), 1, iou)


def test_progress_goes_up_to_all_boxes():
    seen = []
    rng = np.random.default_rng(1)
    box, group = random_boxes(rng, 90, whole=False), np.repeat(np.arange(3), 30).astype(np.int32)
    count_overlapping_pairs(box, group, 3, 0.5, progress=lambda *now: seen.append(now[1:]))
    assert seen == [(0, 90), (30, 90), (60, 90)]


@pytest.mark.parametrize("gap", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("seed", range(5))
def test_neighbours_are_those_of_plain_loops(seed, gap):
    rng = np.random.default_rng(seed)
    n_images, n = 7, 80
    image = np.sort(rng.integers(0, n_images, n))
    offsets = np.searchsorted(image, np.arange(n_images + 1)).astype(np.int64)
    class_row = rng.integers(0, 3, n).astype(np.int32)
    box = np.concatenate([rng.integers(0, 20, (n, 2)), rng.integers(1, 6, (n, 2))], axis=1) * 1.0
    expected = [
        sum(
            j != i
            and image[i] == image[j]
            and class_row[i] == class_row[j]
            and max(box[i, 0], box[j, 0]) - min(box[i, 0] + box[i, 2], box[j, 0] + box[j, 2]) <= gap
            and max(box[i, 1], box[j, 1]) - min(box[i, 1] + box[i, 3], box[j, 1] + box[j, 3]) <= gap
            for j in range(n)
        )
        for i in range(n)
    ]
    assert count_neighbours(offsets, class_row, box, gap).tolist() == expected

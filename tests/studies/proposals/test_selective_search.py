"""Selective search merges what is most alike, and orders regions by their place in the merging."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.studies.proposals.generators.selective_search import (
    PixelBins,
    Segments,
    SelectiveSearch,
    in_random_order,
    merged_boxes,
)
from boxlens.studies.proposals.segments import segment
from studies.proposals.generator_pictures import drawing

LIKENESSES = [
    ("colour", "texture", "size", "fill"),
    ("texture", "size", "fill"),
    ("fill",),
    ("size",),
    ("colour",),
]


def blocks(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A picture of noisy blocks and their labels; all are of different size, so that none tie."""
    chance = np.random.default_rng(seed)
    coarse = chance.permutation(20).reshape(4, 5) // 2
    _, labels = np.unique(coarse, return_inverse=True)
    labels = labels.reshape(4, 5).astype(np.int32)
    labels = np.repeat(np.repeat(labels, [5, 7, 11, 6], axis=0), [3, 9, 7, 17, 10], axis=1)
    image = chance.integers(0, 200, (10, 3))[labels] + chance.integers(0, 56, (*labels.shape, 3))
    return image.astype(np.uint8), labels


def slow_box(mask: np.ndarray) -> list[int]:
    rows, columns = np.nonzero(mask)
    x, y = columns.min(), rows.min()
    return [int(x), int(y), int(columns.max() - x + 1), int(rows.max() - y + 1)]


def slow_likeness(one: np.ndarray, other: np.ndarray, bins: PixelBins, likeness) -> float:
    """Of two masks, from their pixels."""

    def histogram(mask: np.ndarray, rows: np.ndarray, n_bins: int) -> np.ndarray:
        counts = [np.bincount(row[mask.ravel()], minlength=n_bins) for row in rows]
        return np.concatenate(counts) / mask.sum() / len(rows)

    total, area = 0.0, one.size
    for name, rows, n_bins in (("colour", bins.colour, 25), ("texture", bins.texture, 10)):
        if name in likeness:
            pair = [histogram(mask, rows, n_bins) for mask in (one, other)]
            total += np.minimum(*pair).sum()
    both = one.sum() + other.sum()
    if "size" in likeness:
        total += 1 - both / area
    if "fill" in likeness:
        _, _, w, h = slow_box(one | other)
        total += 1 - (w * h - both) / area
    return total


def touch(one: np.ndarray, other: np.ndarray) -> bool:
    beside = (one[:, 1:] & other[:, :-1]).any() or (one[:, :-1] & other[:, 1:]).any()
    return bool(beside or (one[1:] & other[:-1]).any() or (one[:-1] & other[1:]).any())


def slow_merging(labels: np.ndarray, bins: PixelBins, likeness) -> list[list[int]]:
    masks = [labels == label for label in range(labels.max() + 1)]
    boxes = [slow_box(mask) for mask in masks]
    while len(masks) > 1:
        pairs = [
            (slow_likeness(masks[a], masks[b], bins, likeness), a, b)
            for a in range(len(masks))
            for b in range(a + 1, len(masks))
            if touch(masks[a], masks[b])
        ]
        _, a, b = max(pairs)
        union = masks[a] | masks[b]
        masks = [mask for number, mask in enumerate(masks) if number not in (a, b)] + [union]
        boxes.append(slow_box(union))
    return boxes


@pytest.mark.parametrize("likeness", LIKENESSES)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_merging_is_that_of_plain_loops_over_pixels(likeness, seed):
    image, labels = blocks(seed)
    bins = PixelBins.of(image)
    found = merged_boxes(Segments.of(labels, bins), likeness).tolist()
    assert found == slow_merging(labels, bins, likeness)


def test_one_segment_is_one_region():
    image = np.zeros((3, 4, 3), np.uint8)
    segments = Segments.of(np.zeros((3, 4), np.int32), PixelBins.of(image))
    assert merged_boxes(segments, ("colour", "size")).tolist() == [[0, 0, 4, 3]]


def test_the_place_counts_from_the_top_and_chance_multiplies_it():
    numbers = np.arange(2000.0)
    merging = np.column_stack([numbers, numbers, numbers, numbers])
    order = in_random_order([merging], np.random.default_rng(1))[:, 0]
    assert sorted(order) == numbers.tolist()
    # Late unions are large regions: they come early, on the whole, but not strictly.
    assert order[:200].mean() > 1.5 * order[-200:].mean()
    priority = np.arange(2000, 0, -1) * np.random.default_rng(1).random(2000)
    np.testing.assert_array_equal(order, np.argsort(priority))


def test_narrow_boxes_are_left_out():
    boxes, _ = SelectiveSearch(min_side_px=30).propose(drawing(), 10_000)
    assert boxes[:, 2:].min() >= 30
    assert SelectiveSearch(min_side_px=1000).propose(drawing(), 10)[0].shape == (0, 4)


def test_more_views_find_more_and_say_so():
    image = drawing()[::2, ::2]
    found = {
        strategy: SelectiveSearch(strategy=strategy).propose(image, 10_000)[0]
        for strategy in ("fast", "quality", "published")
    }
    assert len(found["published"]) > len(found["fast"])
    names = {SelectiveSearch(strategy=strategy).identity for strategy in found}
    assert len(names) == 3


def test_coarser_segments_are_fewer():
    image = drawing()
    fine, coarse = (segment(image, sigma=0.8, k=k, min_size=20).max() for k in (5, 50))
    assert coarse < fine
    counts = [len(SelectiveSearch(coarseness=c).propose(image, 10**5)[0]) for c in (0.1, 1.0)]
    assert counts[1] < counts[0]

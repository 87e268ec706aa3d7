"""Masks as text: the same characters as pycocotools writes, and the same pixels back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pycocotools import mask as reference

from boxlens.scenes.masks import coco_mask, packed, run_lengths, tight_box

# pycocotools' own arrays follow NumPy 1.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))
MASKS = SIZES.flatmap(lambda size: arrays.arrays(np.bool_, size))
ONE_COLUMN = np.zeros((30, 50), dtype=np.bool_)
ONE_COLUMN[:, 17] = True
ONE_ROW = np.zeros((30, 50), dtype=np.bool_)
ONE_ROW[29] = True
ONE_PIXEL = np.zeros((30, 50), dtype=np.bool_)
ONE_PIXEL[12, 33] = True


def as_reference(mask) -> str:
    return reference.encode(np.asfortranarray(mask, dtype=np.uint8))["counts"].decode("ascii")


def assert_as_reference(mask):
    written = coco_mask(mask)
    assert written == {"size": list(mask.shape), "counts": as_reference(mask)}
    assert np.array_equal(reference.decode(written), mask)
    lengths = run_lengths(mask)
    assert reference.frPyObjects({"size": list(mask.shape), "counts": lengths}, *mask.shape) == {
        "size": list(mask.shape),
        "counts": packed(lengths).encode("ascii"),
    }
    assert all(length > 0 for length in lengths[1:])
    assert sum(lengths) == mask.size
    assert sum(lengths[1::2]) == mask.sum()


@settings(max_examples=300)
@given(mask=MASKS)
def test_any_mask_is_written_as_pycocotools_writes_it(mask):
    assert_as_reference(mask)


@pytest.mark.parametrize(
    "mask",
    [
        np.zeros((30, 50), dtype=np.bool_),
        np.ones((30, 50), dtype=np.bool_),
        np.ones((1, 1), dtype=np.bool_),
        ONE_PIXEL,
        ONE_ROW,
        ONE_COLUMN,
        ~ONE_PIXEL,
        ~ONE_ROW,
        ~ONE_COLUMN,
    ],
    ids=["empty", "full", "single", "pixel", "row", "column", "no pixel", "no row", "no column"],
)
def test_special_masks_are_written_as_pycocotools_writes_them(mask):
    assert_as_reference(mask)


@pytest.mark.parametrize("share", [0.001, 0.02, 0.5, 0.98])
def test_long_runs_take_several_characters(share):
    random = np.random.RandomState(4)
    for _ in range(5):
        mask = random.random_sample((480, 640)) < share
        # Whole blocks too, so that a run is longer than its predecessors, and shorter.
        mask[:, random.randint(640) :] = share < 0.5
        assert_as_reference(mask)


@settings(max_examples=200)
@given(lengths=st.lists(st.integers(0, 2**24), min_size=1, max_size=30))
def test_any_run_lengths_are_packed_as_pycocotools_packs_them(lengths):
    expected = reference.frPyObjects({"size": [1, sum(lengths)], "counts": lengths}, 1, 1)
    assert packed(lengths).encode("ascii") == expected["counts"]


@settings(max_examples=100)
@given(mask=MASKS.filter(np.any))
def test_a_box_is_the_smallest_around_its_mask(mask):
    assert list(tight_box(mask)) == reference.toBbox(coco_mask(mask)).tolist()
    x, y, w, h = tight_box(mask)
    assert mask[y : y + h, x : x + w].sum() == mask.sum()
    edges = mask[y, :], mask[y + h - 1, :], mask[:, x], mask[:, x + w - 1]
    assert all(edge.any() for edge in edges)

"""Masks as pixels: polygons, run lengths, and what is none."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask as coco_masks

from boxlens.formats import read_dataset
from boxlens.formats.coco.mask_shapes import mask_reader
from boxlens.scenes.masks import coco_mask, run_lengths
from shared_data import shared

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

WIDTH, HEIGHT = 20, 12


def written(folder, segmentations, width=WIDTH, height=HEIGHT, name="gt.json"):
    """A data set of one picture, an object for each segmentation; None: it has none."""
    annotations = [
        {"id": row + 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]}
        | ({} if one is None else {"segmentation": one})
        for row, one in enumerate(segmentations)
    ]
    document = {
        "images": [{"id": 1, "file_name": "1.png", "width": width, "height": height}],
        "annotations": annotations,
        "categories": [{"id": 1, "name": "thing"}],
    }
    text = json.dumps(document).encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return read_dataset(folder / name)


def masks_of(dataset):
    reader, notices = mask_reader(dataset)
    return [reader(row) for row in range(len(dataset.gt))], notices


def random_mask(seed):
    return np.random.default_rng(seed).random((HEIGHT, WIDTH)) < 0.5


@pytest.mark.parametrize("name", ["gt.json", "gt.json.gz"])
def test_run_lengths_packed_or_not_are_exact(tmp_path, name):
    everything, nothing = np.ones((HEIGHT, WIDTH), bool), np.zeros((HEIGHT, WIDTH), bool)
    wanted = [everything, nothing, *(random_mask(seed) for seed in range(5))]
    plain = [{"size": [HEIGHT, WIDTH], "counts": run_lengths(mask)} for mask in wanted]
    dataset = written(tmp_path, [coco_mask(mask) for mask in wanted] + plain, name=name)
    masks, notices = masks_of(dataset)
    assert notices == ()
    for mask, expected in zip(masks, wanted * 2, strict=True):
        np.testing.assert_array_equal(mask, expected)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 70), st.floats(0, 1))
def test_packed_run_lengths_equal_those_of_pycocotools(
    tmp_path_factory, seed, width, height, share
):
    mask = np.random.default_rng(seed).random((height, width)) < share
    packed = coco_masks.encode(np.asfortranarray(mask.astype(np.uint8)))
    stated = {"size": [height, width], "counts": packed["counts"].decode()}
    dataset = written(tmp_path_factory.mktemp("packed"), [stated], width, height)
    np.testing.assert_array_equal(masks_of(dataset)[0][0], mask)


def test_a_pixel_is_in_a_polygon_where_its_centre_is(tmp_path):
    square = [[2, 3, 7, 3, 7, 9, 2, 9]]
    half_pixels = [[2.4, 3.4, 7.6, 3.4, 7.6, 9.6, 2.4, 9.6]]
    two_that_overlap = [*square, [5, 5, 12, 5, 12, 10, 5, 10]]
    beyond = [[-5, -5, 4, -5, 4, 40, -5, 40]]
    triangle = [[0, 0, 12, 0, 0, 12]]
    masks, notices = masks_of(
        written(tmp_path, [square, half_pixels, two_that_overlap, beyond, triangle])
    )
    rows, columns = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    inside = (columns > 2) & (columns < 7) & (rows > 3) & (rows < 9)
    np.testing.assert_array_equal(masks[0], inside)
    larger = (columns > 2.4) & (columns < 7.6) & (rows > 3.4) & (rows < 9.6)
    np.testing.assert_array_equal(masks[1], larger)
    second = (columns > 5) & (columns < 12) & (rows > 5) & (rows < 10)
    np.testing.assert_array_equal(masks[2], inside | second)
    np.testing.assert_array_equal(masks[3], columns < 4)
    strictly, at_all = rows + columns < 12, rows + columns <= 12
    assert not (masks[4] & ~at_all).any()
    assert not (strictly & ~masks[4]).any()
    assert notices == ()


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(-5, 25), st.floats(-5, 17)), min_size=3, max_size=9))
def test_any_polygon_is_filled_by_crossings(tmp_path_factory, corners):
    """Crossings of a ray from each centre, counted one by one."""
    flat = [value for corner in corners for value in corner]
    mask = masks_of(written(tmp_path_factory.mktemp("any"), [[flat]]))[0][0]
    for row in range(HEIGHT):
        for column in range(WIDTH):
            x, y, crossed, near = column + 0.5, row + 0.5, False, False
            for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
                if (x1 <= x) != (x2 <= x):
                    height = y1 + (x - x1) * (y2 - y1) / (x2 - x1)
                    near |= abs(height - y) < 1e-9
                    crossed ^= height < y
                near |= abs(x1 - x) < 1e-9
            assert near or mask[row, column] == crossed


def test_what_is_no_mask_is_counted_and_none(tmp_path):
    good = coco_mask(random_mask(0))
    damaged = [
        {"size": [HEIGHT, WIDTH], "counts": good["counts"][:-1]},
        {"size": [HEIGHT, WIDTH], "counts": "\x01é"},
        {"size": [HEIGHT, WIDTH], "counts": [1, 2, 3]},
        {"size": [HEIGHT, WIDTH], "counts": [-5, HEIGHT * WIDTH + 5]},
        {"size": [HEIGHT, WIDTH], "counts": [0.5, HEIGHT * WIDTH - 0.5]},
        {"size": [WIDTH, HEIGHT], "counts": good["counts"]},
        {"size": None, "counts": good["counts"]},
        {"counts": good["counts"]},
        {},
        [[1, 2, 3, 4]],
        [[1, 2, 3, 4, 5, 6, 7]],
        [[1, 2, 3, 4, 5, "six"]],
        [[1, 2, 3, 4, 5, 1e300]],
        [1, 2, 3, 4, 5, 6],
        "mask",
    ]
    masks, notices = masks_of(written(tmp_path, [good, None, [], *damaged]))
    assert masks[0] is not None
    assert masks[1:] == [None] * (2 + len(damaged))
    assert [(one.code, one.count) for one in notices] == [("damaged_mask", len(damaged))]


def test_a_data_set_of_boxes_has_no_masks(tmp_path):
    assert mask_reader(written(tmp_path, [None, None])) == (None, ())


def test_masks_of_coco_are_those_of_pycocotools_up_to_their_rims():
    path = shared("coco_val2017_80", "instances.json")
    dataset = read_dataset(path)
    stated = {one["id"]: one["segmentation"] for one in json.loads(path.read_text())["annotations"]}
    reader, notices = mask_reader(dataset)
    assert notices == ()
    crowds = np.flatnonzero(dataset.gt.crowd)
    assert len(crowds) > 0
    for row in np.union1d(crowds, np.arange(0, len(dataset.gt), 5)).tolist():
        mask, segmentation = reader(row), stated[int(dataset.gt.id[row])]
        packed = coco_masks.frPyObjects(segmentation, *mask.shape)
        if isinstance(segmentation, dict):
            np.testing.assert_array_equal(mask, coco_masks.decode(packed) == 1)
            continue
        wanted = coco_masks.decode(coco_masks.merge(packed)) == 1
        share = (mask & wanted).sum() / (mask | wanted).sum()
        # The rim is one pixel wide: it weighs more the smaller the mask.
        assert share > (0.97 if wanted.sum() >= 1000 else 0.85)

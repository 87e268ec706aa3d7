"""Images become inputs, and boxes find their way back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxlens.detectors.onnx.preparing import placement, prepare
from boxlens.detectors.onnx.spec import included, read_spec

LETTERBOX = replace(read_spec(included("yolox")).input, channels="rgb")
CENTRED = replace(LETTERBOX, align="centre")
STRETCHED = replace(LETTERBOX, resize="stretch")
SIDE = st.integers(1, 2000)


@given(width=SIDE, height=SIDE, size=st.tuples(SIDE, SIDE), way=st.integers(0, 2))
def test_the_image_lies_inside_the_input(width, height, size, way):
    place = placement(width, height, [LETTERBOX, CENTRED, STRETCHED][way], size)
    assert place.width_px >= 1
    assert place.height_px >= 1
    assert 0 <= place.left_px <= size[0] - place.width_px
    assert 0 <= place.top_px <= size[1] - place.height_px


@given(width=SIDE, height=SIDE, size=st.tuples(SIDE, SIDE), way=st.integers(0, 2))
def test_boxes_go_there_and_back(width, height, size, way):
    place = placement(width, height, [LETTERBOX, CENTRED, STRETCHED][way], size)
    x, y, w, h = 0.25 * width, 0.5 * height, 0.5 * width, 0.125 * height
    there = [
        x * place.scale_x + place.left_px,
        y * place.scale_y + place.top_px,
        w * place.scale_x,
        h * place.scale_y,
    ]
    back = place.to_image(np.array([there]))
    assert back == pytest.approx(np.array([[x, y, w, h]]), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "rows", "columns"),
    [
        (LETTERBOX, slice(0, 2), slice(0, 4)),
        (CENTRED, slice(1, 3), slice(0, 4)),
        (STRETCHED, slice(0, 4), slice(0, 4)),
    ],
)
def test_what_the_image_leaves_free_is_padding(spec, rows: slice, columns: slice):
    image = np.full((4, 8, 3), 200, dtype=np.uint8)
    tensor, _ = prepare(image, spec, (4, 4), np.float32)
    assert tensor.shape == (1, 3, 4, 4)
    assert tensor.dtype == np.float32
    expected = np.full((4, 4), 114.0)
    expected[rows, columns] = 200.0
    assert (tensor == expected).all()


def test_an_image_of_the_right_size_is_fed_as_it_is():
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    for spec in (LETTERBOX, CENTRED, STRETCHED):
        tensor, place = prepare(image, spec, (7, 5), np.float32)
        assert (tensor[0] == image.transpose(2, 0, 1)).all()
        assert (place.scale_x, place.scale_y, place.left_px, place.top_px) == (1, 1, 0, 0)


def test_values_are_scaled_and_normalised_in_the_order_of_channels():
    spec = replace(
        LETTERBOX, channels="bgr", scale=1 / 255, mean=(0.1, 0.2, 0.3), std=(1.0, 2.0, 4.0)
    )
    image = np.array([[[10, 20, 30]]], dtype=np.uint8)
    tensor, _ = prepare(image, spec, (1, 1), np.float64)
    expected = [(30 / 255 - 0.1) / 1, (20 / 255 - 0.2) / 2, (10 / 255 - 0.3) / 4]
    assert tensor.ravel() == pytest.approx(expected)


def test_a_thin_image_keeps_at_least_one_pixel():
    image = np.zeros((1, 3000, 3), dtype=np.uint8)
    tensor, place = prepare(image, LETTERBOX, (64, 64), np.float32)
    assert place.height_px == 1
    assert np.count_nonzero(tensor == 0) == 3 * 64


def test_the_image_stays_unchanged():
    image = np.full((6, 4, 3), 9, dtype=np.uint8)
    image.flags.writeable = False
    prepare(image, CENTRED, (8, 8), np.float32)
    assert (image == 9).all()

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.errors import ParameterError
from boxlens.studies.upper_bound.views import kept_shares, sampled_boxes

SIDE = st.floats(0.5, 2000)
PLACE = st.floats(-50, 2000)


def iou(first: np.ndarray, second: np.ndarray) -> float:
    low = np.maximum(first[:2], second[:2])
    high = np.minimum(first[:2] + first[2:], second[:2] + second[2:])
    shared = np.prod(np.maximum(high - low, 0))
    return float(shared / (first[2:].prod() + second[2:].prod() - shared))


@settings(max_examples=60)
@given(x=PLACE, y=PLACE, w=SIDE, h=SIDE, wished=st.floats(0.05, 0.95), n=st.integers(1, 5))
def test_every_sample_has_the_wished_iou(x, y, w, h, wished, n):
    # Far from the origin the corners of a small box have few digits left for its sides.
    box = np.array([x / 64, y / 64, w, h])
    samples = sampled_boxes(box[None], wished, n)[0]
    assert samples.shape == (4 * n, 4)
    assert [iou(box, one) for one in samples] == pytest.approx([wished] * (4 * n), abs=1e-12)


@settings(max_examples=60)
@given(x=PLACE, y=PLACE, w=st.floats(4, 2000), h=st.floats(4, 2000), wished=st.floats(0.05, 0.95))
def test_boxes_as_large_as_those_of_photographs_keep_it_anywhere(x, y, w, h, wished):
    box = np.array([x, y, w, h])
    samples = sampled_boxes(box[None], wished, 2)[0]
    assert [iou(box, one) for one in samples] == pytest.approx([wished] * 8, abs=1e-12)


def test_the_four_families_go_towards_the_four_corners():
    box = np.array([[10.0, 20.0, 30.0, 40.0]])
    shifts = np.sign(sampled_boxes(box, 0.5)[0, :, :2] - box[0, :2])
    assert sorted(map(tuple, shifts.tolist())) == [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def test_alpha_lies_between_its_ends_and_its_product_with_beta_is_fixed():
    alpha, beta = kept_shares(0.75, 4)
    assert ((alpha > 6 / 7) & (alpha < 1) & (beta > 6 / 7) & (beta < 1)).all()
    assert alpha * beta == pytest.approx([6 / 7] * 4)


def test_an_iou_that_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="between 0 and 1"):
        sampled_boxes(np.zeros((1, 4)), 1.0)

"""A torch module as a classifier: what it is fed, and that crops do not touch one another."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.data import Classes
from boxlens.detectors.classifiers.torch.classifier import TorchClassifier, squared
from boxlens.detectors.classifiers.torch.library import torch_seeded
from boxlens.detectors.protocols import Classifier
from boxlens.errors import InputError, ParameterError
from detectors.classifiers.torch_toys import REASON, some_crops, tiny

torch = pytest.importorskip("torch", reason=REASON)

CLASSES = Classes.of([3, 5, 8], ["ring", "ladder", "wedge"])


def classifier(**fields) -> TorchClassifier:
    with torch_seeded(1):
        module = tiny(3)
    return TorchClassifier(module, CLASSES, **{"side_px": 16, "threads": 1, **fields})


@pytest.mark.parametrize("batch", [1, 4])
def test_a_crop_is_answered_to_the_same_bits_in_any_company(batch):
    one = classifier(batch=batch)
    crops = some_crops(11)
    together = one.classify(crops)
    assert (np.concatenate([one.classify([crop]) for crop in crops]) == together).all()
    assert (one.classify(crops[::-1])[::-1] == together).all()
    assert (one.classify(crops[3:8]) == together[3:8]).all()


def test_the_module_sees_pixels_less_the_mean_as_fractions():
    crop = some_crops(1)[0]
    one = classifier(mean=(10.0, 20.0, 30.0), activation="none")
    values = (squared(crop, 16).astype(np.float64) - [10, 20, 30]) / 255
    inputs = torch.from_numpy(values.transpose(2, 0, 1)[None].astype(np.float32))
    with torch.inference_mode():
        expected = one.module.eval()(inputs).numpy()
    assert one.classify([crop]) == pytest.approx(expected, abs=1e-6)


def test_softmax_gives_shares_of_one_in_the_order_of_the_plain_answers():
    crops = some_crops(9)
    shares, plain = classifier().classify(crops), classifier(activation="none").classify(crops)
    assert shares.sum(axis=1) == pytest.approx(np.ones(9), abs=1e-12)
    assert (np.argsort(shares, axis=1) == np.argsort(plain, axis=1)).all()
    assert shares.dtype == np.float64


def test_it_is_a_classifier_and_takes_no_crops_too():
    assert isinstance(classifier(), Classifier)
    assert classifier().classify([]).shape == (0, 3)


def test_it_answers_in_evaluation_mode_and_gives_the_threads_back():
    one = classifier(threads=1)
    crops = some_crops(3)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        first = one.classify(crops)
        one.module.train()
        assert (one.classify(crops) == first).all()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("shape", [(1, 1), (1, 90), (90, 1), (16, 16), (7, 40), (50, 50)])
def test_any_crop_becomes_a_square_of_its_own_colour(shape):
    crop = np.full((*shape, 3), (9, 120, 250), dtype=np.uint8)
    assert (squared(crop, 16) == (9, 120, 250)).all()
    assert squared(crop, 16).shape == (16, 16, 3)


def test_a_side_that_shrinks_is_averaged_even_where_the_other_grows():
    stripes = np.zeros((4, 64, 3), dtype=np.uint8)
    stripes[:, ::2] = 200
    assert (squared(stripes, 16) == 100).all()


def test_answers_of_another_shape_are_refused():
    with pytest.raises(InputError, match="returns 32 x 2 where 32 x 3 was expected"):
        TorchClassifier(tiny(2), CLASSES, side_px=16).classify(some_crops(1))


def test_answers_that_are_no_numbers_are_refused():
    one = classifier()
    with torch.no_grad():
        one.module[-1].bias[0] = float("nan")
    with pytest.raises(InputError, match="not finite"):
        one.classify(some_crops(2))


@pytest.mark.parametrize(
    "fields", [{"activation": "sigmoid"}, {"side_px": 0}, {"batch": 0}, {"mean": (1.0, 2.0)}]
)
def test_fields_that_cannot_be_meant_are_refused(fields):
    with pytest.raises(ParameterError):
        classifier(**fields)

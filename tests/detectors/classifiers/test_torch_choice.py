"""Settings that cannot be meant are refused; epochs read back as they were written."""

from __future__ import annotations

import json
import math

import pytest

from boxlens.detectors.classifiers.torch.choice import Epoch, FineTuning
from boxlens.errors import ParameterError


@pytest.mark.parametrize(
    "setting",
    [
        {"epochs": 0},
        {"batch": 1},
        {"learning_rate": 0.0},
        {"learning_rate": math.nan},
        {"momentum": 1.0},
        {"weight_decay": -1.0},
        {"decay_every": 0},
        {"decay_factor": 0.0},
        {"side_px": 0},
        {"validation_share": 1.0},
        {"seed": -1},
        {"threads": -1},
        {"keep": "middle"},
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(setting):
    with pytest.raises(ParameterError, match=next(iter(setting))):
        FineTuning(**setting)


def test_the_learning_rate_falls_in_steps():
    choice = FineTuning(learning_rate=1.0, decay_every=2, decay_factor=0.5)
    assert [choice.learning_rate_in(epoch) for epoch in range(1, 6)] == [1, 1, 0.5, 0.5, 0.25]


def test_an_epoch_reads_back_as_it_was_with_nan_as_null():
    epoch = Epoch(3, 0.1, 1 / 3, 2 / 7, math.nan, math.nan)
    document = json.loads(json.dumps(epoch.to_json(), allow_nan=False))
    assert document["validation_loss"] is None
    again = Epoch.of_json(document)
    assert repr(again) == repr(epoch)


def test_the_better_epoch_has_the_higher_accuracy_then_the_lower_loss():
    first = Epoch(1, 0.1, 1.0, 0.5, 0.9, 0.6)
    assert Epoch(2, 0.1, 1.0, 0.5, 1.5, 0.7).better_than(first)
    assert Epoch(2, 0.1, 1.0, 0.5, 0.8, 0.6).better_than(first)
    assert not Epoch(2, 0.1, 1.0, 0.5, 0.9, 0.6).better_than(first)
    assert not Epoch(2, 0.1, 1.0, 0.5, 0.1, 0.5).better_than(first)
    assert first.better_than(None)

"""The steps of gradient descent against the formula, written out in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.detectors.classifiers.torch.library import torch_seeded
from boxlens.detectors.classifiers.torch.training_state import SGD
from detectors.classifiers.torch_toys import REASON

torch = pytest.importorskip("torch", reason=REASON)


def test_weights_move_by_momentum_and_decay():
    with torch_seeded(0):
        module = torch.nn.Linear(4, 3).double()
    module.bias.requires_grad = False
    bias = module.bias.numpy().copy()
    optimizer = SGD.of(module, momentum=0.9, weight_decay=0.01)
    weight, velocity = module.weight.detach().numpy().copy(), 0.0
    inputs = torch.linspace(-1, 1, 20, dtype=torch.float64).reshape(5, 4)
    for rate in (0.3, 0.3, 0.1):
        # The gradient of half the squared outputs.
        gradient = (inputs.numpy() @ weight.T + bias).T @ inputs.numpy()
        velocity = 0.9 * velocity + gradient + 0.01 * weight
        weight -= rate * velocity
        optimizer.zero_grad()
        (module(inputs) ** 2).sum().div(2).backward()
        optimizer.step(rate)
    assert module.weight.detach().numpy() == pytest.approx(weight, rel=1e-12)
    assert (module.bias.numpy() == bias).all()


def test_a_parameter_without_a_gradient_stays():
    module = torch.nn.Linear(2, 2)
    before = module.weight.detach().numpy().copy()
    SGD.of(module, momentum=0.9, weight_decay=0.5).step(1.0)
    assert np.array_equal(module.weight.detach().numpy(), before)

"""Stochastic gradient descent with momentum and weight decay, as torch.optim.SGD does it.

Written out, since that one takes longer to import than a short run takes to learn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boxlens.detectors.classifiers.torch.library import torch_library

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module, Parameter


@dataclass(slots=True)
class SGD:
    """Moves the parameters of a module that are not frozen; velocities go by their names."""

    parameters: dict[str, Parameter]
    momentum: float
    weight_decay: float
    velocity: dict[str, Tensor] = field(default_factory=dict)

    @classmethod
    def of(cls, module: Module, *, momentum: float, weight_decay: float) -> SGD:
        moving = {name: one for name, one in module.named_parameters() if one.requires_grad}
        return cls(moving, momentum, weight_decay)

    def step(self, learning_rate: float) -> None:
        """A parameter that no gradient has reached stays."""
        with torch_library().no_grad():
            for name, parameter in self.parameters.items():
                if parameter.grad is None:
                    continue
                change = parameter.grad.add(parameter, alpha=self.weight_decay)
                if name in self.velocity:
                    change = self.velocity[name].mul_(self.momentum).add_(change)
                self.velocity[name] = change
                parameter.add_(change, alpha=-learning_rate)

    def zero_grad(self) -> None:
        for parameter in self.parameters.values():
            parameter.grad = None

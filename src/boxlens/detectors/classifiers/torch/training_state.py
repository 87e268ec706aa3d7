"""The state of training over the epochs: what a checkpoint saves and restores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxlens.detectors.classifiers.torch.checkpoints import Checkpoint
from boxlens.detectors.classifiers.torch.library import torch_library, torch_seeded
from boxlens.detectors.classifiers.torch.sgd import SGD
from boxlens.detectors.classifiers.torch.state import (
    arrays_of,
    set_weights,
    tensors_of,
    weights_of,
)
from boxlens.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy.typing as npt
    from torch.nn import Module

    from boxlens.detectors.classifiers.torch.checkpoints import RunIdentity
    from boxlens.detectors.classifiers.torch.choice import Epoch
    from boxlens.detectors.classifiers.torch.training_data import TrainingData


def built_module(build: Callable[[int], Module], n_classes: int, seed: int) -> Module:
    """As it is before it learns; the same seed gives the same weights."""
    torch = torch_library()
    with torch_seeded(seed):
        module: Any = build(n_classes)
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"a {type(module).__name__} was built, expected a torch.nn.Module")
    on_cpu: Module = module.to("cpu")
    return on_cpu


@dataclass(slots=True)
class TrainingState:
    """What changes from epoch to epoch, and the training data."""

    data: TrainingData
    n_classes: int
    module: Module
    optimizer: SGD
    history: list[Epoch] = field(default_factory=list)
    best: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    best_epoch: int | None = None

    @classmethod
    def begun(cls, module: Module, data: TrainingData, n_classes: int) -> TrainingState:
        choice = data.choice
        optimizer = SGD.of(module, momentum=choice.momentum, weight_decay=choice.weight_decay)
        if not optimizer.parameters:
            raise InputError("the module has no parameters that may change")
        return cls(data, n_classes, module, optimizer)

    def take_up(self, checkpoint: Checkpoint, path: Path) -> None:
        set_weights(self.module, checkpoint.weights, str(path))
        self.optimizer.velocity = tensors_of(checkpoint.momentum)
        self.history = list(checkpoint.history)
        self.best, self.best_epoch = checkpoint.best, checkpoint.best_epoch

    def add(self, epoch: Epoch) -> None:
        best_yet = None if self.best_epoch is None else self.history[self.best_epoch - 1]
        self.history.append(epoch)
        judged = self.data.choice.keep == "best" and len(self.data.validation) > 0
        if judged and epoch.better_than(best_yet):
            self.best, self.best_epoch = weights_of(self.module), epoch.number

    def checkpoint(self, run: RunIdentity) -> Checkpoint:
        return Checkpoint(
            run=run,
            history=tuple(self.history),
            weights=weights_of(self.module),
            momentum=arrays_of(self.optimizer.velocity),
            best=self.best,
            best_epoch=self.best_epoch,
        )

    def finish(self) -> None:
        """Leaves the module with the weights that are kept, ready to be asked."""
        if self.best_epoch is not None:
            set_weights(self.module, self.best, "the best epoch")
        self.optimizer.zero_grad()
        self.module.eval()

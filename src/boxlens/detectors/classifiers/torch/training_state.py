"""The state of training over the epochs, as checkpoints keep it: what a killed run resumes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from boxlens.data import Classes
from boxlens.detectors.classifiers.torch.choice import Epoch, FineTuning
from boxlens.detectors.classifiers.torch.library import torch_library, torch_seeded
from boxlens.detectors.classifiers.torch.state import (
    arrays_of,
    named,
    of_kind,
    set_weights,
    tensors_of,
    weights_digest,
    weights_of,
)
from boxlens.detectors.classifiers.torch.training_data import TrainingData
from boxlens.detectors.model_files import read_model, write_model
from boxlens.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module, Parameter

Arrays = Mapping[str, npt.NDArray[Any]]

SCHEMA = "boxlens/fine-tuning/2"
_RESTART = "--restart (restart=True) discards it and starts again; or name another folder"


@dataclass(slots=True)
class SGD:
    """With momentum and weight decay, as torch.optim.SGD; velocities go by names of parameters.

    Written out, since that one takes longer to import than a short run takes to learn.
    """

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


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """No random state is needed: every epoch draws from a seed of its own."""

    run: RunIdentity
    history: tuple[Epoch, ...]
    weights: Arrays
    momentum: Arrays
    # The weights of the best epoch so far; none where the last ones are kept.
    best: Arrays
    best_epoch: int | None


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What must be the same for a run to resume."""

    # The word of the module, and its weights before any of them moved.
    module: str
    begun_with: str
    settings: Mapping[str, Any]
    class_names: tuple[str, ...]
    truth: str
    pixels: str = ""

    @classmethod
    def of(
        cls, name: str, module: Module, choice: FineTuning, classes: Classes, truth: str
    ) -> RunIdentity:
        """More epochs continue a run, and threads are the machine's business."""
        settings = choice.to_json()
        del settings["epochs"], settings["threads"]
        return cls(name, weights_digest(module), settings, classes.name, truth)

    def differences(self, other: RunIdentity) -> list[str]:
        renamed = self.module != other.module
        found = [f"module ({self.module}, now {other.module})"] if renamed else []
        found += [
            f"{name} ({self.settings.get(name)}, now {value})"
            for name, value in other.settings.items()
            if self.settings.get(name) != value
        ]
        found += ["classes"] if self.class_names != other.class_names else []
        found += ["boxes or labels"] if self.truth != other.truth else []
        # The same boxes on other pictures: where boxes differ, so do all crops.
        if self.truth == other.truth and self.settings == other.settings:
            found += ["pictures"] if self.pixels != other.pixels else []
        # Another seed, say, begins with other weights anyway.
        if not found and self.begun_with != other.begun_with:
            found += ["module: its initial weights differ"]
        return found


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Takes the place of the one before, whole or not at all."""
    run = checkpoint.run
    header = {
        "schema": SCHEMA,
        "epoch": len(checkpoint.history),
        "module": {"name": run.module, "begun_with": run.begun_with},
        "choice": dict(run.settings),
        "classes": list(run.class_names),
        "data": {"truth": run.truth, "pixels": run.pixels},
        "history": [epoch.to_json() for epoch in checkpoint.history],
        "best_epoch": checkpoint.best_epoch,
    }
    arrays = {
        **named("weights", checkpoint.weights),
        **named("momentum", checkpoint.momentum),
        **named("best", checkpoint.best),
    }
    write_model(path, header, arrays)


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The run in a folder, if there is one."""
    if not path.exists():
        return None
    return read_model(path, SCHEMA, _checkpoint, what="checkpoint", remedy=_RESTART)


def _checkpoint(header: Mapping[str, Any], arrays: Arrays) -> Checkpoint:
    module, data = header["module"], header["data"]
    run = RunIdentity(
        module=module["name"],
        begun_with=module["begun_with"],
        settings=header["choice"],
        class_names=tuple(header["classes"]),
        truth=data["truth"],
        pixels=data["pixels"],
    )
    return Checkpoint(
        run=run,
        history=tuple(Epoch.of_json(one) for one in header["history"]),
        weights=of_kind("weights", arrays),
        momentum=of_kind("momentum", arrays),
        best=of_kind("best", arrays),
        best_epoch=header["best_epoch"],
    )


def refuse_other_run(path: Path, checkpoint: Checkpoint, run: RunIdentity, epochs: int) -> None:
    """Weights learnt with other settings, or from other data, are not mixed in."""
    different = checkpoint.run.differences(run)
    if different:
        raise InputError(f"a run with another {', '.join(different)}", path=path, remedy=_RESTART)
    if len(checkpoint.history) > epochs:
        raise InputError(
            f"a run of {len(checkpoint.history)} epochs, more than the {epochs} asked for",
            path=path,
            remedy=_RESTART,
        )


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

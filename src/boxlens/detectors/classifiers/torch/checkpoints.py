"""Fine-tuning as it stands after an epoch, in a file: what a killed run resumes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.detectors.classifiers.torch.choice import Epoch
from boxlens.detectors.classifiers.torch.state import named, of_kind, weights_digest
from boxlens.detectors.model_files import read_model, write_model
from boxlens.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt
    from torch.nn import Module

    from boxlens.data import Classes
    from boxlens.detectors.classifiers.torch.choice import FineTuning

    Arrays = Mapping[str, npt.NDArray[Any]]

SCHEMA = "boxlens/fine-tuning/2"
_RESTART = "--restart (restart=True) discards it and starts again; or name another folder"


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

"""Fine-tunes any torch module on the crops of a data set; resumable after every epoch."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data.columns import Rows
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.detectors.classifiers.torch.choice import Epoch, FineTuning
from boxlens.detectors.classifiers.torch.classifier import TorchClassifier, as_inputs, class_outputs
from boxlens.detectors.classifiers.torch.crop_cache import cut_crops, truth_digest
from boxlens.detectors.classifiers.torch.library import torch_library, torch_seeded, torch_threads
from boxlens.detectors.classifiers.torch.state import refuse_other_module
from boxlens.detectors.classifiers.torch.training_data import TrainingData
from boxlens.detectors.classifiers.torch.training_state import (
    Checkpoint,
    RunIdentity,
    TrainingState,
    built_module,
    read_checkpoint,
    refuse_other_run,
    write_checkpoint,
)
from boxlens.errors import InputError
from boxlens.formats.unfinished import kept_or_scratch
from boxlens.progress import Progress

if TYPE_CHECKING:
    from torch.nn import Module

CHECKPOINT = "checkpoint.npz"


def fine_tune(
    build: Callable[[int], Module],
    crops: LabelledCrops,
    *,
    name: str = "torch",
    choice: FineTuning | None = None,
    folder: str | PathLike[str] | None = None,
    restart: bool = False,
    progress: Progress | None = None,
) -> TorchClassifier:
    """Learns the classes of `crops` with the module that `build(n_classes)` gives.

    `name` is what the classifier is called; a resumed run keeps its name.
    With a folder, an interrupted run resumes after its last whole epoch, to the very bits it
    would have reached on the same machine with as many threads. `restart` starts again there.
    """
    chosen = choice or FineTuning()
    torch_library()
    if len(crops) == 0:
        raise InputError("no objects to train on", remedy="Give ground truth with boxes")
    kept = None if folder is None else Path(folder)
    if kept is not None and kept.is_file():
        raise InputError("expected a folder, found a file", path=folder)
    with kept_or_scratch(kept) as place, torch_threads(chosen.threads):
        path = None if kept is None else place / CHECKPOINT
        if path is not None and restart:
            path.unlink(missing_ok=True)
        module = built_module(build, len(crops.classes), chosen.seed)
        run = RunIdentity.of(name, module, chosen, crops.classes, truth_digest(crops))
        return _fine_tuned(module, run, crops, chosen, place, path, progress)


def _fine_tuned(
    module: Module,
    run: RunIdentity,
    crops: LabelledCrops,
    choice: FineTuning,
    folder: Path,
    path: Path | None,
    progress: Progress | None,
) -> TorchClassifier:
    checkpoint = None if path is None else read_checkpoint(path)
    if path is not None and checkpoint is not None:
        # Before the crops of the other run are overwritten.
        _refuse_other(path, checkpoint, run, module, choice)
    cache = cut_crops(crops, choice.side_px, folder, progress)
    run = replace(run, pixels=cache.pixels_digest())
    data = TrainingData.of(cache, crops.dataset, choice)
    state = TrainingState.begun(module, data, len(crops.classes))
    if path is not None and checkpoint is not None:
        refuse_other_run(path, checkpoint, run, choice.epochs)
        state.take_up(checkpoint, path)
    _run(state, run, path, progress)
    state.finish()
    return TorchClassifier(
        module=state.module,
        classes=crops.classes,
        side_px=choice.side_px,
        mean=data.mean,
        threads=choice.threads,
        name=run.module,
        history=tuple(state.history),
        notices=data.notices(len(crops), crops.classes.name),
    )


def _refuse_other(
    path: Path, checkpoint: Checkpoint, run: RunIdentity, module: Module, choice: FineTuning
) -> None:
    """Differences that show before pictures are read; the plainest first."""
    same_pixels = replace(run, pixels=checkpoint.run.pixels)
    same_start = replace(same_pixels, begun_with=checkpoint.run.begun_with)
    refuse_other_run(path, checkpoint, same_start, choice.epochs)
    refuse_other_module(module, checkpoint.weights, str(path))
    refuse_other_run(path, checkpoint, same_pixels, choice.epochs)


def _run(
    state: TrainingState, run: RunIdentity, path: Path | None, progress: Progress | None
) -> None:
    choice = state.data.choice
    with ThreadPoolExecutor(choice.threads or os.cpu_count() or 1) as pool:
        for number in range(len(state.history) + 1, choice.epochs + 1):
            epoch = _trained(state, number, pool, progress)
            state.add(_judged(state, epoch))
            if path is not None:
                write_checkpoint(path, state.checkpoint(run))


def _trained(state: TrainingState, number: int, pool: Executor, progress: Progress | None) -> Epoch:
    """One epoch; its random numbers come from its own seed, whatever came before."""
    data, choice = state.data, state.data.choice
    rate = choice.learning_rate_in(number)
    batches = data.batches(number)
    state.module.train()
    losses, guesses = [], []
    with torch_seeded(int(np.random.RandomState([choice.seed, number, 1]).randint(2**31))):
        for done, rows in enumerate(batches, start=1):
            inputs = as_inputs(data.squares(rows, number, pool), data.mean)
            loss, guessed = _step(state, inputs, data.labels(rows), rate)
            _refuse_divergence(loss, number)
            losses.append(loss * len(rows))
            guesses.append(guessed)
            if progress is not None:
                before = (number - 1) * len(batches)
                progress("fine-tuning", before + done, choice.epochs * len(batches))
    _refuse_divergence(_sum_of_weights(state.module), number)
    shown = np.concatenate(batches)
    accuracy = class_mean_accuracy(data.labels(shown), np.concatenate(guesses))
    return Epoch(number, rate, sum(losses) / len(shown), accuracy, math.nan, math.nan)


def _step(state: TrainingState, inputs: Any, labels: Rows, rate: float) -> tuple[float, Rows]:
    """Moves the weights by one batch; gives its loss and the classes guessed before."""
    torch = torch_library()
    outputs = class_outputs(state.module, inputs, state.n_classes)
    wanted = torch.from_numpy(labels.astype(np.int64))
    loss = torch.nn.functional.cross_entropy(outputs, wanted)
    state.optimizer.zero_grad()
    loss.backward()
    state.optimizer.step(rate)
    guessed: Rows = outputs.detach().argmax(dim=1).numpy().astype(np.int32)
    return float(loss.detach()), guessed


def _judged(state: TrainingState, epoch: Epoch) -> Epoch:
    """The epoch with its validation numbers."""
    data = state.data
    if len(data.validation) == 0:
        return epoch
    torch = torch_library()
    state.module.eval()
    losses, guesses = [], []
    starts = np.arange(data.choice.batch, len(data.validation), data.choice.batch)
    with torch.inference_mode():
        for rows in np.split(data.validation, starts):
            inputs = as_inputs(data.plain_squares(rows), data.mean)
            outputs = class_outputs(state.module, inputs, state.n_classes)
            wanted = torch.from_numpy(data.labels(rows).astype(np.int64))
            total = torch.nn.functional.cross_entropy(outputs, wanted, reduction="sum")
            losses.append(float(total))
            guesses.append(outputs.argmax(dim=1).numpy())
    loss = sum(losses) / len(data.validation)
    _refuse_divergence(loss, epoch.number)
    accuracy = class_mean_accuracy(data.labels(data.validation), np.concatenate(guesses))
    return replace(epoch, validation_loss=loss, validation_accuracy=accuracy)


def class_mean_accuracy(class_row: Rows, guessed: Rows) -> float:
    """The mean recall of the classes that occur (METHODS 4.1)."""
    occurring, place = np.unique(class_row, return_inverse=True)
    right = np.bincount(place, weights=class_row == guessed, minlength=len(occurring))
    return float(np.mean(right / np.bincount(place, minlength=len(occurring))))


def _sum_of_weights(module: Module) -> float:
    """Not finite where a single weight is not."""
    values = module.state_dict().values()
    return sum(float(value.double().sum()) for value in values if value.is_floating_point())


def _refuse_divergence(loss_or_weights: float, number: int) -> None:
    if not math.isfinite(loss_or_weights):
        raise InputError(
            f"loss and weights diverged in epoch {number} ({loss_or_weights})",
            remedy="Lower the learning rate, for example to a tenth",
        )

"""Settings of fine-tuning, and its history by epoch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from boxlens.errors import ParameterError
from boxlens.limits import BATCH, EPOCHS, SEED, SIDE_PX, THREADS

KEEPS = ("best", "last")


@dataclass(frozen=True, slots=True)
class FineTuning:
    """Stochastic gradient descent whose steps shrink every few epochs.

    `keep` says which weights are the result: those of the epoch with the best validation
    accuracy (mean of the class recalls; of equals the lower validation loss), or the last ones.
    Without validation pictures the last ones are kept.
    """

    epochs: int = 20
    batch: int = 32
    learning_rate: float = 1e-3
    momentum: float = 0.9
    weight_decay: float = 1e-4
    # After so many epochs each, the learning rate is multiplied by the factor.
    decay_every: int = 7
    decay_factor: float = 0.1
    side_px: int = 224
    # Of the images, not of the crops: crops of one picture are alike.
    validation_share: float = 0.1
    seed: int = 0
    # 0: as many as torch takes by itself.
    threads: int = 0
    augment: bool = True
    keep: Literal["best", "last"] = "best"

    def __post_init__(self) -> None:
        EPOCHS.check(self.epochs, "epochs (--epochs)")
        BATCH.check(self.batch, "batch (--batch)")
        self._require("batch", self.batch >= 2, "2 or more, for batch normalization")
        self._require("learning_rate", 0 < self.learning_rate < math.inf, "above 0")
        self._require("momentum", 0 <= self.momentum < 1, "from 0 to below 1")
        self._require("weight_decay", 0 <= self.weight_decay < math.inf, "0 or more")
        self._require("decay_every", self.decay_every >= 1, "1 or more")
        self._require("decay_factor", 0 < self.decay_factor <= 1, "above 0, at most 1")
        SIDE_PX.check(self.side_px, "side_px (--side)")
        self._require("validation_share", 0 <= self.validation_share < 1, "from 0 to below 1")
        SEED.check(self.seed, "seed (--seed)")
        THREADS.check(self.threads, "threads (--workers)")
        self._require("keep", self.keep in KEEPS, " or ".join(KEEPS))

    def _require(self, name: str, holds: bool, allowed: str) -> None:
        if not holds:
            raise ParameterError(f"{name} {getattr(self, name)}: expected {allowed}")

    def learning_rate_in(self, epoch: int) -> float:
        """Epochs count from 1."""
        return self.learning_rate * self.decay_factor ** ((epoch - 1) // self.decay_every)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the training crops. Accuracies are means of the class recalls.

    Loss and training accuracy are those of the augmented crops while the weights still moved;
    validation comes after, on crops as they are; NaN where no pictures were set aside.
    """

    number: int
    learning_rate: float
    loss: float
    train_accuracy: float
    validation_loss: float
    validation_accuracy: float

    def better_than(self, other: Epoch | None) -> bool:
        if other is None:
            return True
        mine, its = self.validation_accuracy, other.validation_accuracy
        return mine > its or (mine == its and self.validation_loss < other.validation_loss)

    def to_json(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: None if math.isnan(value) else value for name, value in values.items()}

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> Epoch:
        """Floats are spelled so that they read back equal."""
        values = {
            field.name: math.nan if document[field.name] is None else float(document[field.name])
            for field in fields(cls)
            if field.name != "number"
        }
        return cls(number=int(document["number"]), **values)

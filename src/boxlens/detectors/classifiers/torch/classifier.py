"""Any torch module as a classifier: crops as squares less their mean, on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from boxlens.data import Classes, Notice
from boxlens.data.columns import Floats
from boxlens.detectors.classifiers.torch.choice import Epoch
from boxlens.detectors.classifiers.torch.library import torch_library, torch_threads
from boxlens.errors import InputError, ParameterError
from boxlens.images import Pixels
from boxlens.images.perturbing.libraries import opencv
from boxlens.limits import BATCH, SIDE_PX, THREADS

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

# Red, green and blue, in pixel values.
Mean = tuple[float, float, float]
ACTIVATIONS = ("softmax", "none")
GREY: Mean = (127.5, 127.5, 127.5)


def squared(crop: Pixels, side_px: int) -> Pixels:
    """The crop stretched to a square: averaged where it shrinks, interpolated where it grows."""
    cv2 = opencv()
    height, width = crop.shape[:2]
    smaller = min(width, side_px), min(height, side_px)
    if smaller != (width, height):
        crop = cv2.resize(crop, smaller, interpolation=cv2.INTER_AREA)
    if smaller != (side_px, side_px):
        crop = cv2.resize(crop, (side_px, side_px), interpolation=cv2.INTER_LINEAR)
    return crop


def as_inputs(squares: Sequence[Pixels], mean: Mean) -> Tensor:
    """(pixels - mean) / 255, as a tensor of n x 3 x side x side."""
    stacked = np.stack(list(squares)).astype(np.float32)
    stacked -= np.array(mean, dtype=np.float32)
    stacked /= np.float32(255)
    return torch_library().from_numpy(np.ascontiguousarray(stacked.transpose(0, 3, 1, 2)))


def class_outputs(module: Module, inputs: Tensor, n_classes: int) -> Tensor:
    """What the module answers, if it is one number for every crop and class."""
    answer: Any = _asked(module, inputs)
    shape = tuple(answer.shape) if isinstance(answer, torch_library().Tensor) else None
    if shape != (len(inputs), n_classes):
        found = type(answer).__name__ if shape is None else " x ".join(map(str, shape))
        raise InputError(
            f"the module returns {found} where {len(inputs)} x {n_classes} was expected",
            remedy="It must return one number per crop and class",
        )
    return answer


def _asked(module: Module, inputs: Tensor) -> Any:
    try:
        return module(inputs)
    except (RuntimeError, ValueError, TypeError, IndexError) as problem:
        crops = " x ".join(map(str, inputs.shape))
        first = str(problem).partition("\n")[0]
        raise InputError(
            f"the module failed on crops of {crops} ({type(problem).__name__}: {first})",
            remedy="It must take crops x channels x height x width; --side sets the last two",
        ) from problem


@dataclass(frozen=True, slots=True, eq=False)
class TorchClassifier:
    """The module gets (pixels - mean) / 255 and answers with a number for every class.

    `activation` makes shares of 1 of these ("softmax"), or leaves them as they are ("none",
    METHODS 4.1). A module that wants another range, say unit variance, scales its inputs itself.
    """

    module: Module
    classes: Classes
    side_px: int = 224
    mean: Mean = GREY
    # Every batch is filled up to this size: sums are ordered by the shape of a batch, and so
    # what is said of a crop depends on the others neither in meaning nor in its last bit.
    batch: int = 32
    activation: Literal["softmax", "none"] = "softmax"
    # 0: as many as torch takes by itself.
    threads: int = 0
    name: str = "torch"
    history: tuple[Epoch, ...] = ()
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise ParameterError(f"activation '{self.activation}': expected softmax or none")
        SIDE_PX.check(self.side_px, "side_px")
        BATCH.check(self.batch, "batch")
        THREADS.check(self.threads, "threads")
        if len(self.mean) != 3 or not np.isfinite(self.mean).all():
            raise ParameterError(f"mean {self.mean}: expected three numbers: red, green, blue")

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        outputs = [np.empty((0, len(self.classes)))]
        torch = torch_library()
        self.module.eval()
        with torch_threads(self.threads), torch.inference_mode():
            for start in range(0, len(crops), self.batch):
                squares = [
                    squared(crop, self.side_px) for crop in crops[start : start + self.batch]
                ]
                outputs.append(self._outputs(squares))
        answers: Floats = np.concatenate(outputs)
        if not np.isfinite(answers).all():
            raise InputError(
                "the module returns values that are not finite",
                path=self.name,
                remedy="Check its weights and the range of its inputs",
            )
        return softmax(answers) if self.activation == "softmax" else answers

    def _outputs(self, squares: list[Pixels]) -> Floats:
        filler = [np.zeros_like(squares[0])] * (self.batch - len(squares))
        inputs = as_inputs([*squares, *filler], self.mean)
        answer = class_outputs(self.module, inputs, len(self.classes))
        numbers: Floats = answer.double().numpy()[: len(squares)]
        return numbers


def softmax(outputs: Floats) -> Floats:
    """Shares of 1 in every row."""
    shares: Floats = np.exp(outputs - outputs.max(axis=1, keepdims=True, initial=-np.inf))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares

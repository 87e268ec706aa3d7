"""Crops as a torch module takes them: squares, less the mean, channels first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.detectors.classifiers.torch.library import torch_library
from boxlens.errors import InputError
from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
    from torch.nn import Module

    from boxlens.images import Pixels

# Red, green and blue, in pixel values.
Mean = tuple[float, float, float]


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

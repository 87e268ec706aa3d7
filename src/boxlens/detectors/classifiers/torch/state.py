"""Tensors of torch as named NumPy arrays, and back: weights of modules, and what moves them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boxlens.detectors.classifiers.torch.library import torch_library
from boxlens.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

Arrays = dict[str, npt.NDArray[Any]]


def weights_of(module: Module) -> Arrays:
    """Copies of all parameters and buffers."""
    return arrays_of(module.state_dict())


def weights_digest(module: Module) -> str:
    """Of all names and values, to the bit."""
    digest = hashlib.sha256()
    for name, array in sorted(weights_of(module).items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def set_weights(module: Module, arrays: Mapping[str, npt.NDArray[Any]], owner: str) -> None:
    """All of them, and no others; `owner` is the file they come from."""
    refuse_other_module(module, arrays, owner)
    module.load_state_dict(tensors_of(arrays), strict=True)


def refuse_other_module(module: Module, arrays: Mapping[str, npt.NDArray[Any]], owner: str) -> None:
    """Refuses weights of other names or shapes."""
    own = module.state_dict()
    differ = sorted(own.keys() ^ arrays.keys()) or [
        name for name, value in own.items() if tuple(value.shape) != arrays[name].shape
    ]
    if differ:
        raise InputError(
            f"its weights are those of another module: {differ[0]} differs",
            path=owner,
            remedy="Build the module as it was when the file was written",
        )


def arrays_of(tensors: Mapping[str, Any]) -> Arrays:
    """Copies that NumPy owns."""
    return {name: _array(value, name) for name, value in tensors.items()}


def tensors_of(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Tensor]:
    """Copies that torch owns."""
    torch = torch_library()
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def named(kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """Arrays of one kind, as a file of several kinds calls them."""
    return {f"{kind}/{name}": array for name, array in arrays.items()}


def of_kind(kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """Those arrays of a file, by their own names."""
    start = f"{kind}/"
    return {
        name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)
    }


def _array(value: Any, name: str) -> npt.NDArray[Any]:
    try:
        return np.array(value.detach().cpu().numpy())
    except (AttributeError, TypeError, RuntimeError) as problem:
        raise InputError(
            f"{name} of the module is not an array that NumPy knows ({problem})",
            remedy="Keep the module in float32, and its state in tensors",
        ) from problem

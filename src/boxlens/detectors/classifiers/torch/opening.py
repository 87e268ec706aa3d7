"""Which torch module a word means: torch:small, or torch:package.module:function."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from boxlens.detectors.classifiers.torch.library import torch_library
from boxlens.detectors.named_objects import described, find_named, is_function_name
from boxlens.errors import InputError

if TYPE_CHECKING:
    from torch.nn import Module

# Channels of each stage; every stage but the first halves the side.
WIDTHS = (16, 32, 64)
BLOCKS_A_STAGE = 2
PREFIX = "torch:"
SMALL = "torch:small"


def small_network(n_classes: int) -> Module:
    """About 175,000 parameters. Pooling over the whole picture makes any side fit."""
    nn = torch_library().nn
    layers = [*_convolution(nn, 3, WIDTHS[0], stride=2), nn.ReLU()]
    n_channels = WIDTHS[0]
    for width in WIDTHS:
        for _ in range(BLOCKS_A_STAGE):
            layers.append(_residual()(n_channels, width, 1 if n_channels == width else 2))
            n_channels = width
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(n_channels, n_classes)]
    return nn.Sequential(*layers, *head)


def _convolution(nn: Any, n_in: int, n_out: int, *, stride: int, side: int = 3) -> list[Any]:
    convolution = nn.Conv2d(n_in, n_out, side, stride, padding=side // 2, bias=False)
    return [convolution, nn.BatchNorm2d(n_out)]


@cache
def _residual() -> Any:
    """The class of a block; made when asked for, since torch is imported no earlier."""
    nn = torch_library().nn
    module: Any = nn.Module

    class Residual(module):  # type: ignore[misc]
        """Two convolutions whose result is added to what came in."""

        def __init__(self, n_in: int, n_out: int, stride: int) -> None:
            super().__init__()
            self.added = nn.Sequential(
                *_convolution(nn, n_in, n_out, stride=stride),
                nn.ReLU(),
                *_convolution(nn, n_out, n_out, stride=1),
            )
            same = n_in == n_out and stride == 1
            short_cut = [] if same else _convolution(nn, n_in, n_out, stride=stride, side=1)
            self.short_cut = nn.Sequential(*short_cut)

        def forward(self, values: Any) -> Any:
            return (self.added(values) + self.short_cut(values)).relu()

    return Residual


def is_module(given: Any) -> bool:
    """Whether it is a torch module, asked without importing torch: one that is has done so."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.nn.Module)


def copies_of(module: Module) -> Callable[[int], Module]:
    """Builds what is given: every fold starts with the same weights; the module is not changed.

    Its outputs must be as many as the classes; that is seen when it first answers.
    """
    return lambda _n_classes: copy.deepcopy(module)


def builder(word: str) -> Callable[[int], Module]:
    """What builds the module: called with the number of classes.

    The current folder is searched too. The name may be that of a function or of a class.
    """
    torch = torch_library()
    found = small_network if word == SMALL else _named(word)

    def build(n_classes: int) -> Module:
        try:
            module = found(n_classes)
        except Exception as problem:
            raise InputError(
                f"cannot be built for {n_classes} classes ({type(problem).__name__}: {problem})",
                path=word,
                remedy="It is called with the number of classes alone",
            ) from problem
        if not isinstance(module, torch.nn.Module):
            raise InputError(f"returns a {described(module)}, not a torch.nn.Module", path=word)
        return module

    return build


def _named(word: str) -> Callable[[int], Any]:
    name = word.removeprefix(PREFIX)
    if name == word or not is_function_name(name):
        raise InputError(
            "not a torch module", path=word, remedy=f"Give {SMALL} or torch:package.module:function"
        )
    found, _ = find_named(name)
    if not callable(found) or isinstance(found, torch_library().nn.Module):
        raise InputError(
            f"a {described(found)}, where a function or class was expected",
            path=word,
            remedy="Name what builds the module for a number of classes",
        )
    builds: Callable[[int], Any] = found
    return builds

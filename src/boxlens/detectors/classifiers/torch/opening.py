"""Which torch module a word means: torch:small, or torch:package.module:function."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING, Any

from boxlens.detectors.classifiers.torch.library import torch_library
from boxlens.detectors.classifiers.torch.small import small_network
from boxlens.detectors.named_objects import described, find_named, is_function_name
from boxlens.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.nn import Module

PREFIX = "torch:"
SMALL = "torch:small"


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

"""What "package.module:name" means, and its classes."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from boxlens.data import Classes
from boxlens.errors import InputError

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_CLASSES_REMEDY = (
    "Write classes = ['cat', 'dog'] beside the function, or set it on the function itself"
)


def is_function_name(text: str) -> bool:
    """Whether a text has the form package.module:name."""
    return _NAME.fullmatch(text) is not None


def find_named(text: str) -> tuple[Any, Any]:
    """The object, and its attribute `classes` or its module's (None: neither has it).

    The current folder is searched too.
    """
    module_name, _, attribute = text.partition(":")
    module = _imported(module_name, text)
    try:
        found: Any = module
        for part in attribute.split("."):
            found = getattr(found, part)
    except AttributeError as problem:
        raise InputError(f"module '{module_name}' has no '{attribute}'", path=text) from problem
    return found, getattr(found, "classes", getattr(module, "classes", None))


def source_files(text: str) -> list[Path]:
    """The file of the module of an object that was found; none where it has none."""
    source = getattr(sys.modules[text.partition(":")[0]], "__file__", None)
    return [Path(source)] if source else []


def classes_from(given: Any, owner: str) -> Classes:
    """Classes as a user writes them: `Classes`, or names, which get the ids 1, 2, 3 ..."""
    if isinstance(given, Classes):
        return given
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, str) for one in given):
        if len(set(given)) < len(given):
            raise InputError(
                "duplicate class name", path=owner, remedy="Give every class a unique name"
            )
        return Classes.of(list(range(1, len(given) + 1)), list(given))
    problem = "has no classes" if given is None else f"classes are {described(given)}, not names"
    raise InputError(problem, path=owner, remedy=_CLASSES_REMEDY)


def own_words(function: Callable[..., Any], classes: Classes) -> tuple[Classes, str, bool]:
    """What a function says of itself: its classes, or those given; its name; if it takes lists."""
    name = str(getattr(function, "__name__", type(function).__name__))
    own = classes_from(getattr(function, "classes", classes), name)
    return own, name, bool(getattr(function, "batched", False))


def asked(
    function: Callable[..., Any], items: Sequence[Any], name: str, what: str, *, batched: bool
) -> list[Any]:
    """Its answers: for one item after the other, or for a list of them if `batched`."""
    if not batched:
        return [function(item) for item in items]
    answers = list(function(list(items)))
    if len(answers) != len(items):
        raise InputError(f"{name}: {len(answers)} answers for {len(items)} {what}")
    return answers


def described(value: Any) -> str:
    """The type of a value that was not expected, and its length where it has one."""
    length = f" of {len(value)}" if isinstance(value, (list, tuple, dict)) else ""
    return f"{type(value).__name__}{length}"


def _imported(name: str, text: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except Exception as problem:
        raise InputError(
            f"module '{name}' cannot be imported ({type(problem).__name__}: {problem})",
            path=text,
            remedy="It must be in the current folder or on Python's path",
        ) from problem

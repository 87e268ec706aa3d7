"""Generators as JSON files: their settings, what they learnt, and from what that was made."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import existing_file, read_json, write_text
from boxlens.studies.proposals.generators.opening import NAMES, open_generator
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.generators.ranked import settings_of

SCHEMA = "boxlens/generator/1"
_KEYS = ("schema", "generator", "settings", "learned", "made_from")
_REMEDY = "Give a file that `boxlens proposals train` or `tune` wrote"


def write_generator(
    generator: Generator, path: str | PathLike[str], *, made_from: Mapping[str, Any]
) -> None:
    """All settings, and what was learnt; `made_from` tells of which data, in any JSON form."""
    if generator.name not in NAMES:
        known = ", ".join(NAMES)
        raise ParameterError(f"no generator of Boxlens is named '{generator.name}': {known}")
    settings, learned = {}, {}
    for name, value in _values(generator).items():
        if hasattr(value, "to_json"):
            learned = {"learned": value.to_json()}
        else:
            settings[name] = str(value) if isinstance(value, Path) else value
    document = {
        "schema": SCHEMA,
        "generator": generator.name,
        "settings": settings,
        **learned,
        "made_from": dict(made_from),
    }
    write_text(path, json.dumps(document, indent=1) + "\n")


def read_generator(
    path: str | PathLike[str], *, seed: int | None = None, expected: str | None = None
) -> Generator:
    """The generator of a file; settings that the file does not name are the usual ones.

    With `expected`, a file of another generator is refused.
    """
    source = existing_file(path)
    document = _document(source)
    name = document["generator"]
    if expected not in (None, name):
        problem = f"a file of the generator '{name}', not of '{expected}'"
        raise InputError(problem, path=path, remedy=f"Write {name}:{path}")
    settings = document.get("settings", {})
    try:
        usual = open_generator(_word(name, settings), seed=seed or 0)
        values = {key: _checked(key, value, _values(usual)) for key, value in settings.items()}
        values |= _learned(usual, document)
        # Every generator is a frozen dataclass (see its protocol).
        made: Generator = replace(usual, **values)  # type: ignore[type-var]
    except InputError as problem:
        if problem.path is not None and problem.path != str(source):
            raise
        raise _wrong(source, problem.problem, problem.where) from problem
    except (ParameterError, ValueError, TypeError, LookupError) as problem:
        raise _wrong(source, str(problem)) from problem
    _check_models(made, usual, source)
    return made


def _wrong(path: Path, problem: str, where: str | None = None) -> InputError:
    return InputError(problem, path=path, where=where, remedy=_REMEDY)


def _document(path: Path) -> dict[str, Any]:
    document = read_json(path, remedy=_REMEDY)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else type(document).__name__
        raise _wrong(path, f"no generator file: expected the schema {SCHEMA!r}, found {found!r}")
    others = [key for key in document if key not in _KEYS]
    if others:
        raise _wrong(path, f"unknown field '{others[0]}'; known are {', '.join(_KEYS)}")
    if document.get("generator") not in NAMES:
        known = ", ".join(NAMES)
        unknown = f"unknown generator {document.get('generator')!r}; known are {known}"
        raise _wrong(path, unknown, "generator")
    if not isinstance(document.get("settings", {}), dict):
        raise _wrong(path, "expected an object of settings", "settings")
    return document


def _word(name: str, settings: Mapping[str, Any]) -> str:
    """BING cannot be opened without its folder."""
    if name != "bing":
        return name
    folder = settings.get("folder")
    if not (isinstance(folder, str) and folder):
        raise InputError("expected the folder of BING's model files", where="settings.folder")
    return f"bing:{folder}"


def _values(generator: Generator) -> dict[str, Any]:
    """Who runs a generator chooses the seed."""
    return {key: value for key, value in settings_of(generator).items() if key != "seed"}


def _checked(key: str, value: Any, usual: Mapping[str, Any]) -> Any:
    """The value, if it is of the kind that the setting usually has."""
    where = f"settings.{key}"
    known = [name for name, one in usual.items() if not hasattr(one, "to_json")]
    if key not in known:
        raise InputError(f"unknown setting; known are {', '.join(known)}", where=where)
    standard = usual[key]
    if isinstance(standard, float) and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if isinstance(standard, tuple) and isinstance(value, list):
        return _tuples(value)
    if isinstance(standard, Path) and isinstance(value, str):
        return standard
    if type(value) is not type(standard):
        expected = "number" if isinstance(standard, float) else type(standard).__name__
        raise InputError(f"expected a value of type {expected}, got {value!r}", where=where)
    return value


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _learned(usual: Generator, document: Mapping[str, Any]) -> dict[str, Any]:
    if "learned" not in document:
        return {}
    for name, value in _values(usual).items():
        if hasattr(value, "to_json"):
            return {name: type(value).of_json(document["learned"])}
    raise InputError(f"{usual.name} has nothing to learn", where="learned")


def _check_models(made: Generator, usual: Generator, path: Path) -> None:
    """BING's files may be others by now."""
    there, meant = getattr(usual, "digest", None), getattr(made, "digest", None)
    if there != meant:
        raise InputError(
            "the model files in its folder are not those that it was made with",
            path=path,
            where="settings.digest",
            remedy="Bring the files back, or leave the digest out",
        )

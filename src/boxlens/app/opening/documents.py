"""The JSON documents of a run, checked so far that everything else may rely on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from boxlens.errors import InputError
from boxlens.formats.files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA = "boxlens/run/1"
AGAIN = "Run the verb again with -o"
ATTRIBUTE_KINDS = ("text", "number", "flag")

_WHOLE = "a whole number from 0"
_TEXT = "a text"
_FLAG = "true or false"
_LIST = "a list"
_OBJECT = "an object"


def read_about(path: Path) -> dict[str, Any]:
    """What a run says about itself."""
    if not path.is_file():
        raise InputError(
            "no run.json: the folder was written by an older Boxlens or is no run",
            path=path.parent,
            remedy=AGAIN,
        )
    about = _read_json(path)
    schema = about.get("schema") if isinstance(about, dict) else None
    if schema != SCHEMA:
        raise InputError(
            f"expected the schema {SCHEMA}, found {_shown(schema)}",
            path=path,
            remedy=f"{AGAIN}, with the Boxlens that serves it",
        )
    _check_about(about, path)
    return dict(about)


def read_figures(path: Path) -> list[dict[str, Any]]:
    """The figures of a run; a run without figures has none."""
    if not path.exists():
        return []
    figures = _read_json(path)
    if not isinstance(figures, list):
        raise InputError("expected a list of figures", path=path, remedy=AGAIN)
    for number, figure in enumerate(figures):
        where = f"figure {number}"
        for key in ("name", "title", "reading", "section", "detector"):
            _member(figure, key, _TEXT, path, where)
        _member(figure, "spec", _OBJECT, path, where)
    return figures


def _check_about(about: Mapping[str, Any], path: Path) -> None:
    """Every field the app reads without asking whether it is there."""
    for key in ("verb", "title"):
        _member(about, key, _TEXT, path)
    dataset = _member(about, "dataset", _OBJECT, path)
    _member(dataset, "name", _TEXT, path, "dataset")
    _member(dataset, "relative", _FLAG, path, "dataset")
    for key in ("n_images", "n_objects"):
        _member(dataset, key, _WHOLE, path, "dataset")
    for one in _members(dataset, "classes", path):
        _member(one, "name", _TEXT, path, "classes")
        if not _is_id(one.get("id")):
            raise _wrong("id", "a whole number or a text", one.get("id"), path, "classes")
    for one in _members(about, "detectors", path):
        _member(one, "name", _TEXT, path, "detectors")
        _member(one, "n_detections", _WHOLE, path, "detectors")
    if not about["detectors"]:
        raise InputError("names no detector", path=path, remedy=AGAIN)
    schemes = _member(about, "schemes", _OBJECT, path)
    for name, scheme in schemes.items():
        for key in ("detections", "objects"):
            _texts(scheme, key, path, f"scheme {_shown(name)}")
    for one in _members(about, "attributes", path):
        _member(one, "name", _TEXT, path, "attributes")
        if one.get("kind") not in ATTRIBUTE_KINDS:
            raise _wrong("kind", "text, number or flag", one.get("kind"), path, "attributes")
    for one in _members(about, "characteristics", path):
        _member(one, "name", _TEXT, path, "characteristics")
        _texts(one, "subsets", path, "characteristics")


def _read_json(path: Path) -> Any:
    text = read_text(path)
    try:
        document = json.loads(text, parse_constant=_no_constant)
        if "\\ud" in text.lower():
            # Half of a character pair is no text: it could not be sent to a browser.
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as problem:
        reason = str(problem).partition("\n")[0] or type(problem).__name__
        raise InputError(f"damaged JSON ({reason})", path=path, remedy=AGAIN) from problem
    return document


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON value")


def _members(holder: Any, key: str, path: Path) -> list[dict[str, Any]]:
    items = _member(holder, key, _LIST, path)
    for item in items:
        if not isinstance(item, dict):
            raise _wrong(key, "a list of objects", item, path)
    return list(items)


def _texts(holder: Any, key: str, path: Path, where: str) -> None:
    for item in _member(holder, key, _LIST, path, where):
        if not isinstance(item, str):
            raise _wrong(key, "a list of texts", item, path, where)


def _member(holder: Any, key: str, kind: str, path: Path, where: str | None = None) -> Any:
    """A field that is there and of its kind."""
    value = holder.get(key) if isinstance(holder, dict) else None
    fits = {
        _WHOLE: type(value) is int and value >= 0,
        _TEXT: isinstance(value, str),
        _FLAG: isinstance(value, bool),
        _LIST: isinstance(value, list),
        _OBJECT: isinstance(value, dict),
    }
    if not fits[kind]:
        raise _wrong(key, kind, value, path, where)
    return value


def _wrong(key: str, kind: str, value: Any, path: Path, where: str | None = None) -> InputError:
    problem = f"expected '{key}' to be {kind}, found {_shown(value)}"
    return InputError(problem, path=path, where=where, remedy=AGAIN)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or type(value) is int


def _shown(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

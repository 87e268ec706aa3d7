"""The JSON documents of a run, checked so that everything else can rely on them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from boxlens.errors import InputError
from boxlens.formats.files import is_gzip, read_text, reason_of
from boxlens.studies.diagnosis.crosswalk import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA = "boxlens/run/1"
AGAIN = "Run the verb again with -o"
ATTRIBUTE_KINDS = ("text", "number", "flag")
# Documents are far smaller; one beyond it would only fill memory.
MOST_BYTES = 256 * 2**20

_WHOLE = "a whole number from 0"
_TEXT = "a text"
_FLAG = "true or false"
_LIST = "a list"
_OBJECT = "an object"
_NUMBER = "a number or null"


def read_about(path: Path) -> dict[str, Any]:
    """What a run says about itself."""
    if not path.is_file():
        raise _no_run(path)
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


def _no_run(path: Path) -> InputError:
    """Some verbs have no per-image results; or the run is in a folder below."""
    folder = path.parent
    below = sorted(found.parent.name for found in folder.glob(f"*/{path.name}"))
    if below:
        problem, remedy = "not a run, but a folder of runs", f"Did you mean {folder / below[0]}?"
    elif (folder / "report.html").is_file() and (folder / "results.json").is_file():
        problem = "no run.json: this command writes no per-image results"
        remedy = (
            "Open its report.html. evaluate, diagnose, sensitivity, compare, report and, with "
            "--detections, difficulty write folders that can be served"
        )
    else:
        problem = "no run.json: not a run, or written by an older Boxlens"
        remedy = AGAIN
    return InputError(problem, path=folder, remedy=remedy)


def read_figures(path: Path) -> list[dict[str, Any]]:
    """The figures of a run; a run without figures has none."""
    if not path.exists():
        return []
    if not path.is_file():
        raise InputError("expected a file of figures", path=path, remedy=AGAIN)
    figures = _read_json(path)
    if not isinstance(figures, list):
        raise InputError("expected a list of figures", path=path, remedy=AGAIN)
    for number, figure in enumerate(figures):
        where = f"figure {number}"
        for key in ("name", "title", "reading", "section", "detector"):
            _member(figure, key, _TEXT, path, where)
        _member(figure, "spec", _OBJECT, path, where)
    return figures


def refuse_packed(path: Path) -> None:
    """No file of a run is gzip: a small one could unpack to more than memory holds."""
    if is_gzip(path):
        raise InputError("is packed with gzip", path=path, remedy=f"Unpack it. Or: {AGAIN}")


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
        _member(one, "min_score", _NUMBER, path, "detectors")
    if not about["detectors"]:
        raise InputError("no detector", path=path, remedy=AGAIN)
    _member(about, "iou", _NUMBER, path)
    _check_verdict(about, path)
    schemes = _member(about, "schemes", _OBJECT, path)
    for name, scheme in schemes.items():
        if name not in SCHEMES:
            raise _wrong("schemes", f"some of {', '.join(SCHEMES)}", name, path)
        for key in ("detections", "objects"):
            _texts(scheme, key, path, f"scheme {_shown(name)}")
    for one in _members(about, "attributes", path):
        _member(one, "name", _TEXT, path, "attributes")
        if one.get("kind") not in ATTRIBUTE_KINDS:
            raise _wrong("kind", "text, number or flag", one.get("kind"), path, "attributes")
    for one in _members(about, "characteristics", path):
        _member(one, "name", _TEXT, path, "characteristics")
        _texts(one, "subsets", path, "characteristics")


def _check_verdict(about: Mapping[str, Any], path: Path) -> None:
    """Its numbers are pairs of a name and a number, its tiles of texts; a run may have none."""
    if about.get("verdict") is None:
        return
    verdict = _member(about, "verdict", _OBJECT, path)
    for pair in _member(verdict, "tiles", _LIST, path, "verdict") if "tiles" in verdict else ():
        if not (isinstance(pair, list) and list(map(type, pair)) == [str, str]):
            raise _wrong("tiles", "pairs of texts", pair, path, "verdict")
    if "numbers" not in verdict:
        return
    for pair in _member(verdict, "numbers", _LIST, path, "verdict"):
        is_pair = isinstance(pair, list) and len(pair) == 2
        if not (is_pair and isinstance(pair[0], str) and _is_number(pair[1])):
            raise _wrong("numbers", "pairs of a text and a number or null", pair, path, "verdict")


def _read_json(path: Path) -> Any:
    refuse_packed(path)
    try:
        text = read_text(path, MOST_BYTES)
    except InputError as problem:
        raise InputError(problem.problem, path=path, remedy=AGAIN) from problem
    try:
        document = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
        if "\\ud" in text.lower():
            # Half of a character pair is no text: it could not be sent to a browser.
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as problem:
        reason = reason_of(problem)
        raise InputError(f"damaged JSON ({reason})", path=path, remedy=AGAIN) from problem
    return document


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON value")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{_cut(text)} is too large")
    return value


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
        _NUMBER: _is_number(value),
    }
    if not fits[kind]:
        raise _wrong(key, kind, value, path, where)
    return value


def _wrong(key: str, kind: str, value: Any, path: Path, where: str | None = None) -> InputError:
    problem = f"expected '{key}' to be {kind}, found {_shown(value)}"
    return InputError(problem, path=path, where=where, remedy=AGAIN)


def _is_number(value: Any) -> bool:
    """A number that a float can hold, or none."""
    if value is None or type(value) is float:
        return True
    # Whole numbers of JSON have no bounds.
    return type(value) is int and abs(value) < 10**300


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or type(value) is int


def _shown(value: Any) -> str:
    return _cut("nothing" if value is None else json.dumps(value))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."

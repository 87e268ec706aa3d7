"""The JSON documents of a run, checked so that everything else can rely on them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from boxlens.errors import InputError
from boxlens.formats.files import is_gzip, read_text, reason_of
from boxlens.studies.diagnosis.crosswalk import SCHEMES

SCHEMA = "boxlens/run/1"
AGAIN = "Run the verb again with -o"
ATTRIBUTE_KINDS = ("text", "number", "flag")
# Documents are far smaller; one beyond it would only fill memory.
MOST_BYTES = 256 * 2**20
# No float holds a much larger one.
LARGEST_NUMBER = 10**300

_WHOLE = "a whole number from 0"
_TEXT = "a text"
_FLAG = "true or false"
_LIST = "a list"
_OBJECT = "an object"
_NUMBER = "a number or null"
_ID = "a whole number or a text"
_KIND = "text, number or flag"
_PAIR = "pairs of a text and a number or null"
_TILE = "pairs of texts"
_FITS: Mapping[str, Callable[[Any], bool]] = {
    _WHOLE: lambda value: type(value) is int and value >= 0,
    _TEXT: lambda value: isinstance(value, str),
    _FLAG: lambda value: isinstance(value, bool),
    _LIST: lambda value: isinstance(value, list),
    _OBJECT: lambda value: isinstance(value, dict),
    # Whole numbers of JSON have no bounds, floats do.
    _NUMBER: lambda value: (
        value is None
        or type(value) is float
        or (type(value) is int and abs(value) < LARGEST_NUMBER)
    ),
    _ID: lambda value: isinstance(value, str) or type(value) is int,
    _KIND: lambda value: value in ATTRIBUTE_KINDS,
    _PAIR: lambda value: (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and _FITS[_NUMBER](value[1])
    ),
    _TILE: lambda value: isinstance(value, list) and list(map(type, value)) == [str, str],
}
_VERDICT = {"tiles": [_TILE], "numbers": [_PAIR]}
# Every field the app reads without asking whether it is there: its kind, the fields of an object,
# or a list of what each item is.
_ABOUT = {
    "verb": _TEXT,
    "title": _TEXT,
    "dataset": {
        "name": _TEXT,
        "relative": _FLAG,
        "n_images": _WHOLE,
        "n_objects": _WHOLE,
        "classes": [{"name": _TEXT, "id": _ID}],
    },
    "detectors": [{"name": _TEXT, "n_detections": _WHOLE, "min_score": _NUMBER}],
    "iou": _NUMBER,
    "schemes": _OBJECT,
    "attributes": [{"name": _TEXT, "kind": _KIND}],
    "characteristics": [{"name": _TEXT, "subsets": [_TEXT]}],
}
_SCHEME = {"detections": [_TEXT], "objects": [_TEXT]}
_FIGURE = {
    **dict.fromkeys(("name", "title", "reading", "section", "detector"), _TEXT),
    "spec": _OBJECT,
}


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
            "--dt, difficulty write folders that can be served"
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
        _check(figure, _FIGURE, path, f"figure {number}")
    return figures


def refuse_packed(path: Path) -> None:
    """No file of a run is gzip: a small one could unpack to more than memory holds."""
    if is_gzip(path):
        raise InputError("is packed with gzip", path=path, remedy=f"Unpack it. Or: {AGAIN}")


def _check_about(about: Mapping[str, Any], path: Path) -> None:
    _check(about, _ABOUT, path)
    if not about["detectors"]:
        raise InputError("no detector", path=path, remedy=AGAIN)
    # A run may have no verdict, and a verdict no numbers.
    if about.get("verdict") is not None:
        _check(about, {"verdict": _OBJECT}, path)
        verdict = about["verdict"]
        known = {key: kind for key, kind in _VERDICT.items() if key in verdict}
        _check(verdict, known, path, "verdict")
    for name, scheme in about["schemes"].items():
        if name not in SCHEMES:
            raise _wrong("schemes", f"some of {', '.join(SCHEMES)}", name, path)
        _check(scheme, _SCHEME, path, f"scheme {_shown(name)}")


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


def _check(holder: Any, fields: Mapping[str, Any], path: Path, where: str | None = None) -> None:
    """Fields that are there and of their kind."""
    for key, kind in fields.items():
        value = holder.get(key) if isinstance(holder, dict) else None
        stated = _OBJECT if isinstance(kind, dict) else _LIST if isinstance(kind, list) else kind
        if not _FITS[stated](value):
            raise _wrong(key, stated, value, path, where)
        if isinstance(kind, dict):
            _check(value, kind, path, key)
        elif isinstance(kind, list):
            _check_items(value, kind[0], key, path, where)


def _check_items(items: Any, kind: Any, key: str, path: Path, where: str | None) -> None:
    for item in items:
        if isinstance(kind, dict):
            if not isinstance(item, dict):
                raise _wrong(key, "a list of objects", item, path)
            _check(item, kind, path, key)
        elif not _FITS[kind](item):
            raise _wrong(
                key, kind if kind in (_PAIR, _TILE) else "a list of texts", item, path, where
            )


def _wrong(key: str, kind: str, value: Any, path: Path, where: str | None = None) -> InputError:
    problem = f"expected '{key}' to be {kind}, found {_shown(value)}"
    return InputError(problem, path=path, where=where, remedy=AGAIN)


def _shown(value: Any) -> str:
    return _cut("nothing" if value is None else json.dumps(value))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."

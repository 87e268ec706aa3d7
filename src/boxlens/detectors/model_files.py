"""Trained models as .npz files: arrays and a JSON header, never a pickle."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from io import BytesIO
from os import PathLike
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from boxlens.data import Classes, Notice
from boxlens.errors import BoxlensError, InputError, MissingExtraError
from boxlens.formats.files import (
    DATA_BYTES,
    UNPACKED_BYTES,
    UNPACKED_FACTOR,
    opened,
    reading,
    reason_of,
    written_whole,
)

Arrays = Mapping[str, npt.NDArray[Any]]
Header = Mapping[str, Any]
Shapes = Mapping[str, tuple[type[np.generic], tuple[int, ...]]]

Model = TypeVar("Model")

# What a header or arrays that are not of a model may make of who builds it.
_DAMAGE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RecursionError,
    BoxlensError,
)


class NamedModel(Protocol):
    """What all models have."""

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> Classes: ...

    @property
    def notices(self) -> tuple[Notice, ...]: ...


def write_model(path: str | PathLike[str], header: Header, arrays: Arrays) -> None:
    """Writes the file whole; the same model always gives the same bytes."""
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    parts: dict[str, Any] = {"header": text, **arrays}
    with written_whole(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **parts)


def read_model(
    path: str | PathLike[str],
    schema: str,
    make: Callable[[Header, dict[str, npt.NDArray[Any]]], Model],
    *,
    what: str,
    remedy: str,
) -> Model:
    """What `make` builds of header and arrays; a file that is damaged or foreign is refused."""
    with reading(path), opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(min(size, DATA_BYTES))
    try:
        arrays = _arrays(content)
        header = json.loads(bytes(arrays.pop("header")))
        found = header["schema"]
        if found != schema:
            raise ValueError(f"its schema is {found!r}, expected {schema!r}")
        return make(header, arrays)
    except MissingExtraError:
        raise
    except _DAMAGE as problem:
        reason = reason_of(problem)
        raise InputError(
            f"not a {what} of Boxlens ({reason})", path=path, remedy=remedy
        ) from problem


def _arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """What an .npz holds, from memory: NumPy leaves a damaged file open."""
    if not content.startswith(b"PK"):
        raise ValueError("not an .npz archive")
    most = max(UNPACKED_BYTES, UNPACKED_FACTOR * len(content))
    try:
        with zipfile.ZipFile(BytesIO(content)) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size <= most:
            with np.load(BytesIO(content), allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
    except Exception as problem:  # a damaged archive makes zipfile and NumPy raise anything
        raise ValueError(reason_of(problem)) from problem
    raise ValueError(f"unpacked, it has more than {most:,} bytes")


def header_of(schema: str, kind: str, model: NamedModel) -> dict[str, Any]:
    """What the header of every model says."""
    classes = {
        "id": model.classes.id.tolist(),
        "name": model.classes.name,
        "supercategory": model.classes.supercategory,
    }
    notices = [asdict(notice) for notice in model.notices]
    return {
        "schema": schema,
        "kind": kind,
        "name": model.name,
        "classes": classes,
        "notices": notices,
    }


def parts_of_header(header: Header) -> tuple[str, Classes, tuple[Notice, ...]]:
    """Name, classes and notices of a model."""
    of = header["classes"]
    classes = Classes.of(of["id"], of["name"], supercategory=of["supercategory"])
    return str(header["name"]), classes, tuple(Notice(**notice) for notice in header["notices"])


def check_arrays(arrays: Arrays, shapes: Shapes) -> None:
    """Raises where arrays are missing, of another type or shape, or not finite."""
    if arrays.keys() != shapes.keys():
        raise ValueError(f"it holds {', '.join(arrays)}; expected {', '.join(shapes)}")
    for name, (dtype, shape) in shapes.items():
        array = arrays[name]
        if array.dtype != dtype or array.shape != shape:
            raise ValueError(f"its {name} is {array.dtype} {array.shape}")
        if dtype == np.float64 and not np.isfinite(array).all():
            raise ValueError(f"its {name} is not finite")


def check_class_rows(class_row: npt.NDArray[Any], n_classes: int) -> None:
    """Raises if a model has no classes, or refers to classes that it does not have."""
    if len(class_row) == 0 or class_row.min() < 0 or class_row.max() >= n_classes:
        raise ValueError("it refers to classes it does not have")

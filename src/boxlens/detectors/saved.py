"""Trained detectors as .npz files: arrays and a JSON header, never a pickle."""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import asdict, fields
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data import Classes, Notice
from boxlens.detectors.hog import N_CHANNELS
from boxlens.detectors.region_features import N_FEATURES
from boxlens.detectors.regions import RegionDetector, RegionModel
from boxlens.detectors.windows import Templates, WindowDetector
from boxlens.errors import BoxlensError, InputError
from boxlens.formats.files import existing_file, written_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import numpy.typing as npt

    Arrays = Mapping[str, npt.NDArray[Any]]

SCHEMA = "boxlens/detector/1"
# What reading an .npz that is none, or only part of one, may raise.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    OSError,
    MemoryError,
    NotImplementedError,
    BoxlensError,
)


def save_detector(detector: WindowDetector | RegionDetector, path: str | PathLike[str]) -> None:
    """Writes the detector whole; `load_detector` gives one that finds the very same."""
    classes = detector.classes
    header: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "window" if isinstance(detector, WindowDetector) else "region",
        "name": detector.name,
        "classes": {
            "id": classes.id.tolist(),
            "name": classes.name,
            "supercategory": classes.supercategory,
        },
        "notices": [asdict(notice) for notice in detector.notices],
    }
    if isinstance(detector, WindowDetector):
        header["finest"] = detector.finest
        table: Templates | RegionModel = detector.templates
    else:
        table = detector.model
    arrays = {field.name: getattr(table, field.name) for field in fields(table)}
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with written_whole(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, header=text, **arrays)


def load_detector(path: str | PathLike[str]) -> WindowDetector | RegionDetector:
    """The detector in a file; one that is damaged or of another program is refused by name."""
    source = existing_file(path)
    content = source.read_bytes()
    try:
        if not content.startswith(b"PK"):
            raise ValueError("not an .npz archive")
        # From memory: NumPy leaves a damaged file open.
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(bytes(arrays.pop("header")))
        schema = header["schema"]
        if schema != SCHEMA:
            raise ValueError(f"its schema is {schema!r}, expected {SCHEMA!r}")
        return _detector(header, arrays)
    except _DAMAGE as problem:
        raise InputError(
            f"no detector of Boxlens ({problem})",
            path=path,
            remedy="Give a file that boxlens train wrote",
        ) from problem


def _detector(header: Mapping[str, Any], arrays: Arrays) -> WindowDetector | RegionDetector:
    stated = header["classes"]
    classes = Classes.of(stated["id"], stated["name"], supercategory=stated["supercategory"])
    notices = tuple(Notice(**notice) for notice in header["notices"])
    if header["kind"] == "window":
        templates = Templates(**_checked(arrays, _template_shapes(arrays), len(classes)))
        finest = float(header["finest"])
        if not 0 < finest <= 16:
            raise ValueError(f"its finest scale is {finest}")
        return WindowDetector(header["name"], classes, templates, finest, notices)
    if header["kind"] == "region":
        model = RegionModel(**_checked(arrays, _region_shapes(arrays), len(classes)))
        return RegionDetector(header["name"], classes, model, notices)
    raise ValueError(f"its kind is {header['kind']!r}")


Shapes = dict[str, tuple[type[np.generic], tuple[int, ...]]]


def _template_shapes(arrays: Arrays) -> Shapes:
    n = len(arrays["class_row"])
    shape = arrays["shape"]
    if shape.dtype != np.int32 or shape.shape != (n, 2) or not ((shape > 0) & (shape < 100)).all():
        raise ValueError("its templates have no shape")
    n_weights = int(shape.prod(axis=1).sum()) * N_CHANNELS
    return {
        "class_row": (np.int32, (n,)),
        "shape": (np.int32, (n, 2)),
        "weights": (np.int8, (n_weights,)),
        **dict.fromkeys(("step", "bias", "slope", "offset"), (np.float64, (n,))),
    }


def _region_shapes(arrays: Arrays) -> Shapes:
    n = len(arrays["class_row"])
    return {
        "class_row": (np.int32, (n,)),
        "weights": (np.int16, (n, N_FEATURES)),
        **dict.fromkeys(("step", "bias", "slope", "offset"), (np.float64, (n,))),
        "shift_weights": (np.int16, (n, 4, N_FEATURES)),
        "shift_step": (np.float64, (n, 4)),
        "shift_bias": (np.float64, (n, 4)),
    }


def _checked(arrays: Arrays, shapes: Shapes, n_classes: int) -> dict[str, Any]:
    """The arrays, if they are what they must be."""
    if arrays.keys() != shapes.keys():
        raise ValueError(f"it holds {', '.join(arrays)}; expected {', '.join(shapes)}")
    for name, (dtype, shape) in shapes.items():
        array = arrays[name]
        if array.dtype != dtype or array.shape != shape:
            raise ValueError(f"its {name} is {array.dtype} {array.shape}")
        if dtype == np.float64 and not np.isfinite(array).all():
            raise ValueError(f"its {name} is not finite")
    class_row = arrays["class_row"]
    if len(class_row) == 0 or class_row.min() < 0 or class_row.max() >= n_classes:
        raise ValueError("it speaks of classes it does not have")
    if not (arrays["slope"] > 0).all() or not (arrays["step"] > 0).all():
        raise ValueError("its scores do not rise")
    return dict(arrays)

"""Trained detectors as .npz files: arrays and a JSON header, never a pickle."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from typing import Any

import numpy as np

from boxlens.detectors.hog import N_CHANNELS
from boxlens.detectors.model_files import (
    Arrays,
    Header,
    Shapes,
    check_arrays,
    check_class_rows,
    header_of,
    parts_of_header,
    read_model,
    write_model,
)
from boxlens.detectors.region_features import N_FEATURES
from boxlens.detectors.regions import RegionDetector, RegionModel
from boxlens.detectors.windows import Templates, WindowDetector

SCHEMA = "boxlens/detector/1"


def save_detector(detector: WindowDetector | RegionDetector, path: str | PathLike[str]) -> None:
    """Writes the detector whole; `load_detector` gives one that finds the very same."""
    if isinstance(detector, WindowDetector):
        header = {**header_of(SCHEMA, "window", detector), "finest": detector.finest}
        table: Templates | RegionModel = detector.templates
    else:
        header, table = header_of(SCHEMA, "region", detector), detector.model
    write_model(path, header, {field.name: getattr(table, field.name) for field in fields(table)})


def load_detector(path: str | PathLike[str]) -> WindowDetector | RegionDetector:
    """The detector in a file; a damaged or foreign file is refused."""
    remedy = "Give a file written by boxlens train"
    return read_model(path, SCHEMA, _detector, what="detector", remedy=remedy)


def _detector(header: Header, arrays: Arrays) -> WindowDetector | RegionDetector:
    name, classes, notices = parts_of_header(header)
    if header["kind"] == "window":
        templates = Templates(**_checked(arrays, _template_shapes(arrays), len(classes)))
        finest = float(header["finest"])
        if not 0 < finest <= 16:
            raise ValueError(f"its finest scale is {finest}")
        return WindowDetector(name, classes, templates, finest, notices)
    if header["kind"] == "region":
        model = RegionModel(**_checked(arrays, _region_shapes(arrays), len(classes)))
        return RegionDetector(name, classes, model, notices)
    raise ValueError(f"its kind is {header['kind']!r}")


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
    check_arrays(arrays, shapes)
    check_class_rows(arrays["class_row"], n_classes)
    if not (arrays["slope"] > 0).all() or not (arrays["step"] > 0).all():
        raise ValueError("its scores do not rise")
    return dict(arrays)

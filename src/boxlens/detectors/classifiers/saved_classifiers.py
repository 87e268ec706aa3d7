"""Trained classifiers as .npz files; see `model_files`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.detectors.classifiers.hog_classifier import HogClassifier
from boxlens.detectors.model_files import (
    check_arrays,
    check_class_rows,
    header_of,
    parts_of_header,
    read_model,
    write_model,
)
from boxlens.detectors.region_features import N_FEATURES

if TYPE_CHECKING:
    from os import PathLike

    from boxlens.detectors.model_files import Arrays, Header, Shapes
    from boxlens.detectors.protocols import Classifier

SCHEMA = "boxlens/classifier/1"
_COLUMNS = ("class_row", "weights", "step", "bias")


def save_classifier(classifier: HogClassifier, path: str | PathLike[str]) -> None:
    """Writes the classifier whole; `load_classifier` gives one that answers the very same."""
    header = header_of(SCHEMA, "hog", classifier)
    write_model(path, header, {name: getattr(classifier, name) for name in _COLUMNS})


def load_classifier(path: str | PathLike[str]) -> Classifier:
    """The classifier in a file; a damaged or foreign file is refused."""
    remedy = "Give a file of a classifier that Boxlens trained and saved"
    found = read_model(path, SCHEMA, _made, what="classifier", remedy=remedy)
    if found is not None:
        return found
    from boxlens.detectors.classifiers.torch.saved import load_torch_classifier

    return load_torch_classifier(path)


def _made(header: Header, arrays: Arrays) -> HogClassifier | None:
    """None for a torch module, which is read by a file of its own."""
    if header["kind"] == "torch":
        return None
    if header["kind"] != "hog":
        raise ValueError(f"its kind is {header['kind']!r}")
    name, classes, notices = parts_of_header(header)
    n = len(arrays["class_row"])
    shapes: Shapes = {
        "class_row": (np.int32, (n,)),
        "weights": (np.int16, (n, N_FEATURES)),
        "step": (np.float64, (n,)),
        "bias": (np.float64, (n,)),
    }
    check_arrays(arrays, shapes)
    check_class_rows(arrays["class_row"], len(classes))
    if not (np.diff(arrays["class_row"]) > 0).all() or not (arrays["step"] > 0).all():
        raise ValueError("its classes or weights are invalid")
    return HogClassifier(classes, **dict(arrays), notices=notices, name=name)

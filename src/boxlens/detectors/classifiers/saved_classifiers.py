"""Trained classifiers as .npz files; see `model_files`.

Those of torch hold weights, and the name of what builds their module.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from boxlens.data import Classes
from boxlens.detectors.classifiers.hog_classifier import HogClassifier
from boxlens.detectors.classifiers.torch.choice import Epoch
from boxlens.detectors.classifiers.torch.classifier import TorchClassifier
from boxlens.detectors.classifiers.torch.opening import PREFIX, builder
from boxlens.detectors.classifiers.torch.state import named, of_kind, set_weights, weights_of
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
from boxlens.detectors.protocols import Classifier
from boxlens.detectors.region_features import N_FEATURES

SCHEMA = "boxlens/classifier/1"
_COLUMNS = ("class_row", "weights", "step", "bias")
KIND = "torch"


def save_classifier(classifier: HogClassifier, path: str | PathLike[str]) -> None:
    """Writes the classifier whole; `load_classifier` gives one that answers the very same."""
    header = header_of(SCHEMA, "hog", classifier)
    write_model(path, header, {name: getattr(classifier, name) for name in _COLUMNS})


def load_classifier(path: str | PathLike[str]) -> Classifier:
    """The classifier in a file; a damaged or foreign file is refused."""
    remedy = "Give a file of a classifier that Boxlens trained and saved"
    found = read_model(path, SCHEMA, _made, what="classifier", remedy=remedy)
    return load_torch_classifier(path) if found is None else found


def _made(header: Header, arrays: Arrays) -> HogClassifier | None:
    """None for a torch module: building it may fail in ways that are not the file's."""
    if header["kind"] == KIND:
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


def save_torch_classifier(
    classifier: TorchClassifier, path: str | PathLike[str], build_name: str
) -> None:
    """`build_name` is "package.module:function", or "small"; with or without "torch:" before."""
    header = {
        **header_of(SCHEMA, KIND, classifier),
        "build": build_name.removeprefix(PREFIX),
        "settings": {
            "side_px": classifier.side_px,
            "mean": classifier.mean,
            "batch": classifier.batch,
            "activation": classifier.activation,
        },
        "history": [epoch.to_json() for epoch in classifier.history],
    }
    write_model(path, header, named("weights", weights_of(classifier.module)))


def load_torch_classifier(path: str | PathLike[str], *, threads: int = 0) -> TorchClassifier:
    """Answers the very same as the classifier that was saved.

    The module is built by the function that the file names, which is Python code of this
    machine: open only files you trust.
    """
    build_name, classes, weights, settings = read_model(
        path,
        SCHEMA,
        _torch_parts,
        what="torch classifier",
        remedy="Give a file written by save_torch_classifier",
    )
    module = builder(PREFIX + build_name)(len(classes))
    set_weights(module, weights, str(path))
    module.eval()
    return TorchClassifier(module, classes, threads=threads, **settings)


def _torch_parts(header: Header, arrays: Arrays) -> tuple[str, Classes, Arrays, dict[str, Any]]:
    """What builds the module, its classes, its weights, and all else."""
    if header["kind"] != KIND:
        raise ValueError(f"its kind is {header['kind']!r}")
    stated = header["settings"]
    red, green, blue = (float(value) for value in stated["mean"])
    name, classes, notices = parts_of_header(header)
    settings = {
        "side_px": int(stated["side_px"]),
        "mean": (red, green, blue),
        "batch": int(stated["batch"]),
        "activation": str(stated["activation"]),
        "name": name,
        "history": tuple(Epoch.of_json(one) for one in header["history"]),
        "notices": notices,
    }
    return str(header["build"]), classes, of_kind("weights", arrays), settings

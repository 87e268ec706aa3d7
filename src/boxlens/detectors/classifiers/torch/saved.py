"""Torch classifiers as .npz files: weights, and the name of what builds their module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.detectors.classifiers.torch.choice import Epoch
from boxlens.detectors.classifiers.torch.classifier import TorchClassifier
from boxlens.detectors.classifiers.torch.opening import PREFIX, builder
from boxlens.detectors.classifiers.torch.state import named, of_kind, set_weights, weights_of
from boxlens.detectors.model_files import header_of, parts_of_header, read_model, write_model

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import numpy.typing as npt

    from boxlens.data import Classes, Notice

SCHEMA = "boxlens/classifier/1"
KIND = "torch"


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
    parts = read_model(
        path,
        SCHEMA,
        _parts,
        what="torch classifier",
        remedy="Give a file written by save_torch_classifier",
    )
    module = builder(PREFIX + parts.build_name)(len(parts.classes))
    set_weights(module, parts.weights, str(path))
    module.eval()
    return TorchClassifier(
        module,
        parts.classes,
        **parts.settings,
        threads=threads,
        name=parts.name,
        history=parts.history,
        notices=parts.notices,
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a file holds."""

    name: str
    classes: Classes
    build_name: str
    settings: dict[str, Any]
    weights: dict[str, npt.NDArray[Any]]
    history: tuple[Epoch, ...]
    notices: tuple[Notice, ...]


def _parts(header: Mapping[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> _Parts:
    if header["kind"] != KIND:
        raise ValueError(f"its kind is {header['kind']!r}")
    stated = header["settings"]
    red, green, blue = (float(value) for value in stated["mean"])
    name, classes, notices = parts_of_header(header)
    return _Parts(
        name=name,
        classes=classes,
        build_name=str(header["build"]),
        settings={
            "side_px": int(stated["side_px"]),
            "mean": (red, green, blue),
            "batch": int(stated["batch"]),
            "activation": str(stated["activation"]),
        },
        weights=of_kind("weights", arrays),
        history=tuple(Epoch.of_json(one) for one in header["history"]),
        notices=notices,
    )

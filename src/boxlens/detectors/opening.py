"""Which detector a word, a path or a function's name means."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib.resources import as_file, files
from pathlib import Path

from boxlens.data import Classes
from boxlens.detectors.exchange import ExchangeFolder
from boxlens.detectors.from_callable import load_callable
from boxlens.detectors.named_objects import is_function_name, source_files
from boxlens.detectors.protocols import Detector
from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import existing_file, file_hash

SHIPPED = ("window", "region")


def open_detector(
    model: str, *, spec: str | None = None, classes: Classes | None = None
) -> tuple[Detector, str]:
    """The detector, and an identity that changes with its model file or settings.

    `classes` are those of the ground truth, for a detector that has none of its own.
    """
    if spec is not None and not model.endswith(".onnx"):
        raise ParameterError(f"a spec belongs to an .onnx model, not to '{model}'")
    if model in SHIPPED:
        with as_file(files("boxlens") / "demo" / f"{model}.npz") as path:
            return _open_saved(path)
    if model.endswith(".onnx"):
        from boxlens.detectors.onnx import open_onnx

        detector = open_onnx(existing_file(model), spec)
        return detector, identity_of("onnx", detector.files)
    if model.endswith(".npz"):
        return _open_saved(existing_file(model))
    if model.endswith("/") or (model and Path(model).is_dir()):
        folder = ExchangeFolder(model, classes)
        results = folder.results_path()
        return folder, identity_of(model, _files_of(results) if results is not None else ())
    if is_function_name(model):
        # The module's file: what the function loads from elsewhere cannot be seen.
        return load_callable(model), identity_of(model, source_files(model))
    raise InputError(
        "not a model file" if Path(model).is_file() else "unknown model",
        path=model,
        remedy="Give window, region, a .npz or .onnx file, package.module:function, or a folder "
        "to exchange pictures and results with a detector that runs elsewhere",
    )


def _open_saved(path: Path) -> tuple[Detector, str]:
    from boxlens.detectors.saved import load_detector

    return load_detector(path), identity_of("saved", [path])


def _files_of(path: Path) -> list[Path]:
    return sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]


def identity_of(text: str, paths: Iterable[Path]) -> str:
    """Changes with the text and with the content of the files, wherever they lie."""
    digest = hashlib.sha256(text.encode())
    for path in paths:
        digest.update(bytes.fromhex(file_hash(path)))
    return digest.hexdigest()

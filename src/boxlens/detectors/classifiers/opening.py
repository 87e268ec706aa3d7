"""Which classifier a path or a function's name means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.detectors.named_objects import is_function_name, source_files
from boxlens.detectors.opening import identity_of
from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import existing_file

if TYPE_CHECKING:
    from boxlens.data import Classes
    from boxlens.detectors.protocols import Classifier


def open_classifier(
    word: str,
    *,
    spec: str | None = None,
    classes: Classes | None = None,
) -> tuple[Classifier, str]:
    """The classifier, and an identity that changes with its model file or settings.

    `classes` are those of the ground truth, for a classifier that has none of its own.
    """
    if spec is not None and not word.endswith(".onnx"):
        raise ParameterError(f"a spec belongs to an .onnx model, not to '{word}'")
    if word.endswith(".onnx"):
        return _open_onnx(existing_file(word), spec, classes)
    if word.endswith(".npz"):
        return _open_saved(existing_file(word))
    if is_function_name(word):
        return _open_function(word, classes)
    raise InputError(
        "not a classifier file" if Path(word).is_file() else "unknown classifier",
        path=word,
        remedy="Give hog, torch:small or torch:module:function to train one, a .npz file of a "
        "trained one, an .onnx file, package.module:function, or a file of labels (.json, .csv, "
        ".parquet)",
    )


def files_of_classifier(classifier: Classifier, word: str) -> tuple[Path, ...]:
    """All files that the answers of an opened classifier depend on, as far as can be seen."""
    from boxlens.detectors.classifiers.onnx_classifier import OnnxClassifier

    if isinstance(classifier, OnnxClassifier):
        return classifier.files
    return tuple(source_files(word)) if is_function_name(word) else (Path(word),)


def _open_onnx(path: Path, spec: str | None, classes: Classes | None) -> tuple[Classifier, str]:
    from boxlens.detectors.classifiers.onnx_classifier import open_onnx_classifier

    classifier = open_onnx_classifier(path, spec, classes=classes)
    names = "\n".join(classifier.classes.name)
    return classifier, identity_of(f"onnx\n{names}", classifier.files)


def _open_saved(path: Path) -> tuple[Classifier, str]:
    from boxlens.detectors.classifiers.saved_classifiers import load_classifier

    return load_classifier(path), identity_of("saved", [path])


def _open_function(word: str, classes: Classes | None) -> tuple[Classifier, str]:
    """Identity is the module's file: what the function loads from elsewhere cannot be seen."""
    from boxlens.detectors.classifiers.from_function import load_classifier_function

    classifier = load_classifier_function(word, classes)
    names = "\n".join(classifier.classes.name)
    return classifier, identity_of(f"{word}\n{names}", source_files(word))

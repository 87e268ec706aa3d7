"""Which classifier a path or a function's name means."""

from __future__ import annotations

from pathlib import Path

from boxlens.data import Classes
from boxlens.detectors.named_objects import is_function_name, source_files
from boxlens.detectors.protocols import Classifier
from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import existing_file


def open_classifier(
    word: str, *, spec: str | None = None, classes: Classes | None = None
) -> tuple[Classifier, tuple[Path, ...]]:
    """The classifier, and all files that its answers depend on, as far as can be seen.

    `classes` are those of the ground truth, for a classifier that has none of its own.
    """
    if spec is not None and not word.endswith(".onnx"):
        raise ParameterError(f"a spec belongs to an .onnx model, not to '{word}'")
    if word.endswith(".onnx"):
        from boxlens.detectors.classifiers.onnx_classifier import open_onnx_classifier

        classifier = open_onnx_classifier(existing_file(word), spec, classes=classes)
        return classifier, classifier.files
    if word.endswith(".npz"):
        from boxlens.detectors.classifiers.saved_classifiers import load_classifier

        return load_classifier(existing_file(word)), (Path(word),)
    if is_function_name(word):
        from boxlens.detectors.classifiers.from_function import load_classifier_function

        return load_classifier_function(word, classes), tuple(source_files(word))
    raise InputError(
        "not a classifier file" if Path(word).is_file() else "unknown classifier",
        path=word,
        remedy="Give hog, torch:small or torch:module:function to train one, a .npz file of a "
        "trained one, an .onnx file, package.module:function, or a file of labels (.json, .csv, "
        ".parquet)",
    )

"""What trains a classifier that is not ready, by the word that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.nn import Module

    from boxlens.data import Notice
    from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
    from boxlens.detectors.protocols import Classifier
    from boxlens.formats.files import Progress
    from boxlens.studies.upper_bound.learning import Training

    # Of crops and the name of their part: what has learnt from them, and what is to be told of it.
    Trainer = Callable[[LabelledCrops, str], tuple[Classifier, tuple[Notice, ...]]]

HOG = "hog"
TORCH = "torch:"


def needs_training(word: str) -> bool:
    return word == HOG or word.startswith(TORCH)


def trainer_of(
    word: str, training: Training, progress: Progress | None, module: Module | None = None
) -> Trainer:
    """`module` is the one to be fine-tuned, where `word` only says what it is called."""
    if word == HOG:
        return _hog_trainer(training, progress)
    if word.startswith(TORCH):
        return _torch_trainer(word, training, progress, module)
    raise ParameterError(f"no classifier that can be trained: {word}")


def _hog_trainer(training: Training, progress: Progress | None) -> Trainer:
    from boxlens.detectors.classifiers.hog_training import train_hog_classifier

    def train(crops: LabelledCrops, _part: str) -> tuple[Classifier, tuple[Notice, ...]]:
        found = train_hog_classifier(
            crops, seed=training.seed, workers=training.workers, progress=progress
        )
        return found, found.notices

    return train


def _torch_trainer(
    word: str, training: Training, progress: Progress | None, module: Module | None
) -> Trainer:
    from boxlens.detectors.classifiers.torch.choice import FineTuning
    from boxlens.detectors.classifiers.torch.opening import builder, copies_of
    from boxlens.detectors.classifiers.torch.training import fine_tune

    build = builder(word) if module is None else copies_of(module)
    choice = training.fine_tuning or FineTuning(seed=training.seed)

    def train(crops: LabelledCrops, part: str) -> tuple[Classifier, tuple[Notice, ...]]:
        folder = None if training.keep is None else training.keep / part
        found = fine_tune(
            build,
            crops,
            name=word,
            choice=choice,
            folder=folder,
            restart=training.restart,
            progress=progress,
        )
        return found, found.notices

    return train


def save_trained(classifier: Classifier, word: str, path: str) -> None:
    """As a file that a later run may name; `word` is what it was trained as."""
    from boxlens.detectors.classifiers.hog_classifier import HogClassifier
    from boxlens.detectors.classifiers.saved_classifiers import save_classifier
    from boxlens.detectors.classifiers.torch.classifier import TorchClassifier
    from boxlens.detectors.classifiers.torch.saved import save_torch_classifier

    if isinstance(classifier, HogClassifier):
        save_classifier(classifier, path)
    elif isinstance(classifier, TorchClassifier):
        save_torch_classifier(classifier, path, word.removeprefix(TORCH))

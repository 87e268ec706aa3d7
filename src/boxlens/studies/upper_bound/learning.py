"""Which classifier names the objects of which image, what trains it, and on which pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Dataset, Notice, counted_notice
from boxlens.data.columns import Rows
from boxlens.data.source import Source
from boxlens.detectors.classifiers.hog_classifier import HogClassifier
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.detectors.classifiers.renaming import JoinedClassifier, with_classes
from boxlens.detectors.classifiers.torch.choice import FineTuning
from boxlens.detectors.classifiers.torch.classifier import TorchClassifier
from boxlens.detectors.pictures import usable_pictures
from boxlens.detectors.protocols import Classifier
from boxlens.detectors.run_result import Failure
from boxlens.errors import InputError
from boxlens.images import ImageFiles
from boxlens.images.transforming.pictured import with_pictures
from boxlens.metrics.json_form import HIDDEN, JsonRecord, inline
from boxlens.progress import Progress
from boxlens.regular_files import real_path
from boxlens.studies.upper_bound.classifying import ClassifierOf
from boxlens.wording import counted

if TYPE_CHECKING:
    from torch.nn import Module

# Of crops and the name of their part: what has learnt from them.
Trainer = Callable[[LabelledCrops, str], HogClassifier | TorchClassifier]

HOG = "hog"
TORCH = "torch:"


def needs_training(word: str) -> bool:
    return word == HOG or word.startswith(TORCH)


def trainer_of(
    word: str, training: Training, progress: Progress | None, module: Module | None = None
) -> Trainer:
    """`module` is the one to be fine-tuned, where `word` only says what it is called."""
    if word == HOG:
        from boxlens.detectors.classifiers.hog_classifier import train_hog_classifier

        seed, workers = training.seed, training.workers
        return lambda crops, _part: train_hog_classifier(
            crops, seed=seed, workers=workers, progress=progress
        )
    from boxlens.detectors.classifiers.torch.choice import FineTuning
    from boxlens.detectors.classifiers.torch.opening import builder, copies_of
    from boxlens.detectors.classifiers.torch.training import fine_tune

    build = builder(word) if module is None else copies_of(module)
    return lambda crops, part: fine_tune(
        build,
        crops,
        name=word,
        choice=training.fine_tuning or FineTuning(seed=training.seed),
        folder=None if training.keep is None else training.keep / part,
        restart=training.restart,
        progress=progress,
    )


def save_trained(classifier: Classifier, word: str, path: str) -> None:
    """As a file that a later run may name; `word` is what it was trained as."""
    from boxlens.detectors.classifiers.hog_classifier import HogClassifier
    from boxlens.detectors.classifiers.saved_classifiers import (
        save_classifier,
        save_torch_classifier,
    )
    from boxlens.detectors.classifiers.torch.classifier import TorchClassifier

    if isinstance(classifier, HogClassifier):
        save_classifier(classifier, path)
    elif isinstance(classifier, TorchClassifier):
        save_torch_classifier(classifier, path, word.removeprefix(TORCH))


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What a classifier may learn from: a data set and its pictures."""

    dataset: Dataset
    files: ImageFiles
    # Of finding the pictures.
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Training(JsonRecord):
    """How a classifier is made, where it is not ready."""

    seed: int = 0
    workers: int = field(default=0, metadata=HIDDEN)
    # Of torch modules.
    fine_tuning: FineTuning | None = field(default=None, metadata=inline())
    # Folder in which torch keeps what it has learnt, so that a run that was stopped goes on.
    keep: Path | None = field(default=None, metadata=HIDDEN)
    restart: bool = field(default=False, metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class Recogniser:
    """A classifier for every image."""

    name: str
    learnt_from: str
    classifier_of: ClassifierOf
    # The one that was trained, to be saved; None where there are several, or it came ready.
    trained: Classifier | None = None
    failed: tuple[Failure, ...] = ()
    notices: tuple[Notice, ...] = ()
    # Files it was made from, each with what it is.
    others: tuple[tuple[str, Source], ...] = ()
    # Whether it learnt from the images themselves, part by part.
    cross_validated: bool = False


def ready(
    classifier: Classifier, dataset: Dataset, source: str, files: Iterable[Path] = ()
) -> Recogniser:
    """One classifier for all images; `files` are those that its answers depend on."""
    joined, notices = with_classes(classifier, dataset.classes)
    others = tuple(("classifier", Source.of(path, "classifier")) for path in files)
    return Recogniser(classifier.name, source, lambda _row: joined, notices=notices, others=others)


def trained_on(
    train: Trainer, dataset: Dataset, training_data: TrainingData, progress: Progress | None = None
) -> Recogniser:
    """One classifier, trained on another data set than the one it is tried on."""
    pictured, files, sized = with_pictures(training_data.dataset, training_data.files)
    crops, failed = _crops(files, pictured, progress)
    part, classifier = crops.dataset, train(crops, "all")
    joined, join_notices = with_classes(classifier, dataset.classes)
    return Recogniser(
        name=classifier.name,
        learnt_from=f"{counted(len(crops), 'object')} in {counted(len(part.images), 'image')} of "
        f"{part.name}",
        classifier_of=lambda _row: joined,
        trained=classifier,
        others=() if part.source is None else (("training set", part.source),),
        # Pictures of both sets may have one name.
        failed=tuple(replace(one, file=f"training set: {one.file}") for one in failed),
        notices=(
            *_said_of(
                "training set", (*training_data.dataset.notices, *training_data.notices, *sized)
            ),
            *classifier.notices,
            *join_notices,
        ),
    )


def cross_trained(
    train: Trainer,
    dataset: Dataset,
    files: ImageFiles,
    n_folds: int,
    seed: int,
    progress: Progress | None = None,
) -> Recogniser:
    """As many classifiers as parts: objects of a part are named by one that has not seen it."""
    crops, failed = _crops(files, dataset, progress)
    fold_of_image = fold_of_images(crops, n_folds, seed)
    taught_folds: list[JoinedClassifier] = []
    told: list[Notice] = []
    for fold in range(int(fold_of_image.max()) + 1):
        seen = np.flatnonzero(fold_of_image != fold).astype(np.int32)
        classifier = train(crops.in_images(seen), f"part-{fold + 1}")
        joined, _ = with_classes(classifier, dataset.classes)
        taught_folds.append(joined)
        told += _said_of(f"classifier of part {fold + 1}", classifier.notices)
    keys = crops.dataset.images.id.tolist()
    fold_of_id: Mapping[int | str, int] = dict(zip(keys, fold_of_image.tolist(), strict=True))
    ids = dataset.images.id.tolist()
    return Recogniser(
        name=taught_folds[0].classifier.name,
        learnt_from=f"cross-validated in {len(taught_folds)} folds",
        classifier_of=lambda row: taught_folds[fold_of_id.get(ids[row], 0)],
        failed=failed,
        notices=tuple(told),
        cross_validated=True,
    )


def fold_of_images(crops: LabelledCrops, n_folds: int, seed: int) -> Rows:
    """Parts of nearly one size, drawn by seed among the images with objects."""
    with_objects = np.unique(crops.image_row)
    if len(with_objects) < 2:
        raise InputError(
            "objects lie in fewer than two images: no part is left to learn from",
            path=crops.dataset.name,
            remedy="Give a training set (--train-gt, --train-images), or a ready classifier",
        )
    fold = np.zeros(len(crops.dataset.images), dtype=np.int32)
    places = np.random.default_rng(seed).permutation(len(with_objects))
    fold[with_objects] = places % min(n_folds, len(with_objects))
    return fold


def _said_of(whom: str, notices: Iterable[Notice]) -> list[Notice]:
    return [replace(one, message=f"{whom}: {one.message}") for one in notices]


def _crops(
    files: ImageFiles, dataset: Dataset, progress: Progress | None
) -> tuple[LabelledCrops, tuple[Failure, ...]]:
    """To learn from, and pictures that cannot be used."""
    images, part, failed = usable_pictures(files, dataset, progress)
    crops = LabelledCrops.of(part, images)
    if len(crops) == 0:
        remedy = "Give pictures whose objects are labelled"
        raise InputError("no object to learn from", path=dataset.name, remedy=remedy)
    return crops, failed


def shared_pictures(
    dataset: Dataset, files: ImageFiles, train: Dataset, train_files: ImageFiles
) -> tuple[Notice, ...]:
    """By file, links followed; copies of pictures by the file of the ground truth and their id."""
    learnt = {real_path(path) for path in train_files.paths}
    n_shared = sum(real_path(path) in learnt for path in files.paths)
    if _same_file(dataset, train):
        ids = set(train_files.ids.tolist())
        n_shared = max(n_shared, sum(key in ids for key in files.ids.tolist()))
    seen = (
        "among the pictures that were learnt from: the classifier has seen these labels, and the "
        "bound is too high"
    )
    of = f"of {len(files):,} test pictures"
    return counted_notice(
        "training_pictures_tested", n_shared, f"{of} are {seen}", f"{of} is {seen}"
    )


def _same_file(dataset: Dataset, train: Dataset) -> bool:
    first, second = dataset.source, train.source
    return (
        first is not None and second is not None and first.path.resolve() == second.path.resolve()
    )

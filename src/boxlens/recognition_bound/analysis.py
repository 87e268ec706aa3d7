"""How good could a detector be? The classifier's labels on the true boxes, scored (METHODS 4)."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import frozen
from boxlens.data.selection import select_images
from boxlens.detectors.protocols import Classifier
from boxlens.errors import ParameterError
from boxlens.formats import read_dataset, read_detections
from boxlens.images import ImageFiles, find_images
from boxlens.images.transforming.pictured import with_pictures
from boxlens.matching import COCO
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.results import Provenance
from boxlens.recognition_bound.bounds import (
    best_first,
    detector_gaps,
    strategy_bound,
    with_intervals,
)
from boxlens.recognition_bound.choice import UpperBoundChoice
from boxlens.recognition_bound.learning import (
    Lessons,
    Training,
    cross_taught,
    needs_training,
    ready,
    taught,
)
from boxlens.recognition_bound.mistakes import surest_mistakes
from boxlens.recognition_bound.naming import (
    NamedObjects,
    labels_from_file,
    labels_from_pictures,
    told,
    without_unread,
)
from boxlens.recognition_bound.result import UpperBoundResult
from boxlens.recognition_bound.scoring import labelled_boxes
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.formats.files import Progress
    from boxlens.recognition_bound.learning import Recogniser
    from boxlens.recognition_bound.result import DetectorGap, StrategyBound

Place = str | PathLike[str]
LABEL_ENDINGS = (".json", ".csv", ".parquet", ".json.gz", ".csv.gz")


def upper_bound(
    gt: Dataset | Place,
    dt: Detections | Place | Sequence[Detections | Place] = (),
    *,
    classifier: Classifier | Callable[..., Any] | Place = "hog",
    spec: Place | None = None,
    images: ImageFiles | Place | Sequence[Place] | None = None,
    train_gt: Dataset | Place | None = None,
    train_images: ImageFiles | Place | Sequence[Place] | None = None,
    choice: UpperBoundChoice | None = None,
    training: Training | None = None,
    split: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> UpperBoundResult:
    """UAP: every true box with the label and score that a classifier gives it.

    `classifier` is "hog" or "torch:module:function" (trained on `train_gt`, or cross-validated on
    the images themselves), a .npz or .onnx file (with its `spec`), "module:function", a function
    or any object that classifies, or a file of labels and scores made elsewhere. `dt` are detectors
    to put beside the bound.
    """
    asked = choice or UpperBoundChoice()
    dataset = gt if isinstance(gt, Dataset) else read_dataset(gt, split=split, threads=threads)
    tables = [_read_detections(one, dataset, threads) for one in _listed(dt)]
    lessons = _lessons(train_gt, train_images, threads)
    return bound_tables(
        dataset,
        tables,
        classifier,
        images,
        asked,
        spec=spec,
        lessons=lessons,
        training=training or Training(seed=asked.seed),
        threads=threads,
        progress=progress,
    )[0]


def bound_tables(
    dataset: Dataset,
    detections: Sequence[Detections],
    classifier: Classifier | Callable[..., Any] | Place,
    images: ImageFiles | Place | Sequence[Place] | None,
    choice: UpperBoundChoice,
    *,
    spec: Place | None = None,
    lessons: Lessons | None = None,
    training: Training | None = None,
    notices: tuple[Notice, ...] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[UpperBoundResult, Classifier | None]:
    """The same for tables in memory; also the classifier, where one was trained."""
    word = str(classifier) if isinstance(classifier, (str, PathLike)) else ""
    if word.lower().endswith(LABEL_ENDINGS):
        named = labels_from_file(dataset, word, choice)
        named = replace(named, notices=(*notices, *named.notices))
    else:
        files, found = _pictures(images, dataset, word)
        dataset, files, detections, sized = _pictured(dataset, detections, files)
        source = _recogniser(
            classifier,
            word,
            spec,
            dataset,
            files,
            choice,
            lessons,
            training or Training(),
            progress,
        )
        named = labels_from_pictures(dataset, files, source, choice, progress)
        named = replace(named, notices=(*notices, *found, *sized, *named.notices))
    named, detections = without_unread(named, detections)
    return _result(named, detections, choice, threads, progress), named.trained


def _recogniser(
    classifier: Classifier | Callable[..., Any] | Place,
    word: str,
    spec: Place | None,
    dataset: Dataset,
    files: ImageFiles,
    choice: UpperBoundChoice,
    lessons: Lessons | None,
    training: Training,
    progress: Progress | None,
) -> Recogniser:
    if lessons is not None and not needs_training(word):
        raise ParameterError(
            f"a training set is for classifiers that are to be trained (hog, torch:...), and "
            f"{word or 'this one'} is ready"
        )
    if isinstance(classifier, Classifier):
        return ready(classifier, dataset, "given")
    if not word:
        return ready(_from_function(classifier, dataset), dataset, "given")
    if lessons is not None:
        return taught(word, dataset, lessons, training, progress)
    if needs_training(word):
        return cross_taught(word, dataset, files, training, choice.n_folds, progress)
    from boxlens.detectors.classifiers.opening import open_classifier

    given = None if spec is None else str(spec)
    found, _ = open_classifier(word, spec=given, classes=dataset.classes)
    return ready(found, dataset, word)


def _from_function(function: Any, dataset: Dataset) -> Classifier:
    """Its classes are an attribute of it, or those of the data set."""
    from boxlens.detectors.classifiers.from_function import CallableClassifier
    from boxlens.detectors.named_objects import classes_from

    if not callable(function):
        raise ParameterError(
            f"a {type(function).__name__} is no classifier: give one, or a function"
        )
    name = getattr(function, "__name__", type(function).__name__)
    given = getattr(function, "classes", dataset.classes)
    batched = bool(getattr(function, "batched", False))
    return CallableClassifier(function, classes_from(given, name), name, batched)


def _result(
    named: NamedObjects,
    detections: Sequence[Detections],
    choice: UpperBoundChoice,
    threads: int,
    progress: Progress | None,
) -> UpperBoundResult:
    dataset = named.dataset
    tables = with_unique_names(detections)
    bounds: tuple[StrategyBound, ...] = tuple(
        strategy_bound(dataset, labels, threads=threads) for labels in named.strategies
    )
    gaps: tuple[DetectorGap, ...] = detector_gaps(dataset, tables, bounds[0], threads=threads)
    if choice.intervals is not None:
        boxes = [labelled_boxes(dataset, labels) for labels in named.strategies]
        bounds, gaps = with_intervals(
            dataset,
            list(zip(bounds, boxes, strict=True)),
            list(zip(gaps, tables, strict=True)),
            choice.intervals,
            threads=threads,
            progress=progress,
        )
    return UpperBoundResult(
        choice=choice,
        dataset=dataset.name,
        n_images=len(dataset.images),
        n_objects=int(np.count_nonzero(~COCO.regions(dataset.gt))),
        classifier=named.classifier,
        learnt_from=named.learnt_from,
        strategies=bounds,
        detectors=best_first(gaps),
        context=named.context,
        mistakes=surest_mistakes(dataset, named.strategies[0], choice.n_mistakes),
        failed=named.failed,
        provenance=Provenance(
            VERSION, dataset.source, tuple(table.source for table in tables), named.others
        ),
        notices=(
            *dataset.notices,
            *(notice for table in tables for notice in table.notices),
            *named.notices,
            *_crowds(dataset),
        ),
    )


def _crowds(dataset: Dataset) -> tuple[Notice, ...]:
    n = int(np.count_nonzero(COCO.regions(dataset.gt)))
    return told("crowds", n, "crowds or groups are no single objects: they are not classified")


def _listed(given: Detections | Place | Sequence[Detections | Place]) -> list[Detections | Place]:
    return [given] if isinstance(given, (Detections, str, PathLike)) else list(given)


def _read_detections(one: Detections | Place, dataset: Dataset, threads: int) -> Detections:
    return one if isinstance(one, Detections) else read_detections(one, dataset, threads=threads)


def _lessons(
    gt: Dataset | Place | None,
    images: ImageFiles | Place | Sequence[Place] | None,
    threads: int,
) -> Lessons | None:
    if gt is None and images is None:
        return None
    if gt is None or images is None:
        raise ParameterError(
            "a training set is its ground truth and its pictures: give both (--train-gt and "
            "--train-images, train_gt and train_images)"
        )
    dataset = gt if isinstance(gt, Dataset) else read_dataset(gt, threads=threads)
    if isinstance(images, ImageFiles):
        return Lessons(dataset, images)
    return Lessons(dataset, *find_images(images, dataset=dataset))


def _pictures(
    images: ImageFiles | Place | Sequence[Place] | None, dataset: Dataset, word: str
) -> tuple[ImageFiles, tuple[Notice, ...]]:
    if images is None:
        raise ParameterError(
            f"the classifier {word or 'given'} looks at pictures: name their folder (--images, "
            "images)"
        )
    if isinstance(images, ImageFiles):
        return images, ()
    return find_images(images, dataset=dataset)


def _pictured(
    dataset: Dataset, detections: Sequence[Detections], files: ImageFiles
) -> tuple[Dataset, ImageFiles, Sequence[Detections], tuple[Notice, ...]]:
    """The images that have a picture, in pixels; notices of the join tell about the others."""
    pictured, aligned, notices = with_pictures(dataset, files)
    kept = np.flatnonzero(np.isin(dataset.images.id, pictured.images.id))
    tables = [select_images(dataset, one, kept)[1] for one in detections]
    if dataset.relative:
        sides = np.tile(pictured.images.known_sizes(), 2)
        tables = [
            replace(one, box=frozen(one.box * sides[one.image_row], np.float64)) for one in tables
        ]
    return pictured, aligned, tables, notices

"""How good could a detector be? The classifier's labels on the true boxes, scored (METHODS 4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Dataset, Detections, Notice, counted_notice
from boxlens.data.columns import frozen
from boxlens.data.naming import some_names
from boxlens.data.selection import select_images
from boxlens.detectors.classifiers.torch.choice import FineTuning
from boxlens.detectors.protocols import Classifier
from boxlens.errors import InputError, ParameterError
from boxlens.formats.given import GivenDataset, GivenDetections, Reading, shared_settings
from boxlens.images import ImageFiles, find_images
from boxlens.images.transforming.pictured import with_pictures
from boxlens.matching import COCO
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.intervals import IntervalMethod, ResamplingChoice
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.upper_bound.bounds import (
    best_first,
    detector_gaps,
    strategy_bound,
    with_intervals,
)
from boxlens.studies.upper_bound.choice import CONTEXT_SCALES, UpperBoundChoice
from boxlens.studies.upper_bound.label_source import LabelSource, Place
from boxlens.studies.upper_bound.learning import (
    Training,
    TrainingData,
    needs_training,
    save_trained,
)
from boxlens.studies.upper_bound.naming import (
    NamedObjects,
    labels_from_file,
    labels_from_pictures,
    without_unread,
)
from boxlens.studies.upper_bound.relabelling import surest_mistakes
from boxlens.studies.upper_bound.result import DetectorGap, StrategyBound, UpperBoundResult
from boxlens.studies.upper_bound.scoring import labelled_boxes
from boxlens.version import VERSION


@shared_settings
def upper_bound(
    gt: GivenDataset,
    dt: GivenDetections | Sequence[GivenDetections] = (),
    *,
    classifier: Classifier | Callable[..., Any] | Place = "hog",
    spec: Place | None = None,
    images: ImageFiles | Place | Sequence[Place] | None = None,
    train_gt: GivenDataset | None = None,
    train_images: ImageFiles | Place | Sequence[Place] | None = None,
    folds: int = 5,
    fine_tuning: FineTuning | None = None,
    keep: Place | None = None,
    restart: bool = False,
    save: Place | None = None,
    sampled_iou: float | None = 0.5,
    shifts: int = 1,
    context: bool | Sequence[float] = False,
    n_mistakes: int = 24,
    intervals: bool = False,
    replicates: int = 1000,
    level: float = 0.95,
    interval_method: IntervalMethod = "normal",
    seed: int = 0,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
) -> UpperBoundResult:
    """UAP: the AP of the true boxes with the labels and scores that a classifier gives them.

    `gt` is the ground truth, `dt` the detections of none, one or several detectors, each a path or
    a table; `images` are the pictures. `classifier` is "hog", "torch:module:function" or a torch
    module (trained on `train_gt` and `train_images`, else cross-validated over `folds` parts of the
    images), a .npz or .onnx file (with its `spec`), "module:function", a function or any object
    that classifies, or a file of labels and scores made elsewhere. `fine_tuning` is of torch
    modules; their checkpoints stay in `keep`, from which a stopped run resumes, unless `restart`.
    A classifier that was trained on a training set is written to the file `save` (.npz).

    `shifts` boxes per corner with `sampled_iou` to the object vote on its label (None: no such
    boxes). `context` adds crops that show less and more than the box, at the usual scales or these.
    The `n_mistakes` most confident wrong labels are listed. `workers` threads train; 0: all cores.

    >>> upper_bound(gt, other_dt, images="images", folds=2, sampled_iou=None)
    UpperBoundResult(ground_truth: UAP of hog 0.700, AP of region 0.204)
    """
    choice = UpperBoundChoice(
        sampled_iou=sampled_iou,
        n_shifts=shifts,
        context_scales=CONTEXT_SCALES if context is True else tuple(context or ()),
        n_folds=folds,
        n_mistakes=n_mistakes,
        seed=seed,
        intervals=ResamplingChoice(replicates, seed, level, interval_method) if intervals else None,
    )
    training = Training(seed, workers, fine_tuning, None if keep is None else Path(keep), restart)
    source = LabelSource(classifier, spec, training=training)
    _check_save(save, source.word, train_gt)
    reading = Reading(split, classes, gt_format, dt_format, names, strict, threads, progress)
    training_data = _training_data(
        train_gt, train_images, replace(reading, split=None, gt_format=None)
    )
    source = replace(source, training_data=training_data)
    dataset, detections = reading.used(gt, dt)
    files, found = _pictures(images, dataset)
    pictures = files
    if source.is_file:
        named = labels_from_file(dataset, source.word, choice)
        # Nothing is shown to a classifier.
        choice = replace(choice, sampled_iou=None)
        named = replace(named, notices=(*found, *named.notices))
    elif files is None:
        word = source.word or "given"
        raise ParameterError(
            f"the classifier {word} needs pictures: name their folder (--images, images)"
        )
    else:
        dataset, files, detections, sized = _pictured(dataset, detections, files)
        recogniser = source.recogniser(dataset, files, choice.n_folds, progress)
        named = labels_from_pictures(dataset, files, recogniser, choice, progress)
        named = replace(named, notices=(*found, *sized, *named.notices))
    named, detections = without_unread(named, detections)
    result = replace(_result(named, detections, choice, threads, progress), pictures=pictures)
    if needs_training(source.word):
        result = replace(result, training=source.training.to_json())
    if save is not None and named.trained is not None:
        save_trained(named.trained, source.word, str(save))
    return result


def _check_save(save: Place | None, word: str, train_gt: GivenDataset | None) -> None:
    """Before anything is trained."""
    if save is None:
        return
    if not str(save).endswith(".npz"):
        raise InputError(
            "classifiers are saved as .npz", path=save, remedy="Name a file ending in .npz"
        )
    if not needs_training(word):
        raise ParameterError(
            f"--save is for a classifier trained here, and {word or 'this one'} is ready-made"
        )
    if train_gt is None:
        raise ParameterError(
            "--save is for one classifier, and cross-validation trains several: give a training "
            "set (--train-gt, --train-images)"
        )


def _result(
    named: NamedObjects,
    detections: Sequence[Detections],
    choice: UpperBoundChoice,
    threads: int,
    progress: Progress | None,
) -> UpperBoundResult:
    dataset = named.dataset
    tables = with_unique_names(detections)
    bounds, gaps = _bounds(named, tables, choice, threads, progress)
    commonest = max(bounds[0].classes, key=lambda one: one.n_objects, default=None)
    n_objects = int(np.count_nonzero(~COCO.regions(dataset.gt)))
    return UpperBoundResult(
        choice=choice,
        dataset=dataset.name,
        n_images=len(dataset.images),
        n_objects=n_objects,
        classifier=named.classifier,
        learnt_from=named.learnt_from,
        strategies=bounds,
        detectors=best_first(gaps),
        context=named.context,
        mistakes=surest_mistakes(dataset, named.strategies[0], choice.n_mistakes),
        failed=named.failed,
        remarks=named.remarks,
        provenance=Provenance(
            VERSION, dataset.source, tuple(table.source for table in tables), named.others
        ),
        notices=(
            *dataset.notices,
            *(notice for table in tables for notice in table.notices),
            *named.notices,
            *_crowds(dataset),
        ),
        cross_validated=named.cross_validated,
        relative=dataset.relative,
        commonest_class="" if commonest is None else commonest.name,
        commonest_share=commonest.n_objects / n_objects if commonest and n_objects else math.nan,
    )


def _bounds(
    named: NamedObjects,
    tables: Sequence[Detections],
    choice: UpperBoundChoice,
    threads: int,
    progress: Progress | None,
) -> tuple[tuple[StrategyBound, ...], tuple[DetectorGap, ...]]:
    """Of every way to find labels, and detectors beside the first."""
    dataset = named.dataset
    bounds = tuple(strategy_bound(dataset, one, threads=threads) for one in named.strategies)
    gaps = detector_gaps(dataset, tables, bounds[0], threads=threads)
    if choice.intervals is None:
        return bounds, gaps
    boxes = [labelled_boxes(dataset, labels) for labels in named.strategies]
    return with_intervals(
        dataset,
        list(zip(bounds, boxes, strict=True)),
        list(zip(gaps, tables, strict=True)),
        choice.intervals,
        threads=threads,
        progress=progress,
    )


def _crowds(dataset: Dataset) -> tuple[Notice, ...]:
    n = int(np.count_nonzero(COCO.regions(dataset.gt)))
    return counted_notice(
        "crowds",
        n,
        "crowds or groups are not single objects and are not classified",
        "crowd or group is not a single object and is not classified",
    )


def _training_data(
    gt: GivenDataset | None,
    images: ImageFiles | Place | Sequence[Place] | None,
    reading: Reading,
) -> TrainingData | None:
    if gt is None and images is None:
        return None
    if gt is None or images is None:
        raise ParameterError(
            "a training set needs both its ground truth and its pictures (--train-gt, train_gt, "
            "and --train-images, train_images)"
        )
    dataset = reading.dataset(gt)
    files, notices = _pictures(images, dataset)
    return None if files is None else TrainingData(dataset, files, notices)


def _pictures(
    images: ImageFiles | Place | Sequence[Place] | None, dataset: Dataset
) -> tuple[ImageFiles | None, tuple[Notice, ...]]:
    if images is None or isinstance(images, ImageFiles):
        return images, ()
    return find_images(images, dataset=dataset)


def _pictured(
    dataset: Dataset, detections: Sequence[Detections], files: ImageFiles
) -> tuple[Dataset, ImageFiles, list[Detections], tuple[Notice, ...]]:
    """The images that have a picture, in pixels; those that have none are reported."""
    pictured, aligned, notices = with_pictures(dataset, files)
    notices = (*_without_picture(dataset, files), *notices)
    kept = np.flatnonzero(np.isin(dataset.images.id, pictured.images.id))
    tables = [select_images(dataset, one, kept)[1] for one in detections]
    if dataset.relative:
        sides = np.tile(pictured.images.known_sizes(), 2)
        tables = [
            replace(one, box=frozen(one.box * sides[one.image_row], np.float64)) for one in tables
        ]
    return pictured, aligned, tables, notices


def _without_picture(dataset: Dataset, files: ImageFiles) -> tuple[Notice, ...]:
    """Finding pictures does not say that these images count nowhere."""
    images = dataset.images
    missing = np.flatnonzero(~np.isin(images.id, files.ids)).tolist()
    keys = images.id.tolist()
    named = some_names((images.file_name[row] or f"id {keys[row]}" for row in missing), 3)
    return counted_notice(
        "images_left_out",
        len(missing),
        f"of {len(images):,} images have no picture and are skipped, for the bound and the "
        f"detectors: {named}",
        f"of {len(images):,} images has no picture and is skipped, for the bound and the "
        f"detectors: {named}",
    )

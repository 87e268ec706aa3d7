"""Objects with their labels, from a classifier that looks at pictures or from a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice
from boxlens.data.selection import select_images
from boxlens.data.source import Source
from boxlens.detectors.run_result import NothingDetectedError
from boxlens.errors import ParameterError
from boxlens.recognition_bound.classifying import classify_objects
from boxlens.recognition_bound.context import context_accuracy
from boxlens.recognition_bound.relabelling import ObjectLabels, relabelled
from boxlens.recognition_bound.result import OWN_BOX, ContextAccuracy
from boxlens.recognition_bound.views import views_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data import Dataset, Detections
    from boxlens.detectors.protocols import Classifier
    from boxlens.detectors.run_result import Failure
    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles
    from boxlens.recognition_bound.choice import UpperBoundChoice
    from boxlens.recognition_bound.learning import Recogniser


@dataclass(frozen=True, slots=True)
class NamedObjects:
    """Objects with their labels: all that scoring needs."""

    dataset: Dataset
    strategies: tuple[ObjectLabels, ...]
    context: tuple[ContextAccuracy, ...]
    classifier: str
    learnt_from: str
    failed: tuple[Failure, ...] = ()
    notices: tuple[Notice, ...] = ()
    others: tuple[tuple[str, Source], ...] = ()
    trained: Classifier | None = None
    # Rows of images whose picture cannot be read.
    unread: tuple[int, ...] = ()


def labels_from_pictures(
    dataset: Dataset,
    files: ImageFiles,
    source: Recogniser,
    choice: UpperBoundChoice,
    progress: Progress | None,
) -> NamedObjects:
    labels = classify_objects(
        dataset, files, source.classifier_of, views_of(choice), choice, progress=progress
    )
    found = {one.file: one for one in (*source.failed, *labels.failed)}
    return NamedObjects(
        dataset=dataset,
        strategies=relabelled(labels),
        context=context_accuracy(dataset, labels),
        classifier=source.name,
        learnt_from=source.learnt_from,
        failed=tuple(found.values()),
        notices=(
            *source.notices,
            *told(
                "object_without_crop",
                labels.n_without_crop,
                "objects have no pixel in their picture: they get no label and count as missed",
            ),
            *told(
                "no_answer",
                labels.n_without_answer,
                "answers of the classifier are no numbers: these crops get no label",
            ),
        ),
        trained=source.trained,
        unread=labels.unread,
    )


def labels_from_file(dataset: Dataset, path: str, choice: UpperBoundChoice) -> NamedObjects:
    from boxlens.formats.box_label_files import read_box_labels

    if choice.context_scales:
        raise ParameterError(
            "the context study shows crops to a classifier: a file of labels has none"
        )
    labels = read_box_labels(path, dataset)
    return NamedObjects(
        dataset=dataset,
        strategies=(ObjectLabels(OWN_BOX, labels.class_row, labels.score),),
        context=(),
        classifier=Path(path).name,
        learnt_from="labels made elsewhere",
        notices=labels.notices,
        others=(("labels", Source.of(Path(path), "labels")),),
    )


def without_unread(
    named: NamedObjects, detections: Sequence[Detections]
) -> tuple[NamedObjects, Sequence[Detections]]:
    """Images whose picture cannot be read are left out, of the bound and of the detectors."""
    n_images = len(named.dataset.images)
    if len(named.unread) == 0:
        return named, detections
    kept = np.setdiff1d(np.arange(n_images), named.unread)
    if len(kept) == 0:
        raise NothingDetectedError(named.failed)
    objects = ~np.isin(named.dataset.gt.image_row, named.unread)
    part = replace(
        named,
        dataset=named.dataset.select_images(kept),
        strategies=tuple(
            replace(one, class_row=one.class_row[objects], score=one.score[objects])
            for one in named.strategies
        ),
        notices=(
            *named.notices,
            *told(
                "unread_images",
                len(named.unread),
                f"of {n_images:,} images are left out: their pictures cannot be read",
            ),
        ),
    )
    return part, [select_images(named.dataset, one, kept)[1] for one in detections]


def told(code: str, count: int, what: str) -> tuple[Notice, ...]:
    return (Notice(code, count, f"{count:,} {what}"),) if count else ()

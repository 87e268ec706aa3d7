"""Objects with their labels, from a classifier that looks at pictures or from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boxlens.data import Dataset, Detections, Notice, counted_notice
from boxlens.data.naming import some_names
from boxlens.data.selection import select_images
from boxlens.data.source import Source
from boxlens.detectors.protocols import Classifier
from boxlens.detectors.run_result import Failure, NothingDetectedError, Remark
from boxlens.errors import InputError, ParameterError
from boxlens.formats.box_label_files import BoxLabels
from boxlens.formats.box_label_joins import Misfit
from boxlens.images import ImageFiles
from boxlens.matching import COCO
from boxlens.progress import Progress
from boxlens.studies.upper_bound.bounds import context_accuracy
from boxlens.studies.upper_bound.choice import UpperBoundChoice
from boxlens.studies.upper_bound.classifying import classify_objects
from boxlens.studies.upper_bound.findings import REPEATED, UNKNOWN_LABEL, UNKNOWN_OBJECT, Faults
from boxlens.studies.upper_bound.learning import Recogniser
from boxlens.studies.upper_bound.relabelling import ObjectLabels, relabelled
from boxlens.studies.upper_bound.result import OWN_BOX, ContextAccuracy
from boxlens.studies.upper_bound.views import views_of

# Labels and classes that are named in a message.
SHOWN = 5


@dataclass(frozen=True, slots=True)
class NamedObjects:
    """Objects with their labels: all that scoring needs."""

    dataset: Dataset
    strategies: tuple[ObjectLabels, ...]
    context: tuple[ContextAccuracy, ...]
    classifier: str
    learnt_from: str
    failed: tuple[Failure, ...] = ()
    remarks: tuple[Remark, ...] = ()
    notices: tuple[Notice, ...] = ()
    others: tuple[tuple[str, Source], ...] = ()
    trained: Classifier | None = None
    # Rows of images whose picture cannot be read.
    unread: tuple[int, ...] = ()
    # Whether the classifier learnt from the images themselves, part by part.
    cross_validated: bool = False


def labels_from_pictures(
    dataset: Dataset,
    files: ImageFiles,
    source: Recogniser,
    choice: UpperBoundChoice,
    progress: Progress | None,
) -> NamedObjects:
    labels, found = classify_objects(
        dataset, files, source.classifier_of, views_of(choice), choice, progress=progress
    )
    context, unread = context_accuracy(dataset, labels), tuple(sorted(found.unread))
    failed = found.failures()
    told = {one.file for one in failed}
    return NamedObjects(
        dataset=dataset,
        strategies=relabelled(labels),
        context=context,
        classifier=source.name,
        learnt_from=source.learnt_from,
        failed=(*(one for one in source.failed if one.file not in told), *failed),
        remarks=found.remarks(),
        notices=(*source.notices, *found.notices(), *_left_out(dataset, unread, context)),
        others=source.others,
        trained=source.trained,
        unread=unread,
        cross_validated=source.cross_validated,
    )


def _left_out(
    dataset: Dataset, unread: Sequence[int], context: Sequence[ContextAccuracy]
) -> tuple[Notice, ...]:
    """The context study compares crops of the same objects, all in pictures that were read."""
    if not context:
        return ()
    seen = ~np.isin(dataset.gt.image_row, unread)
    n_objects = int(np.count_nonzero(seen & ~COCO.regions(dataset.gt)))
    skipped = (
        f"of {n_objects:,} objects {{}} skipped in the context study: not all of {{}} crops have a "
        "label"
    )
    return counted_notice(
        "object_without_context",
        n_objects - context[0].n_objects,
        skipped.format("are", "their"),
        skipped.format("is", "its"),
    )


def labels_from_file(dataset: Dataset, path: str, choice: UpperBoundChoice) -> NamedObjects:
    from boxlens.formats.box_label_files import read_box_labels

    if choice.context_scales:
        raise ParameterError(
            "the context study shows crops to a classifier: a file of labels has none"
        )
    labels = read_box_labels(path, dataset)
    scored = ~np.isnan(labels.score)
    if not scored.any():
        told = "; ".join(one.message for one in labels.notices)
        raise InputError(
            f"no object of the ground truth has a label with a score ({told})",
            path=path,
            remedy="A record has the id of an object, its label, and a number as its score",
        )
    _refuse_other_classes(labels, dataset, path)
    # A label without a score has no rank: it is none.
    class_row = np.where(scored, labels.class_row, np.int32(-1))
    return NamedObjects(
        dataset=dataset,
        strategies=(ObjectLabels(OWN_BOX, class_row, labels.score),),
        context=(),
        classifier=Path(path).name,
        learnt_from="labels made elsewhere",
        failed=_misfits(labels.misfits, dataset, Path(path).name),
        notices=labels.notices,
        others=(("labels", Source.of(Path(path), "labels")),),
    )


def _refuse_other_classes(labels: BoxLabels, dataset: Dataset, path: str) -> None:
    """A single class that is known is enough; without any, a bound of 0 would mean nothing."""
    if (labels.class_row >= 0).any():
        return
    held = dict.fromkeys(one.label for one in labels.misfits if one.kind == UNKNOWN_LABEL)
    raise InputError(
        "none of its labels is a class of the ground truth: it names "
        f"{some_names(map(repr, filter(None, held)), SHOWN) or 'nothing'}, the ground truth has "
        f"{some_names(map(repr, dataset.classes.name), SHOWN)}",
        path=path,
        remedy="A label is the name of a class; its id is given as category_id",
    )


def _misfits(misfits: Sequence[Misfit], dataset: Dataset, path: str) -> tuple[Failure, ...]:
    """By the picture that a label means; by the file where it means none."""
    faults, images = Faults(), dataset.images
    for one in misfits:
        file = path
        if one.image_row >= 0:
            key = images.id[[one.image_row]].tolist()[0]
            file = images.file_name[one.image_row] or f"image {key}"
        by_label = one.kind in (UNKNOWN_OBJECT, REPEATED)
        whom = one.number if by_label else one.object_row
        faults.add(file, one.kind, whom, label=one.label)
    return faults.failures()


def without_unread(
    named: NamedObjects, detections: list[Detections]
) -> tuple[NamedObjects, list[Detections]]:
    """Images whose picture cannot be read are skipped, for the bound and the detectors."""
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
            *counted_notice(
                "unread_images",
                len(named.unread),
                f"of {n_images:,} images are skipped: their pictures cannot be read",
                f"of {n_images:,} images is skipped: its picture cannot be read",
            ),
        ),
    )
    return part, [select_images(named.dataset, one, kept)[1] for one in detections]

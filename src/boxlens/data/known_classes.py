"""Which classes does a detector know, and which classes of a data set does it lack?

VOC has a result file for every class a detector knows. Other formats hold only detections: a class
without any may be unknown to the detector, or one that it never found.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from boxlens.data.columns import Bools, Rows
from boxlens.data.dataset import Dataset
from boxlens.data.detections import Detections
from boxlens.data.naming import some_names
from boxlens.data.source import Notice
from boxlens.wording import counted

ClassesChoice = Literal["check", "all", "known"]
CLASSES_CHOICES: tuple[ClassesChoice, ...] = get_args(ClassesChoice)
NOT_KNOWN, NEVER_DETECTED = "class_not_known", "class_never_detected"
LACKING = (NOT_KNOWN, NEVER_DETECTED)


def known_classes(dataset: Dataset, detections: Detections, *, by_detections: bool) -> Bools:
    """By class: does the detector know it?

    Where its file does not say: all of them, or `by_detections` those it has detections of.
    """
    n_classes = len(dataset.classes)
    if detections.known_classes is None:
        if not by_detections:
            return np.ones(n_classes, dtype=np.bool_)
        return occurring(detections.class_row, n_classes)
    return occurring(detections.known_classes, n_classes)


def expected_classes(dataset: Dataset) -> Bools:
    """By class: does it have objects? All classes of a data set without any objects."""
    if not len(dataset.gt):
        return np.ones(len(dataset.classes), dtype=np.bool_)
    return occurring(dataset.gt.class_row, len(dataset.classes))


def occurring(class_row: Rows, n_classes: int) -> Bools:
    """By class: is it among these?"""
    return np.asarray(np.bincount(class_row, minlength=n_classes) > 0)


def lacking_classes(dataset: Dataset, detections: Detections) -> tuple[Notice, ...]:
    """A notice of classes with objects that a detector does not know, or has no detection of.

    Of a file without any detection, or a data set without objects, the latter says nothing.
    """
    told = detections.known_classes is not None
    source = detections.source
    if not told and not (len(detections) and len(dataset.gt)):
        return ()
    expected = expected_classes(dataset)
    lacking = expected & ~known_classes(dataset, detections, by_detections=True)
    count, n_expected = int(np.count_nonzero(lacking)), int(np.count_nonzero(expected))
    if count == 0:
        return ()
    what = "no detection of"
    if told:
        in_voc = source is not None and source.format == "voc"
        what = "no result file for" if in_voc else "the detector does not know"
    names = some_names(dataset.classes.name[row] for row in np.flatnonzero(lacking))
    message = (
        f"{detections.name}: {what} {count:,} of {counted(n_expected, 'class', 'classes')}"
        f"{' with objects' if len(dataset.gt) else ''}: {names}"
        f"{'' if told else ' (unknown to the detector or never found: the file does not say)'}; "
        "AP is 0 there unless these classes are skipped"
    )
    return (Notice(NOT_KNOWN if told else NEVER_DETECTED, count, message),)

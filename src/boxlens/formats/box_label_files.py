"""Labels and scores of boxes made elsewhere: a file names an object, its class and how sure it is.

An object is named by its id, or by its image and box where a format has no ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from boxlens.data import Dataset, Notice, file_notices
from boxlens.data.columns import Bools, Floats, Rows, owned
from boxlens.formats.box_label_joins import (
    ClassesOfRecords,
    Misfit,
    Misfits,
    ObjectsOfRecords,
)
from boxlens.formats.box_label_records import LabelRecords, read_label_records
from boxlens.wording import counted


@dataclass(frozen=True, slots=True, eq=False)
class BoxLabels:
    """One row per object of the ground truth.

    Without a label the class is -1 and the score NaN; a label of an unknown class
    is -1, too, but has its score.
    """

    class_row: Rows
    score: Floats
    notices: tuple[Notice, ...] = ()
    # One by one, what the notices count.
    misfits: tuple[Misfit, ...] = ()


def read_box_labels(path: str | PathLike[str], dataset: Dataset) -> BoxLabels:
    """From JSON, CSV or Parquet, recognised by content; of repeated labels the first counts."""
    file = read_label_records(Path(path))
    objects = ObjectsOfRecords(dataset)
    classes = ClassesOfRecords(dataset.classes, file)
    misfits = Misfits(file)
    class_row = np.full(len(dataset.gt), -1, dtype=np.int32)
    score = np.full(len(dataset.gt), np.nan)
    labelled = np.zeros(len(dataset.gt), dtype=np.bool_)
    n_without_sum = 0
    for number, row in objects.rows_of(file, misfits):
        image_row = int(dataset.gt.image_row[row])
        if labelled[row]:
            misfits.add("repeated_object", number, image_row, row)
            continue
        labelled[row] = True
        found = classes.label(file.records[number], number)
        class_row[row], score[row] = found.class_row, found.score
        n_without_sum += not found.sums_to_one
        for kind in found.misfits:
            misfits.add(kind, number, image_row, row, found.text)
    notices = (
        *misfits.notices(),
        *_without_sum(file, n_without_sum),
        *_incomplete(file, dataset, labelled),
    )
    return BoxLabels(owned(class_row), owned(score), notices, tuple(misfits.found))


def _without_sum(file: LabelRecords, n: int) -> tuple[Notice, ...]:
    whose = "1 label does" if n == 1 else f"{n:,} labels do"
    words = f"the scores of {whose} not sum to 1: used as they are"
    return file_notices(file.path, ("scores_without_sum", n, words))


def _incomplete(file: LabelRecords, dataset: Dataset, labelled: Bools) -> tuple[Notice, ...]:
    """Objects without a label; crowds need none."""
    without = np.flatnonzero(~labelled & ~dataset.gt.crowd & ~dataset.gt.group_of)
    if len(without) == 0:
        return ()
    ids = dataset.gt.id.tolist()
    if not file.records:
        return (Notice("no_labels", 0, f"{file.path}: no labels"),)
    if not labelled.any():
        shown = ", ".join(repr(key) for key in ids[:3])
        message = (
            f"{file.path}: none of the {len(file.records):,} labels matches this ground truth, "
            f"whose object ids are {shown} ..."
        )
        return (Notice("nothing_fits", len(file.records), message),)
    message = (
        f"{file.path}: no label for {len(without):,} of {counted(len(ids), 'object')} (first: id "
        f"{ids[without[0]]!r})"
    )
    return (Notice("object_without_label", len(without), message),)

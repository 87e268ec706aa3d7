"""Labels and scores of boxes made elsewhere: a file names an object, its class and how sure it is.

An object is named by its id, or by its image and box where a format has no ids.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data import Notice
from boxlens.data.columns import Bools, Floats, Offsets, Rows, owned
from boxlens.errors import ParameterError
from boxlens.formats.box_label_joins import (
    ClassesOfRecords,
    Misfit,
    Misfits,
    ObjectsOfRecords,
)
from boxlens.formats.box_label_records import BOX, LabelRecords, read_label_records
from boxlens.formats.files import plain_name, written_whole
from boxlens.wording import counted

if TYPE_CHECKING:
    from os import PathLike

    from boxlens.data import Classes, Dataset


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


def write_box_labels(labels: BoxLabels, dataset: Dataset, path: str | PathLike[str]) -> None:
    """As .json, .csv or .parquet; `read_box_labels` gives the same labels again."""
    ending = Path(plain_name(Path(path))).suffix
    if ending not in {".json", ".csv", ".parquet"}:
        raise ParameterError(
            f"labels of boxes can be written as .json, .csv or .parquet, not as '{path}'"
        )
    rows = np.flatnonzero((labels.class_row >= 0) | ~np.isnan(labels.score))
    columns = {**_named_objects(dataset, rows), **_named_labels(dataset.classes, labels, rows)}
    if ending == ".json":
        records = [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
        lines = ",\n".join(json.dumps(record) for record in records)
        with written_whole(path) as temporary:
            temporary.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        return
    import polars as pl

    box = columns.pop("bbox", None)
    if box is not None:
        columns |= dict(zip(BOX, map(list, zip(*box, strict=True)), strict=True))
    frame = pl.DataFrame(columns, strict=False)
    with written_whole(path) as temporary:
        if ending == ".csv":
            frame.write_csv(temporary)
        else:
            frame.write_parquet(temporary)


def _without_sum(file: LabelRecords, n: int) -> tuple[Notice, ...]:
    if n == 0:
        return ()
    whose = "1 label does" if n == 1 else f"{n:,} labels do"
    message = f"{file.path}: the scores of {whose} not sum to 1: used as they are"
    return (Notice("scores_without_sum", n, message),)


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


def _named_objects(dataset: Dataset, rows: Offsets) -> dict[str, list[Any]]:
    gt, images = dataset.gt, dataset.images
    ids = gt.id.tolist()
    if len(set(ids)) == len(ids):
        return {"id": [ids[row] for row in rows]}
    keys = images.id.tolist()
    return {"image": [keys[row] for row in gt.image_row[rows]], "bbox": gt.box[rows].tolist()}


def _named_labels(classes: Classes, labels: BoxLabels, rows: Offsets) -> dict[str, list[Any]]:
    """A label of an unknown class has no name: only its score shows that there was one."""
    by_name = len(set(classes.name)) == len(classes)
    words = list(classes.name) if by_name else classes.id.tolist()
    named = [words[row] if row >= 0 else None for row in labels.class_row[rows].tolist()]
    scores = [None if math.isnan(one) else one for one in labels.score[rows].tolist()]
    return {"label" if by_name else "category_id": named, "score": scores}

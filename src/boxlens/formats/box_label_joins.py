"""Which object and which class a record of a label file means, and what does not fit."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from boxlens.data import Classes, Dataset, Notice
from boxlens.data.columns import Floats, frozen
from boxlens.data.image_names import rows_of_names
from boxlens.formats.box_label_records import REMEDY, LabelRecords

_WHOLE = re.compile(r"^(-?[0-9]+)\.0+$")
# Boxes are the same if no side lies farther off: files are written with some digits only.
SAME_BOX_PX = 0.01
SAME_BOX_RELATIVE = 1e-6
# Numbers of few digits sum to 1 roughly.
SUM_TOLERANCE = 0.01
# Of one label, and of several.
_MEANING = {
    "unknown_object": (
        "matches no object of the ground truth and is skipped",
        "match no object of the ground truth and are skipped",
    ),
    "repeated_object": (
        "repeats an object that already has a label and is skipped",
        "repeat objects that already have a label and are skipped",
    ),
    "unknown_label": (
        "has an unknown class and counts as wrong",
        "have an unknown class and count as wrong",
    ),
    "no_scores": (
        "has no valid scores and is skipped",
        "have no valid scores and are skipped",
    ),
    "no_score": (
        "has a score that is not a number and is not ranked",
        "have a score that is not a number and are not ranked",
    ),
}


class Misfit(NamedTuple):
    """One label that does not fit."""

    # "unknown_object", "repeated_object", "unknown_label", "no_scores" or "no_score".
    kind: str
    # Of its record in the file, from 0.
    number: int
    # Rows of the image and the object; -1 where it means none.
    image_row: int
    object_row: int
    # What it names, as text.
    label: str


class RecordLabel(NamedTuple):
    """What a record says of its object."""

    # -1 where it is unknown.
    class_row: int
    # NaN where it is no number.
    score: float
    text: str
    # Whether scores of all classes sum to 1; true where only one is spoken of.
    sums_to_one: bool = True
    # Whether there are scores of classes, of which none is a number.
    without_scores: bool = False

    @property
    def misfits(self) -> tuple[str, ...]:
        """What is wrong with it, by kind."""
        if self.without_scores:
            return ("no_scores",)
        unknown = ("unknown_label",) if self.class_row < 0 else ()
        return (*unknown, "no_score") if math.isnan(self.score) else unknown


@dataclass(slots=True)
class Misfits:
    """What does not fit."""

    file: LabelRecords
    found: list[Misfit] = field(default_factory=list)

    def add(
        self, kind: str, number: int, image_row: int, object_row: int = -1, label: str = ""
    ) -> None:
        self.found.append(Misfit(kind, number, image_row, object_row, label))

    def notices(self) -> tuple[Notice, ...]:
        """By kind, with the first example of each."""
        return tuple(
            self._notice(kind, numbers)
            for kind in _MEANING
            if (numbers := [one.number for one in self.found if one.kind == kind])
        )

    def _notice(self, kind: str, numbers: Sequence[int]) -> Notice:
        n, first = len(numbers), numbers[0]
        one, many = _MEANING[kind]
        message = (
            f"{self.file.path}: {n:,} of {len(self.file.records):,} labels "
            f"{one if n == 1 else many} (first: {self.file.where(first)}, "
            f"{_shown(self.file, first)})"
        )
        return Notice(kind, n, message)


class ObjectsOfRecords:
    """Which object of the ground truth a record means."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._ids = [str(key) for key in dataset.gt.id.tolist()]
        self._row_of_id = {key: row for row, key in enumerate(self._ids)}
        self._several = {key for key, n in Counter(self._ids).items() if n > 1}
        # Of boxes that are the same, each is given once, in their order.
        self._given = np.zeros(len(dataset.gt), dtype=np.bool_)
        self._tolerance = SAME_BOX_RELATIVE if dataset.relative else SAME_BOX_PX

    def rows_of(self, file: LabelRecords, misfits: Misfits) -> Iterator[tuple[int, int]]:
        """Number of a record and row of its object; those that mean none are counted."""
        images = [_text(_image(record)) for record in file.records]
        row_of_image = dict(zip(images, rows_of_names(images, self._dataset.images), strict=True))
        for number, record in enumerate(file.records):
            if record.get("id") is not None:
                row = self._by_id(_text(record["id"]), file, number)
            elif images[number] and record.get("bbox") is not None:
                row = self._by_box(row_of_image[images[number]], _box(record, file, number))
            else:
                raise file.error(number, "no id, and no image with a bbox", REMEDY)
            if row < 0:
                misfits.add("unknown_object", number, row_of_image[images[number]])
            else:
                yield number, row

    def _by_id(self, key: str, file: LabelRecords, number: int) -> int:
        if key in self._several or _whole(key) in self._several:
            problem = f"the id {key} is not unique in the ground truth"
            raise file.error(number, problem, "Name objects by image and bbox instead")
        row = self._row_of_id.get(key, self._row_of_id.get(_whole(key), -1))
        if row >= 0:
            self._given[row] = True
        return row

    def _by_box(self, image_row: int, box: Floats) -> int:
        if image_row < 0:
            return -1
        begin, end = self._dataset.gt.offsets[image_row : image_row + 2].tolist()
        off = np.abs(self._dataset.gt.box[begin:end] - box).max(axis=1, initial=0.0)
        same = np.flatnonzero(off <= self._tolerance)
        if len(same) == 0:
            return -1
        nearest = same[np.lexsort((off[same], self._given[begin + same]))[0]]
        self._given[begin + nearest] = True
        return int(begin + nearest)


class ClassesOfRecords:
    """Which class a record names, and with which score."""

    def __init__(self, classes: Classes, file: LabelRecords) -> None:
        self._file = file
        self._row_of_id = {str(key): row for row, key in enumerate(classes.id.tolist())}
        self._row_of_name = classes.row_of_name()
        self._several = {name for name, n in Counter(classes.name).items() if n > 1}

    def label(self, record: Mapping[str, Any], number: int) -> RecordLabel:
        scores = record.get("scores")
        if scores is not None:
            return self._best(scores, number)
        score = _finite(record.get("score"))
        label = record.get("label")
        if label is None:
            key = _text(record.get("category_id"))
            row = self._row_of_id.get(key, self._row_of_id.get(_whole(key), -1))
            return RecordLabel(row, score, key)
        return RecordLabel(self._row(_text(label), number), score, _text(label))

    def _best(self, scores: Any, number: int) -> RecordLabel:
        if not isinstance(scores, dict):
            raise self._file.error(
                number,
                f"scores are {type(scores).__name__}, expected one number per class name",
                'Write {"scores": {"cat": 0.9, "dog": 0.1}}',
            )
        known = {name: _finite(value) for name, value in scores.items()}
        known = {name: value for name, value in known.items() if not math.isnan(value)}
        if not known:
            return RecordLabel(-1, math.nan, "", without_scores=True)
        best = max(known, key=known.__getitem__)
        sums = len(known) < 2 or abs(sum(known.values()) - 1) <= SUM_TOLERANCE
        return RecordLabel(self._row(best, number), known[best], best, sums)

    def _row(self, name: str, number: int) -> int:
        if name in self._several:
            problem = f"the class name {name!r} is not unique"
            raise self._file.error(number, problem, "Give category_id instead of label")
        by_id = self._row_of_id.get(name, self._row_of_id.get(_whole(name), -1))
        return self._row_of_name.get(name, by_id)


def _image(record: Mapping[str, Any]) -> Any:
    image = record.get("image")
    return record.get("image_id") if image is None else image


def _box(record: Mapping[str, Any], file: LabelRecords, number: int) -> Floats:
    box = record["bbox"]
    values = [_finite(value) for value in box] if isinstance(box, (list, tuple)) else []
    if len(values) != 4 or any(map(math.isnan, values)):
        problem = f"bbox {box!r} is not four numbers"
        raise file.error(number, problem, "Boxes are x, y, width, height in pixels")
    return frozen(values, np.float64)


def _finite(value: Any) -> float:
    """A number, or NaN for anything else."""
    if value is None or isinstance(value, (bool, list, dict)):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def _text(value: Any) -> str:
    """Ids and names as text; 7.0, as a table may hold an id, is 7."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _whole(text: str) -> str:
    """7.0, as tables write an id where others are missing, is 7."""
    return _WHOLE.sub(r"\1", text)


def _shown(file: LabelRecords, number: int) -> str:
    record = {key: value for key, value in file.records[number].items() if value is not None}
    text = json.dumps(record, default=str)
    return text if len(text) <= 100 else f"{text[:97]}..."

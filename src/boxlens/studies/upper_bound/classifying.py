"""Every object shown to a classifier in every way: which label, and how sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Boxes, Floats, Rows
from boxlens.detectors.classifiers.renaming import Answers, JoinedClassifier
from boxlens.detectors.run_result import Failure, Remark
from boxlens.errors import InputError, MissingExtraError, WorkerEndedError
from boxlens.images import ImageError, ImageFiles, Pixels
from boxlens.images.transforming.pictured import Pictured
from boxlens.progress import Progress
from boxlens.studies.upper_bound.choice import UpperBoundChoice
from boxlens.studies.upper_bound.findings import (
    BEYOND,
    CLASSIFIER_FAILED,
    NO_NUMBER,
    NO_PIXEL,
    NO_SUM,
    UNKNOWN_LABEL,
    Findings,
)
from boxlens.studies.upper_bound.views import OWN, Shown, View

# Crops given to a classifier at once: enough for its batches, few enough for memory.
IN_ONE_GO = 256
# Of large pictures fewer: crops are copies.
MOST_BYTES = 256 * 2**20
# Cut to whole pixels, less beyond the border changes nothing.
BEYOND_PX = 0.5
# A classifier that fails on so many crops before it ever works is itself at fault.
PATIENCE = 8


class Waiting(NamedTuple):
    """A crop, and where its label goes."""

    object_row: int
    view_place: int
    file: str
    crop: Pixels


class ClassifierOf(Protocol):
    """Which classifier names the objects of an image."""

    def __call__(self, image_row: int) -> JoinedClassifier: ...


@dataclass(frozen=True, slots=True)
class Labels:
    """[object, view]: row of the class, and score; -1 and NaN where there is no label.

    Classes that the data set lacks are -2 and below, each by a number of its own.
    """

    views: tuple[View, ...]
    class_row: Rows
    score: Floats

    @classmethod
    def none(cls, n_objects: int, views: tuple[View, ...]) -> Labels:
        """Before anything is classified."""
        shape = (n_objects, len(views))
        return cls(views, np.full(shape, -1, dtype=np.int32), np.full(shape, np.nan))

    def column(self, view: View) -> tuple[Rows, Floats]:
        place = self.views.index(view)
        return self.class_row[:, place], self.score[:, place]


def classify_objects(
    dataset: Dataset,
    files: ImageFiles,
    classifier_of: ClassifierOf,
    views: tuple[View, ...],
    choice: UpperBoundChoice,
    *,
    progress: Progress | None = None,
) -> tuple[Labels, Findings]:
    """All objects but crowds and groups; an unreadable picture costs its own objects alone.

    Data set and files are those of `with_pictures`.
    """
    found, labels = Findings(files.names), Labels.none(len(dataset.gt), views)
    work = _Work(dataset, labels, choice, found)
    pictures = Pictured(dataset, files)
    for done, row in enumerate(_part_by_part(len(files), classifier_of)):
        if progress is not None:
            progress("classifying objects", done, len(files))
        name, objects = files.names[row], _objects(dataset, row)
        if len(objects) == 0:
            found.empty.append(name)
            continue
        try:
            picture = pictures.read(row)
        except ImageError as problem:
            found.failed.append(Failure(name, problem.problem))
            found.unread.append(row)
            continue
        found.changed += (Remark(name, change) for change in picture.changes)
        work.show(picture.pixels, objects, name, classifier_of(row))
    work.flush()
    return labels, found


def _part_by_part(n_images: int, classifier_of: ClassifierOf) -> list[int]:
    """Rows of images, those of one classifier together, so that its batches are full."""
    rows_of: dict[int, list[int]] = {}
    for row in range(n_images):
        rows_of.setdefault(id(classifier_of(row)), []).append(row)
    return [row for rows in rows_of.values() for row in rows]


def _objects(dataset: Dataset, image_row: int) -> Rows:
    gt = dataset.gt
    begin, end = gt.offsets[image_row : image_row + 2].tolist()
    rows = np.arange(begin, end, dtype=np.int32)
    return rows[~(gt.crowd[begin:end] | gt.group_of[begin:end])]


@dataclass(slots=True)
class _Work:
    dataset: Dataset
    # Filled in.
    labels: Labels
    choice: UpperBoundChoice
    found: Findings
    # Crops that wait, all for one classifier.
    classifier: JoinedClassifier | None = None
    waiting: list[Waiting] = field(default_factory=list)
    waiting_bytes: int = 0
    works: bool = False
    n_in_vain: int = 0
    # Labels that are no class of the data set, each with its number.
    lacking: dict[str, int] = field(default_factory=dict)

    def show(self, pixels: Pixels, objects: Rows, file: str, classifier: JoinedClassifier) -> None:
        """Puts the crops of a picture in line, and names them as soon as they are many."""
        if classifier is not self.classifier:
            self.flush()
            self.classifier = classifier
        for row in objects.tolist():
            box = self.dataset.gt.box[row]
            shown = Shown.of(pixels, box, self.choice)
            if shown.crop(OWN) is None:
                self.found.faults.add(file, NO_PIXEL, row)
                continue
            if _reaches_beyond(box, pixels):
                self.found.oddities.add(file, BEYOND, row)
            for place, view in enumerate(self.labels.views):
                crop = shown.crop(view)
                if crop is not None:
                    self._wait(Waiting(row, place, file, _apart(crop, pixels)))

    def _wait(self, one: Waiting) -> None:
        self.waiting.append(one)
        self.waiting_bytes += one.crop.nbytes
        if len(self.waiting) >= IN_ONE_GO or self.waiting_bytes >= MOST_BYTES:
            self.flush()

    def flush(self) -> None:
        if self.classifier is not None and self.waiting:
            self._name(self.waiting, self.classifier)
        self.waiting.clear()
        self.waiting_bytes = 0

    def _name(self, part: Sequence[Waiting], classifier: JoinedClassifier) -> None:
        """Where a batch fails, its crops are tried one by one."""
        try:
            answers = classifier.answers([one.crop for one in part])
        except (MissingExtraError, WorkerEndedError):
            raise
        except Exception as problem:  # noqa: BLE001 - a classifier may be anybody's code
            if len(part) == 1:
                self._fail(part[0], problem)
            else:
                for one in part:
                    self._name([one], classifier)
            return
        self.works = True
        self._take(part, answers)

    def _take(self, part: Sequence[Waiting], answers: Answers) -> None:
        class_row = answers.class_row.copy()
        for number, label in answers.lacking.items():
            class_row[number] = self.lacking.setdefault(label, -2 - len(self.lacking))
            one = part[number]
            # Of less or more than the object anything may be said.
            if self.labels.views[one.view_place] == OWN:
                self.found.faults.add(one.file, UNKNOWN_LABEL, one.object_row, label=label)
        for number in np.flatnonzero(~answers.usable).tolist():
            self.found.faults.add(part[number].file, NO_NUMBER, part[number].object_row)
        rows, places = [one.object_row for one in part], [one.view_place for one in part]
        self.labels.class_row[rows, places] = class_row
        self.labels.score[rows, places] = answers.score
        self.found.n_without_answer += int(np.count_nonzero(~answers.usable))
        without_sum = np.flatnonzero(answers.usable & ~answers.sums_to_one).tolist()
        self.found.n_without_sum += len(without_sum)
        for number in without_sum:
            self.found.oddities.add(part[number].file, NO_SUM, part[number].object_row)

    def _fail(self, one: Waiting, problem: Exception) -> None:
        words = f"{type(problem).__name__}: {problem}"
        problem_text = str(problem) if isinstance(problem, InputError) else words
        self.found.faults.add(one.file, CLASSIFIER_FAILED, one.object_row, problem=problem_text)
        self.n_in_vain += 1
        if not self.works and self.n_in_vain >= PATIENCE:
            raise InputError(f"the classifier failed: {problem_text}", path=one.file) from problem


def _apart(crop: Pixels, pixels: Pixels) -> Pixels:
    """A crop of its own: a view would keep its whole picture in memory for as long as it waits.

    It is the classifier's, too, which may write into it.
    """
    return crop.copy() if np.may_share_memory(crop, pixels) else crop


def _reaches_beyond(box_xywh: Boxes, pixels: Pixels) -> bool:
    height, width = pixels.shape[:2]
    low, high = box_xywh[:2], box_xywh[:2] + box_xywh[2:] - (width, height)
    return bool(max((-low).max(), high.max()) > BEYOND_PX)

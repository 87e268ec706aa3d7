"""Every object shown to a classifier in every way: which label, and how sure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from boxlens.detectors.run_result import Failure
from boxlens.errors import InputError, MissingExtraError, WorkerEndedError
from boxlens.images import ImageError, read_picture
from boxlens.recognition_bound.views import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.data import Dataset
    from boxlens.data.columns import Floats, Rows
    from boxlens.detectors.classifiers.renaming import JoinedClassifier
    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles, Pixels
    from boxlens.recognition_bound.choice import UpperBoundChoice
    from boxlens.recognition_bound.views import View

# Crops given to a classifier at once: enough for its batches, few enough for memory.
IN_ONE_GO = 256
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
    failed: tuple[Failure, ...]
    # Objects without a pixel in their picture; crops whose answers were no numbers.
    n_without_crop: int
    n_without_answer: int
    # Rows of images whose picture cannot be read.
    unread: tuple[int, ...] = ()

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
) -> Labels:
    """All objects but crowds and groups; an unreadable picture costs its own objects alone."""
    work = _Work(dataset, views)
    row_of_id = dataset.images.row_of_id()
    rows = [row_of_id[key] for key in files.ids.tolist()]
    for done, (row, path, name) in enumerate(zip(rows, files.paths, files.names, strict=True)):
        if progress is not None:
            progress("classifying objects", done, len(files))
        objects = _objects(dataset, row)
        if len(objects) == 0:
            continue
        try:
            pixels = _read(path, dataset, row)
        except ImageError as problem:
            work.failed.append(Failure(name, problem.problem))
            work.unread.append(row)
            continue
        work.show(pixels, objects, name, classifier_of(row), choice)
    work.flush()
    return work.labels()


def _objects(dataset: Dataset, image_row: int) -> Rows:
    gt = dataset.gt
    begin, end = gt.offsets[image_row : image_row + 2].tolist()
    rows = np.arange(begin, end, dtype=np.int32)
    return rows[~(gt.crowd[begin:end] | gt.group_of[begin:end])]


def _read(path: Path, dataset: Dataset, row: int) -> Pixels:
    """The picture, if its size is the one that the boxes were drawn in."""
    pixels = read_picture(path).pixels
    stated = dataset.images.known_sizes()[row]
    height, width = pixels.shape[:2]
    if not np.isnan(stated).any() and tuple(stated.tolist()) != (width, height):
        raise ImageError(
            f"is {width} x {height} pixels, the ground truth says {stated[0]:g} x {stated[1]:g}"
        )
    return pixels


@dataclass(slots=True)
class _Work:
    dataset: Dataset
    views: tuple[View, ...]
    class_row: Rows = field(init=False)
    score: Floats = field(init=False)
    failed: list[Failure] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    n_without_crop: int = 0
    n_without_answer: int = 0
    # Crops that wait, all for one classifier.
    classifier: JoinedClassifier | None = None
    waiting: list[Waiting] = field(default_factory=list)
    works: bool = False
    n_in_vain: int = 0

    def __post_init__(self) -> None:
        shape = (len(self.dataset.gt), len(self.views))
        self.class_row = np.full(shape, -1, dtype=np.int32)
        self.score = np.full(shape, np.nan)

    def show(
        self,
        pixels: Pixels,
        objects: Rows,
        file: str,
        classifier: JoinedClassifier,
        choice: UpperBoundChoice,
    ) -> None:
        """Puts the crops of a picture in line."""
        if classifier is not self.classifier:
            self.flush()
            self.classifier = classifier
        for row in objects.tolist():
            shown = Shown.of(pixels, self.dataset.gt.box[row], choice)
            crops = [shown.crop(view) for view in self.views]
            if crops[0] is None:
                self.n_without_crop += 1
                continue
            self.waiting += [
                Waiting(row, place, file, crop)
                for place, crop in enumerate(crops)
                if crop is not None
            ]
        if len(self.waiting) >= IN_ONE_GO:
            self.flush()

    def flush(self) -> None:
        if self.classifier is not None:
            for begin in range(0, len(self.waiting), IN_ONE_GO):
                self._name(self.waiting[begin : begin + IN_ONE_GO], self.classifier)
        self.waiting.clear()

    def _name(self, part: Sequence[Waiting], classifier: JoinedClassifier) -> None:
        """Where a batch fails, its crops are tried one by one."""
        try:
            answers = classifier.answers([one.crop for one in part])
        except (MissingExtraError, WorkerEndedError):
            raise
        except Exception as problem:  # noqa: BLE001 - a classifier may be anybody's code
            if len(part) == 1:
                self._fail(part[0].file, problem)
            else:
                for one in part:
                    self._name([one], classifier)
            return
        self.works = True
        rows, places = [one.object_row for one in part], [one.view_place for one in part]
        lacking = answers.usable & (answers.class_row < 0)
        self.class_row[rows, places] = np.where(lacking, -2 - answers.own_row, answers.class_row)
        self.score[rows, places] = answers.score
        self.n_without_answer += int(np.count_nonzero(np.isnan(answers.score)))

    def _fail(self, file: str, problem: Exception) -> None:
        reason = f"the classifier failed: {type(problem).__name__}: {problem}"
        self.failed.append(Failure(file, reason))
        self.n_in_vain += 1
        if not self.works and self.n_in_vain >= PATIENCE:
            raise InputError(reason, path=file) from problem

    def labels(self) -> Labels:
        return Labels(
            self.views,
            self.class_row,
            self.score,
            tuple(self.failed),
            self.n_without_crop,
            self.n_without_answer,
            tuple(self.unread),
        )

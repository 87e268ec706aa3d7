"""A classifier that speaks of the classes of a data set instead of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice
from boxlens.data.columns import Bools, Floats, Rows, frozen, owned
from boxlens.data.naming import some_names
from boxlens.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data import Classes
    from boxlens.detectors.protocols import Classifier
    from boxlens.images import Pixels

_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a classifier says of each crop: its surest class, and how sure it is."""

    # Row of the data set's classes; -1: a class that it lacks, or no usable answer.
    class_row: Rows
    # Row of the classifier's own classes; -1: no usable answer.
    own_row: Rows
    # NaN where there is no usable answer.
    score: Floats
    # The score of the second class; NaN where only one is known.
    runner_up: Floats

    def __len__(self) -> int:
        return len(self.class_row)

    @property
    def usable(self) -> Bools:
        """Where there is an answer, be it a class that the data set lacks."""
        return np.asarray(self.own_row >= 0)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedClassifier:
    """Classes are the same where their names are; others stay as wrong answers."""

    classifier: Classifier
    classes: Classes
    # The classifier's class row -> the row in `classes`, or -1.
    class_row_of: Rows

    @property
    def name(self) -> str:
        return self.classifier.name

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        """One column a class of the data set; -inf where the classifier does not know it."""
        own = self._own_scores(crops)
        shared = np.flatnonzero(self.class_row_of >= 0)
        scores = np.full((len(own), len(self.classes)), -np.inf)
        scores[:, self.class_row_of[shared]] = own[:, shared]
        return scores

    def answers(self, crops: Sequence[Pixels]) -> Answers:
        """The surest of the classifier's own classes; of equals the first.

        A row need not sum to 1 (METHODS 4.1: logits will do). One without any finite number, or
        with an infinite one, is no usable answer; a single NaN is a class that nothing is said of.
        """
        return answers_of(self._own_scores(crops), self.class_row_of)

    def _own_scores(self, crops: Sequence[Pixels]) -> Floats:
        scores = np.asarray(self.classifier.classify(crops), dtype=np.float64)
        expected = (len(crops), len(self.class_row_of))
        if scores.shape != expected:
            raise InputError(
                f"classifier '{self.name}' answers with shape {scores.shape} for {expected[0]} "
                f"crops and {expected[1]} classes",
                remedy="Give one row a crop, one number a class",
            )
        return scores


def answers_of(scores: Floats, class_row_of: Rows) -> Answers:
    """The surest class of every row of scores; `class_row_of` as in `JoinedClassifier`."""
    said = np.where(np.isnan(scores), -np.inf, scores)
    ranked = np.sort(said, axis=1)
    best = ranked[:, -1]
    second = ranked[:, -2] if scores.shape[1] > 1 else np.full(len(scores), np.nan)
    usable = np.isfinite(best)
    column = said.argmax(axis=1)
    return Answers(
        class_row=frozen(np.where(usable, class_row_of[column], -1), np.int32),
        own_row=frozen(np.where(usable, column, -1), np.int32),
        score=owned(np.where(usable, best, np.nan)),
        runner_up=owned(np.where(usable & np.isfinite(second), second, np.nan)),
    )


def with_classes(
    classifier: Classifier, classes: Classes
) -> tuple[JoinedClassifier, tuple[Notice, ...]]:
    """The classifier under the rows of `classes`, joined by name."""
    own_names = classifier.classes.name
    row_of_name = classes.row_of_name()
    rows = frozen([row_of_name.get(name, -1) for name in own_names], np.int32)
    lacking = [name for name, row in zip(own_names, rows.tolist(), strict=True) if row < 0]
    if len(lacking) == len(rows):
        raise InputError(
            f"classifier '{classifier.name}' knows none of the classes of the ground truth: it "
            f"names {some_names(lacking, _SHOWN)}, the ground truth has "
            f"{some_names(classes.name, _SHOWN)}",
            remedy="Classes are joined by name",
        )
    notices = []
    if lacking:
        message = (
            f"{len(lacking):,} of the {len(rows):,} classes of classifier '{classifier.name}' are "
            f"not in the ground truth ({some_names(lacking, _SHOWN)}): they count as wrong answers"
        )
        notices.append(Notice("class_without_name", len(lacking), message))
    known = set(own_names)
    unknown = [name for name in classes.name if name not in known]
    if unknown:
        message = (
            f"classifier '{classifier.name}' does not know {len(unknown):,} of the "
            f"{len(classes):,} classes of the ground truth ({some_names(unknown, _SHOWN)}): it "
            "never names them"
        )
        notices.append(Notice("class_never_named", len(unknown), message))
    return JoinedClassifier(classifier, classes, rows), tuple(notices)

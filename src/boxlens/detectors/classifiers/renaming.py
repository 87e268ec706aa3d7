"""A classifier translated to the classes of a data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Classes, Notice, counted_notice
from boxlens.data.columns import Bools, Floats, Rows, frozen, owned
from boxlens.data.naming import some_names
from boxlens.detectors.classifiers.from_function import (
    CallableClassifier,
    ForeignLabel,
    repeated_names,
)
from boxlens.detectors.protocols import Classifier
from boxlens.errors import InputError
from boxlens.formats.box_label_joins import SUM_TOLERANCE
from boxlens.images import Pixels

_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """A classifier's answer for each crop: its most confident class, and the confidence."""

    # Row of the data set's classes; -1: a class that it lacks, or no usable answer.
    class_row: Rows
    # NaN where there is no usable answer.
    score: Floats
    # Whether what is said of all classes sums to 1; true where only one is spoken of.
    sums_to_one: Bools
    # Labels that the data set lacks, by crop.
    lacking: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.class_row)

    @property
    def usable(self) -> Bools:
        """Where there is an answer, even if the data set lacks its class."""
        return np.asarray(~np.isnan(self.score))


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

    def answers(self, crops: Sequence[Pixels]) -> Answers:
        """The surest of the classifier's own classes; of equals the first.

        A row need not sum to 1 (METHODS 4.1: logits will do). One without any finite number, or
        with an infinite one, is not a usable answer; a single NaN is a class without an answer.
        """
        names = self.classifier.classes.name
        if not isinstance(self.classifier, CallableClassifier):
            return answers_of(self._own_scores(crops), self.class_row_of, names)
        said = self.classifier.said_of(crops)
        return self._with_foreign(answers_of(said.scores, self.class_row_of, names), said.foreign)

    def _with_foreign(self, answers: Answers, foreign: Mapping[int, ForeignLabel]) -> Answers:
        """Labels that a function does not count among its classes; the data set may know them."""
        row_of_name = self.classes.row_of_name()
        several = repeated_names(self.classes)
        class_row, score = answers.class_row.copy(), answers.score.copy()
        lacking = dict(answers.lacking)
        for number, one in foreign.items():
            if one.label in several:
                raise _ambiguous(one.label, self.name)
            if math.isfinite(one.score):
                class_row[number] = row_of_name.get(one.label, -1)
                score[number] = one.score
                if class_row[number] < 0:
                    lacking[number] = one.label
        return replace(answers, class_row=owned(class_row), score=owned(score), lacking=lacking)

    def _own_scores(self, crops: Sequence[Pixels]) -> Floats:
        scores = np.asarray(self.classifier.classify(crops), dtype=np.float64)
        expected = (len(crops), len(self.class_row_of))
        if scores.shape != expected:
            raise InputError(
                f"classifier '{self.name}' answers with shape {scores.shape} for {expected[0]} "
                f"crops and {expected[1]} classes",
                remedy="Return one row per crop and one number per class",
            )
        return scores


def answers_of(scores: Floats, class_row_of: Rows, own_names: Sequence[str]) -> Answers:
    """The surest class of every row of scores; `class_row_of` as in `JoinedClassifier`."""
    said = np.where(np.isnan(scores), -np.inf, scores)
    column = said.argmax(axis=1)
    best = said[np.arange(len(said)), column]
    usable = np.isfinite(best)
    class_row = np.where(usable, class_row_of[column], -1)
    finite = np.isfinite(scores)
    total = np.where(finite, scores, 0.0).sum(axis=1)
    lacking = np.flatnonzero(usable & (class_row < 0)).tolist()
    return Answers(
        class_row=frozen(class_row, np.int32),
        score=owned(np.where(usable, best, np.nan)),
        sums_to_one=owned((finite.sum(axis=1) < 2) | (np.abs(total - 1) <= SUM_TOLERANCE)),
        lacking={number: own_names[column[number]] for number in lacking},
    )


def with_classes(
    classifier: Classifier, classes: Classes
) -> tuple[JoinedClassifier, tuple[Notice, ...]]:
    """The classifier under the rows of `classes`, joined by name; its very own stay as they are."""
    own_names = classifier.classes.name
    rows = _rows_among(classifier, classes)
    lacking = [name for name, row in zip(own_names, rows.tolist(), strict=True) if row < 0]
    if len(lacking) == len(rows):
        raise InputError(
            f"classifier '{classifier.name}' knows none of the classes of the ground truth: it "
            f"names {some_names(lacking, _SHOWN)}, the ground truth has "
            f"{some_names(classes.name, _SHOWN)}",
            remedy="Classes are joined by name",
        )
    whose = f"of the {len(rows):,} classes of classifier '{classifier.name}'"
    shown = f"not in the ground truth ({some_names(lacking, _SHOWN)})"
    notices = counted_notice(
        "class_without_name",
        len(lacking),
        f"{whose} are {shown}: they count as wrong",
        f"{whose} is {shown}: it counts as wrong",
    )
    known = set(own_names)
    unknown = [name for name in classes.name if name not in known]
    if unknown:
        message = (
            f"classifier '{classifier.name}' does not know {len(unknown):,} of the "
            f"{len(classes):,} classes of the ground truth ({some_names(unknown, _SHOWN)}): it "
            f"never predicts {'it' if len(unknown) == 1 else 'them'}"
        )
        notices += (Notice("class_never_named", len(unknown), message),)
    return JoinedClassifier(classifier, classes, rows), notices


def _rows_among(classifier: Classifier, classes: Classes) -> Rows:
    """Rows of `classes`; -1 where they lack one. Class names must be unique."""
    own = classifier.classes
    if own.name == classes.name and own.id.tolist() == classes.id.tolist():
        return frozen(np.arange(len(classes)), np.int32)
    shared = set(own.name) & set(classes.name)
    for name in sorted(shared & (repeated_names(own) | repeated_names(classes))):
        raise _ambiguous(name, classifier.name)
    row_of_name = classes.row_of_name()
    return frozen([row_of_name.get(name, -1) for name in own.name], np.int32)


def _ambiguous(name: str, whose: str) -> InputError:
    return InputError(
        f"the class name {name!r} is not unique, and classes are joined by name",
        path=whose,
        remedy="Give every class a unique name",
    )

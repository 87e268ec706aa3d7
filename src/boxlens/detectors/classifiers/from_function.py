"""Any Python function as a classifier: one crop in, a number for every class or a label out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from boxlens.data import Classes
from boxlens.data.columns import Floats
from boxlens.data.naming import some_names
from boxlens.detectors.named_objects import asked, classes_from, described, find_named
from boxlens.detectors.protocols import Classifier
from boxlens.errors import InputError
from boxlens.images import Pixels

_ANSWER = "an array of a number for every class, or a tuple (label, score)"
_SHOWN = 5


class ForeignLabel(NamedTuple):
    """An unknown class name, and its score."""

    label: str
    score: float


class Said(NamedTuple):
    """Numbers for every class, one row per crop; -inf throughout for an unknown label."""

    scores: Floats
    # By crop.
    foreign: dict[int, ForeignLabel]


@dataclass(frozen=True, slots=True)
class CallableClassifier:
    """Calls a function with one crop; with a list of them, and for a list, if `batched`.

    It answers with a number for every class, or with a tuple of a label and its score; a label is
    a class name, or an index into `classes`. The other classes then get -inf.
    """

    function: Callable[..., Any]
    classes: Classes
    name: str
    batched: bool = False

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        """Unknown labels are refused: see `said_of`."""
        said = self.said_of(crops)
        for number, one in said.foreign.items():
            raise self._unknown(one.label, _place(number, crops))
        return said.scores

    def said_of(self, crops: Sequence[Pixels]) -> Said:
        """The same, with unknown labels."""
        row_of_name = self.classes.row_of_name()
        rows = np.full((len(crops), len(self.classes)), -np.inf)
        foreign: dict[int, ForeignLabel] = {}
        answers = asked(self.function, crops, self.name, "crops", batched=self.batched)
        for number, answer in enumerate(answers):
            where = _place(number, crops)
            if not isinstance(answer, tuple) or len(answer) != 2:
                rows[number] = self._numbers(answer, where)
                continue
            label, score = answer[0], self._score(answer[1], where)
            if isinstance(label, str) and label not in row_of_name:
                foreign[number] = ForeignLabel(label, score)
            else:
                rows[number, self._column(label, row_of_name, where)] = score
        return Said(rows, foreign)

    def _numbers(self, answer: Any, where: str) -> Floats:
        try:
            values = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise self._error(where, f"expected {_ANSWER}, got {described(answer)}") from problem
        if values.shape != (len(self.classes),):
            shape = f"{described(answer)} with shape {values.shape}"
            raise self._error(
                where, f"expected {_ANSWER}, got {shape} for {len(self.classes)} classes"
            )
        return values

    def _column(self, label: Any, row_of_name: dict[str, int], where: str) -> int:
        if isinstance(label, str):
            if label in repeated_names(self.classes):
                raise self._error(
                    where, f"the class name {label!r} is not unique: answer with its index"
                )
            return row_of_name[label]
        is_place = isinstance(label, (int, np.integer)) and not isinstance(label, bool)
        if is_place and 0 <= label < len(self.classes):
            return int(label)
        raise self._unknown(label, where)

    def _unknown(self, label: Any, where: str) -> InputError:
        return self._error(
            where,
            f"label {label!r} is neither a name nor an index of "
            f"{some_names(self.classes.name, _SHOWN)}; numbers for all classes must be a list or "
            "an array",
        )

    def _score(self, score: Any, where: str) -> float:
        try:
            return float(score)
        except (TypeError, ValueError) as problem:
            raise self._error(where, f"score {score!r} is not a number") from problem

    def _error(self, where: str, problem: str) -> InputError:
        return InputError(problem, path=self.name, where=where or None)


def repeated_names(classes: Classes) -> set[str]:
    """Names that are not unique."""
    if len(set(classes.name)) == len(classes):
        return set()
    return {name for name, n in Counter(classes.name).items() if n > 1}


def _place(number: int, crops: Sequence[Pixels]) -> str:
    """Which crop of a batch; nothing for a single crop."""
    return f"crop {number} of the batch" if len(crops) > 1 else ""


def load_classifier_function(text: str, classes: Classes | None = None) -> Classifier:
    """The function, or the ready classifier, that "package.module:name" names.

    Classes are an attribute `classes` of the function or its module, else those given; an
    attribute `batched` that is true makes it take and give lists.
    """
    found, stated = find_named(text)
    if isinstance(found, Classifier) and not isinstance(found, type):
        return found
    if not callable(found):
        raise InputError(f"a {type(found).__name__}, where a function was expected", path=text)
    own = classes if stated is None and classes is not None else classes_from(stated, text)
    return CallableClassifier(found, own, text, bool(getattr(found, "batched", False)))

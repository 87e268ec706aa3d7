"""What is wrong with objects and their labels, reported picture by picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from boxlens.data.naming import some_names
from boxlens.detectors.run_result import Failure, Remark
from boxlens.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_PIXEL: Final = "no_pixel"
NO_NUMBER: Final = "no_number"
CLASSIFIER_FAILED: Final = "classifier_failed"
# Kinds of a file of labels are its own words for what does not fit.
UNKNOWN_LABEL: Final = "unknown_label"
NO_SCORE: Final = "no_score"
NO_SCORES: Final = "no_scores"
REPEATED: Final = "repeated_object"
UNKNOWN_OBJECT: Final = "unknown_object"
# Odd, and no fault.
BEYOND: Final = "beyond"
NO_SUM: Final = "no_sum"
# What follows the number: 1, and others.
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    NO_PIXEL: ("object lies outside the picture", "objects lie outside the picture"),
    NO_NUMBER: ("object: the answer is not a number", "objects: the answer is not a number"),
    CLASSIFIER_FAILED: ("object: the classifier failed", "objects: the classifier failed"),
    NO_SCORE: ("object: the score is not a number", "objects: scores are not numbers"),
    NO_SCORES: ("object: no scores", "objects: no scores"),
    REPEATED: (
        "duplicate label of an object",
        "duplicate labels of objects",
    ),
    UNKNOWN_OBJECT: (
        "label of an unknown object",
        "labels of unknown objects",
    ),
    BEYOND: ("box extends beyond the picture", "boxes extend beyond the picture"),
    NO_SUM: ("object: scores do not sum to 1", "objects: scores do not sum to 1"),
}
_LABELS_SHOWN = 5


class _Kind(NamedTuple):
    file: str
    kind: str
    # Errors of a classifier are told apart by their words.
    problem: str


@dataclass(slots=True)
class Faults:
    """Counted by picture and kind: an object once, however many of its crops are at fault."""

    _whom: dict[_Kind, dict[int, str]] = field(default_factory=dict)

    def add(self, file: str, kind: str, whom: int, *, label: str = "", problem: str = "") -> None:
        """`whom` is the row of an object, or the number of a label."""
        self._whom.setdefault(_Kind(file, kind, problem), {}).setdefault(whom, label)

    def count(self, kind: str) -> int:
        return sum(len(whom) for one, whom in self._whom.items() if one.kind == kind)

    def failures(self) -> tuple[Failure, ...]:
        """In the order in which pictures were met."""
        return tuple(Failure(one.file, _reason(one, whom)) for one, whom in self._whom.items())

    def remarks(self) -> tuple[Remark, ...]:
        """The same of what is odd and no fault."""
        return tuple(Remark(one.file, one.reason) for one in self.failures())


def _reason(one: _Kind, whom: Mapping[int, str]) -> str:
    if one.kind == UNKNOWN_LABEL:
        labels = list(dict.fromkeys(whom.values()))
        shown = some_names(map(repr, labels), _LABELS_SHOWN)
        noun = "class" if len(labels) == 1 else "classes"
        return f"{counted(len(whom), 'object')}: unknown {noun} {shown}"
    text = counted(len(whom), *_WORDS[one.kind])
    return f"{text}: {one.problem}" if one.problem else text

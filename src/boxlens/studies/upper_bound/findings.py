"""What is met on the way while objects are classified: faults, remarks and notices, by picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from boxlens.data import Notice, counted_notice
from boxlens.data.naming import some_names
from boxlens.detectors.run_result import Failure, Remark
from boxlens.wording import counted

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
    REPEATED: ("duplicate label of an object", "duplicate labels of objects"),
    UNKNOWN_OBJECT: ("label of an unknown object", "labels of unknown objects"),
    BEYOND: ("box extends beyond the picture", "boxes extend beyond the picture"),
    NO_SUM: ("object: scores do not sum to 1", "objects: scores do not sum to 1"),
}
_LABELS_SHOWN = 5
Told = TypeVar("Told", Failure, Remark)


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


def changed_notices(changed: Iterable[Remark]) -> Iterator[Notice]:
    """What reading changed, in how many pictures."""
    for change, count in Counter(one.remark for one in changed).items():
        yield from counted_notice(
            "changed_picture", count, f"pictures: {change}", f"picture: {change}"
        )


def beyond_notices(oddities: Faults) -> tuple[Notice, ...]:
    return counted_notice(
        "box_beyond_picture",
        oddities.count(BEYOND),
        "boxes extend beyond their pictures and are clipped",
        "box extends beyond its picture and is clipped",
    )


@dataclass(slots=True)
class Findings:
    """Counted and reported by picture."""

    # Names of all pictures, in the order in which they are reported.
    pictures: Sequence[str]
    failed: list[Failure] = field(default_factory=list)
    # Rows of images whose picture cannot be read.
    unread: list[int] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    oddities: Faults = field(default_factory=Faults)
    # Pictures without an object, and what reading changed in others.
    empty: list[str] = field(default_factory=list)
    changed: list[Remark] = field(default_factory=list)
    n_without_answer: int = 0
    n_without_sum: int = 0

    def failures(self) -> tuple[Failure, ...]:
        return (*self._in_order(self.failed), *self._in_order(self.faults.failures()))

    def remarks(self) -> tuple[Remark, ...]:
        return (
            *self._in_order(self.changed),
            *self._in_order(Remark(file, "no objects") for file in self.empty),
            *self._in_order(self.oddities.remarks()),
        )

    def _in_order(self, told: Iterable[Told]) -> list[Told]:
        """Pictures are looked at classifier by classifier, and reported as they are listed."""
        place = {name: row for row, name in enumerate(self.pictures)}
        return sorted(told, key=lambda one: place[one.file])

    def notices(self) -> Iterator[Notice]:
        yield from changed_notices(self.changed)
        yield from counted_notice(
            "picture_without_objects",
            len(self.empty),
            "pictures have no objects",
            "picture has no objects",
        )
        yield from beyond_notices(self.oddities)
        yield from counted_notice(
            "object_without_crop",
            self.faults.count(NO_PIXEL),
            "objects lie outside their picture: they get no label and count as missed",
            "object lies outside its picture: it gets no label and counts as missed",
        )
        yield from self._of_answers()

    def _of_answers(self) -> Iterator[Notice]:
        yield from counted_notice(
            "no_answer",
            self.n_without_answer,
            "answers of the classifier are not numbers: these crops get no label",
            "answer of the classifier is not a number: this crop gets no label",
        )
        yield from counted_notice(
            "unknown_label",
            self.faults.count(UNKNOWN_LABEL),
            "objects get a label of an unknown class, which counts as wrong",
            "object gets a label of an unknown class, which counts as wrong",
        )
        if self.n_without_sum:
            crops = counted(self.n_without_sum, "crop")
            message = f"scores of {crops} do not sum to 1 and are used as they are"
            yield Notice("scores_without_sum", self.n_without_sum, message)

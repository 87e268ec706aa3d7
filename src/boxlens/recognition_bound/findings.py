"""What is met on the way while objects are classified: failures, remarks and notices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from boxlens.data import Notice, counted_notice
from boxlens.detectors.run_result import Failure, Remark
from boxlens.proposals.words import counted
from boxlens.recognition_bound.faults import BEYOND, NO_PIXEL, UNKNOWN_LABEL, Faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Told = TypeVar("Told", Failure, Remark)


@dataclass(slots=True)
class Findings:
    """Counted and told by picture."""

    # Names of all pictures, in the order in which they are told.
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
            *self._in_order(Remark(file, "no object") for file in self.empty),
            *self._in_order(self.oddities.remarks()),
        )

    def _in_order(self, told: Iterable[Told]) -> list[Told]:
        """Pictures are looked at classifier by classifier, and told as they are listed."""
        place = {name: row for row, name in enumerate(self.pictures)}
        return sorted(told, key=lambda one: place[one.file])

    def notices(self) -> Iterator[Notice]:
        for change, count in Counter(one.remark for one in self.changed).items():
            yield from counted_notice(
                "changed_picture", count, f"pictures: {change}", f"picture: {change}"
            )
        yield from counted_notice(
            "picture_without_objects",
            len(self.empty),
            "pictures have no object: nothing is classified there",
            "picture has no object: nothing is classified there",
        )
        yield from counted_notice(
            "box_beyond_picture",
            self.oddities.count(BEYOND),
            "boxes reach beyond their pictures: what is inside is shown",
            "box reaches beyond its picture: what is inside is shown",
        )
        yield from counted_notice(
            "object_without_crop",
            self.faults.count(NO_PIXEL),
            "objects have no pixel in their picture: they get no label and count as missed",
            "object has no pixel in its picture: it gets no label and counts as missed",
        )
        yield from self._of_answers()

    def _of_answers(self) -> Iterator[Notice]:
        yield from counted_notice(
            "no_answer",
            self.n_without_answer,
            "answers of the classifier are no numbers: these crops get no label",
            "answer of the classifier is no number: this crop gets no label",
        )
        yield from counted_notice(
            "unknown_label",
            self.faults.count(UNKNOWN_LABEL),
            "objects get a label that is no class of the ground truth: wrong answers",
            "object gets a label that is no class of the ground truth: a wrong answer",
        )
        if self.n_without_sum:
            crops = counted(self.n_without_sum, "crop")
            message = f"scores of {crops} do not sum to 1: taken as they are"
            yield Notice("scores_without_sum", self.n_without_sum, message)

"""What is met on the way while objects are classified: failures, remarks and notices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from boxlens.data import Notice, counted_notice
from boxlens.detectors.run_result import Failure, Remark
from boxlens.studies.upper_bound.faults import BEYOND, NO_PIXEL, UNKNOWN_LABEL, Faults
from boxlens.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Told = TypeVar("Told", Failure, Remark)


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
        for change, count in Counter(one.remark for one in self.changed).items():
            yield from counted_notice(
                "changed_picture", count, f"pictures: {change}", f"picture: {change}"
            )
        yield from counted_notice(
            "picture_without_objects",
            len(self.empty),
            "pictures have no objects",
            "picture has no objects",
        )
        yield from counted_notice(
            "box_beyond_picture",
            self.oddities.count(BEYOND),
            "boxes extend beyond their pictures and are clipped",
            "box extends beyond its picture and is clipped",
        )
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

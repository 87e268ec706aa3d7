"""What a reconciliation found, as plain frozen values: two ends, the steps, what is uncertain."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Notice
from boxlens.display import Displayed
from boxlens.metrics.json_form import JsonRecord, as_key, inline, null_if_empty, number, to_json
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.comparison.conventions.values import STEPS, Protocol
from boxlens.wording import change, score

SCHEMA = "boxlens/reconcile/1"
ORDER_MATTERS = (
    "Each step keeps those before it, so its share depends on the order: which detections take "
    "part, which objects count, who hits what, how the curve is read, the mean."
)


@dataclass(frozen=True, slots=True)
class ConventionStep:
    """One change of convention, all before it kept."""

    convention: str
    title: str
    from_text: str
    to_text: str
    sentence: str
    before: float
    after: float
    # By how much it alone moves the number at the start, and at the end.
    first_alone: float
    last_alone: float

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def moves(self) -> bool:
        """Whether it makes any difference to these files."""
        return any(change != 0 for change in (self.change, self.first_alone, self.last_alone))

    def to_json(self) -> dict[str, Any]:
        return {
            "convention": self.convention,
            "title": self.title,
            "from": self.from_text,
            "to": self.to_text,
            "before": number(self.before),
            "after": number(self.after),
            "change": number(self.change),
            "first_alone": number(self.first_alone),
            "last_alone": number(self.last_alone),
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class ProtocolNumber(JsonRecord):
    """What a protocol gives; the remark says what it needs and the files do not have."""

    protocol: Protocol = field(
        metadata=inline(lambda one: {"protocol": one.name, "metric": one.title})
    )
    value: float
    remark: str = field(default="", metadata=as_key("remark", null_if_empty))


@dataclass(frozen=True, slots=True)
class CutNumber:
    """The number if detections up to a score had not been written."""

    score_cut: float
    n_detections: int
    value: float


@dataclass(frozen=True, slots=True)
class Band:
    """What the order of equal scores and a score cut alone do to the first number."""

    worst_ties: float
    best_ties: float
    cuts: tuple[CutNumber, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "ties": {"worst": number(self.worst_ties), "best": number(self.best_ties)},
            "score_cuts": to_json(self.cuts),
        }


@dataclass(frozen=True, slots=True, repr=False)
class ReconciliationResult(Displayed):
    """The way from one protocol's number to another's.

    >>> result = reconcile(gt, dt, end="voc07")
    >>> round(result.difference, 4), max(result.steps, key=lambda step: step.change).title
    (0.1947, 'IoU thresholds')
    """

    dataset: str
    """The name of the ground truth."""
    n_images: int
    """How many images there are."""
    n_objects: int
    """How many objects there are."""
    detector: str
    """Name of the detector."""
    n_detections: int
    """How many detections it has."""
    start: ProtocolNumber
    """The first protocol and its number, a fraction."""
    end: ProtocolNumber
    """The other protocol and its number."""
    steps: tuple[ConventionStep, ...]
    """One per convention: the number before and after it is changed, those before it kept."""
    protocols: tuple[ProtocolNumber, ...]
    """Both ends, or every protocol if no end was chosen."""
    band: Band
    """What the order of equal scores and a score cut alone do to the first number."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        ends = (f"{end.protocol.name} {score(end.value, 4)}" for end in (self.start, self.end))
        return f"ReconciliationResult({self.detector} on {self.dataset}: {' -> '.join(ends)})"

    @property
    def difference(self) -> float:
        """The number at the end minus that at the start."""
        return self.end.value - self.start.value

    @property
    def summary(self) -> str:
        """The difference in a sentence, with the step that does most."""
        ends = f"{self.start.protocol.title} to {self.end.protocol.title}"
        if math.isnan(self.difference):
            return f"From {ends}: undefined, because no object counts."
        largest = max(self.steps, key=lambda step: abs(step.change))
        text = f"From {ends}: {change(self.difference, 4)}"
        if not largest.change:
            return f"{text}, no convention makes a difference to these files."
        return f"{text}; the largest step is {largest.title} ({change(largest.change, 4)})."

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens reconcile --json -` prints; undefined is null."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={
                "from": self.start.protocol.name,
                "to": self.end.protocol.name,
                "order": STEPS,
            },
            dataset={
                "name": self.dataset,
                "n_images": self.n_images,
                "n_objects": self.n_objects,
            },
            notices=self.notices,
            results={
                "detector": self.detector,
                "n_detections": self.n_detections,
                "from": self.start,
                "to": self.end,
                "difference": self.difference,
                "summary": self.summary,
                "steps": self.steps,
                "protocols": self.protocols,
                "band": self.band,
            },
        )

"""What a study of recall found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import notice_to_json, number
from boxlens.proposals.recall.average_recall import CURVE_IOUS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data import Notice
    from boxlens.data.columns import Floats
    from boxlens.metrics.results import Provenance
    from boxlens.proposals.recall.choice import RecallChoice

SCHEMA = "boxlens/proposals-recall/1"


@dataclass(frozen=True, slots=True)
class BudgetRecall:
    """One method with at most `budget` proposals an image."""

    budget: int
    # Proposals an image that there really were, on average.
    n_mean: float
    # Over IoU from .5 to 1, or as the choice says.
    ar: float
    ar_low: float
    ar_high: float
    # Mean recall at COCO's ten thresholds.
    coco_ar: float
    # Mean best overlap of objects, where one proposal may serve several: over objects, and the
    # mean of the classes' means.
    best_overlap: float
    best_overlap_by_class: float
    # At the IoUs of the choice.
    recall: Mapping[float, float]
    # At every IoU of `average_recall.CURVE_IOUS`.
    curve: Floats

    def to_json(self) -> dict[str, Any]:
        return {
            "budget": self.budget,
            "n_mean": number(self.n_mean),
            "AR": number(self.ar),
            "AR_interval": [number(self.ar_low), number(self.ar_high)],
            "AR_coco": number(self.coco_ar),
            "ABO": number(self.best_overlap),
            "MABO": number(self.best_overlap_by_class),
            "recall": {f"{iou:g}": number(value) for iou, value in self.recall.items()},
        }


@dataclass(frozen=True, slots=True)
class GroupRecall:
    """Objects that have something in common, found by one method with one budget."""

    # "class", "size", or the name of an attribute.
    by: str
    value: str
    n_objects: int
    budget: int
    ar: float
    recall: Mapping[float, float]

    def to_json(self) -> dict[str, Any]:
        return {
            "by": self.by,
            "value": self.value,
            "n_objects": self.n_objects,
            "budget": self.budget,
            "AR": number(self.ar),
            "recall": {f"{iou:g}": number(value) for iou, value in self.recall.items()},
        }


@dataclass(frozen=True, slots=True)
class MethodRecall:
    """One method on one data set."""

    name: str
    made_by: str
    # One of the study's baselines: drawn dashed.
    baseline: bool
    # At the budgets of the choice, ascending.
    chosen: tuple[BudgetRecall, ...]
    # At all budgets of the curves, ascending.
    by_budget: tuple[BudgetRecall, ...]
    groups: tuple[GroupRecall, ...]
    # Share of proposals by root of their relative area, in ten bins; at the largest chosen budget.
    sizes: Floats
    # Volume under recall over IoU and the logarithm of the number of proposals, from 0 to 1.
    volume: float
    n_duplicates: int
    # None for files.
    seconds_per_image: float | None
    # By object: what it adds to AR at the largest chosen budget.
    adds: Floats | None = None

    def rows(self, of: tuple[BudgetRecall, ...]) -> list[dict[str, Any]]:
        """One a budget, under the method's name."""
        return [{"name": self.name, **one.to_json()} for one in of]

    def to_json(self) -> dict[str, Any]:
        """What does not depend on a budget."""
        return {
            "name": self.name,
            "made_by": self.made_by,
            "baseline": self.baseline,
            "VUS": number(self.volume),
            "n_duplicates": self.n_duplicates,
            "seconds_per_image": self.seconds_per_image,
            "sizes": [number(value) for value in self.sizes.tolist()],
        }


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much the best method is ahead of the next; images are drawn for both alike."""

    best: str
    second: str
    difference: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        return {
            "best": self.best,
            "second": self.second,
            "difference": number(self.difference),
            "interval": [number(self.low), number(self.high)],
        }


@dataclass(frozen=True, slots=True)
class DatasetRecall:
    """All methods on the same images of one data set."""

    name: str
    # Images whose proposals every method knows, and their objects.
    n_images: int
    n_objects: int
    # Share of objects by root of their relative area, in the bins of `MethodRecall.sizes`.
    sizes: Floats
    methods: tuple[MethodRecall, ...]
    # None for a single method.
    lead: Lead | None = None

    def summary(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "n_images": self.n_images,
            "n_objects": self.n_objects,
            "methods": [row for one in self.methods for row in one.rows(one.chosen)],
            "lead": None if self.lead is None else self.lead.to_json(),
        }

    def to_json(self) -> dict[str, Any]:
        return {
            **self.summary(),
            "sizes": [number(value) for value in self.sizes.tolist()],
            "runs": [one.to_json() for one in self.methods],
            "by_budget": [row for one in self.methods for row in one.rows(one.by_budget)],
            "by_iou": [
                {
                    "name": one.name,
                    "budget": row.budget,
                    "curve": [
                        [round(iou, 6), number(value)]
                        for iou, value in zip(CURVE_IOUS.tolist(), row.curve.tolist(), strict=True)
                    ],
                }
                for one in self.methods
                for row in one.chosen
            ],
            "groups": [
                {"name": one.name, **group.to_json()}
                for one in self.methods
                for group in one.groups
            ],
        }


@dataclass(frozen=True, slots=True, repr=False)
class ProposalRecallResult(Displayed):
    """How many objects each method finds, on each data set."""

    choice: RecallChoice
    datasets: tuple[DatasetRecall, ...]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        first = self.datasets[0]
        scores = ", ".join(f"{one.name} AR {one.chosen[-1].ar:.4f}" for one in first.methods)
        return f"ProposalRecallResult({first.name}: {scores})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals recall --json -` prints; undefined is null."""
        first = self.datasets[0]
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": self.choice.to_json(),
            "dataset": {
                "name": first.name,
                "n_images": first.n_images,
                "n_objects": first.n_objects,
            },
            "notices": [notice_to_json(notice) for notice in self.notices],
            # Whole of the first data set, in short of every one.
            "results": {**first.to_json(), "datasets": [one.summary() for one in self.datasets]},
        }

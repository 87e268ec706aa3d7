"""Recall of proposals: what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Notice
from boxlens.data.columns import Floats
from boxlens.display import Displayed
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, ends, number, to_json
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.proposals.recall.average_recall import CURVE_IOUS
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.wording import score

SCHEMA = "boxlens/proposals-recall/1"


@dataclass(frozen=True, slots=True)
class BudgetRecall(JsonRecord):
    """One method with at most `budget` proposals per image. Scores are fractions."""

    budget: int
    """Proposals per image, at most."""
    n_mean: float
    """Proposals per image that there were, on average."""
    ar: float = field(metadata=as_key("AR"))
    """Average recall over IoU from 0.5 to 1, or over `ar_range`."""
    ar_low: float = field(metadata=ends("AR_interval", "ar_high"))
    """Lower end of the 95% interval of `ar`; NaN without intervals."""
    ar_high: float = field(metadata=HIDDEN)
    """Upper end."""
    coco_ar: float = field(metadata=as_key("AR_coco"))
    """Mean recall at COCO's ten IoU thresholds."""
    best_overlap: float = field(metadata=as_key("ABO"))
    """Mean IoU of objects with their best proposal (ABO); a proposal may serve several objects."""
    best_overlap_by_class: float = field(metadata=as_key("MABO"))
    """The same as the mean of the means of classes (MABO)."""
    recall: Mapping[float, float]
    """Recall by IoU, at the `ious` asked for."""
    curve: Floats = field(metadata=HIDDEN)
    """Recall at every IoU from 0.5 to 1 in steps of 0.01."""


@dataclass(frozen=True, slots=True)
class GroupRecall(JsonRecord):
    """Objects that have something in common, found by one method with one budget."""

    by: str
    """"class", "size", or the name of an attribute."""
    value: str
    """The class, size or value that the objects share."""
    n_objects: int
    """How many objects there are."""
    budget: int
    """Proposals per image, at most."""
    ar: float = field(metadata=as_key("AR"))
    """Average recall of these objects."""
    recall: Mapping[float, float]
    """Recall by IoU."""


@dataclass(frozen=True, slots=True)
class MethodRecall(JsonRecord):
    """One method on one data set."""

    name: str
    """Of the method, or of its file."""
    made_by: str
    """The method with its settings, or the path of a file."""
    baseline: bool
    """One of the four baselines, which are drawn dashed."""
    chosen: tuple[BudgetRecall, ...] = field(metadata=HIDDEN)
    """At the `budgets` asked for, ascending."""
    by_budget: tuple[BudgetRecall, ...] = field(metadata=HIDDEN)
    """At all budgets of the curves, ascending."""
    groups: tuple[GroupRecall, ...] = field(metadata=HIDDEN)
    """By class, size and attribute of objects, at every chosen budget."""
    volume: float = field(metadata=as_key("VUS"))
    """Volume under recall over IoU and log of the number of proposals (VUS), from 0 to 1."""
    n_duplicates: int
    """Boxes on the same pixels as a better one, which do not count."""
    seconds_per_image: float | None
    """Seconds of one core per image; None for files."""
    sizes: Floats
    """Share of proposals by √(area / image area), in ten bins; at the largest chosen budget."""
    adds: Floats | None = field(default=None, metadata=HIDDEN)
    """By object: what it adds to AR at the largest chosen budget."""

    def rows(self, of: tuple[BudgetRecall, ...]) -> list[dict[str, Any]]:
        """One per budget, under the method's name."""
        return [{"name": self.name, **one.to_json()} for one in of]


@dataclass(frozen=True, slots=True)
class Lead(JsonRecord):
    """How far the best method is ahead of the next, on the same resampled images."""

    best: str
    """Name of the method with the highest AR at the largest budget."""
    second: str
    """Name of the next."""
    difference: float
    """AR of the best minus AR of the second."""
    low: float = field(metadata=ends("interval", "high"))
    """Lower end of the 95% interval of the difference."""
    high: float = field(metadata=HIDDEN)
    """Upper end."""


@dataclass(frozen=True, slots=True)
class DatasetRecall:
    """All methods on the same images of one data set."""

    name: str
    """Of the data set."""
    n_images: int
    """Images that all methods have searched."""
    n_objects: int
    """Objects in these images; crowds and groups do not count."""
    n_classes: int
    """Classes of the data set."""
    sizes: Floats
    """Share of objects by √(area / image area), in the bins of `MethodRecall.sizes`."""
    methods: tuple[MethodRecall, ...]
    """In the order given."""
    lead: Lead | None = None
    """Of the best method over the next; None for a single method."""

    def facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "n_images": self.n_images,
            "n_objects": self.n_objects,
            "n_classes": self.n_classes,
        }

    def summary(self) -> dict[str, Any]:
        return {
            **self.facts(),
            "methods": [row for one in self.methods for row in one.rows(one.chosen)],
            "lead": to_json(self.lead),
        }

    def to_json(self) -> dict[str, Any]:
        return {
            **self.summary(),
            "sizes": to_json(self.sizes),
            "runs": to_json(self.methods),
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
    """How many objects each method finds on each data set, how tightly, and which.

    >>> result = proposal_recall(gt, "uniform", budgets=[100])
    >>> round(result.datasets[0].methods[0].chosen[0].recall[0.5], 3)
    0.054
    """

    choice: RecallChoice
    """What was asked for."""
    datasets: tuple[DatasetRecall, ...]
    """One per data set, in the order given."""
    provenance: Provenance
    """Files with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or is unusual."""

    def __repr__(self) -> str:
        first = self.datasets[0]
        scores = ", ".join(f"{one.name} AR {score(one.chosen[-1].ar)}" for one in first.methods)
        return f"ProposalRecallResult({first.name}: {scores})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals recall --json -` prints; undefined is null."""
        first = self.datasets[0]
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=self.choice.to_json(),
            dataset=first.facts() if len(self.datasets) == 1 else None,
            notices=self.notices,
            # All of the first data set, and a summary of each.
            results={**first.to_json(), "datasets": [one.summary() for one in self.datasets]},
        )

"""Recall of methods against the mAP that detectors reach with their proposals: what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Notice
from boxlens.data.columns import Floats
from boxlens.display import Displayed
from boxlens.metrics.json_form import JsonRecord, as_key, number
from boxlens.metrics.results import Provenance, envelope
from boxlens.wording import score

SCHEMA = "boxlens/proposals-correlate/1"


@dataclass(frozen=True, slots=True)
class MethodScore(JsonRecord):
    """One method: what its proposals find, and what a detector makes of them."""

    method: str
    """Name of the method."""
    detector: str
    """Name of the detector; empty where a table of scores does not name it."""
    n_mean: float
    """Proposals per image, on average."""
    ar: float = field(metadata=as_key("AR"))
    """Average recall over IoU from 0.5 to 1."""
    map: float = field(metadata=as_key("mAP"))
    """Mean AP over classes; NaN where it is unknown."""
    class_ap: Mapping[str, float] = field(metadata=as_key("classes"))
    """AP by class name."""


@dataclass(frozen=True, slots=True)
class RecallCorrelation:
    """One detector over all methods: Pearson's r of mAP with recall at each IoU, and with AR."""

    detector: str
    """Name of the detector; empty where a table of scores does not name it."""
    class_name: str
    """Empty: all classes; else the AP of this class is correlated with recall of its objects."""
    n_methods: int
    """Methods that have both numbers."""
    ious: Floats
    """From 0.5 to 1 in steps of 0.025."""
    at_iou: Floats
    """r with recall at each of them; NaN where it is undefined."""
    with_ar: float
    """r with average recall."""
    with_partial_ar: float
    """r with average recall from IoU 0.5 to 0.7: the mean of nine recalls (METHODS 6.7)."""

    def to_json(self) -> dict[str, Any]:
        return {
            "detector": self.detector,
            "class": self.class_name or None,
            "n_methods": self.n_methods,
            "AR": number(self.with_ar),
            "AR_50_70": number(self.with_partial_ar),
            "by_iou": [
                {"iou": round(iou, 6), "r": number(value)}
                for iou, value in zip(self.ious.tolist(), self.at_iou.tolist(), strict=True)
            ],
        }


@dataclass(frozen=True, slots=True, repr=False)
class ProposalCorrelationResult(Displayed):
    """Does recall of proposals predict the mAP of detectors that use them?

    >>> methods = ["uniform", "gaussian", "sliding-window"]
    >>> result = correlate_recall(gt, methods, raw=dt, budget=100)
    >>> round(result.correlations[0].with_ar, 2)
    0.74
    """

    budget: int
    """Proposals per image, at most."""
    scores: tuple[MethodScore, ...]
    """One per detector and method."""
    correlations: tuple[RecallCorrelation, ...]
    """Per detector: over all classes, then class by class."""
    dataset: Mapping[str, Any]
    """Name, n_images, n_objects and n_classes of the data set."""
    parameters: Mapping[str, Any]
    """What was asked for."""
    provenance: Provenance
    """Files with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or is unusual."""

    def __repr__(self) -> str:
        overall = [one for one in self.correlations if not one.class_name]
        found = ", ".join(f"{one.detector} r {score(one.with_ar)}".strip() for one in overall)
        return f"ProposalCorrelationResult({self.dataset['name']}: {found})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals correlate --json -` prints."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={"budget": self.budget, **self.parameters},
            dataset=self.dataset,
            notices=self.notices,
            results={
                "methods": self.scores,
                "correlations": self.correlations,
            },
        )

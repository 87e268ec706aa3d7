"""Recall of methods against the mAP that detectors reach with their proposals: what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import notice_to_json, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data import Notice
    from boxlens.data.columns import Floats
    from boxlens.metrics.results import Provenance

SCHEMA = "boxlens/proposals-correlate/1"


@dataclass(frozen=True, slots=True)
class MethodScore:
    """One method: what its proposals find, and what a detector makes of them."""

    method: str
    detector: str
    ar: float
    # Mean over classes, NaN where it is not known; and class by class, by name.
    map: float
    class_ap: Mapping[str, float]
    n_mean: float

    def to_json(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "detector": self.detector,
            "n_mean": number(self.n_mean),
            "AR": number(self.ar),
            "mAP": number(self.map),
            "classes": {name: number(value) for name, value in self.class_ap.items()},
        }


@dataclass(frozen=True, slots=True)
class RecallCorrelation:
    """One detector over all methods: Pearson of mAP with recall at each IoU, and with AR."""

    detector: str
    # Empty: all classes; else the AP of this class against the recall of its objects.
    class_name: str
    n_methods: int
    ious: Floats
    at_iou: Floats
    with_ar: float
    # Partial AR, IoU .5 to .7: the mean of nine sampled recalls (METHODS 6.7).
    with_partial_ar: float

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
    """Does recall foretell what detectors make of proposals?"""

    budget: int
    scores: tuple[MethodScore, ...]
    correlations: tuple[RecallCorrelation, ...]
    parameters: Mapping[str, Any]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        return f"ProposalCorrelationResult({len(self.scores)} scores)"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals correlate --json -` prints."""
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": {"budget": self.budget, **self.parameters},
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": {
                "methods": [one.to_json() for one in self.scores],
                "correlations": [one.to_json() for one in self.correlations],
            },
        }

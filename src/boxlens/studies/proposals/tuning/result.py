"""What a search for good settings found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Notice
from boxlens.display import Displayed
from boxlens.metrics.json_form import JsonRecord, as_key, number
from boxlens.metrics.results import Provenance, envelope

SCHEMA = "boxlens/proposals-tune/1"


@dataclass(frozen=True, slots=True)
class Trial(JsonRecord):
    """One choice of settings, and what it finds."""

    number: int
    """From 0, which has the settings of the generator before the search."""
    settings: Mapping[str, float]
    """By name."""
    ar: float = field(metadata=as_key("AR"))
    """Average recall on the pictures tuned on."""
    recall_50: float = field(metadata=as_key("recall", lambda at_half: {"0.5": number(at_half)}))
    """Recall at IoU 0.5."""
    n_mean: float
    """Proposals per image, on average."""
    seconds_per_image: float
    """Seconds of one core per image."""


@dataclass(frozen=True, slots=True, repr=False)
class ProposalTuningResult(Displayed):
    """Every trial, in order; the first and the best are compared on the pictures held out.

    >>> result = tune_proposals(gt, "uniform", "images", trials=2, n_images=4)
    >>> sorted(result.trials[result.best].settings)[:2]
    ['area_high', 'area_low']
    """

    method: str
    """Name of the generator."""
    budget: int
    """Proposals per image, at most."""
    trials: tuple[Trial, ...]
    """Settings, recall (fractions) and seconds per image, in the order tried."""
    best: int
    """Position in `trials` of the one with the highest average recall."""
    held_out_before: float
    """Average recall on the pictures held out, with the settings before; NaN without any."""
    held_out_after: float
    """The same with the settings of the best trial."""
    n_tuned_on: int
    """Pictures tuned on."""
    n_held_out: int
    """Pictures held out."""
    parameters: Mapping[str, Any]
    """What was asked for, and the ranges searched."""
    provenance: Provenance
    """Files with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or is unusual."""

    def __repr__(self) -> str:
        first, best = self.trials[0].ar, self.trials[self.best].ar
        return f"ProposalTuningResult({self.method}: AR {first:.3f} to {best:.3f})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals tune --json -` prints."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={"method": self.method, "budget": self.budget, **self.parameters},
            dataset=None,
            notices=self.notices,
            results={
                "trials": self.trials,
                "best": self.trials[self.best],
                "held_out": {
                    "n_images": self.n_held_out,
                    "AR_before": self.held_out_before,
                    "AR_after": self.held_out_after,
                },
            },
        )

"""What a search for good settings found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import notice_to_json, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data import Notice
    from boxlens.metrics.results import Provenance

SCHEMA = "boxlens/proposals-tune/1"


@dataclass(frozen=True, slots=True)
class Trial:
    """One choice of settings, and what it finds."""

    # From 0: the settings that the generator had before.
    number: int
    settings: Mapping[str, float]
    ar: float
    recall_50: float
    n_mean: float
    seconds_per_image: float

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "settings": dict(self.settings),
            "AR": number(self.ar),
            "recall": {"0.5": number(self.recall_50)},
            "n_mean": number(self.n_mean),
            "seconds_per_image": number(self.seconds_per_image),
        }


@dataclass(frozen=True, slots=True, repr=False)
class ProposalTuningResult(Displayed):
    """Every trial, in order; on pictures kept apart the first and the best are compared."""

    method: str
    budget: int
    trials: tuple[Trial, ...]
    best: int
    # AR before and after on the pictures that were not tuned on; NaN where none were kept apart.
    held_out_before: float
    held_out_after: float
    n_tuned_on: int
    n_held_out: int
    parameters: Mapping[str, Any]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        first, best = self.trials[0].ar, self.trials[self.best].ar
        return f"ProposalTuningResult({self.method}: AR {first:.4f} to {best:.4f})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals tune --json -` prints."""
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": {"method": self.method, "budget": self.budget, **self.parameters},
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": {
                "trials": [one.to_json() for one in self.trials],
                "best": self.trials[self.best].to_json(),
                "held_out": {
                    "n_images": self.n_held_out,
                    "AR_before": number(self.held_out_before),
                    "AR_after": number(self.held_out_after),
                },
            },
        }

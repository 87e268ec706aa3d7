"""What objectness has learnt: how often each value of a cue is an object's, and the prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.errors import InputError
from boxlens.studies.proposals.generators.objectness_windows import SCALES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data.columns import Floats

# Multi-scale saliency, colour contrast, superpixels straddling.
CUES = ("saliency", "contrast", "straddling")
# Of the five scales (METHODS 7.5).
PUBLISHED_THRESHOLDS = (0.43, 0.32, 0.34, 0.35, 0.26)
# Digits that files keep.
_DIGITS = 6
_REMEDY = "Give a file that training objectness has written"


@dataclass(frozen=True, slots=True)
class CueTable:
    """Histograms of one cue: `edges` lie between the bins, ascending; the first and last are open.

    Of windows on objects and of others; neither is 0 anywhere, and both sum to 1.
    """

    edges: tuple[float, ...]
    on_objects: tuple[float, ...]
    elsewhere: tuple[float, ...]

    def log_odds(self, values: Floats) -> Floats:
        """How much more likely the values are on objects; 0 is undecided."""
        by_bin = np.log(self.on_objects) - np.log(self.elsewhere)
        odds: Floats = by_bin[np.searchsorted(self.edges, values, side="right")]
        return odds

    def to_json(self) -> dict[str, Any]:
        columns = {"edges": self.edges, "objects": self.on_objects, "elsewhere": self.elsewhere}
        return {name: _short(values) for name, values in columns.items()}

    @classmethod
    def of_json(cls, document: Any) -> CueTable:
        table = cls(*(_numbers(document, key) for key in ("edges", "objects", "elsewhere")))
        n = len(table.edges) + 1
        if len(table.on_objects) != n or len(table.elsewhere) != n:
            raise InputError("a cue has one bin more than edges between them", remedy=_REMEDY)
        if min(table.on_objects) <= 0 or min(table.elsewhere) <= 0:
            raise InputError("the likelihoods of a cue are above 0", remedy=_REMEDY)
        if (np.diff(table.edges) < 0).any():
            raise InputError("the edges between the bins of a cue ascend", remedy=_REMEDY)
        return table


@dataclass(frozen=True, slots=True)
class ObjectnessTables:
    """What share of the windows is on objects, histograms, and what counts as salient."""

    prior: float
    # In the order of CUES.
    cues: tuple[CueTable, ...]
    thresholds: tuple[float, ...] = PUBLISHED_THRESHOLDS
    trained_on: str = ""

    def posterior(self, values: Mapping[str, Floats]) -> Floats:
        """Naive Bayes: the chance that a window is on an object, its cues taken as independent."""
        from scipy.special import expit

        odds = np.log(self.prior / (1 - self.prior))
        for name, table in zip(CUES, self.cues, strict=True):
            odds = odds + table.log_odds(values[name])
        chance: Floats = expit(odds)
        return chance

    def to_json(self) -> dict[str, Any]:
        return {
            "trained_on": self.trained_on,
            "prior": _short((self.prior,))[0],
            "thresholds": list(self.thresholds),
            "cues": {name: cue.to_json() for name, cue in zip(CUES, self.cues, strict=True)},
        }

    @classmethod
    def of_json(cls, document: Any) -> ObjectnessTables:
        if not isinstance(document, dict) or not isinstance(document.get("cues"), dict):
            raise InputError("holds no tables of objectness", remedy=_REMEDY)
        prior, thresholds = document.get("prior"), _numbers(document, "thresholds")
        if not isinstance(prior, float) or not 0 < prior < 1:
            raise InputError(f"the prior lies between 0 and 1, got {prior!r}", remedy=_REMEDY)
        if len(thresholds) != len(SCALES):
            problem = f"expected thresholds of {len(SCALES)} scales, got {len(thresholds)}"
            raise InputError(problem, remedy=_REMEDY)
        cues = tuple(CueTable.of_json(document["cues"].get(name)) for name in CUES)
        return cls(prior, cues, thresholds, str(document.get("trained_on", "")))


def _short(values: tuple[float, ...]) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values]


def _numbers(document: Any, key: str) -> tuple[float, ...]:
    values = document.get(key) if isinstance(document, dict) else None
    if not isinstance(values, list) or not all(_finite(value) for value in values):
        raise InputError(f"expected a list of numbers under '{key}'", remedy=_REMEDY)
    return tuple(map(float, values))


def _finite(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)

"""What RandomizedPrim's learns: when neighbours are of one object, and how large objects are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from boxlens.data.columns import Floats
from boxlens.errors import InputError
from boxlens.studies.proposals.generators.ranked import shipped

# A pair that looks like nothing of one object can still be drawn.
LEAST_SIMILARITY = 1e-4
# Steps of area in the size term, as the authors have them.
_AREA_STEPS = 2**16 - 1
# Numbers of a file beyond this are a mistake.
_LARGEST = 1e9


class PrimWeights(NamedTuple):
    """Of a logistic over the features of a pair."""

    bias: float
    colour: float
    border: float
    size: float


@dataclass(frozen=True, slots=True)
class PrimTables:
    """Which neighbours are of one object, and the sizes of objects."""

    weights: PrimWeights
    # Share of objects up to a size, for equal steps of the root of relative area, from 0 to 1.
    sizes: tuple[float, ...]
    trained_on: str = ""

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> PrimTables:
        """Of what `to_json` makes."""
        if not isinstance(document, dict):
            raise InputError("expected an object with weights and sizes")
        weights, sizes = document.get("weights"), document.get("sizes")
        names = PrimWeights._fields
        if not isinstance(weights, dict) or not all(map(_is_number, map(weights.get, names))):
            problem = f"expected the numbers {', '.join(names)}"
            raise InputError(problem, where="weights")
        if not isinstance(sizes, list) or not _is_distribution(sizes):
            problem = "expected at least two shares that ascend from 0 or more to 1"
            raise InputError(problem, where="sizes")
        return cls(
            PrimWeights(*(float(weights[name]) for name in names)),
            tuple(map(float, sizes)),
            str(document.get("trained_on", "")),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "trained_on": self.trained_on,
            "weights": self.weights._asdict(),
            "sizes": list(self.sizes),
        }

    @property
    def digest(self) -> str:
        """Tells tables apart by what they hold, not by where that came from."""
        held = [*self.weights, *self.sizes]
        return hashlib.sha256(np.array(held, dtype="<f8").tobytes()).hexdigest()[:16]

    def similarity(self, features: Floats) -> Floats:
        """The chance that the two of a pair are of one object."""
        bias, *weights = self.weights
        evidence = bias + features @ np.array(weights)
        # tanh does not overflow, whatever the weights are.
        chance: Floats = 0.5 + 0.5 * np.tanh(evidence / 2)
        return np.maximum(chance, LEAST_SIMILARITY)

    def size_stop(self) -> list[float]:
        """The share of objects that are no larger, for equal steps of relative area."""
        side = np.sqrt(np.arange(_AREA_STEPS + 1) / _AREA_STEPS)
        shares: list[float] = np.interp(
            side, np.linspace(0, 1, len(self.sizes)), self.sizes
        ).tolist()
        return shares


@cache
def shipped_tables() -> PrimTables:
    return PrimTables.of_json(shipped("randomized_prim"))


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -_LARGEST <= value <= _LARGEST


def _is_distribution(values: list[object]) -> bool:
    if len(values) < 2 or not all(map(_is_number, values)):
        return False
    shares = np.array(values, dtype=np.float64)
    return bool(shares[0] >= 0 and shares[-1] == 1 and (np.diff(shares) >= 0).all())

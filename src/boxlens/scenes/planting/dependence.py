"""Rates that depend on what an object is like: its size, shape or any attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boxlens.data import GroundTruth
from boxlens.data.columns import Attribute, Floats
from boxlens.errors import ParameterError

CHARACTERISTICS: Mapping[str, Callable[[GroundTruth], Floats]] = {
    "area": lambda gt: gt.area_px,
    "box_area": lambda gt: gt.box[:, 2] * gt.box[:, 3],
    "width": lambda gt: gt.box[:, 2],
    "height": lambda gt: gt.box[:, 3],
    "aspect": lambda gt: gt.box[:, 2] / np.where(gt.box[:, 3] > 0, gt.box[:, 3], np.nan),
}


@dataclass(frozen=True, slots=True)
class Steps:
    """A value for each range of a number: values[0] below edges[0], values[1] from there on ..."""

    edges: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.values) != len(self.edges) + 1 or list(self.edges) != sorted(set(self.edges)):
            raise ParameterError(f"steps need ascending edges and one value more, got {self}")


Effect = Mapping[Any, float] | Steps | Callable[[Any], npt.ArrayLike]


@dataclass(frozen=True, slots=True)
class Dependence:
    """How one rate of a recipe changes with a characteristic or an attribute of the object.

    `effect` is a table of values (`{"high": 3.0}`), steps over a number, or a function of the
    column. "multiply" multiplies the rate, "logit" adds to its logit. Objects without the
    annotation, or whose value is not in the table, keep the rate.
    """

    rate: str
    on: str
    effect: Effect
    how: Literal["multiply", "logit"] = "multiply"

    def __post_init__(self) -> None:
        if self.how not in {"multiply", "logit"}:
            raise ParameterError(f"a dependence must be 'multiply' or 'logit', got {self.how!r}")

    def effects(self, gt: GroundTruth) -> Floats:
        """The effect on every object, neutral where nothing is known."""
        neutral = 1.0 if self.how == "multiply" else 0.0
        values = self._values(characteristic(gt, self.on))
        effects = np.where(np.isnan(values), neutral, values)
        if not np.isfinite(effects).all() or (self.how == "multiply" and (effects < 0).any()):
            raise ParameterError(
                f"{self.rate} on {self.on}: effects are finite, factors 0 or more, "
                f"got {effects.min()} to {effects.max()}",
            )
        return effects

    def _values(self, column: Attribute) -> Floats:
        if isinstance(self.effect, Steps):
            if column.dtype == object:
                raise ParameterError(f"steps need numbers, and {self.on!r} is text")
            step = np.searchsorted(self.effect.edges, column, side="right")
            return np.where(np.isnan(column), np.nan, np.array(self.effect.values)[step])
        if isinstance(self.effect, Mapping):
            return self._looked_up(column, self.effect)
        return np.broadcast_to(np.asarray(self.effect(column), dtype=np.float64), column.shape)

    def _looked_up(self, column: Attribute, table: Mapping[Any, float]) -> Floats:
        known, which = np.unique(column[_present(column)], return_inverse=True)
        found = [float(table.get(value, np.nan)) for value in known.tolist()]
        if len(known) and np.isnan(found).all():
            raise ParameterError(
                f"{self.rate} on {self.on}: no object has one of {list(table)}; "
                f"its values are {known.tolist()[:8]}",
            )
        values = np.full(len(column), np.nan)
        values[_present(column)] = np.array(found, dtype=np.float64)[which]
        return values


def characteristic(gt: GroundTruth, name: str) -> Attribute:
    """A column of sizes, or an attribute of the file."""
    if name in CHARACTERISTICS:
        return CHARACTERISTICS[name](gt)
    if name not in gt.attributes:
        choice = ", ".join([*CHARACTERISTICS, *gt.attributes])
        raise ParameterError(f"unknown characteristic {name!r}; choose from {choice}")
    return gt.attributes[name]


def chances(rate: float, of_rate: Iterable[Dependence], gt: GroundTruth) -> Floats:
    """The rate of every object, between 0 and 1."""
    chance = np.full(len(gt), float(rate))
    for dependence in of_rate:
        effects = dependence.effects(gt)
        if dependence.how == "multiply":
            chance = np.clip(chance * effects, 0, 1)
        else:
            odds = np.exp(-effects)
            chance = chance / (chance + (1 - chance) * odds)
    return chance


def weights(of_rate: Iterable[Dependence], gt: GroundTruth) -> Floats:
    """How much more often an object is drawn than others, where a number and no chance is given."""
    weight = np.ones(len(gt))
    for dependence in of_rate:
        effects = dependence.effects(gt)
        weight *= effects if dependence.how == "multiply" else np.exp(effects)
    return weight


def _present(column: Attribute) -> npt.NDArray[np.bool_]:
    if column.dtype == object:
        return np.array([value is not None for value in column], dtype=np.bool_)
    return ~np.isnan(column)

"""What becomes of each object: found, missed or detected wrongly, by rates and exact numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Rows
from boxlens.scenes.planting.dependence import chances, weights
from boxlens.scenes.planting.ground import Ground
from boxlens.scenes.planting.kinds import Kind
from boxlens.scenes.planting.laws import draw_numbers, exactly
from boxlens.scenes.planting.recipe import INSTEAD

MISSED = -1
NOT_COUNTED = -2


@dataclass(frozen=True, slots=True)
class Outcomes:
    """`of_object` is the kind of its main detection, MISSED or NOT_COUNTED."""

    of_object: npt.NDArray[np.int8]
    # Rates of an object that together exceed 1 were scaled down to it.
    n_scaled: int
    # By exact rate: how many objects were lacking.
    lacking: dict[str, int]
    # Objects that are missed though the recipe does not say so.
    n_unreachable: int


def draw_outcomes(ground: Ground, reachable: Bools) -> Outcomes:
    """Exact numbers are drawn first, without replacement; rates apply to the other objects."""
    outcome = np.where(reachable, Kind.CORRECT, MISSED).astype(np.int8)
    outcome[ground.ignored] = NOT_COUNTED
    free = reachable & ~ground.ignored
    n_unreachable = int((outcome == MISSED).sum())
    lacking = {}
    for name, kind in INSTEAD.items():
        wanted = exactly(getattr(ground.recipe, name))
        if wanted is not None:
            if kind is None:
                # Unreachable objects are the first of an exact number of misses.
                n_already = min(n_unreachable, wanted)
                wanted -= n_already
                n_unreachable -= n_already
            chosen = ranked(ground, name, free & admits(ground, kind))[:wanted]
            lacking[name] = wanted - len(chosen)
            outcome[chosen] = MISSED if kind is None else kind
            free[chosen] = False
    n_scaled = _draw_by_rates(ground, outcome, free)
    return Outcomes(outcome, n_scaled, lacking, n_unreachable)


def _draw_by_rates(ground: Ground, outcome: npt.NDArray[np.int8], free: Bools) -> int:
    recipe = ground.recipe
    names = [name for name in INSTEAD if exactly(getattr(recipe, name)) is None]
    chance = np.zeros((len(names) + 1, len(outcome)))
    for place, name in enumerate(names):
        rate = chances(getattr(recipe, name), recipe.of_rate(name), ground.gt)
        chance[place] = np.where(admits(ground, INSTEAD[name]), rate, 0.0)
    total = chance.sum(axis=0)
    above = total > 1 + 1e-12
    chance[:, above] /= total[above]
    u = ground.rng("rates").random(len(outcome))
    drawn = (u >= np.cumsum(chance[:-1], axis=0)).sum(axis=0) if names else np.zeros(0)
    for place, name in enumerate(names):
        kind = INSTEAD[name]
        outcome[free & (drawn == place)] = MISSED if kind is None else kind
    return int((above & free).sum())


def admits(ground: Ground, kind: Kind | None) -> Bools:
    """Objects that can be confused at all: their class has similar classes, or dissimilar ones."""
    if kind is None or not kind.confused:
        return np.ones(len(ground.gt), dtype=np.bool_)
    n_similar = ground.similar.sum(axis=1)
    n_others = len(n_similar) - 1 - n_similar if kind.dissimilar else n_similar
    enough: Bools = (n_others > 0)[ground.gt.class_row]
    return enough


def ranked(ground: Ground, name: str, among: Bools) -> Rows:
    """Objects in random order, heavier ones earlier (draws without replacement by weight)."""
    weight = weights(ground.recipe.of_rate(name), ground.gt)
    rows = np.flatnonzero(among & (weight > 0)).astype(np.int32)
    gumbel = ground.rng(f"order of {name}").gumbel(size=len(ground.gt))[rows]
    return rows[np.argsort(-np.log(weight[rows]) - gumbel, kind="stable")]


def drawn_rows(ground: Ground, name: str, among: Bools) -> Rows:
    """Objects as often as each gets a further detection, by a law of numbers or a chance."""
    rng = ground.rng(f"number of {name}")
    of_rate = ground.recipe.of_rate(name)
    if name == "ignored":
        chance = chances(ground.recipe.ignored, of_rate, ground.gt)
        counts = (rng.random(len(ground.gt)) < chance).astype(np.int64)
    else:
        number: float | tuple[float, ...] = getattr(ground.recipe, name)
        counts = draw_numbers(rng, number, weights(of_rate, ground.gt))
    return np.repeat(np.arange(len(ground.gt), dtype=np.int32), np.where(among, counts, 0))

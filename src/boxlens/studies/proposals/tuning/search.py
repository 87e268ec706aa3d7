"""Which settings of a generator may be varied, how far, and which to try next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data.columns import Floats
from boxlens.errors import ParameterError
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.generators.ranked import settings_of

# Where nothing is known about a setting: this many times smaller and larger.
FACTOR = 3.0
# Trials before the first one near the best; from then on they take turns.
N_SPREAD_FIRST = 4
# How far around the best, as a share of the range: at first, how it shrinks, and at the least.
WIDE, SHRINKING, NARROW = 0.25, 0.9, 0.03


@dataclass(frozen=True, slots=True)
class Range:
    """Values from `low` to `high`; on a logarithmic scale factors matter, not steps."""

    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False

    def at(self, share: float) -> float:
        """From `low` at 0 to `high` at 1."""
        inside = min(max(share, 0.0), 1.0)
        if self.logarithmic:
            value = self.low * (self.high / self.low) ** inside
        else:
            value = self.low + (self.high - self.low) * inside
        return round(value) if self.whole else float(f"{value:.6g}")

    def share(self, value: float) -> float:
        """Where a value lies; those outside are at an end."""
        if self.logarithmic:
            place = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)


# METHODS 7.5 has the published values.
SPACES: Mapping[str, Mapping[str, Range]] = {
    "edge-boxes": {
        "alpha": Range(0.5, 0.85),
        "beta": Range(0.5, 0.95),
        "eta": Range(0.999, 1.0),
        "edge_min_mag": Range(0.03, 0.3, logarithmic=True),
        "cluster_min_mag": Range(0.1, 1.5, logarithmic=True),
        "min_box_area": Range(100, 2000, logarithmic=True),
        "max_aspect_ratio": Range(2, 6, logarithmic=True),
        "kappa": Range(1.0, 2.0),
    },
    "selective-search": {
        "coarseness": Range(0.3, 3.0, logarithmic=True),
        "sigma": Range(0.4, 1.5),
        "min_side_px": Range(1, 30, whole=True),
    },
}


def space_of(generator: Generator, vary: Sequence[str] = ()) -> dict[str, Range]:
    """The settings to vary: those asked for, else those with a known range, else all numbers."""
    numbers = _numbers(generator)
    stated = _stated(generator.name)
    if not numbers:
        raise ParameterError(f"{generator.name} has no settings that could be varied")
    unknown = [name for name in vary if name not in numbers]
    if unknown:
        raise ParameterError(
            f"{generator.name} has no setting {unknown[0]!r}: it has {', '.join(numbers)} "
            "(--vary, vary)"
        )
    names = list(vary) or [name for name in stated if name in numbers] or list(numbers)
    return {name: stated.get(name) or _around(numbers[name]) for name in names}


def _stated(name: str) -> Mapping[str, Range]:
    """Of the method itself, or of the one it is a variant of."""
    found = [word for word in SPACES if name == word or name.startswith(f"{word}-")]
    return SPACES[max(found, key=len)] if found else {}


def _numbers(generator: Generator) -> dict[str, float]:
    """Settings that are numbers; a seed is none."""
    return {
        name: value
        for name, value in settings_of(generator).items()
        if name != "seed" and isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def _around(value: float) -> Range:
    """A fraction stays one, a whole number whole; 0 has no surroundings but those of 1."""
    if isinstance(value, int):
        return Range(max(1, round(value / FACTOR)), max(2, round(value * FACTOR)), True, True)
    if 0 < value < 1:
        return Range(value / FACTOR, min(value * FACTOR, (1 + value) / 2))
    if value < 0:
        return Range(value * FACTOR, value / FACTOR)
    size = value or 1.0
    return Range(size / FACTOR, size * FACTOR, logarithmic=True)


def next_settings(
    space: Mapping[str, Range], tried: Sequence[tuple[Mapping[str, float], float]], seed: int
) -> dict[str, float]:
    """The settings of the trial after those `tried`, which come with their average recall.

    They follow from the seed and the trials before: a search that is begun again goes the same way,
    and one for more trials goes on where one for fewer ended.
    """
    number = len(tried)
    n_near = max(number - N_SPREAD_FIRST, 0) // 2
    if number <= N_SPREAD_FIRST or (number - N_SPREAD_FIRST) % 2:
        shares = _spread_point(len(space), number - 1 - n_near, seed)
    else:
        best = max(range(number), key=lambda row: (tried[row][1], -row))
        centre = [one.share(tried[best][0][name]) for name, one in space.items()]
        width = max(WIDE * SHRINKING**n_near, NARROW)
        random = np.random.default_rng([seed, number])
        shares = np.array(centre) + width * random.standard_normal(len(space))
    return {
        name: one.at(float(share)) for (name, one), share in zip(space.items(), shares, strict=True)
    }


def _spread_point(n_settings: int, number: int, seed: int) -> Floats:
    """A point of a sequence that fills the space evenly, however many are taken (Halton)."""
    from scipy.stats import qmc

    sampler = qmc.Halton(n_settings, rng=np.random.default_rng([seed, 0]))
    point: Floats = sampler.random(number + 1)[number]
    return point

"""Laws that numbers are drawn from: values between 0 and 1, and how many of a thing there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Uniform:
    """Anything between low and high."""

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _check_range(self, self.low, self.high)

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(self.low, self.high, n)


@dataclass(frozen=True, slots=True)
class Beta:
    """A beta law stretched over low to high; its mean lies a / (a + b) of the way."""

    a: float
    b: float
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _check_range(self, self.low, self.high)
        if not (self.a > 0 and self.b > 0):
            raise ParameterError(f"a and b of a beta law must be above 0, got {self}")

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        return self.low + (self.high - self.low) * rng.beta(self.a, self.b, n)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Always the same value."""

    value: float

    def __post_init__(self) -> None:
        _check_range(self, self.value, self.value)

    @property
    def low(self) -> float:
        return self.value

    @property
    def high(self) -> float:
        return self.value

    def draw(self, rng: np.random.Generator, n: int) -> Floats:  # noqa: ARG002 - as the others
        return np.full(n, float(self.value))


Law = Uniform | Beta | Fixed

# How many of a thing each object or image has: a float is the mean of a Poisson law, a tuple the
# chances of 0, 1, 2 ...; an integer is the exact number in the whole data set.
Number = int | float | tuple[float, ...]


def exactly(number: Number) -> int | None:
    """The exact number in the whole data set, or None where each object or image draws its own."""
    return int(number) if isinstance(number, (int, np.integer)) else None


def draw_numbers(
    rng: np.random.Generator,
    number: float | tuple[float, ...],
    weight: Floats,
) -> npt.NDArray[np.int64]:
    """A number for every weight; a weight multiplies the mean, or the chances of 1 and more."""
    if not isinstance(number, tuple):
        return rng.poisson(number * weight)
    chance_of_more = 1.0 - np.cumsum(number)[:-1]
    u = rng.random(len(weight))
    counts = np.zeros(len(weight), dtype=np.int64)
    for chance in chance_of_more:
        counts += u < chance * weight
    return counts


def check_number(name: str, number: Number) -> None:
    if isinstance(number, tuple):
        if not number or min(number) < 0 or not np.isclose(sum(number), 1):
            raise ParameterError(
                f"{name}: the probabilities of 0, 1, 2 ... must add up to 1, got {number}"
            )
    elif isinstance(number, bool) or not (number >= 0 and np.isfinite(number)):
        raise ParameterError(f"{name} must be 0 or more, got {number}")


def _check_range(law: object, low: float, high: float) -> None:
    if not 0 <= low <= high <= 1:
        raise ParameterError(f"a law must go from low to high within 0 and 1, got {law}")

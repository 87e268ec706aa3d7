"""How sure a number is: intervals, standard errors and p-values from resampled values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from boxlens.data.columns import Floats
from boxlens.errors import ParameterError
from boxlens.limits import REPLICATES, SEED
from boxlens.metrics.json_form import HIDDEN, JsonRecord, ends

IntervalMethod = Literal["normal", "percentile", "bca"]
METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
NORMAL = NormalDist()
# Where a number is undefined in more replicates than this, nothing is said about it.
MOST_UNDEFINED = 0.5
# How often an effect as large as `detectable` is found.
POWER = 0.8
# Sums in another order differ in their last bits: so near, numbers are equal.
EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class ResamplingChoice(JsonRecord):
    """How to resample images, and which interval to give."""

    n_replicates: int = 1000
    seed: int = 0
    level: float = 0.95
    method: IntervalMethod = "normal"
    # Images are left out in this many groups, or one by one where there are fewer.
    n_jackknife: int = 200

    def __post_init__(self) -> None:
        REPLICATES.check(self.n_replicates, "n_replicates (--replicates)")
        if not 0.5 <= self.level < 1:
            raise ParameterError(f"level must be between 0.5 and 1, got {self.level} (--level)")
        if self.method not in METHODS:
            raise ParameterError(
                f"intervals must be one of {', '.join(METHODS)}, got {self.method!r}"
            )
        if self.n_jackknife < 2:
            raise ParameterError(f"the jackknife needs at least 2 groups, got {self.n_jackknife}")
        SEED.check(self.seed, "seed (--seed)")


@dataclass(frozen=True, slots=True)
class Interval(JsonRecord):
    """A number and where it may lie; NaN where nothing can be said."""

    value: float
    low: float = field(metadata=ends("ci", "high"))
    high: float = field(metadata=HIDDEN)
    # Standard errors: of the bootstrap, and of the jackknife as a cross-check.
    se: float
    se_jackknife: float
    # By how much the replicates are too high on average: the number itself is about as much so.
    bias: float
    # Replicates in which the number is undefined; they are left out.
    n_undefined: int = 0
    # The number without its bias; a difference as it is, since most of its bias cancels.
    centre: float = field(default=float("nan"), metadata=HIDDEN)

    @property
    def reach(self) -> float:
        """How far off the number may be: its standard error, and its bias, of unknown size."""
        return math.hypot(self.se, self.bias)


def interval(
    value: float,
    replicates: Floats,
    jackknife: Floats,
    choice: ResamplingChoice,
    *,
    difference: bool = False,
) -> Interval:
    """From the values of a number in every replicate and without every group of images.

    A number that is no `difference` lies between 0 and 1.
    """
    drawn = replicates[~np.isnan(replicates)]
    n_undefined = len(replicates) - len(drawn)
    left = jackknife[~np.isnan(jackknife)]
    if _says_nothing(value, replicates):
        nan = float("nan")
        return Interval(value, nan, nan, nan, nan, nan, n_undefined)
    se, bias = float(drawn.std(ddof=1)), float(drawn.mean()) - value
    tail = (1 - choice.level) / 2
    centre = value if difference else value - bias
    if choice.method == "normal":
        reach = NORMAL.inv_cdf(1 - tail) * math.hypot(se, bias)
        low, high = centre - reach, centre + reach
        if not difference:
            low, high = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
    else:
        plain = choice.method == "percentile"
        ends = (tail, 1 - tail) if plain else bca_ends(value, drawn, left, tail)
        low, high = np.quantile(drawn, ends).tolist()
    return Interval(
        value=value,
        low=low,
        high=high,
        se=se,
        se_jackknife=jackknife_error(left),
        bias=bias,
        centre=centre,
        n_undefined=n_undefined,
    )


def chance_below(
    value: float, replicates: Floats, jackknife: Floats, choice: ResamplingChoice, limit: float = 0
) -> float:
    """The chance that a true difference lies below a limit, by turning its interval around.

    Where it is counted, it is never 0 or 1: among B replicates nothing rarer than 1 / (B + 1) is
    seen. Where all values are equal and at the limit it is one half.
    """
    drawn = replicates[~np.isnan(replicates)]
    if _says_nothing(value, replicates):
        return float("nan")
    rarest = 1 / (len(drawn) + 1)
    below = _n_below(drawn, limit)
    share = min(max(below / len(drawn), rarest), 1 - rarest)
    # With all replicates on one side every interval lies there.
    if choice.method == "normal":
        around = interval(value, replicates, jackknife, choice, difference=True)
        return normal_chance_below(around, limit)
    if choice.method == "percentile" or below in (0, len(drawn)):
        return share
    left = jackknife[~np.isnan(jackknife)]
    bias, skew = bias_of(value, drawn), acceleration(left)
    moved = NORMAL.inv_cdf(share) - bias
    scale = 1 + skew * moved
    chance = NORMAL.cdf(moved / scale - bias) if scale > 0 else float(moved > 0)
    return min(max(chance, rarest), 1 - rarest)


def _says_nothing(value: float, replicates: Floats) -> bool:
    n_defined = np.count_nonzero(~np.isnan(replicates))
    too_few = n_defined < (1 - MOST_UNDEFINED) * len(replicates) or n_defined < 2
    return bool(np.isnan(value) or too_few)


def share_above(replicates: Floats, limit: float = 0) -> float:
    """Of the replicates that are defined; equal ones count half."""
    drawn = replicates[~np.isnan(replicates)]
    return 1 - _n_below(drawn, limit) / len(drawn) if len(drawn) else float("nan")


def _n_below(drawn: Floats, limit: float) -> float:
    """Equal ones count half."""
    apart = np.where(np.abs(drawn - limit) < EQUAL, 0.0, np.sign(drawn - limit))
    return float(np.count_nonzero(apart < 0) + np.count_nonzero(apart == 0) / 2)


def two_sided(below: float) -> float:
    """A p-value from the chance that the number lies below the limit."""
    return min(2 * min(below, 1 - below), 1.0)


def normal_chance_below(
    estimate: Interval, limit: float = 0, *, n_images: int | None = None
) -> float:
    """The same by a normal law: it goes on where replicates no longer tell, as Holm needs it.

    With the number of images that tell, by Student's law, whose tails are heavier where they are
    few.
    """
    if np.isnan(estimate.se):
        return float("nan")
    distance = limit - estimate.centre
    if estimate.reach < EQUAL:
        return 0.5 if abs(distance) < EQUAL else float(distance > 0)
    if n_images is None:
        return NORMAL.cdf(distance / estimate.reach)
    from scipy.special import stdtr

    return float(stdtr(max(n_images - 1, 1), distance / estimate.reach))


def detectable_errors(alpha: float, n_tests: int = 1, *, sides: int = 2) -> float:
    """The smallest effect that is found with a power of .8, in standard errors (METHODS 11).

    Among several tests it is that of Holm's first, strictest step.
    """
    return NORMAL.inv_cdf(1 - alpha / sides / max(n_tests, 1)) + NORMAL.inv_cdf(POWER)


def holm(p: Floats) -> Floats:
    """Adjusted for as many tests as there are p-values; NaN is not a test."""
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1)
    return adjusted


def bca_ends(value: float, drawn: Floats, left: Floats, tail: float) -> tuple[float, float]:
    """Which quantiles of the replicates to take: shifted by their bias and their skewness."""
    bias, skew = bias_of(value, drawn), acceleration(left)

    def shifted(z: float) -> float:
        scale = 1 - skew * (bias + z)
        return NORMAL.cdf(bias + (bias + z) / scale) if scale > 0 else float(z > 0)

    z = NORMAL.inv_cdf(tail)
    return shifted(z), shifted(-z)


def bias_of(value: float, drawn: Floats) -> float:
    """Where the number stands among its replicates, in standard deviations; equal ones half."""
    below = _n_below(drawn, value)
    # Between the outermost replicates: beyond them nothing is known.
    share = min(max(below, 0.5), len(drawn) - 0.5) / len(drawn)
    return NORMAL.inv_cdf(share)


def acceleration(left: Floats) -> float:
    """How fast the spread changes with the number, from its values without each group."""
    pull = left.mean() - left if len(left) else left
    squares = float((pull**2).sum())
    return float((pull**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0


def jackknife_error(left: Floats) -> float:
    if len(left) < 2:
        return float("nan")
    return float(np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()))

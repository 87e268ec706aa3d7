"""The valid range of every numeric setting, for options and for functions alike.

More than the largest whole number would not end, or not fit into memory.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import SupportsIndex

from boxlens.errors import ParameterError

LONGEST_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Whole:
    """Whole numbers from `least` to `most`."""

    least: int
    most: int

    @property
    def words(self) -> str:
        return f"a whole number from {self.least:,} to {self.most:,}"

    def read(self, text: str) -> int:
        """Raises ValueError for everything else."""
        value = int(text)
        if not self.least <= value <= self.most:
            raise ValueError(text)
        return value

    def check(self, value: SupportsIndex, name: str) -> None:
        """`name` says whose value it is, as in "seed (--seed)"."""
        try:
            number = operator.index(value)
        except TypeError:
            raise ParameterError(f"{name}: expected {self.words}, got {value!r}") from None
        if not self.least <= number <= self.most:
            raise ParameterError(f"{name}: expected {self.words}, got {_shown(number)}")


@dataclass(frozen=True, slots=True)
class Real:
    """Finite numbers from `low` to `high`, which themselves may be excluded."""

    low: float = -math.inf
    high: float = math.inf
    without_low: bool = False
    without_high: bool = False

    @property
    def words(self) -> str:
        if self.low == -math.inf:
            return "a finite number"
        low = f"above {self.low:g}" if self.without_low else f"from {self.low:g}"
        if self.high == math.inf:
            return f"a finite number {low}{'' if self.without_low else ' up'}"
        joint = "and" if self.without_low else "to"
        high = "below " if self.without_high else "up to " if self.without_low else ""
        return f"a number {low} {joint} {high}{self.high:g}"

    def read(self, text: str) -> float:
        """Raises ValueError for everything else."""
        value = float(text)
        above = value > self.low if self.without_low else value >= self.low
        below = value < self.high if self.without_high else value <= self.high
        if not (above and below and math.isfinite(value)):
            raise ValueError(text)
        return value


def _shown(value: int) -> str:
    """Python refuses to write down numbers of thousands of digits."""
    if abs(value) < 10**LONGEST_SHOWN:
        return f"{value:,}"
    return f"{'-' if value < 0 else ''}10^{math.log10(abs(value)):.0f}"


# Threads and processes; 0 means all cores.
THREADS = Whole(0, 1024)
WORKERS = Whole(1, THREADS.most)
SEED = Whole(0, 2**32 - 1)
# Below a hundred the ends of an interval say nothing.
REPLICATES = Whole(100, 100_000)
PERMUTATIONS = Whole(100, 1_000_000)
# Detections of an image that count or are kept, and images that are used or shown: all, if there
# are fewer.
AT_MOST = Whole(1, 2**31 - 1)
AT_MOST_OR_ALL = Whole(0, AT_MOST.most)
# Proposals, windows or guesses of an image.
BUDGET = Whole(1, 100_000)
GALLERY = Whole(0, 10_000)
PICTURES_TO_TUNE_ON = Whole(2, AT_MOST.most)
# Pictures or crops that are in memory at once.
BATCH = Whole(1, 4096)
FOLDS = Whole(2, 1000)
EPOCHS = Whole(1, 100_000)
SIDE_PX = Whole(1, 4096)
SHIFTS = Whole(1, 1000)
TRIALS = Whole(1, 100_000)
SCENES = Whole(1, 1_000_000)
SEVERITY = Whole(1, 5)
PORT = Whole(0, 65_535)
# IoU thresholds that are written as START:STOP:STEP.
MOST_THRESHOLDS = 1000

FINITE = Real()
NOT_NEGATIVE = Real(0)
ABOVE_ZERO = Real(0, without_low=True)
OVERLAP = Real(0, 1, without_low=True)
BELOW_ONE = Real(0, 1, without_high=True)
SHARE = Real(0, 1)
LEVEL = Real(0.5, 1, without_high=True)
BOX_SCALE = Real(0, 20, without_low=True)

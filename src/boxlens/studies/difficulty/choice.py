"""What is asked of a data set: overlaps, guesses, windows, nodes, groups and targets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from boxlens.errors import ParameterError
from boxlens.limits import BUDGET, SEED
from boxlens.metrics.json_form import JsonRecord
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MeasureName

GUESSES, WINDOWS = 5, 1000


@dataclass(frozen=True, slots=True)
class DifficultyChoice(JsonRecord):
    """Settings that numbers depend on."""

    iou: float = 0.5
    # Guesses per image that count, best first; `one_per_class`: only the best of each class.
    top_k: int = GUESSES
    one_per_class: bool = False
    # Pixels between boxes that still count as neighbours.
    gap_px: float = 0.0
    # Count objects marked difficult, too; crowds and groups are never single objects.
    difficult: bool = False
    n_windows: int = WINDOWS
    nodes: tuple[str, ...] = ()
    # Properties inside a value of another: ("kind", "size") is size within each kind.
    nest: tuple[tuple[str, str], ...] = ()
    # Measures with a target; None: the mean of the other data set.
    match: tuple[tuple[MeasureName, float | None], ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.iou <= 1:
            raise ParameterError(
                f"an overlap must be above 0 and at most 1, got {self.iou} (--iou, iou)"
            )
        for name, value in (("top_k", self.top_k), ("n_windows", self.n_windows)):
            BUDGET.check(value, f"{name} (--{name.replace('_', '-')})")
        if not (self.gap_px >= 0 and math.isfinite(self.gap_px)):
            raise ParameterError(f"a gap is 0 pixels or more, got {self.gap_px} (--gap, gap_px)")
        SEED.check(self.seed, "seed (--seed)")
        self._check_lists()
        for measure, target in self.match:
            if measure not in MEASURE_NAMES:
                known = ", ".join(MEASURE_NAMES)
                raise ParameterError(f"measures are {known}, got {measure!r} (--match, match)")
            number: Any = target
            if number is not None and not isinstance(number, (int, float)):
                raise ParameterError(f"a target is a number such as 0.087, got {target!r} (match)")
            if target is not None and not math.isfinite(target):
                raise ParameterError(f"a target is a finite number, got {target} (--match, match)")

    def _check_lists(self) -> None:
        """One pair would be taken for two."""
        lists: dict[str, tuple[Any, str]] = {
            "match": (self.match, '("cpl", 0.087)'),
            "nest": (self.nest, '("origin", "size")'),
        }
        for name, (pairs, example) in lists.items():
            if any(isinstance(one, str) or len(one) != 2 for one in pairs):
                raise ParameterError(f"{name} is a list of pairs such as {example}, got {pairs!r}")

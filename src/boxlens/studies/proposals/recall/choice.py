"""What is asked about recall: budgets, IoUs, and which objects."""

from __future__ import annotations

from dataclasses import dataclass, field

from boxlens.errors import ParameterError
from boxlens.limits import BUDGET, REPLICATES, SEED, Whole
from boxlens.metrics.json_form import JsonRecord, as_key

# The numbers of proposals of the published curves: round(10^{0, .5, ..., 4}) (METHODS 6.1).
CURVE_BUDGETS = (1, 3, 10, 32, 100, 316, 1000, 3162, 10_000)
BUDGETS = (100, 1000)
IOUS = (0.5, 0.7, 0.75, 0.8)


@dataclass(frozen=True, slots=True)
class RecallChoice(JsonRecord):
    """Settings that numbers depend on."""

    budgets: tuple[int, ...] = BUDGETS
    ious: tuple[float, ...] = IOUS
    # Average recall is over these overlaps.
    ar_range: tuple[float, float] = (0.5, 1.0)
    # As the published code does it: recall on a grid of 0.001 under the trapezoid rule.
    ar_on_grid: bool = False
    # Attributes of objects to split recall by, besides class and size.
    by: tuple[str, ...] = ()
    # Images without known proposals count, and nothing is found in them; else they are skipped.
    missing_is_empty: bool = False
    replicates: int = field(default=1000, metadata=as_key("n_replicates"))
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.budgets:
            raise ParameterError("give at least one budget (--budget, budgets)")
        for budget in self.budgets:
            BUDGET.check(budget, "budgets (--budget)")
        # 0: no intervals.
        Whole(0, REPLICATES.most).check(self.replicates, "replicates")
        if any(not 0 < iou <= 1 for iou in self.ious):
            raise ParameterError(
                f"an IoU must be above 0 and at most 1, got {list(self.ious)} (--iou, ious)"
            )
        low, high = self.ar_range
        if not 0 <= low < high <= 1:
            raise ParameterError(
                f"average recall is over IoUs from 0 to 1, got {low} to {high} "
                "(--ar-range, ar_range)"
            )
        SEED.check(self.seed, "seed (--seed)")

    @property
    def largest(self) -> int:
        return max(self.budgets)

    def curve_budgets(self) -> tuple[int, ...]:
        """Those of the curves, up to the largest that was chosen, and the chosen ones."""
        usual = {budget for budget in CURVE_BUDGETS if budget <= self.largest}
        return tuple(sorted(usual | set(self.budgets)))

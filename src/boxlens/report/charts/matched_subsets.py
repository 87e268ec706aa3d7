"""How many of the hardest classes are together as hard as a target: their mean by how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from boxlens.report.charts.colours import FIRST, SECOND, SOFT_INK
from boxlens.report.charts.forms.axes import COUNTS, Axis, around
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.marks import dots, lines, rule_at, words
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.studies.difficulty.measures import MEASURES, measure_text
from boxlens.wording import count, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.difficulty.matched_subset import MatchedSubset

PANEL_PX: Final = 138
PLOT_PX: Final = 110
MOST_STEPS: Final = 200
FEW_CLASSES: Final = 10
# From a line to the middle of a label; and between two lines with a label in between.
LABEL_PX: Final = 9
LABEL_ROOM_PX: Final = 20


def matched_subsets_chart(subsets: Sequence[MatchedSubset]) -> Spec:
    """One panel per subset."""
    return grid([_panel(one) for one in subsets], 2, gap=18)


def _panel(subset: MatchedSubset) -> Spec:
    steps = spread_out(len(subset.means), MOST_STEPS)
    rows = [_row(at + 1, float(subset.means[at])) for at in steps]
    target = f"target {measure_text(subset.target)}"
    target += f", as {short(subset.target_of)}" if subset.target_of else ""
    label, dy = _place(subset)
    left = _to_the_left(subset)
    beside: dict[str, Any] = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
    chosen = [_row(len(subset.classes), subset.mean)]
    return plot(
        rows,
        # Of a few classes longer than they are, so that labels are whole numbers.
        Axis("k hardest classes", (0, 1.02 * max(len(subset.means), 4)), ticks=4, form=COUNTS),
        Axis(f"mean {MEASURES[subset.measure].short}", _ends(subset), ticks=4),
        *rule_at(subset.target, color=SOFT_INK, strokeDash=[4, 2], strokeWidth=1),
        lines("mean", color=FIRST),
        # Of a few classes each is a dot.
        dots("mean", size=14, color=FIRST, rows=rows if len(rows) < FEW_CLASSES else ()),
        # No class at all may be hard enough.
        dots("mean", size=40, color=SECOND, rows=chosen if subset.classes else ()),
        words(
            value="mean",
            rows=[{**label, "text": chosen_text(subset)}],
            **beside,
            dy=dy,
            color=SECOND,
        ),
        along="k",
        width=PANEL_PX,
        height=PLOT_PX,
        title=f"Classes of {short(subset.dataset)}\n{target}",
    )


def _row(k: int, mean: float) -> Row:
    return {"k": k, "mean": mean, "tip": {"classes": count(k), "mean": measure_text(mean)}}


def _ends(subset: MatchedSubset) -> tuple[float, float]:
    """Of the axis: with room for a line of text above and below."""
    return around([*map(float, subset.means), subset.target], 0.18)


def chosen_text(subset: MatchedSubset) -> str:
    """How many are as hard: 12 of 80; or that the target is out of reach."""
    k, n = len(subset.classes), len(subset.means)
    if not k:
        return "none is as hard"
    return f"{k:,} of {n:,}" if subset.reached else f"all {n:,}, still harder"


def _to_the_left(subset: MatchedSubset) -> bool:
    """Of the chosen k, where there is more room."""
    return len(subset.classes) > len(subset.means) / 2


def _place(subset: MatchedSubset) -> tuple[dict[str, float], int]:
    """Where the label stands, and by how much above or below: clear of the curve and the target.

    The curve leaves the hardest class towards the target and crosses it right of the chosen k, so
    left of it there is nothing beyond the target, and right of it nothing short of the dot.
    """
    low, high = _ends(subset)
    left = _to_the_left(subset)
    # Towards easier values, or away from them.
    dy = -LABEL_PX if (MEASURES[subset.measure].harder == "low") == left else LABEL_PX
    near = abs(subset.target - subset.mean) / (high - low) * PLOT_PX < LABEL_ROOM_PX
    at_target = not subset.classes or (left and near)
    mean = subset.target if at_target else subset.mean
    return {"k": float(len(subset.classes)), "mean": mean}, dy

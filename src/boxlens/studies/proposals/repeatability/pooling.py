"""Tallies of all pictures into the repeatability of a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import owned
from boxlens.images.perturbing.families import FAMILIES
from boxlens.studies.proposals.repeatability.choice import N_BINS
from boxlens.studies.proposals.repeatability.measuring import Tally
from boxlens.studies.proposals.repeatability.result import FamilyRepeatability, LevelRepeatability

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.data.columns import Floats
    from boxlens.studies.proposals.repeatability.choice import RepeatabilityChoice


def pooled(
    tallies: Sequence[Tally], choice: RepeatabilityChoice
) -> tuple[FamilyRepeatability, ...]:
    """Boxes of a bin count alike whichever picture they are from, bins count alike."""
    together = _sum(tallies, len(choice.steps()))
    levels = iter(_levels(together, choice))
    families = []
    for family in choice.families:
        own = tuple(next(levels) for _ in choice.levels_of(family))
        changed = [one.repeatability for one in own if FAMILIES[family].changes(one.level)]
        families.append(FamilyRepeatability(family, mean_of_defined(np.array(changed)), own))
    return tuple(families)


def mean_of_defined(values: Floats) -> float:
    """NaN where none is: bins without boxes say nothing (METHODS 6.5)."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _sum(tallies: Sequence[Tally], n_steps: int) -> Tally:
    return Tally(
        sum((one.iou_sum for one in tallies), start=np.zeros((n_steps, N_BINS))),
        sum((one.n_boxes for one in tallies), start=np.zeros((n_steps, N_BINS), dtype=np.int64)),
        sum((one.n_outside for one in tallies), start=np.zeros(n_steps, dtype=np.int64)),
    )


def _levels(tally: Tally, choice: RepeatabilityChoice) -> Iterator[LevelRepeatability]:
    # The area under recall over IoU from 0 to 1 is the mean matched IoU (METHODS 6.5).
    bins = np.full(tally.iou_sum.shape, np.nan)
    np.divide(tally.iou_sum, tally.n_boxes, out=bins, where=tally.n_boxes > 0)
    for row, (family, level) in enumerate(choice.steps()):
        yield LevelRepeatability(
            level=level,
            label=FAMILIES[family].label(level),
            repeatability=mean_of_defined(bins[row]),
            bins=owned(bins[row].copy()),
            n_boxes=tuple(tally.n_boxes[row].tolist()),
            n_outside=int(tally.n_outside[row]),
        )

"""The stages of planting: correct detections, errors instead of them, errors beside, background."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Rows
from boxlens.scenes.planting.ground import Ground
from boxlens.scenes.planting.kinds import Kind
from boxlens.scenes.planting.laws import draw_numbers, exactly
from boxlens.scenes.planting.outcomes import (
    MISSED,
    NOT_COUNTED,
    admits,
    draw_outcomes,
    drawn_rows,
    ranked,
)
from boxlens.scenes.planting.placing import Batch, place, place_background, place_exactly
from boxlens.scenes.planting.recipe import BESIDE, INSTEAD


@dataclass(slots=True)
class Bed:
    """What is planted so far, and what could not be."""

    ground: Ground
    outcome: npt.NDArray[np.int8]
    batches: list[Batch] = field(default_factory=list)
    # By name of the rate: how many fewer than asked for.
    short: dict[str, int] = field(default_factory=dict)
    n_scaled: int = 0

    def unfixed(self) -> Bools:
        """Objects without anything that could be repaired into a hit (METHODS 9.2, Miss)."""
        return np.isin(self.outcome, (MISSED, Kind.BOTH_SIMILAR, Kind.BOTH_DISSIMILAR))

    def add(self, name: str, batch: Batch, n_asked: int) -> None:
        self.batches.append(batch)
        if n_asked > len(batch):
            self.short[name] = n_asked - len(batch)


def plant_all(ground: Ground) -> Bed:
    bed = plant_main(ground)
    for name, kind in BESIDE.items():
        _plant_beside(bed, name, kind)
    _plant_on(bed, "ignored", Kind.IGNORED, ground.ignored, ground.ignored)
    _plant_background(bed)
    return bed


def plant_main(ground: Ground) -> Bed:
    """One detection per object at most; an error that cannot be planted leaves a correct one.

    Correct detections are tried on every object first: what fails here stays missed, and the
    errors can keep clear of it.
    """
    counted = np.flatnonzero(~ground.ignored)
    nothing = np.zeros(len(ground.gt), dtype=np.bool_)
    correct = place(ground, Kind.CORRECT, counted, nothing, ground.rng("correct"))
    reachable = nothing.copy()
    reachable[correct.gt_row] = True
    drawn = draw_outcomes(ground, reachable)
    bed = Bed(ground, drawn.of_object.copy(), n_scaled=drawn.n_scaled)
    if drawn.lacking.get("miss"):
        bed.short["miss"] = drawn.lacking["miss"]
    for name, kind in INSTEAD.items():
        if kind is not None:
            _plant_instead(bed, name, kind, drawn.lacking.get(name, 0))
    found = correct.take(bed.outcome[correct.gt_row] == Kind.CORRECT)
    bed.add("correct", found, len(found) + drawn.n_unreachable)
    return bed


def _plant_instead(bed: Bed, name: str, kind: Kind, n_lacking: int) -> None:
    ground, outcome = bed.ground, bed.outcome
    chosen = np.flatnonzero(outcome == kind)
    unfixed, rng = bed.unfixed(), ground.rng(name)
    batch = place(ground, kind, chosen, unfixed, rng)
    failed = np.setdiff1d(chosen, batch.gt_row)
    spare = (outcome == Kind.CORRECT) & admits(ground, kind)
    outcome[failed] = Kind.CORRECT
    if len(failed) and exactly(getattr(ground.recipe, name)) is not None:
        others = place_exactly(ground, kind, ranked(ground, name, spare), len(failed), unfixed, rng)
        outcome[others.gt_row] = kind
        batch = Batch.joined([batch, others])
    bed.add(name, batch, len(chosen) + n_lacking)


def _plant_beside(bed: Bed, name: str, kind: Kind) -> None:
    ground = bed.ground
    among = (bed.outcome != MISSED) & (bed.outcome != NOT_COUNTED) & admits(ground, kind)
    if kind is Kind.DUPLICATE:
        among &= bed.outcome == Kind.CORRECT
    fit = among.copy()
    if kind is Kind.LOCALIZATION:
        # Scored higher than a main detection it takes the object at low thresholds, and the main
        # one must then find no other (METHODS 1.4 L2, 9.1 Loc).
        fit[_entangled(bed)] = False
    _plant_on(bed, name, kind, among, fit, beside=True)


def _plant_on(
    bed: Bed, name: str, kind: Kind, among: Bools, fit: Bools, *, beside: bool = False
) -> None:
    """On the fit ones among some objects: as many as asked for, or as are drawn.

    Beside its main detection an object may get several, clear of other objects of its class.
    """
    ground, unfixed, rng = bed.ground, bed.unfixed(), bed.ground.rng(name)
    n_asked = exactly(getattr(ground.recipe, name))
    if n_asked is not None:
        pool = ranked(ground, name, fit)
        if beside:
            pool = np.tile(pool, 2 + n_asked // max(len(pool), 1))
        batch = place_exactly(ground, kind, pool, n_asked, unfixed, rng, clean=beside)
    else:
        rows = drawn_rows(ground, name, among)
        n_asked = len(rows)
        batch = place(ground, kind, rows[fit[rows]], unfixed, rng, clean=beside)
    bed.add(name, batch, n_asked)


def _entangled(bed: Bed) -> Rows:
    """Objects whose main detection touches another object of its class."""
    main = Batch.joined(bed.batches)
    return main.gt_row[~main.alone & np.isin(main.kind, (Kind.CORRECT, Kind.LOCALIZATION))]


def _plant_background(bed: Bed) -> None:
    ground = bed.ground
    n_images = len(ground.dataset.images)
    rng = ground.rng("background")
    n_asked = exactly(ground.recipe.background)
    if n_asked is None:
        counts = draw_numbers(rng, ground.recipe.background, np.ones(n_images))
        images = np.repeat(np.arange(n_images), counts)
    else:
        images = rng.integers(0, n_images, n_asked) if n_images else np.zeros(0, dtype=np.int64)
    batch = place_background(ground, images, rng, anywhere=n_asked is not None)
    bed.add("background", batch, len(images) if n_asked is None else n_asked)

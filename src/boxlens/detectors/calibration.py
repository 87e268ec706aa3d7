"""Margins of a linear classifier as scores between 0 and 1 that classes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data.columns import Bools, Floats

# Digits of a score: more than any ranking needs, fewer than libraries differ in.
DIGITS = 5
_STEPS = 100


def fit_sigmoid(margins: Floats, right: Bools) -> tuple[float, float]:
    """Slope and offset of the sigmoid that says how often a margin is right (Platt 1999).

    Targets are drawn in from 0 and 1 as Platt does, so that few examples cannot make it sure.
    """
    n_right = int(right.sum())
    n_wrong = len(right) - n_right
    target = np.where(right, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))
    slope, offset = 1.0, float(np.log((n_right + 1) / (n_wrong + 1)))
    for _ in range(_STEPS):
        guess = _sigmoid(slope * margins + offset)
        slack = target - guess
        spread = np.maximum(guess * (1 - guess), 1e-9)
        # Newton's step, with a prior that keeps the slope near 1 where nothing is known.
        gradient = np.array([slack @ margins - (slope - 1.0), slack.sum()])
        curve = np.array(
            [
                [spread @ margins**2 + 1.0, spread @ margins],
                [spread @ margins, spread.sum() + 1e-6],
            ]
        )
        step = np.clip(np.linalg.solve(curve, gradient), -1.0, 1.0)
        slope, offset = slope + float(step[0]), offset + float(step[1])
        if np.abs(step).max() < 1e-6:
            break
    return max(slope, 0.05), offset


def scores_of(margins: Floats, slope: npt.ArrayLike, offset: npt.ArrayLike) -> Floats:
    """Scores in (0, 1), rounded."""
    return np.round(_sigmoid(np.asarray(slope) * margins + np.asarray(offset)), DIGITS)


def margin_of(score: float, slope: npt.ArrayLike, offset: npt.ArrayLike) -> Floats:
    """The margin whose score is this one."""
    wanted = np.log(score / (1 - score))
    return np.asarray((wanted - np.asarray(offset)) / np.asarray(slope), dtype=np.float64)


def _sigmoid(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(values, -30.0, 30.0)))

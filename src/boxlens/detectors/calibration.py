"""Margins of linear classifiers as scores between 0 and 1 that all of them share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Rows

# Digits of a score: more than any ranking needs, fewer than libraries differ in.
DIGITS = 5
_STEPS = 100
_LEAST_SLOPE = 0.05


class Prior(NamedTuple):
    """What is thought of a sigmoid before it is fitted, and how far it may lie off."""

    slope: float
    offset: float
    slope_spread: float
    offset_spread: float


_OPEN = Prior(1.0, 0.0, 10.0, 10.0)


def fit_sigmoids(judge: Rows, margins: Floats, right: Bools, n: int) -> tuple[Floats, Floats]:
    """Slope and offset for each of `n` judges, from margins and whether they were right.

    Judges with few examples stay near the sigmoid of all together.
    """
    slope, offset = fit_sigmoid(margins, right, _OPEN)
    prior = Prior(slope, offset, slope / 4, 1.0)
    fitted = [fit_sigmoid(margins[judge == row], right[judge == row], prior) for row in range(n)]
    return np.array([slope for slope, _ in fitted]), np.array([offset for _, offset in fitted])


def fit_sigmoid(margins: Floats, right: Bools, prior: Prior) -> tuple[float, float]:
    """The sigmoid that says how often a margin is right (Platt 1999), by Newton's method.

    Targets are drawn in from 0 and 1 as Platt does, so that few examples cannot make it sure.
    """
    n_right = int(right.sum())
    target = np.where(right, (n_right + 1) / (n_right + 2), 1 / (len(right) - n_right + 2))
    trust = np.array([prior.slope_spread, prior.offset_spread]) ** -2
    wished = np.array([prior.slope, prior.offset])
    found = wished
    for _ in range(_STEPS):
        guess = _sigmoid(found[0] * margins + found[1])
        slack, spread = target - guess, guess * (1 - guess)
        gradient = np.array([slack @ margins, slack.sum()]) - trust * (found - wished)
        mixed = spread @ margins
        curve = np.array([[spread @ margins**2, mixed], [mixed, spread.sum()]]) + np.diag(trust)
        step = np.clip(np.linalg.solve(curve, gradient), -1.0, 1.0)
        found = found + step
        if np.abs(step).max() < 1e-6:
            break
    return max(float(found[0]), _LEAST_SLOPE), float(found[1])


def scores_of(margins: Floats, slope: npt.ArrayLike, offset: npt.ArrayLike) -> Floats:
    """Scores in (0, 1), rounded."""
    return np.round(_sigmoid(np.asarray(slope) * margins + np.asarray(offset)), DIGITS)


def margin_of(score: float, slope: npt.ArrayLike, offset: npt.ArrayLike) -> Floats:
    """The margin whose score is this one."""
    wanted = np.log(score / (1 - score))
    return np.asarray((wanted - np.asarray(offset)) / np.asarray(slope), dtype=np.float64)


def _sigmoid(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(values, -30.0, 30.0)))

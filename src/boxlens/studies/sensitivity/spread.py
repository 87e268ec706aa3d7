"""How much a characteristic matters: the best and worst of its subsets, and who is missed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import erf, sqrt

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, ratio
from boxlens.metrics.means import mean_defined
from boxlens.studies.sensitivity.characteristics import Column
from boxlens.studies.sensitivity.entropy import chance_entropy, entropy_shares
from boxlens.studies.sensitivity.result import Characteristic, ClassScore, ClassSpread, Subset
from boxlens.studies.sensitivity.tally import Scores, Tally, count_subsets, score_subsets


def spread(
    column: Column,
    tally: Tally,
    missed: Bools,
    classes: Sequence[ClassScore],
    *,
    min_objects: int,
) -> Characteristic:
    """One characteristic in every class and on average (METHODS 2.5)."""
    n_subsets, n_columns = len(column.subset_names), len(column.code)
    scores = score_subsets(tally, column.code, n_subsets)
    n_missed = count_subsets(tally.objects, column.code, n_subsets, missed)
    enough = (scores.n_objects >= min_objects) & ~np.isnan(scores.ap_n)
    reason = _reason_against(column, scores, enough, min_objects)
    if reason is not None:
        # Nothing to compare is no spread of 0.
        enough = np.zeros_like(enough)
    highest, lowest = extremes(scores, enough)
    shares = entropy_shares(n_missed, scores.n_objects, n_columns=n_columns)
    if np.count_nonzero(scores.n_objects.any(axis=0)) < 2:
        shares = np.full(len(classes), np.nan)
    unknown = np.isnan(shares)
    by_chance = chance_entropy(n_missed, scores.n_objects, n_columns=n_columns)
    # Compared with the best and worst subsets of the same classes.
    overall = np.where(np.isnan(highest), np.nan, [row.ap_n for row in classes])
    return Characteristic(
        name=column.name,
        kind=column.kind,
        subset_names=column.subset_names,
        classes=tuple(
            ClassSpread(row.name, row.ap_n, row.ap_n_se, subsets, *values)
            for row, subsets, values in zip(
                classes,
                _subsets(column, scores, n_missed),
                zip(highest.tolist(), lowest.tolist(), shares.tolist(), strict=True),
                strict=True,
            )
        ),
        subset_ap_n=tuple(mean_defined(scores.ap_n[:, k]) for k in range(n_subsets)),
        subset_n_objects=tuple(scores.n_objects.sum(axis=0).tolist()),
        subset_n_missed=tuple(n_missed.sum(axis=0).tolist()),
        ap_n=mean_defined(overall),
        highest=mean_defined(highest),
        lowest=mean_defined(lowest),
        n_classes=int(np.count_nonzero(~np.isnan(highest))),
        min_objects=min_objects,
        chance=mean_defined(chance_spread(scores, enough)),
        entropy_share=mean_defined(shares),
        entropy_chance=mean_defined(np.where(unknown, np.nan, by_chance)),
        reason=reason,
    )


def _reason_against(column: Column, scores: Scores, enough: Bools, min_objects: int) -> str | None:
    """Why there is nothing to compare."""
    if not scores.n_objects.any():
        return f"no object that counts has a known {column.name}"
    if np.count_nonzero(scores.n_objects.any(axis=0)) < 2:
        return f"all objects are alike in {column.name}"
    if not enough.any():
        return f"no class has {min_objects} objects in any subset by {column.name}"
    return None


def extremes(scores: Scores, enough: Bools) -> tuple[Floats, Floats]:
    """Of each class the highest and lowest AP_N among subsets of enough objects; NaN: none."""
    highest = np.max(scores.ap_n, axis=1, initial=-np.inf, where=enough)
    lowest = np.min(scores.ap_n, axis=1, initial=np.inf, where=enough)
    some = enough.any(axis=1)
    return np.where(some, highest, np.nan), np.where(some, lowest, np.nan)


def chance_spread(scores: Scores, enough: Bools) -> Floats:
    """Best minus worst subset of each class if all were equally hard, by their standard errors."""
    n = enough.sum(axis=1)
    squares = np.where(enough & ~np.isnan(scores.ap_n_se), scores.ap_n_se, 0) ** 2
    error = np.sqrt(ratio(squares.sum(axis=1), n))
    spread: Floats = np.array([expected_range(int(count)) for count in n]) * error
    return spread


@cache
def expected_range(n: int) -> float:
    """The mean of the largest minus the smallest of n standard normal numbers."""
    if n < 2:
        return 0.0
    x = np.linspace(-8, 8, 3201)
    below = np.array([(1 + erf(value / sqrt(2))) / 2 for value in x])
    return float(np.trapezoid(1 - below**n - (1 - below) ** n, x))


def _subsets(
    column: Column, scores: Scores, n_missed: npt.NDArray[np.int64]
) -> list[tuple[Subset, ...]]:
    columns = (scores.n_objects, n_missed, scores.ap_n, scores.ap_n_se)
    by_class = zip(*(values.tolist() for values in columns), strict=True)
    return [tuple(map(Subset, column.subset_names, *values)) for values in by_class]

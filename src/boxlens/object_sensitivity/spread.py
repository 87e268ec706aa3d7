"""How much a characteristic matters: the best and worst of its subsets, and who is missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.metrics.grid import mean_defined
from boxlens.object_sensitivity.entropy import entropy_shares
from boxlens.object_sensitivity.results import Characteristic, ClassSpread, Subset
from boxlens.object_sensitivity.tally import Scores, count_subsets, score_subsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from boxlens.data.columns import Bools, Floats
    from boxlens.object_sensitivity.characteristics import Column
    from boxlens.object_sensitivity.results import ClassScore
    from boxlens.object_sensitivity.tally import Tally


def spread(
    column: Column,
    tally: Tally,
    missed: Bools,
    classes: Sequence[ClassScore],
    *,
    min_objects: int,
) -> Characteristic:
    """One characteristic in every class and on average (METHODS 2.5)."""
    n_subsets = len(column.subset_names)
    scores = score_subsets(tally, column.code, n_subsets)
    n_missed = count_subsets(tally.objects, column.code, n_subsets, missed)
    highest, lowest = extremes(scores, min_objects)
    shares = entropy_shares(n_missed, scores.n_objects, n_columns=len(column.code))
    if np.count_nonzero(scores.n_objects.any(axis=0)) < 2:
        # All objects are alike in it: there is nothing to compare, which is no spread of 0.
        highest, lowest, shares = np.full((3, len(classes)), np.nan)
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
        ap_n=mean_defined(overall),
        highest=mean_defined(highest),
        lowest=mean_defined(lowest),
        entropy_share=mean_defined(shares),
    )


def extremes(scores: Scores, min_objects: int) -> tuple[Floats, Floats]:
    """Of each class the highest and lowest AP_N among subsets of enough objects; NaN: none."""
    enough = (scores.n_objects >= min_objects) & ~np.isnan(scores.ap_n)
    highest = np.max(scores.ap_n, axis=1, initial=-np.inf, where=enough)
    lowest = np.min(scores.ap_n, axis=1, initial=np.inf, where=enough)
    some = enough.any(axis=1)
    return np.where(some, highest, np.nan), np.where(some, lowest, np.nan)


def _subsets(
    column: Column, scores: Scores, n_missed: npt.NDArray[np.int64]
) -> list[tuple[Subset, ...]]:
    columns = (scores.n_objects, scores.ap_n, scores.ap_n_se, n_missed)
    by_class = zip(*(values.tolist() for values in columns), strict=True)
    return [
        tuple(map(Subset, column.subset_names, n_objects, ap_n, error, lost))
        for n_objects, ap_n, error, lost in by_class
    ]

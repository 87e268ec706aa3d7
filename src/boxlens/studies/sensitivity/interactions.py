"""Two characteristics at once: small objects, occluded ones, or those that are both?"""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import Rows
from boxlens.metrics.means import mean_defined
from boxlens.studies.sensitivity.characteristics import Column
from boxlens.studies.sensitivity.result import Interaction
from boxlens.studies.sensitivity.tally import Tally, score_subsets


def interaction(first: Column, second: Column, tally: Tally, *, min_objects: int) -> Interaction:
    """AP_N of every pair of subsets, averaged over the classes with enough objects of it."""
    shape = (len(first.subset_names), len(second.subset_names))
    n_cells = shape[0] * shape[1]
    scores = score_subsets(tally, _joint(first.code, second.code, shape[1]), n_cells)
    ap_n = np.where(scores.n_objects >= min_objects, scores.ap_n, np.nan)
    return Interaction(
        first=first.name,
        second=second.name,
        first_names=first.subset_names,
        second_names=second.subset_names,
        ap_n=np.array([mean_defined(ap_n[:, k]) for k in range(n_cells)]).reshape(shape),
        n_objects=scores.n_objects.sum(axis=0).astype(np.int32).reshape(shape),
    )


def _joint(first: Rows, second: Rows, n_second: int) -> Rows:
    """[pair of columns, object]: the cell of every object, -1 where it lacks one of the two."""
    one, other = first[:, np.newaxis], second[np.newaxis]
    cell = np.where((one >= 0) & (other >= 0), one * np.int32(n_second) + other, np.int32(-1))
    return cell.reshape(len(first) * len(second), first.shape[1])

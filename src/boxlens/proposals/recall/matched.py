"""Objects of a data set and the proposals that find them, for every budget (METHODS 6.1, 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.matching.box_matching import match_boxes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data import Dataset
    from boxlens.data.columns import Bools, Floats, Rows
    from boxlens.data.windows import Windows
    from boxlens.matching.box_matching import BoxMatches
    from boxlens.proposals.proposed import Proposed


@dataclass(frozen=True, slots=True)
class ObjectMatches:
    """One method; `iou` and `best` are [budget, object]."""

    # Rows of the ground truth.
    object_row: Rows
    # With the proposal that an object got for itself, and with the best of all.
    iou: Floats
    best: Floats
    # By budget: proposals an image.
    n_mean: Floats


def countable_objects(dataset: Dataset) -> Bools:
    """Difficult objects count, crowds and groups do not."""
    countable: Bools = ~(dataset.gt.crowd | dataset.gt.group_of)
    return countable


def match_objects(
    dataset: Dataset,
    proposed: Proposed,
    budgets: Sequence[int],
    *,
    images: Bools | None = None,
    threads: int = 0,
) -> ObjectMatches:
    """Objects of `images`, or of all that the method has searched; budgets ascend."""
    asked = proposed.searched() if images is None else images
    gt = dataset.gt
    objects = countable_objects(dataset) & asked[gt.image_row]
    kept = gt if objects.all() else gt.where(objects)
    matches: list[BoxMatches] = []
    counts = []
    # A nested method is matched for all budgets at once.
    for group in [list(budgets)] if proposed.nested else [[budget] for budget in budgets]:
        windows = proposed.at(group[-1])
        matches.append(
            match_boxes(
                kept.offsets, kept.box, windows.offsets, windows.box, group, threads=threads
            )
        )
        counts += [_mean_count(windows, budget, asked) for budget in group]
    return ObjectMatches(
        object_row=np.flatnonzero(objects).astype(np.int32),
        iou=np.concatenate([one.iou for one in matches]),
        best=np.concatenate([one.best for one in matches]),
        n_mean=np.array(counts),
    )


def _mean_count(windows: Windows, budget: int, images: Bools) -> float:
    counts = np.minimum(np.diff(windows.offsets), budget)[images]
    return float(counts.mean()) if len(counts) else np.nan

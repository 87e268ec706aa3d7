"""How much of an object's surroundings a classifier needs, or can do without (METHODS 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.matching import COCO
from boxlens.studies.upper_bound.bounds import accuracy_of
from boxlens.studies.upper_bound.result import ContextAccuracy

if TYPE_CHECKING:
    from boxlens.data import Dataset
    from boxlens.studies.upper_bound.classifying import Labels


def context_accuracy(dataset: Dataset, labels: Labels) -> tuple[ContextAccuracy, ...]:
    """One row a view of the context study, over the objects that have a crop in all of them."""
    places = [
        place for place, view in enumerate(labels.views) if view.kind not in ("box", "sample")
    ]
    if not places:
        return ()
    counted = ~np.isnan(labels.score[:, places]).any(axis=1) & ~COCO.regions(dataset.gt)
    rows = []
    for place in places:
        view = labels.views[place]
        accuracy = accuracy_of(dataset, labels.class_row[:, place], counted)
        rows.append(
            ContextAccuracy(
                view.kind,
                view.scale,
                int(counted.sum()),
                accuracy.overall,
                accuracy.class_mean,
            )
        )
    return tuple(rows)

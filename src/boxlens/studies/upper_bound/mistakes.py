"""The wrong labels of which a classifier is surest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.matching import COCO
from boxlens.studies.upper_bound.result import Mistake

if TYPE_CHECKING:
    from boxlens.data import Dataset
    from boxlens.studies.upper_bound.relabelling import ObjectLabels

ANOTHER = "a class that the data set lacks"


def surest_mistakes(dataset: Dataset, labels: ObjectLabels, n: int) -> tuple[Mistake, ...]:
    """Best-scored first."""
    gt, images = dataset.gt, dataset.images
    wrong = ~np.isnan(labels.score) & (labels.class_row != gt.class_row) & ~COCO.regions(gt)
    rows = np.flatnonzero(wrong)
    surest = gt.highest_first(rows, labels.score[rows])[:n]
    names = (*dataset.classes.name, ANOTHER)
    return tuple(
        Mistake(
            object_id=gt.id[row : row + 1].tolist()[0],
            image_id=images.id[[gt.image_row[row]]].tolist()[0],
            file_name=images.file_name[gt.image_row[row]],
            box=gt.box[row],
            true_class=names[gt.class_row[row]],
            said=names[labels.class_row[row]],
            score=float(labels.score[row]),
        )
        for row in surest
    )

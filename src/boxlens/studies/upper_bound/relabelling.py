"""One label for every object, from its own box or from boxes around it (METHODS 4.1 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Floats, Rows
from boxlens.matching import COCO
from boxlens.studies.upper_bound.classifying import Labels
from boxlens.studies.upper_bound.result import MOST_CONFIDENT, MOST_FREQUENT, OWN_BOX, Mistake
from boxlens.studies.upper_bound.views import OWN

ANOTHER = "a class that the data set lacks"


@dataclass(frozen=True, slots=True)
class ObjectLabels:
    """One row per object of the ground truth: -1 and NaN where it has no label.

    -1 with a score is a class that the data set lacks.
    """

    strategy: str
    class_row: Rows
    score: Floats


def relabelled(labels: Labels) -> tuple[ObjectLabels, ...]:
    """The true box first; the other two where boxes around were shown."""
    own = _labels(OWN_BOX, *labels.column(OWN))
    samples = [place for place, view in enumerate(labels.views) if view.kind == "sample"]
    if not samples:
        return (own,)
    class_row, score = labels.class_row[:, samples], labels.score[:, samples]
    return (
        own,
        _labels(MOST_CONFIDENT, *most_confident(class_row, score)),
        _labels(MOST_FREQUENT, *most_frequent(class_row, score)),
    )


def _labels(strategy: str, class_row: Rows, score: Floats) -> ObjectLabels:
    """Once votes are counted, all classes that the data set lacks are alike."""
    return ObjectLabels(strategy, np.maximum(class_row, np.int32(-1)), score)


def most_confident(class_row: Rows, score: Floats) -> tuple[Rows, Floats]:
    """[object, box] -> the label and score of the surest box; of equal ones, of the first."""
    known = np.where(np.isnan(score), -np.inf, score)
    best = known.argmax(axis=1)[:, None]
    return (
        np.take_along_axis(class_row, best, axis=1)[:, 0],
        np.take_along_axis(score, best, axis=1)[:, 0],
    )


def most_frequent(class_row: Rows, score: Floats) -> tuple[Rows, Floats]:
    """The label that most boxes have, with the largest score among the boxes that have it.

    Of labels with as many votes the one of the larger score, then the one met first.
    """
    voted = ~np.isnan(score)
    same = (class_row[:, :, None] == class_row[:, None, :]) & voted[:, None, :]
    votes = np.where(voted, same.sum(axis=2), -1)
    among = np.where(same, np.where(voted, score, -np.inf)[:, None, :], -np.inf).max(axis=2)
    # Votes first, then scores: the best of those with the most votes.
    leading = votes == votes.max(axis=1, keepdims=True)
    best = np.where(leading, among, -np.inf).argmax(axis=1)[:, None]
    label = np.take_along_axis(class_row, best, axis=1)[:, 0]
    found = np.take_along_axis(among, best, axis=1)[:, 0]
    return label, np.where(voted.any(axis=1), found, np.nan)


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

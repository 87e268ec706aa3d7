"""The most classes that are together as hard as wished (METHODS 3.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Floats, Rows, frozen
from boxlens.errors import ParameterError
from boxlens.metrics.json_form import number
from boxlens.studies.difficulty.class_measures import DatasetDifficulty
from boxlens.studies.difficulty.measures import MEASURES, MeasureName


@dataclass(frozen=True, slots=True)
class MatchedSubset:
    """The k hardest classes by a measure; k is the largest that is still as hard as the target."""

    dataset: str
    measure: MeasureName
    target: float
    # The data set whose mean is the target; empty: the user's number.
    target_of: str
    # Hardest first: rows and names of the chosen classes, and their mean (NaN: none).
    class_rows: Rows
    classes: tuple[str, ...]
    mean: float
    # means[k - 1] is the mean of the k hardest of all classes with a defined measure.
    means: Floats

    @property
    def reached(self) -> bool:
        """Not where no class is as hard, nor where all of them together are still harder."""
        return bool(self.classes) and (
            len(self.classes) < len(self.means) or self.mean == self.target
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "measure": self.measure,
            "target": self.target,
            "target_of": self.target_of or None,
            "n_classes": len(self.classes),
            "n_candidates": len(self.means),
            "mean": number(self.mean),
            "reached": self.reached,
            "classes": list(self.classes),
        }


def matched_subset(
    difficulty: DatasetDifficulty, measure: MeasureName, target: float, target_of: str = ""
) -> MatchedSubset:
    """Classes of equal value are taken by name; those without the measure never."""
    high = MEASURES[measure].harder == "high"
    values = [one.value(measure) for one in difficulty.classes]
    names = [one.name for one in difficulty.classes]
    rows = [row for row, value in enumerate(values) if not math.isnan(value)]
    rows.sort(key=lambda row: (-values[row] if high else values[row], names[row], row))
    means = _running_means([values[row] for row in rows])
    # Each class is easier than those before, so that the means go one way only.
    k = int(np.count_nonzero(means >= target if high else means <= target))
    return MatchedSubset(
        dataset=difficulty.name,
        measure=measure,
        target=target,
        target_of=target_of,
        class_rows=frozen(rows[:k], np.int32),
        classes=tuple(names[row] for row in rows[:k]),
        mean=float(means[k - 1]) if k else math.nan,
        means=means,
    )


def subset_dataset(dataset: Dataset, subset: MatchedSubset) -> Dataset:
    """The chosen classes, and the images that have an object of them."""
    names = dataset.classes.name
    rows = subset.class_rows
    if any(row >= len(names) for row in rows) or subset.classes != tuple(names[r] for r in rows):
        raise ParameterError(
            f"the classes of {dataset.name!r} are not those that the subset was chosen from"
        )
    chosen = dataset.select_classes(rows)
    part = chosen.select_images(np.diff(chosen.gt.offsets) > 0)
    return replace(part, notices=(*part.notices, *_left_out(dataset, part, subset)))


def _running_means(values: Sequence[float]) -> Floats:
    """The mean of the first k, exact and rounded once, as means of data sets are.

    A data set's own mean as the target then chooses all its classes.
    """
    totals = accumulate(Fraction(value) for value in values)
    means = [float(total / k) for k, total in enumerate(totals, start=1)]
    return frozen(np.array(means, dtype=np.float64), np.float64)


def _left_out(dataset: Dataset, part: Dataset, subset: MatchedSubset) -> tuple[Notice, ...]:
    notices: list[Notice] = []
    n_classes = len(dataset.classes) - len(part.classes)
    if n_classes:
        n_objects = len(dataset.gt) - len(part.gt)
        message = (
            f"{dataset.name}: skipped {n_classes:,} of {len(dataset.classes):,} classes with "
            f"{n_objects:,} objects; the {len(part.classes):,} hardest by {subset.measure} stay"
        )
        notices.append(Notice("class_left_out", n_classes, message))
    n_images = len(dataset.images) - len(part.images)
    if n_images:
        message = (
            f"{dataset.name}: skipped {n_images:,} of {len(dataset.images):,} images, which have "
            "no object of the classes that stay"
        )
        notices.append(Notice("image_left_out", n_images, message))
    return tuple(notices)

"""Mean score of all classes up to a value of a measure, also within groups (METHODS 3.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxlens.data.class_properties import ClassProperties
from boxlens.data.columns import Floats, Rows, owned
from boxlens.studies.difficulty.accuracy import ScoreName, SystemAccuracy
from boxlens.studies.difficulty.class_groups import nested_groups
from boxlens.studies.difficulty.class_measures import DatasetDifficulty
from boxlens.studies.difficulty.measures import MeasureName

# Groups are compared at equal difficulty of localization, by the scores that localization moves.
CONTROLS: tuple[MeasureName, ...] = ("cpl", "clutter")
SCORES_OF_GROUPS: tuple[ScoreName, ...] = ("cls_loc", "loc_given_cls", "ap")


@dataclass(frozen=True, slots=True)
class CumulativeCurve:
    """At each distinct value x the mean score of the classes whose measure is at most x."""

    system: str
    score: ScoreName
    measure: MeasureName
    # A group of the class table, such as property "kind" and value "man-made"; empty: all classes.
    property: str
    group: str
    x: Floats
    mean: Floats
    # Classes up to x.
    n_classes: Floats
    # The group is looked at within a value of another property, such as ("size", "large").
    within_property: str = ""
    within_value: str = ""

    def to_json(self) -> dict[str, Any]:
        within = {"property": self.within_property, "value": self.within_value}
        return {
            "system": self.system,
            "score": self.score,
            "measure": self.measure,
            "property": self.property,
            "group": self.group,
            "within": within if self.within_property else None,
            "x": self.x.tolist(),
            "mean": self.mean.tolist(),
            "n_classes": [int(n) for n in self.n_classes],
        }


@dataclass(frozen=True, slots=True)
class _Part:
    """Classes that a curve is of: all, or a group, perhaps within a value of another property."""

    rows: Rows
    property: str = ""
    group: str = ""
    within_property: str = ""
    within_value: str = ""


def cumulate(
    systems: Sequence[SystemAccuracy],
    difficulty: DatasetDifficulty,
    properties: ClassProperties | None = None,
    nested: Sequence[tuple[str, str]] = (),
) -> tuple[CumulativeCurve, ...]:
    """Every score of every system along each measure; along CPL and clutter also in each group.

    `nested` are pairs of an outer and an inner property: groups of the inner one within each value
    of the outer. There is a curve where a class has both, and in a group where two classes have.
    """
    measures = difficulty.columns()
    everything = _Part(np.arange(len(difficulty.classes), dtype=np.int32))
    groups = [] if properties is None else list(_groups(properties, nested))
    curves: list[CumulativeCurve] = []
    for system in systems:
        for score, scores in system.columns().items():
            for measure, values in measures.items():
                controlled = measure in CONTROLS and score in SCORES_OF_GROUPS
                for part in [everything, *groups] if controlled else [everything]:
                    x, mean, n_classes = _running_mean(values[part.rows], scores[part.rows])
                    if len(x) and (n_classes[-1] > 1 or not part.property):
                        which = (system.name, score, measure, part.property, part.group)
                        within = (part.within_property, part.within_value)
                        curves.append(CumulativeCurve(*which, x, mean, n_classes, *within))
    return tuple(curves)


def _groups(properties: ClassProperties, nested: Sequence[tuple[str, str]]) -> Iterator[_Part]:
    for one in nested_groups(properties, nested):
        for value, rows in one.groups:
            yield _Part(rows, one.property, value, one.within_property, one.within_value)


def _running_mean(values: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Distinct values, the mean score up to each, and over how many classes."""
    both = ~(np.isnan(values) | np.isnan(scores))
    x, y = values[both], scores[both]
    # Equal values are ordered by score, so that sums do not depend on the order of the classes.
    order = np.lexsort((y, x))
    x, total = x[order], np.cumsum(y[order])
    last = np.append(x[1:] != x[:-1], np.ones(min(len(x), 1), dtype=np.bool_))
    n_classes = np.flatnonzero(last) + 1.0
    return owned(x[last]), owned(total[last] / n_classes), owned(n_classes)

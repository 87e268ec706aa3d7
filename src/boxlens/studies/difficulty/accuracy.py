"""Classification and localization accuracy of ranked guesses (METHODS 3.1, 3.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

import numpy as np

from boxlens.data import Classes
from boxlens.data.columns import Floats
from boxlens.metrics.json_form import JsonRecord, as_key, inline
from boxlens.studies.difficulty.cases import Cases, class_scores, join_cases
from boxlens.studies.difficulty.class_measures import mean_of_defined
from boxlens.studies.difficulty.judging import JudgedSystem

# Class right; class and box right; box right given that the class is; average precision.
ScoreName = Literal["cls", "cls_loc", "loc_given_cls", "ap"]
SCORES: tuple[ScoreName, ...] = get_args(ScoreName)
# A system is judged by the first of these that it has.
MAIN_SCORES: Final[tuple[ScoreName, ...]] = ("ap", "cls_loc", "cls")
# What each is, where it is first seen.
SCORE_MEANINGS: Final[Mapping[ScoreName, str]] = {
    "ap": "average precision",
    "cls_loc": "class and box right",
    "cls": "class right",
    "loc_given_cls": "box right where the class is right",
}


def score_label(score: str, iou: float) -> str:
    """The short names of the published study; AP with its IoU threshold, such as AP50."""
    labels = {"cls_loc": "cls+loc", "loc_given_cls": "loc|cls", "ap": f"AP{100 * iou:g}"}
    return labels.get(score, score)


def defined_scores(systems: Sequence[SystemAccuracy]) -> list[ScoreName]:
    """Those that some system has, the main one first."""
    return [name for name in SCORE_MEANINGS if any(one.has(name) for one in systems)]


@dataclass(frozen=True, slots=True)
class ClassAccuracy(JsonRecord):
    """One class: fractions of its images; NaN where it has none, or a system has no such score."""

    name: str = field(metadata=as_key("class"))
    n_images: int
    scores: Mapping[str, float] = field(metadata=inline())


@dataclass(frozen=True, slots=True)
class SystemAccuracy(JsonRecord):
    """One system, or several at their best together: means over classes, and the classes."""

    name: str
    scores: Mapping[str, float] = field(metadata=inline())
    # In row order of the data set's classes.
    classes: tuple[ClassAccuracy, ...]

    def columns(self) -> dict[ScoreName, Floats]:
        """The scores that at least one class has, by class; NaN where a class has none."""
        found = {
            name: np.array([one.scores.get(name, np.nan) for one in self.classes], dtype=np.float64)
            for name in SCORES
        }
        return {name: column for name, column in found.items() if not np.isnan(column).all()}

    def has(self, score: str) -> bool:
        return not math.isnan(self.scores.get(score, math.nan))

    @property
    def main_score(self) -> ScoreName | None:
        """What it is judged by: AP, or accuracy where it has no AP; None where it has nothing."""
        return next((name for name in MAIN_SCORES if self.has(name)), None)


def accuracy(classes: Classes, system: JudgedSystem) -> SystemAccuracy:
    """One system, labels told exactly."""
    return _summed(system.name, classes, system.cases, system.exact)


def upper_bound(classes: Classes, systems: Sequence[JudgedSystem]) -> SystemAccuracy:
    """Systems together: right where any guess of any of them is, each with its own k."""
    cases = join_cases([one.cases for one in systems])
    # A system may find a larger share of the fewer images whose class it names, and AP is of one
    # ranking: of these two there is no bound.
    unknown: Floats = np.full(len(classes), np.nan)
    exact = {**class_scores(cases), "loc_given_cls": unknown, "ap": unknown}
    return _summed("upper bound", classes, cases, exact)


def _summed(
    name: str, classes: Classes, cases: Cases, exact: Mapping[str, Floats]
) -> SystemAccuracy:
    columns = {score: exact[score].tolist() for score in SCORES}
    n_images = np.bincount(cases.class_row, minlength=cases.n_classes).tolist()
    return SystemAccuracy(
        name=name,
        scores={score: mean_of_defined(column) for score, column in columns.items()},
        classes=tuple(
            ClassAccuracy(label, n_images[row], {score: columns[score][row] for score in SCORES})
            for row, label in enumerate(classes.name)
        ),
    )

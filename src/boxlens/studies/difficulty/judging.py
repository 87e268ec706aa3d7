"""Systems against the objects, once: what accuracy, levels and nodes are read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Floats
from boxlens.progress import Progress
from boxlens.studies.difficulty.cases import Cases, class_scores, find_cases
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.guesses import System
from boxlens.studies.difficulty.relaxed_ap import LabelEvidence, exact_ap, gather_labels


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """A system by its guesses, and by its detections where it has some."""

    name: str
    cases: Cases
    # None: the system has no detections, and so no AP.
    labels: LabelEvidence | None
    # Every score with exact labels, one value per class of the data set.
    exact: Mapping[str, Floats]


def judge_systems(
    dataset: Dataset,
    systems: Sequence[System],
    choice: DifficultyChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[JudgedSystem]:
    """Every system on the same data set."""
    judged: list[JudgedSystem] = []
    for at, system in enumerate(systems):
        if progress:
            progress("judging systems", at, len(systems))
        judged.append(_judged(dataset, system, choice, threads))
    return judged


def _judged(
    dataset: Dataset, system: System, choice: DifficultyChoice, threads: int
) -> JudgedSystem:
    cases = find_cases(dataset, system.guesses, choice, threads=threads)
    labels, ap = None, np.full(len(dataset.classes), np.nan)
    if system.detections is not None:
        labels = gather_labels(dataset, system.detections, choice.iou, threads=threads)
        ap = exact_ap(labels, threads=threads)
    return JudgedSystem(system.name, cases, labels, {**class_scores(cases), "ap": ap})

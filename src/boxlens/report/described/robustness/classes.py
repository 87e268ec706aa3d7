"""Classes under the changes that cost a detector most."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from boxlens.report.charts import drawn_by
from boxlens.report.described.robustness.plots import MOST_DETECTORS, MOST_PANELS
from boxlens.report.study import NUMBER, TEXT, Column, Plot, Table
from boxlens.studies.robustness.steps import CLEAN_WORDS, step_words, worst_of_transforms
from boxlens.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.studies.robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )

N_STEPS = 3
MOST_CLASSES = 80


def class_plots(result: RobustnessResult) -> Iterator[Plot]:
    """Of the first detectors: each has one row per class, and all are in the tables."""
    drawn = replace(result, detectors=result.detectors[:MOST_DETECTORS])
    for detector in result.detectors[:MOST_PANELS]:
        steps = shown_steps(detector)
        rows = shown_classes(detector, steps)
        whose = f": {detector.name}" * (len(result.detectors) > 1)
        yield Plot(
            "robustness_classes",
            f"AP of each class, unchanged and under what costs most{whose}",
            "Classes whose bar is far from its stroke are lost first; those that keep theirs are "
            "recognised by what the change leaves.",
            partial(
                drawn_by,
                "robustness_classes.robustness_classes_chart",
                drawn,
                detector,
                steps,
                rows,
            ),
            legend=_legend(result, detector, steps, len(rows)),
            about=f"{detector.name} on {result.dataset}",
            absent="" if rows else "AP of every class is 0 or undefined",
            wide=True,
        )


def _legend(
    result: RobustnessResult,
    detector: DetectorRobustness,
    steps: Sequence[StepRobustness],
    n_shown: int,
) -> str:
    n_found = len(_found(detector, steps))
    n_never = sum(not math.isnan(value) for value in detector.clean.by_class) - n_found
    cropped = any(detector.reference_of(one) is not detector.clean for one in steps)
    legend = (
        "Classes by AP on the unchanged pictures, which strokes repeat in every panel"
        + " (rotations: on the same crop unrotated)" * cropped
        + ". No bar: there are no objects of the class, or none is found."
        + f" The {n_shown} of {n_found:,} classes that lose most." * (n_shown < n_found)
        + f" Not shown: {counted(n_never, 'class', 'classes')} with AP 0 in all panels."
        * (n_never > 0)
    )
    if result.bound is None:
        return legend
    return (
        f"{legend} Pink strokes: UAP, what {result.bound.classifier} reaches on the true boxes of "
        "the unchanged pictures."
    )


def shown_steps(detector: DetectorRobustness) -> list[StepRobustness]:
    """The study's, and last the worst of all others; one level per transform."""
    groups = {
        is_study: worst_of_transforms(
            detector, [one for one in detector.steps if (one.group == "study") == is_study]
        )
        for is_study in (True, False)
    }
    others = groups[False][: max(N_STEPS - len(groups[True]), 1)]
    return [*groups[True][: N_STEPS - len(others)], *others]


def shown_classes(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes that are ever found, the best first; of too many those that lose most."""
    clean = detector.clean.by_class
    pairs = [(detector.reference_of(one).by_class, one.by_class) for one in steps]

    def lost(row: int) -> float:
        drops = [before[row] - after[row] for before, after in pairs]
        told = [drop for drop in drops if not math.isnan(drop)]
        return math.fsum(told) / len(told) if told else -1.0

    kept = sorted(_found(detector, steps), key=lambda row: -lost(row))[:MOST_CLASSES]
    return sorted(kept, key=lambda row: (-clean[row], row))


def _found(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes whose AP is above 0 somewhere."""
    looked_at = (detector.clean, *steps, *map(detector.reference_of, steps))
    return [
        row
        for row, value in enumerate(detector.clean.by_class)
        if not math.isnan(value) and any(one.by_class[row] > 0 for one in looked_at)
    ]


class _OfClass(NamedTuple):
    detector: str
    one: StepRobustness
    row: int


def class_tables(result: RobustnessResult) -> Iterator[Table[int] | Table[_OfClass]]:
    """Unchanged and under what costs most, one table per detector; in files, all of it."""
    names, uap = result.classes, result.uap_by_class
    rows = range(len(names))
    for detector in result.detectors:
        steps = shown_steps(detector)
        yield Table(
            "",
            f"AP of each class, {detector.name}",
            rows,
            [
                Column("", "class", lambda row: names[row], TEXT),
                Column("", CLEAN_WORDS, partial(_ap, detector.clean)),
                *(Column("", step_words(one), partial(_ap, one)) for one in steps),
                *([] if uap is None else [Column("", "UAP", partial(_at, uap))]),
            ],
            folded=True,
            detail=True,
        )
    yield Table(
        "robustness_classes",
        "",
        [
            _OfClass(detector.name, one, row)
            for detector in result.detectors
            for one in (detector.clean, *detector.steps)
            for row in rows
        ],
        [
            Column("detector", "", lambda of: of.detector, TEXT),
            Column("name", "", lambda of: of.one.step.name, TEXT),
            Column("severity", "", lambda of: of.one.step.level, NUMBER),
            Column("class", "", lambda of: names[of.row], TEXT),
            Column("AP", "", lambda of: of.one.by_class[of.row]),
        ],
    )
    if uap is not None:
        yield Table(
            "robustness_bound",
            "",
            rows,
            [
                Column("class", "", lambda row: names[row], TEXT),
                Column("UAP", "", partial(_at, uap)),
            ],
        )


def _ap(one: StepRobustness, row: int) -> float:
    return one.by_class[row]


def _at(values: Sequence[float], row: int) -> float:
    return values[row]

"""Classes, unchanged and under what costs most: which are lost first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from boxlens.report.charts.colours import INK, MANY_SERIES, NEUTRAL, PINK
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bars, ticks
from boxlens.report.charts.forms.panels import beside, name_rows
from boxlens.report.described.robustness.steps import MOST_PANELS, NAMED, rows_of
from boxlens.report.study import SCORE, TEXT, Plot, Table, table_of
from boxlens.studies.robustness.result import DetectorRobustness, RobustnessResult, StepRobustness
from boxlens.studies.robustness.steps import level_words, mean_over, step_words, worst_of_transforms
from boxlens.wording import counted, score, short

# Beside the unchanged pictures; and what can be read.
MOST_STEPS, MOST_CLASSES = 3, 80
CLASS_PX, NAME_CHARACTERS = 11, 24


def parts(result: RobustnessResult) -> Iterator[Plot | Table[Any]]:
    """Figures of the first detectors, with one row per class; all are in the tables."""
    for detector, colour in zip(result.detectors[:MOST_PANELS], MANY_SERIES, strict=False):
        yield _figure(result, detector, colour)
    yield from _tables(result)


def _figure(result: RobustnessResult, detector: DetectorRobustness, colour: str) -> Plot:
    steps = shown_steps(detector)
    rows, n_found = shown_classes(detector, steps), len(_found(detector, steps))
    n_never = sum(not math.isnan(value) for value in detector.clean.by_class) - n_found
    cropped = any(detector.reference_of(one) is not detector.clean for one in steps)
    legend = (
        "Classes by AP on the unchanged pictures, which strokes repeat in every panel"
        + " (rotations: on the same crop unrotated)" * cropped
        + ". No bar: there are no objects of the class, or none is found."
        + f" The {len(rows)} of {n_found:,} classes that lose most." * (len(rows) < n_found)
        + f" Not shown: {counted(n_never, 'class', 'classes')} with AP 0 in all panels."
        * (n_never > 0)
    )
    if result.bound is not None:
        legend += (
            f" Pink strokes: UAP, what {result.bound.classifier} reaches on the true boxes of the "
            "unchanged pictures."
        )
    whose = f": {detector.name}" * (len(result.detectors) > 1)
    return Plot(
        "robustness_classes",
        f"AP of each class, unchanged and under what costs most{whose}",
        "Classes whose bar is far from its stroke are lost first; those that keep theirs are "
        "recognised by what the change leaves.",
        partial(_chart, result, detector, colour),
        legend,
        about=f"{detector.name} on {result.dataset}",
        absent="" if rows else "AP of every class is 0 or undefined",
        wide=True,
    )


def shown_steps(detector: DetectorRobustness) -> list[StepRobustness]:
    """The study's, and last the worst of all others; one level per transform."""
    worst = worst_of_transforms(detector, detector.steps)
    of_study = [one for one in worst if one.group == "study"]
    last = [one for one in worst if one.group != "study"][: max(MOST_STEPS - len(of_study), 1)]
    return [*of_study[: MOST_STEPS - len(last)], *last]


def shown_classes(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes that are ever found, the best first; of too many those that lose most."""

    def kept(row: int) -> float:
        drop = mean_over(
            steps, lambda one: detector.reference_of(one).by_class[row] - one.by_class[row]
        )
        return 1.0 if math.isnan(drop) else -drop

    most = sorted(_found(detector, steps), key=kept)[:MOST_CLASSES]
    return sorted(most, key=lambda row: (-detector.clean.by_class[row], row))


def _found(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes whose AP is above 0 somewhere."""
    looked_at = (detector.clean, *steps, *map(detector.reference_of, steps))
    return [
        row
        for row, value in enumerate(detector.clean.by_class)
        if not math.isnan(value) and any(one.by_class[row] > 0 for one in looked_at)
    ]


def _chart(result: RobustnessResult, detector: DetectorRobustness, colour: str) -> Spec:
    """A panel for the unchanged pictures, and one per step."""
    steps = shown_steps(detector)
    rows = shown_classes(detector, steps)
    labels = {str(row): result.classes[row] for row in rows}
    panels = []
    for one in (detector.clean, *steps):
        first = one is detector.clean
        more = {"labelFontSize": 9}
        names = Names(labels, CLASS_PX, NAME_CHARACTERS, shown=first, more=more)
        before = ticks("before", color=INK, thickness=1, bandSize=CLASS_PX - 3)
        panel = name_rows(
            [_class_row(result, detector, one, row) for row in rows],
            names,
            Axis(ends=(0, 1), values=(0, 0.5, 1)),
            bars("value", color=NEUTRAL if first else colour),
            *[before] * (not first),
            # None of the bars has this colour.
            ticks("uap", color=PINK, size=CLASS_PX),
            width=122,
            title=short(one.title + f" {one.label}" * (not first), NAME_CHARACTERS),
        )
        panels.append(panel)
    return beside(*panels, gap=8)


def _class_row(
    result: RobustnessResult, detector: DetectorRobustness, one: StepRobustness, row: int
) -> Row:
    reference = detector.reference_of(one)
    values = {"value": one.by_class[row], "before": reference.by_class[row]}
    tip = {
        "class": short(result.classes[row], NAME_CHARACTERS),
        "AP": score(values["value"]),
        level_words(reference) or "unchanged": score(values["before"]),
    }
    if result.uap_by_class:
        values["uap"] = result.uap_by_class[row]
        tip["UAP"] = score(values["uap"])
    return {"row": str(row), **values, "tip": tip}


def _tables(result: RobustnessResult) -> Iterator[Table[Any]]:
    """Unchanged and under what costs most, one table per detector; in files, all of it."""
    names, uap = result.classes, result.uap_by_class
    bounds = {} if uap is None else {"UAP": uap}
    for detector in result.detectors:
        steps = (detector.clean, *shown_steps(detector))
        columns = {**{step_words(one): one.by_class for one in steps}, **bounds}
        yield table_of(
            "",
            f"AP of each class, {detector.name}",
            {"class": TEXT, **dict.fromkeys(columns, SCORE)},
            zip(names, *columns.values(), strict=True),
            folded=True,
            detail=True,
        )
    every = (
        (*row.named, *pair)
        for row in rows_of(result)
        for pair in zip(names, row.one.by_class, strict=True)
    )
    yield table_of("robustness_classes", "", {**NAMED, "class": TEXT, "AP": SCORE}, every)
    if uap is not None:
        forms = {"class": TEXT, "UAP": SCORE}
        yield table_of("robustness_bound", "", forms, zip(names, uap, strict=True))

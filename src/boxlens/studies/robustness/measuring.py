"""What changes of the pictures do to detectors, from ground truth and detections of every set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from boxlens.data import Detections, Notice, counted_notice
from boxlens.data.columns import Bools
from boxlens.data.known_classes import LACKING
from boxlens.data.naming import some_names
from boxlens.errors import ParameterError
from boxlens.images.transforming.catalogue import TRANSFORMS, label_of
from boxlens.matching import COCO
from boxlens.metrics.evaluation import EvaluationChoice, evaluate_tables
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.density import box_density, without_place
from boxlens.studies.robustness.drops import Drops, paired_drops
from boxlens.studies.robustness.error_growth import ErrorProfile, error_profile
from boxlens.studies.robustness.examples import Sighting, most_lost, sight
from boxlens.studies.robustness.picture_set import MeasuredSet, Traced, trace
from boxlens.studies.robustness.result import (
    METRICS,
    DetectorRobustness,
    Drop,
    RobustnessResult,
    SetSummary,
    StepRobustness,
)
from boxlens.studies.robustness.steps import corruption_means, ratio, reference_rows
from boxlens.version import VERSION


def measure(
    sets: Sequence[MeasuredSet],
    found: Mapping[str, Sequence[Detections]],
    choice: RobustnessChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> RobustnessResult:
    """`sets` are the unchanged pictures, then the steps of the choice; `found` has tables of each.

    Every set is scored by itself as COCO does it, and compared with its reference, the unchanged
    pictures mostly; drops are paired by the images that the pictures were made of.
    """
    for one in sets:
        if one.dataset.classes.name != sets[0].dataset.classes.name:
            raise ParameterError(f"{one.step.slug} has other classes than the unchanged pictures")
    references, told = reference_rows([one.step for one in sets])
    work = _Work(sets, [trace(one, sets[0]) for one in sets], references, choice, threads)

    def begun(place: int, row: int) -> None:
        if progress is not None:
            progress("measuring steps", len(sets) * place + row, len(sets) * len(found))

    columns = {
        name: _column(work, tables, partial(begun, place))
        for place, (name, tables) in enumerate(found.items())
    }
    drops = _drops(work, found, columns, progress)
    dataset = sets[0].dataset
    return RobustnessResult(
        choice=choice,
        dataset=dataset.name,
        classes=tuple(dataset.classes.name),
        sets=tuple(_summary(work, row) for row in range(len(sets))),
        detectors=tuple(
            _detector(name, steps, drops.by_detector[name]) for name, steps in columns.items()
        ),
        failed=(),
        provenance=Provenance(
            VERSION, dataset.source, tuple(tables[0].source for tables in found.values())
        ),
        notices=(
            *_notices(sets, found),
            *told,
            *_classes_gone(sets, references),
            *_unseen(sets[0], found, choice, threads),
            *drops.notices,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What is the same for all detectors."""

    sets: Sequence[MeasuredSet]
    traced: Sequence[Traced]
    # The row of the set that each is compared with.
    references: Sequence[int]
    choice: RobustnessChoice
    threads: int


@dataclass(frozen=True, slots=True)
class _Measured:
    """A step, and all that others are compared with."""

    step: StepRobustness
    errors: ErrorProfile


def _column(
    work: _Work, tables: Sequence[Detections], begun: Callable[[int], None]
) -> list[StepRobustness]:
    """One detector: every set, and each beside its reference."""
    found: list[_Measured] = []
    clean: Sighting | None = None
    for row, table in enumerate(tables):
        begun(row)
        dataset, score = work.sets[row].dataset, work.choice.shown_score
        seen = sight(dataset, table, score, threads=work.threads)
        clean = clean or seen
        found.append(_measure_step(work, row, table, seen, clean))
    return [
        _beside(found[reference], one)
        for reference, one in zip(work.references, found, strict=True)
    ]


def _beside(reference: _Measured, one: _Measured) -> StepRobustness:
    before = reference.step.metrics
    return replace(
        one.step,
        relative={name: ratio(value, before[name]) for name, value in one.step.metrics.items()},
        error_growth=one.errors.growth_from(reference.errors),
    )


def _measure_step(
    work: _Work, row: int, detections: Detections, seen: Sighting, clean: Sighting
) -> _Measured:
    """All but what needs the reference's own numbers."""
    one, threads = work.sets[row], work.threads
    dataset, transform = one.dataset, TRANSFORMS[one.step.name]
    scored = evaluate_tables(dataset, [detections], EvaluationChoice(), threads=threads)
    (numbers,) = scored.detectors
    errors = error_profile(dataset, detections, work.choice.shown_score, threads=threads)
    step = StepRobustness(
        step=one.step,
        title=transform.title,
        group=transform.group,
        label=label_of(one.step),
        n_images=len(dataset.images),
        n_objects=int(np.count_nonzero(_counted(one))),
        n_detections=len(detections),
        metrics={name: numbers.metrics[name] for name in METRICS},
        reference=work.sets[work.references[row]].step,
        relative=dict.fromkeys(METRICS, math.nan),
        error_gain=errors.gain,
        error_growth=dict.fromkeys(GAINS, math.nan),
        errors_per_object=errors.per_object,
        by_class=tuple(of_class.metrics["AP"] for of_class in numbers.classes),
        density=box_density(dataset, seen.shown.image_row, seen.shown.box),
        examples=most_lost(seen, clean, work.traced[row], work.choice.n_examples),
    )
    return _Measured(step, errors)


def _counted(one: MeasuredSet) -> Bools:
    """Objects that are to be found."""
    counted: Bools = ~COCO.ignored(one.dataset.gt)
    return counted


def _drops(
    work: _Work,
    found: Mapping[str, Sequence[Detections]],
    columns: Mapping[str, Sequence[StepRobustness]],
    progress: Progress | None,
) -> Drops:
    if work.choice.intervals is None:
        return Drops({name: (None,) * len(work.choice.steps) for name in found})
    return paired_drops(
        work.sets,
        work.traced,
        found,
        {name: [one.metrics["AP"] for one in steps] for name, steps in columns.items()},
        work.references,
        work.choice.intervals,
        threads=work.threads,
        progress=progress,
    )


def _detector(
    name: str, measured: Sequence[StepRobustness], drops: Sequence[Drop | None]
) -> DetectorRobustness:
    clean, *steps = measured
    with_drops = tuple(replace(one, drop=drop) for one, drop in zip(steps, drops, strict=True))
    return DetectorRobustness(name, clean, corruption_means(clean, with_drops), with_drops)


def _summary(work: _Work, row: int) -> SetSummary:
    one, clean = work.sets[row], work.sets[0]
    gt, counted = one.dataset.gt, _counted(one)
    gone = _counted(clean)
    asked_for = work.traced[row].object_row[counted]
    gone[asked_for[asked_for >= 0]] = False
    return SetSummary(
        step=one.step,
        n_images=len(one.dataset.images),
        n_objects=int(np.count_nonzero(counted)),
        n_objects_gone=int(np.count_nonzero(gone)),
        density=box_density(one.dataset, gt.image_row[counted], gt.box[counted]),
    )


def _notices(
    sets: Sequence[MeasuredSet], found: Mapping[str, Sequence[Detections]]
) -> Iterator[Notice]:
    """Of ground truth and detections; what several tables tell alike is told once.

    Which classes a detector lacks is told of the unchanged pictures: that it no longer finds some
    in changed ones is what is measured.
    """
    yield from sets[0].dataset.notices
    yield from dict.fromkeys(
        note
        for of in found.values()
        for row, one in enumerate(of)
        for note in one.notices
        if row == 0 or note.code not in LACKING
    )
    yield from counted_notice(
        "unknown_size",
        sum(int(np.count_nonzero(without_place(one.dataset))) for one in sets),
        "pictures of unknown size: their boxes are in no density map",
        "picture of unknown size: its boxes are in no density map",
    )


def _classes_gone(sets: Sequence[MeasuredSet], references: Sequence[int]) -> Iterator[Notice]:
    """AP of a set is over the classes that it has: it may be over fewer than its reference's."""
    present = [
        set(one.dataset.gt.class_row[np.flatnonzero(_counted(one))].tolist()) for one in sets
    ]
    fewer = [
        f"{one.step.slug} {len(present[row]):,} of {len(present[reference]):,}"
        for row, (one, reference) in enumerate(zip(sets, references, strict=True))
        if present[reference] - present[row]
    ]
    shown = some_names(fewer)
    yield from counted_notice(
        "classes_gone",
        len(fewer),
        f"steps have objects of fewer classes than what they are compared with: {shown}",
        f"step has objects of fewer classes than what it is compared with: {shown}",
    )


def _unseen(
    clean: MeasuredSet,
    found: Mapping[str, Sequence[Detections]],
    choice: RobustnessChoice,
    threads: int,
) -> Iterator[Notice]:
    """A detector whose scores are low is not blind."""
    for name, tables in found.items():
        score = choice.shown_score
        every, seen = (
            sight(clean.dataset, tables[0], least, threads=threads).found
            for least in (-math.inf, score)
        )
        if every.any() and not seen.any():
            message = (
                f"{name}: no object is found by detections that score {score:g} or more, so that "
                "errors, maps and examples say nothing: lower --shown-score (shown_score)"
            )
            yield Notice("shown_score_too_high", int(np.count_nonzero(every)), message)

"""How hard is a data set, what makes its classes hard, and how much of another is as hard?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from boxlens.data import Dataset, Notice, Source
from boxlens.data.windows import Windows
from boxlens.errors import InputError, ParameterError
from boxlens.formats.given import (
    GivenDataset,
    GivenDetections,
    Reading,
    checked_names,
    shared_settings,
)
from boxlens.formats.sniff import DetectionsGivenError
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.protocols import verified_detections
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.difficulty.accuracy import SystemAccuracy, accuracy, upper_bound
from boxlens.studies.difficulty.choice import GUESSES, WINDOWS, DifficultyChoice
from boxlens.studies.difficulty.class_groups import score_properties
from boxlens.studies.difficulty.class_measures import DatasetDifficulty, measure_dataset
from boxlens.studies.difficulty.correlations import correlate
from boxlens.studies.difficulty.cumulative import cumulate
from boxlens.studies.difficulty.given import ClassKnowledge, check_asked, know_classes, read_systems
from boxlens.studies.difficulty.guesses import System
from boxlens.studies.difficulty.judging import JudgedSystem, judge_systems
from boxlens.studies.difficulty.levels import LevelScores, NodeScores, score_levels, score_nodes
from boxlens.studies.difficulty.matched_subset import MatchedSubset, matched_subset
from boxlens.studies.difficulty.measures import MeasureName
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.window_sources import find_windows
from boxlens.studies.proposals.listing import listed
from boxlens.version import VERSION

# By these the published study matched data sets; others where they are asked for.
MATCHED: tuple[MeasureName, ...] = ("cpl", "clutter")


@shared_settings
def difficulty(
    gt: GivenDataset | Sequence[GivenDataset],
    dt: GivenDetections | Sequence[GivenDetections] = (),
    *,
    guesses: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    tree: str | PathLike[str] | None = None,
    properties: str | PathLike[str] | None = None,
    windows: Windows | str | PathLike[str] | Sequence[Windows | str | PathLike[str]] = (),
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    iou: float = 0.5,
    top_k: int = GUESSES,
    one_per_class: bool = False,
    gap_px: float = 0.0,
    difficult: bool = False,
    n_windows: int = WINDOWS,
    nodes: str | Sequence[str] = (),
    nest: Sequence[tuple[str, str]] = (),
    match: Sequence[tuple[MeasureName, float | None]] = (),
    seed: int = 0,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    gt_names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    keep: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> DifficultyResult:
    """How hard data sets are, and what makes the classes of the first one hard for systems.

    `gt` may be a list of data sets to set side by side; all else is about the first. `dt` are
    detections and `guesses` files of ranked guesses (image, class, perhaps a box), one per system;
    `names` are those of the systems, detections first, `gt_names` those of the data sets. A box
    counts as right from `iou` on; of guesses, the best `top_k` per image count (`one_per_class`:
    only the best of each class).

    `tree` is a class tree, a file or "none"; by default the data set's own, or supercategories.
    `nodes` of it are scored as one class. `properties` is a table of what classes are like, CSV or
    TOML; `nest` are pairs of properties, the second within each value of the first.

    `windows` are ranked windows for clutter, `n_windows` per image: a file or table per data set,
    or a method such as "edge-boxes", which looks at the pictures in the folder `images`. Boxes up
    to `gap_px` pixels apart are neighbours; `difficult` counts objects marked so, too. `match` are
    pairs of a measure and a target: the most classes that are together as hard, by default as hard
    as the other data set (None).

    >>> result = difficulty(gt, dt)
    >>> result
    DifficultyResult(ground_truth: CPL 0.0063)
    >>> result.datasets[0].hardest_first("cpl")[0].name
    'cat'
    """
    choice = DifficultyChoice(
        iou=iou,
        top_k=top_k,
        one_per_class=one_per_class,
        gap_px=gap_px,
        difficult=difficult,
        n_windows=n_windows,
        nodes=tuple(listed(nodes)),
        nest=tuple(nest),
        match=tuple(match),
        seed=seed,
    )
    n_detectors = len(listed(dt))
    called = checked_names(names, n_detectors + len(listed(guesses)), "system")
    reading = Reading(
        split, classes, gt_format, dt_format, called[:n_detectors], strict, threads, progress
    )
    whole = _datasets(listed(gt), gt_names, reading)
    datasets = [reading.dataset(one) for one in whole]
    first = datasets[0]
    knowledge = know_classes(first, tree, properties)
    check_asked(first, knowledge, choice, len(datasets))
    _, tables = reading.of_classes(whole[0], reading.detections(listed(dt), whole[0]))
    systems, notices = read_systems(
        first, tables, listed(guesses), choice, names=called[n_detectors:], strict=strict
    )
    ranked = find_windows(
        datasets,
        windows,
        images,
        choice,
        keep=None if keep is None else Path(keep),
        threads=threads,
        progress=progress,
    )
    return difficulty_tables(
        datasets,
        systems,
        choice,
        knowledge,
        windows=ranked,
        notices=notices,
        threads=threads,
        progress=progress,
    )


def _datasets(
    given: Sequence[GivenDataset], names: str | Sequence[str], reading: Reading
) -> list[Dataset]:
    """With all of their classes."""
    if not given:
        raise ParameterError("name at least one data set")
    called = checked_names(names, len(given), "data set", "--gt-name, gt_names")
    found: list[Dataset] = []
    for one in given:
        try:
            found.append(reading.read(one))
        except DetectionsGivenError as problem:
            remedy = "This looks like detections: name them with --dt (dt), after all GT"
            raise InputError(problem.problem, path=problem.path, remedy=remedy) from problem
    called = called or [one.name for one in found]
    return [replace(one, name=name) for one, name in zip(found, called, strict=True)]


def difficulty_tables(
    datasets: Sequence[Dataset],
    systems: Sequence[System],
    choice: DifficultyChoice,
    knowledge: ClassKnowledge,
    *,
    windows: Sequence[Windows | None] = (),
    notices: Sequence[Notice] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> DifficultyResult:
    """The same for what is in memory; systems speak of the first data set."""
    datasets = with_unique_names(datasets)
    first = datasets[0]
    ranked = windows or [None] * len(datasets)
    measured = tuple(
        measure_dataset(dataset, choice, one, threads=threads, progress=progress)
        for dataset, one in zip(datasets, ranked, strict=True)
    )
    verified, unverified = _verified(first, systems, choice, threads)
    judged = judge_systems(first, verified, choice, threads=threads, progress=progress)
    scored = [accuracy(first.classes, one) for one in judged]
    bound = _bound(first, judged)
    levels, nodes = _up_the_tree(first, judged, knowledge, choice, threads, progress)
    everyone = [*scored, bound] if bound is not None else scored
    properties = knowledge.properties
    return DifficultyResult(
        choice=choice,
        datasets=measured,
        systems=tuple(scored),
        upper_bound=bound,
        levels=levels,
        nodes=nodes,
        tree=knowledge.tree_from if systems else "",
        correlations=correlate(everyone, measured[0], properties),
        cumulative=cumulate(everyone, measured[0], properties, choice.nest),
        properties=score_properties(everyone, measured[0], properties, choice)
        if properties is not None
        else (),
        subsets=tuple(_subsets(measured, choice)),
        provenance=Provenance(
            VERSION,
            first.source,
            tuple(one.source for one in systems),
            tuple(_other_sources(datasets, ranked, knowledge)),
        ),
        notices=_all_notices(measured, (*notices, *unverified), knowledge),
        inputs=tuple(datasets),
        detections=tuple(one.detections for one in systems if one.detections is not None),
    )


def _bound(dataset: Dataset, judged: Sequence[JudgedSystem]) -> SystemAccuracy | None:
    """Of two systems or more; under a name that none of them has."""
    if len(judged) < 2:
        return None
    bound = upper_bound(dataset.classes, judged)
    taken = {one.name for one in judged}
    return replace(bound, name=f"{bound.name} of all") if bound.name in taken else bound


def _verified(
    dataset: Dataset, systems: Sequence[System], choice: DifficultyChoice, threads: int
) -> tuple[list[System], tuple[Notice, ...]]:
    """AP looks only at detections that the annotation says something about (METHODS 9.4, 9.5)."""
    verified: list[System] = []
    notices: list[Notice] = []
    for system in systems:
        if system.detections is None:
            verified.append(system)
            continue
        known, left_out = verified_detections(
            dataset, system.detections, choice.iou, threads=threads
        )
        verified.append(replace(system, detections=known))
        notices += left_out
    return verified, tuple(notices)


def _up_the_tree(
    dataset: Dataset,
    systems: Sequence[JudgedSystem],
    knowledge: ClassKnowledge,
    choice: DifficultyChoice,
    threads: int,
    progress: Progress | None,
) -> tuple[tuple[LevelScores, ...], tuple[NodeScores, ...]]:
    tree = knowledge.tree
    if tree is None:
        return (), ()
    levels = score_levels(dataset.classes, systems, tree, threads=threads, progress=progress)
    nodes = score_nodes(dataset, systems, tree, choice, threads=threads, progress=progress)
    return levels, nodes


def _subsets(
    measured: Sequence[DatasetDifficulty], choice: DifficultyChoice
) -> Iterator[MatchedSubset]:
    """Of the first data set for a target; else of the larger of the first and each other one."""
    first, *others = measured
    for measure, target in choice.match or [(name, None) for name in MATCHED if others]:
        if target is not None:
            _refuse_undefined([first], measure)
            yield matched_subset(first, measure, target)
        for other in others if target is None else ():
            larger, smaller = (
                (first, other) if first.n_classes >= other.n_classes else (other, first)
            )
            undefined = [one for one in (larger, smaller) if math.isnan(one.means[measure])]
            if not undefined:
                yield matched_subset(larger, measure, smaller.means[measure], smaller.name)
            elif choice.match:
                _refuse_undefined(undefined, measure)


def _refuse_undefined(datasets: Sequence[DatasetDifficulty], measure: str) -> None:
    for one in datasets:
        if math.isnan(one.means[measure]):
            why = ": it needs windows (--windows, windows)" if measure == "clutter" else ""
            raise ParameterError(
                f"{measure} of {one.name} is undefined, so nothing can be matched{why}"
            )


def _other_sources(
    datasets: Sequence[Dataset], windows: Sequence[Windows | None], knowledge: ClassKnowledge
) -> Iterator[tuple[str, Source]]:
    """Files besides the first data set and the systems."""
    yield from (("ground truth", one.source) for one in datasets[1:] if one.source is not None)
    for one in windows:
        if one is not None and one.source is not None:
            yield "windows", one.source
    yield from knowledge.sources


def _all_notices(
    measured: Sequence[DatasetDifficulty], more: Sequence[Notice], knowledge: ClassKnowledge
) -> tuple[Notice, ...]:
    """Those of data sets under their names where there are several."""
    notices = [
        notice if len(measured) == 1 else replace(notice, message=f"{one.name}: {notice.message}")
        for one in measured
        for notice in one.notices
    ]
    notices += more
    if knowledge.tree is not None:
        notices += knowledge.tree.notices
    if knowledge.properties is not None:
        notices += knowledge.properties.notices
    return tuple(dict.fromkeys(notices))

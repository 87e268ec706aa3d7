"""Which objects does it fail on? Characteristics, interactions and misses of one detector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Bools
from boxlens.data.known_classes import ClassesChoice
from boxlens.errors import ParameterError
from boxlens.formats.given import (
    GivenAttributes,
    GivenDataset,
    GivenDetections,
    Reading,
    one_detector,
    pairs_of,
    several_names,
    shared_settings,
)
from boxlens.matching import HOIEM, Matches, assign, find_overlaps
from boxlens.metrics.hits import POSITIVES_SHARE, area_ap_with_error
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import verified_detections
from boxlens.metrics.ranking import Ranking, rank
from boxlens.progress import Progress
from boxlens.studies.sensitivity.characteristics import Objects
from boxlens.studies.sensitivity.choice import LOOSER, SensitivityChoice
from boxlens.studies.sensitivity.choosing import Catalogue
from boxlens.studies.sensitivity.interactions import interaction
from boxlens.studies.sensitivity.misses import find_misses
from boxlens.studies.sensitivity.result import Characteristic, ClassScore, SensitivityResult
from boxlens.studies.sensitivity.spread import spread
from boxlens.studies.sensitivity.tally import Tally, count


@shared_settings
def sensitivity(
    gt: GivenDataset,
    dt: GivenDetections,
    *,
    by: str | Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float | str]] | None = None,
    cross: str | Sequence[str | tuple[str, str]] = (),
    iou: float = 0.5,
    looser: Sequence[float] | None = None,
    min_objects: int = 5,
    missed_p_n: float = 0.05,
    positives_share: float = POSITIVES_SHARE,
    n_unexpected: int = 15,
    attributes: GivenAttributes = None,
    classes: str | Sequence[str] = (),
    classes_used: ClassesChoice = "all",
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> SensitivityResult:
    """Which objects a detector fails on: normalized AP (AP_N) by what objects are like.

    Both may be tables or files of any known format. `by` names characteristics; without it, these
    are area, height, aspect and every attribute with two values or more. `bins` gives own
    thresholds of numbers and the order of words, `cross` pairs of characteristics to look at as a
    grid. Missed objects are looked for again at the overlaps `looser`; by default those of 0.1,
    0.2, 0.3 and 0.4 that are below `iou`. Subsets of fewer than `min_objects` objects take no part
    in the spread; an object is missed if its detection comes where normalized precision is below
    `missed_p_n`. The normal number of positives is `positives_share` of the number of images;
    `n_unexpected` surprising misses and hits are listed.

    >>> result = sensitivity(gt, dt, by=["area", "occlusion"])
    >>> result
    SensitivityResult(window on ground_truth: AP_N 0.288; sensitivity to area 0.429, occlusion ...)
    """
    choice = SensitivityChoice(
        characteristics=None if by is None else several_names(by),
        bins={name: tuple(values) for name, values in (bins or {}).items()},
        interactions=pairs_of(cross, "cross"),
        iou=iou,
        looser=None if looser is None else tuple(looser),
        min_objects=min_objects,
        missed_p_n=missed_p_n,
        positives_share=positives_share,
        n_unexpected=n_unexpected,
    )
    reading = Reading(
        split, classes, gt_format, dt_format, names, strict, threads, progress, attributes
    )
    dataset, (read,) = reading.used(gt, one_detector(dt), classes_used)
    detections, unverified = verified_detections(dataset, read, iou, threads=threads)
    thresholds = choice.iou_thresholds
    overlaps = find_overlaps(dataset, detections, HOIEM, floor=thresholds[0], threads=threads)
    matches = assign(
        dataset,
        detections,
        overlaps,
        HOIEM,
        iou_thresholds=thresholds,
        keep_hits=True,
        threads=threads,
    )
    ranking = rank(detections, len(dataset.classes), threads=threads)
    result = analyse(dataset, detections, ranking, matches, choice)
    notices = (*dataset.notices, *detections.notices, *unverified, *result.notices)
    return replace(result, detections=read, notices=notices)


def analyse(
    dataset: Dataset,
    detections: Detections,
    ranking: Ranking,
    matches: Matches,
    choice: SensitivityChoice,
) -> SensitivityResult:
    """The same from matches under Hoiem's rule that hold `choice.iou_thresholds` and their hits."""
    cell = matches.iou_thresholds.index(choice.iou)
    objects = Objects.of(dataset.gt, matches.positives(cell), len(dataset.classes))
    catalogue = Catalogue(objects, choice.bins)
    names, notices = _chosen(catalogue, choice)
    columns = [catalogue.column(name) for name in names]
    crossed = [tuple(map(catalogue.column, pair)) for pair in choice.interactions]

    normal = choice.positives_share * len(dataset.images)
    tallies = {iou: count(objects, ranking, matches, iou, normal) for iou in choice.iou_thresholds}
    tally = tallies[choice.iou]
    misses = find_misses(
        dataset,
        tally,
        [(iou, tallies[iou]) for iou in choice.iou_thresholds[:-1]],
        catalogue.predictors(),
        p_n=choice.missed_p_n,
        n_unexpected=choice.n_unexpected,
    )
    classes = _class_scores(dataset, tally, misses.missed)
    least = choice.min_objects
    spreads = tuple(
        spread(column, tally, misses.missed, classes, min_objects=least) for column in columns
    )
    return SensitivityResult(
        dataset=dataset,
        detections=detections,
        iou=choice.iou,
        normal=normal,
        ap_n=mean_defined(np.array([row.ap_n for row in classes])),
        characteristics=spreads,
        interactions=tuple(
            interaction(first, second, tally, min_objects=least) for first, second in crossed
        ),
        misses=misses,
        choice=choice,
        notices=(
            *_about_tables(dataset, detections, tally),
            *_about_looser(choice),
            *notices,
            *(notice for column in columns for notice in catalogue.lacking(column)),
            *_undefined(spreads, tally),
        ),
        classes=classes,
        columns=tuple(columns),
    )


def _chosen(
    catalogue: Catalogue, choice: SensitivityChoice
) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    if choice.characteristics is None:
        names, notices = catalogue.usual()
        # Bins for what is otherwise passed over are a wish to see it.
        names = tuple(dict.fromkeys([*names, *choice.bins]))
    else:
        names, notices = tuple(dict.fromkeys(choice.characteristics)), ()
    used = {*names, *(name for pair in choice.interactions for name in pair)}
    idle = [name for name in choice.bins if name not in used]
    if idle:
        raise ParameterError(f"bins are given for {idle[0]!r}, which is not looked at")
    return names, notices


def _class_scores(dataset: Dataset, tally: Tally, missed: Bools) -> tuple[ClassScore, ...]:
    n_missed = np.bincount(dataset.gt.class_row[missed], minlength=len(dataset.classes))
    columns = (
        tally.n_positive,
        n_missed,
        *area_ap_with_error(tally.hits, tally.n_positive),
        *area_ap_with_error(tally.hits, tally.n_positive, tally.normal),
    )
    rows = zip(dataset.classes.name, *(column.tolist() for column in columns), strict=True)
    return tuple(ClassScore(*row) for row in rows)


def _undefined(spreads: Sequence[Characteristic], tally: Tally) -> Iterator[Notice]:
    for row in spreads:
        if row.reason is not None and tally.n_positive.any():
            message = f"the sensitivity to {row.name} is undefined: {row.reason}"
            yield Notice("no_spread", sum(row.subset_n_objects), message)


def _about_looser(choice: SensitivityChoice) -> Iterator[Notice]:
    """Which of the usual overlaps are not below the one that counts as right."""
    skipped = [iou for iou in LOOSER if iou not in choice.looser_overlaps]
    if choice.looser is None and skipped:
        used = ", ".join(f"{iou:g}" for iou in choice.looser_overlaps)
        words = ", ".join(f"{iou:g}" for iou in skipped)
        message = (
            f"looser overlaps: {f'only {used}' if used else 'none'}, because "
            f"{words} {'is' if len(skipped) == 1 else 'are'} not below IoU {choice.iou:g}"
        )
        yield Notice("no_looser_overlap", len(skipped), message)


def _about_tables(dataset: Dataset, detections: Detections, tally: Tally) -> Iterator[Notice]:
    if dataset.relative:
        message = (
            f"{dataset.name}: boxes are fractions of their image, so areas, heights and aspects "
            "are relative to it too"
        )
        yield Notice("relative_boxes", len(dataset.gt), message)
    n_detections = np.bincount(detections.class_row, minlength=len(dataset.classes))
    lost = n_detections[tally.n_positive == 0]
    if lost.any():
        message = (
            f"{detections.name}: {lost.sum():,} detections of {np.count_nonzero(lost)} classes "
            "without any object take no part in AP_N, which is undefined for them"
        )
        yield Notice("class_without_objects", int(lost.sum()), message)

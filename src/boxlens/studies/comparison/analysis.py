"""Which detector is better, is the difference real, and on which images does it show?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Floats
from boxlens.data.known_classes import ClassesChoice
from boxlens.data.selection import shared_classes
from boxlens.errors import ParameterError
from boxlens.formats.given import (
    GivenAttributes,
    GivenDataset,
    GivenDetections,
    Reading,
    shared_settings,
)
from boxlens.metrics import EvaluationResult
from boxlens.metrics.bootstrap import FEWEST_IMAGES, check_images, resample
from boxlens.metrics.confidence import overall_confidence
from boxlens.metrics.evaluation import choose, evaluate_tables, samplers, with_unique_names
from boxlens.metrics.interval_results import with_intervals
from boxlens.metrics.intervals import IntervalMethod, ResamplingChoice
from boxlens.metrics.protocols import prepare, verified_detections
from boxlens.metrics.readings import Mean
from boxlens.metrics.resampling import class_images_with_objects
from boxlens.progress import Progress
from boxlens.studies.comparison.cases.annotation_gain import annotation_gain
from boxlens.studies.comparison.cases.disagreement import rank_images
from boxlens.studies.comparison.cases.discriminative import (
    DiscriminativeChoice,
    DiscriminativeResult,
    discriminate,
)
from boxlens.studies.comparison.cases.fda import Mapping
from boxlens.studies.comparison.cases.image_scores import Measure, image_scores
from boxlens.studies.comparison.cases.p_values import TestName
from boxlens.studies.comparison.choice import ComparisonChoice
from boxlens.studies.comparison.league import league
from boxlens.studies.comparison.paired import ClassPair, Contest, compare_pairs
from boxlens.studies.comparison.result import ComparisonResult
from boxlens.studies.comparison.shared_images import ImagesChoice, same_detections, shared_images
from boxlens.studies.comparison.together.found_objects import IOU
from boxlens.studies.comparison.together.joint_bound import joint_bound
from boxlens.studies.comparison.together.strengths import StrengthsResult, strengths


@shared_settings
def compare(
    gt: GivenDataset,
    dt: Sequence[GivenDetections],
    *,
    protocol: str = "coco",
    metric: str | None = None,
    replicates: int = 1000,
    permutations: int = 1000,
    level: float = 0.95,
    interval_method: IntervalMethod = "normal",
    seed: int = 0,
    measure: Measure = "fda",
    min_score: float | None = None,
    mapping: Mapping = "one_to_one",
    class_agnostic: bool = False,
    test: TestName = "paired",
    largest_t0: float = 0.1,
    images_used: ImagesChoice = "check",
    attributes: GivenAttributes = None,
    classes: str | Sequence[str] = (),
    classes_used: ClassesChoice = "check",
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> ComparisonResult:
    """Compares two or more detectors; tables or files of any known format.

    Detectors are ranked by `metric`, the protocol's first by default. Images are resampled
    `replicates` times, and the detections of two detectors exchanged `permutations` times; tests
    are at 1 - `level`. Images are scored one by one by `measure` above `min_score`, by default each
    detector's score of best F1; FDA pairs boxes by `mapping` ("one_to_one", or "literal" as in the
    paper), `class_agnostic` across classes. Their scores are compared by `test` ("paired", "welch"
    or "permutation"): detectors differ if p stays low from a threshold of at most `largest_t0` on.

    >>> result = compare(gt, [dt, other_dt], replicates=100)
    >>> result
    ComparisonResult(ground_truth, AP: region 0.204, window 0.201)
    >>> result.sentences[0]
    'window and region cannot be told apart by AP: ...'
    """
    choice = ComparisonChoice(
        evaluation=choose(protocol),
        resampling=ResamplingChoice(replicates, seed, level, interval_method),
        n_permutations=permutations,
        metric=metric,
        measure=measure,
        mapping=mapping,
        class_agnostic=class_agnostic,
        min_score=min_score,
        discriminative=DiscriminativeChoice(test=test, largest_t0=largest_t0),
        images=images_used,
        classes=classes_used,
    )
    reading = Reading(
        split, classes, gt_format, dt_format, names, strict, threads, progress, attributes
    )
    dataset, tables = reading.used(gt, dt)
    return compare_tables(dataset, tables, choice, threads=threads, progress=progress)


def compare_tables(
    dataset: Dataset,
    tables: Sequence[Detections],
    choice: ComparisonChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> ComparisonResult:
    """The same for tables in memory."""
    if len(tables) < 2:
        raise ParameterError("a comparison needs two or more detectors: name their detections")
    check_images(len(dataset.images))
    choice = _with_one_level(choice)
    whole, whole_tables = dataset, with_unique_names(tables)
    dataset, tables = shared_classes(whole, whole_tables, choice.classes)
    dataset, tables, notices = shared_images(dataset, tables, choice.images)
    check_images(len(dataset.images))
    evaluation = evaluate_tables(dataset, tables, choice.evaluation, threads=threads)
    own = evaluation
    if (len(dataset.images), len(dataset.classes)) != (len(whole.images), len(whole.classes)):
        own = evaluate_tables(whole, whole_tables, choice.evaluation, threads=threads)
    metric = _metric(evaluation, choice)
    contest = _contest(dataset, tables, evaluation, choice, threads, progress)
    pairs, classes = compare_pairs(
        contest,
        choice.resampling,
        n_permutations=choice.n_permutations,
        threads=threads,
        progress=progress,
    )
    detectors = tuple(
        with_intervals(one, drawn, choice.resampling)
        for one, drawn in zip(evaluation.detectors, contest.drawn, strict=True)
    )
    return ComparisonResult(
        dataset=dataset,
        detections=tuple(tables),
        choice=choice,
        detectors=detectors,
        own_metrics=tuple(one.metrics for one in own.detectors),
        league=league(
            metric,
            {one.name: (one.intervals or {})[metric] for one in detectors},
            pairs,
            choice.alpha,
        ),
        pairs=pairs,
        classes=classes,
        **_by_image(dataset, tables, choice, threads, progress),
        parameters={"protocol": evaluation.protocol, **evaluation.parameters},
        provenance=evaluation.provenance,
        notices=(
            *evaluation.notices,
            *notices,
            *(notice for one in detectors for notice in one.notices),
            *_identical(tables),
            *_nothing_above(tables, choice.min_score),
            *_rare_classes(classes),
        ),
    )


def _with_one_level(choice: ComparisonChoice) -> ComparisonChoice:
    """All tests are at one level, and everything random comes from one seed."""
    tests = replace(
        choice.discriminative,
        alpha=choice.alpha,
        seed=choice.resampling.seed,
        n_permutations=choice.n_permutations,
    )
    return replace(choice, discriminative=tests)


def _metric(evaluation: EvaluationResult, choice: ComparisonChoice) -> str:
    known = list(evaluation.detectors[0].metrics)
    metric = choice.metric or known[0]
    if metric not in known:
        raise ParameterError(f"unknown metric {metric!r}: choose from {', '.join(known)}")
    if all(np.isnan(one.metrics[metric]) for one in evaluation.detectors):
        raise ParameterError(
            f"{metric} is undefined, so there is nothing to compare: does the ground truth have "
            "objects that count?"
        )
    return metric


def _contest(
    dataset: Dataset,
    tables: Sequence[Detections],
    evaluation: EvaluationResult,
    choice: ComparisonChoice,
    threads: int,
    progress: Progress | None,
) -> Contest:
    walks = samplers(dataset, tables, choice.evaluation, threads=threads)
    return Contest(
        results=evaluation.detectors,
        samplers=walks,
        drawn=resample(walks, choice.resampling, threads=threads, progress=progress),
        n_class_images=class_images_with_objects(walks[0].walk, Mean()),
    )


def _by_image(
    dataset: Dataset,
    tables: Sequence[Detections],
    choice: ComparisonChoice,
    threads: int,
    progress: Progress | None,
) -> dict[str, Any]:
    """What single images and objects say, without detections that were not verified."""

    def tell(done: int) -> None:
        if progress:
            progress("comparing images", done, 5)

    tell(0)
    known = [verified_detections(dataset, table, IOU, threads=threads)[0] for table in tables]
    cuts = tuple(
        _best_cut(dataset, table, threads) if choice.min_score is None else choice.min_score
        for table in known
    )
    scores = np.stack(
        [
            image_scores(
                dataset,
                table,
                measure=choice.measure,
                min_score=cut,
                mapping=choice.mapping,
                class_agnostic=choice.class_agnostic,
                threads=threads,
            )
            for table, cut in zip(known, cuts, strict=True)
        ]
    )
    tell(1)
    apart, together = _discriminative([table.name for table in tables], scores, choice)
    tell(2)
    ranked = rank_images(dataset.images, known, min_score=cuts, threads=threads)
    gain = annotation_gain(
        dataset,
        known,
        min_score=cuts,
        image_scores=scores,
        ranked=ranked,
        seed=choice.resampling.seed,
        threads=threads,
    )
    tell(3)
    joint = joint_bound(dataset, tables, image_scores=scores, threads=threads)
    tell(4)
    return {
        "min_score": cuts,
        "image_scores": scores,
        "discriminative": apart,
        "together": together,
        "disagreement": ranked,
        "annotation_gain": gain,
        "joint": joint,
        "strengths": _strengths(dataset, known, cuts, choice, threads),
    }


def _best_cut(dataset: Dataset, table: Detections, threads: int) -> float:
    """The score of best F1 over all classes; 0 where there is nothing to cut."""
    prepared = prepare(dataset, table, "coco")
    best = overall_confidence(prepared, prepared.matches(IOU, threads=threads)).best()
    return float(np.nan_to_num(best["threshold"]))


def _discriminative(
    names: Sequence[str], scores: Floats, choice: ComparisonChoice
) -> tuple[tuple[DiscriminativeResult, ...], DiscriminativeResult | None]:
    apart = tuple(
        discriminate((names[a], names[b]), scores[[a, b]], choice.discriminative)
        for a, b in combinations(range(len(names)), 2)
    )
    if len(names) == 2:
        return apart, None
    return apart, discriminate(names, scores, replace(choice.discriminative, test="anova"))


def _strengths(
    dataset: Dataset,
    tables: Sequence[Detections],
    cuts: Sequence[float],
    choice: ComparisonChoice,
    threads: int,
) -> tuple[StrengthsResult, ...]:
    return tuple(
        strengths(
            dataset,
            tables[a],
            tables[b],
            min_score=(cuts[a], cuts[b]),
            cuts_chosen=choice.min_score is None,
            level=choice.resampling.level,
            threads=threads,
        )
        for a, b in combinations(range(len(tables)), 2)
    )


def _identical(tables: Sequence[Detections]) -> list[Notice]:
    notices = []
    for a, b in combinations(tables, 2):
        if same_detections(a, b):
            message = f"{a.name} and {b.name} have the same detections: they cannot differ"
            notices.append(Notice("identical", len(a), message))
    return notices


def _nothing_above(tables: Sequence[Detections], cut: float | None) -> list[Notice]:
    """A score cut that leaves nothing makes all images equal."""
    if cut is None:
        return []
    silent = [table.name for table in tables if not (table.score >= cut).any()]
    return [
        Notice("nothing_above_cut", 1, f"{name}: no detection scores {cut:g} or more (--min-score)")
        for name in silent
    ]


def _rare_classes(classes: Sequence[ClassPair]) -> tuple[Notice, ...]:
    rare = sorted({row.name for row in classes if row.n_images < FEWEST_IMAGES})
    if not rare:
        return ()
    named = ", ".join(rare[:5]) + (", ..." if len(rare) > 5 else "")
    message = (
        f"classes with objects in fewer than {FEWEST_IMAGES} images are not tested "
        f"({len(rare)}): {named}"
    )
    return (Notice("rare_classes", len(rare), message),)

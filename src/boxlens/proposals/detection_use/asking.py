"""Correlations and oracles of files: what Python's front door and notebooks ask for."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.data import Dataset, Detections
from boxlens.errors import ParameterError
from boxlens.formats import read_dataset, read_detections
from boxlens.formats.method_scores import MethodScores, read_method_scores
from boxlens.proposals.detection_use import correlation, oracles
from boxlens.proposals.detection_use.filtering import FILTER_IOU, NMS_IOU
from boxlens.proposals.detection_use.method_scoring import (
    check_metric,
    scores_of_detections,
    scores_of_filtered,
)
from boxlens.proposals.listing import listed
from boxlens.proposals.sources import Searching, find_proposed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.formats.files import Progress
    from boxlens.formats.window_files import Order
    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult
    from boxlens.proposals.detection_use.method_scoring import Metric
    from boxlens.proposals.detection_use.oracle_result import ProposalOracleResult
    from boxlens.proposals.recall.matched import ObjectMatches
    from boxlens.proposals.sources import GivenProposals

GivenDetections = Detections | str | PathLike[str]


def correlate_recall(
    gt: Dataset | str | PathLike[str],
    proposals: Sequence[GivenProposals],
    *,
    scores: MethodScores | str | PathLike[str] | None = None,
    detections: Sequence[GivenDetections] = (),
    raw: GivenDetections | Sequence[GivenDetections] = (),
    budget: int = 1000,
    metric: Metric = "AP50",
    filter_iou: float = FILTER_IOU,
    nms_iou: float = NMS_IOU,
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    keep: str | PathLike[str] | None = None,
    order: Order | Sequence[Order] = "descending",
    seed: int = 0,
    workers: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> ProposalCorrelationResult:
    """Does recall foretell what detectors make of proposals?

    The mAP of methods are `scores` (a table), or those of `detections` (of one detector, a file a
    method), or of `raw` detections (a file a detector) filtered by the proposals of each method.
    """
    dataset = gt if isinstance(gt, Dataset) else read_dataset(gt, threads=threads)
    given = listed(proposals)
    # What can be told before proposals are looked for is told before.
    correlation.check_enough_methods(len(given))
    check_metric(metric)
    if (scores is not None) + bool(listed(detections)) + bool(listed(raw)) != 1:
        raise ParameterError("give the mAP of methods by one of scores, detections and raw")
    if isinstance(scores, (str, PathLike)):
        scores = read_method_scores(scores)
    tables = _tables(listed(raw) or listed(detections), dataset, threads)
    if listed(detections):
        _check_one_a_method(len(given), len(tables))
    searching = _searching(images, keep, order, seed, workers, threads)
    proposed = find_proposed(dataset, given, [budget], searching, progress=progress)
    matches: dict[str, ObjectMatches] = {}
    if scores is None and listed(raw):
        scores = scores_of_filtered(
            dataset,
            tables,
            proposed,
            budget=budget,
            filter_iou=filter_iou,
            nms_iou=nms_iou,
            metric=metric,
            matches=matches,
            threads=threads,
            progress=progress,
        )
    elif scores is None:
        scores = scores_of_detections(
            dataset,
            {one.name: table for one, table in zip(proposed, tables, strict=True)},
            proposed,
            metric=metric,
            threads=threads,
            progress=progress,
        )
    return correlation.correlate_recall(
        dataset,
        proposed,
        scores,
        budget=budget,
        matches=matches,
        threads=threads,
        progress=progress,
    )


def proposal_oracles(
    gt: Dataset | str | PathLike[str],
    detections: GivenDetections | Sequence[GivenDetections],
    proposals: Sequence[GivenProposals] = (),
    *,
    budget: int = 1000,
    filter_iou: float = FILTER_IOU,
    nms_iou: float = NMS_IOU,
    oracle_iou: float = oracles.ORACLE_IOU,
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    keep: str | PathLike[str] | None = None,
    order: Order | Sequence[Order] = "descending",
    seed: int = 0,
    workers: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> ProposalOracleResult:
    """What would perfect proposals, or perfect suppression, bring a detector?"""
    dataset = gt if isinstance(gt, Dataset) else read_dataset(gt, threads=threads)
    tables = _tables(detections, dataset, threads)
    searching = _searching(images, keep, order, seed, workers, threads)
    given = listed(proposals)
    proposed = (
        find_proposed(dataset, given, [budget], searching, progress=progress) if given else []
    )
    return oracles.proposal_oracles(
        dataset,
        tables,
        proposed,
        budget=budget,
        filter_iou=filter_iou,
        nms_iou=nms_iou,
        oracle_iou=oracle_iou,
        threads=threads,
        progress=progress,
    )


def _check_one_a_method(n_methods: int, n_tables: int) -> None:
    """Detections of one detector, run on the proposals of each method."""
    if n_tables != n_methods:
        raise ParameterError(
            f"detections have a file a method: there are {n_methods} methods and {n_tables} files "
            "(--detections, detections)"
        )


def _searching(
    images: str | PathLike[str] | Sequence[str | PathLike[str]],
    keep: str | PathLike[str] | None,
    order: Order | Sequence[Order],
    seed: int,
    workers: int,
    threads: int,
) -> Searching:
    return Searching(
        images=tuple(listed(images)),
        keep=None if keep is None else Path(keep),
        orders=tuple(listed(order)),
        seed=seed,
        workers=workers,
        threads=threads,
    )


def _tables(
    given: GivenDetections | Sequence[GivenDetections], dataset: Dataset, threads: int
) -> list[Detections]:
    return [
        one if isinstance(one, Detections) else read_detections(one, dataset, threads=threads)
        for one in listed(given)
    ]

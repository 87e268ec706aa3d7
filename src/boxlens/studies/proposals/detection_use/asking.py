"""Correlations and oracles of files: the public functions."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.errors import ParameterError
from boxlens.formats.given import Reading, shared_settings
from boxlens.formats.method_scores import MethodScores, read_method_scores
from boxlens.studies.proposals.detection_use import correlation, oracles
from boxlens.studies.proposals.detection_use.filtering import FILTER_IOU, NMS_IOU
from boxlens.studies.proposals.detection_use.method_scoring import (
    check_metric,
    scores_of_detections,
    scores_of_filtered,
)
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.sources import Searching, find_proposed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.formats.files import Progress
    from boxlens.formats.given import GivenDataset, GivenDetections
    from boxlens.formats.window_files import Order
    from boxlens.studies.proposals.detection_use.correlation_result import ProposalCorrelationResult
    from boxlens.studies.proposals.detection_use.method_scoring import Metric
    from boxlens.studies.proposals.detection_use.oracle_result import ProposalOracleResult
    from boxlens.studies.proposals.recall.matched import ObjectMatches
    from boxlens.studies.proposals.sources import GivenProposals


@shared_settings
def correlate_recall(
    gt: GivenDataset,
    proposals: Sequence[GivenProposals],
    *,
    scores: MethodScores | str | PathLike[str] | None = None,
    dt: Sequence[GivenDetections] = (),
    raw: GivenDetections | Sequence[GivenDetections] = (),
    budget: int = 1000,
    metric: Metric = "AP50",
    filter_iou: float = FILTER_IOU,
    nms_iou: float = NMS_IOU,
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    keep: str | PathLike[str] | None = None,
    order: Order | Sequence[Order] = "descending",
    seed: int = 0,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    strict: bool = False,
    workers: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> ProposalCorrelationResult:
    """Does recall of proposals predict the mAP of detectors that use them?

    At least three `proposals` are needed (files, windows, generators or names of methods, which
    look at pictures in `images`; at most `budget` per image), and the mAP of a detector with each:
    a table `scores`, or the detections `dt` of one detector run on the proposals of each method,
    one per method, or `raw` detections, one per detector, which are filtered by the proposals (kept
    above `filter_iou`), suppressed at `nms_iou` and evaluated. `metric` is "AP50" or "AP".

    >>> methods = ["uniform", "gaussian", "sliding-window"]
    >>> result = correlate_recall(gt, methods, raw=dt, budget=100)
    >>> result.correlations[0].n_methods
    3
    """
    given = listed(proposals)
    # Mistakes are reported before proposals are searched for.
    if (scores is not None) + bool(listed(dt)) + bool(listed(raw)) != 1:
        raise ParameterError(
            "give the mAP of methods by one of --scores, --dt and --raw (scores, dt, raw)"
        )
    correlation.check_enough_methods(len(given))
    check_metric(metric)
    if isinstance(scores, (str, PathLike)):
        scores = read_method_scores(scores)
    reading = Reading(split, classes, gt_format, dt_format, (), strict, threads, progress)
    dataset, tables = reading.used(gt, listed(raw) or listed(dt))
    if listed(dt):
        _check_one_per_method(len(given), len(tables))
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


@shared_settings
def proposal_oracles(
    gt: GivenDataset,
    dt: GivenDetections | Sequence[GivenDetections],
    proposals: GivenProposals | Sequence[GivenProposals] = (),
    *,
    budget: int = 1000,
    filter_iou: float = FILTER_IOU,
    nms_iou: float = NMS_IOU,
    oracle_iou: float = oracles.ORACLE_IOU,
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    keep: str | PathLike[str] | None = None,
    order: Order | Sequence[Order] = "descending",
    seed: int = 0,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    workers: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> ProposalOracleResult:
    """What would perfect proposals, or perfect suppression, add to a detector's AP?

    Detections without suppression are filtered by the `proposals` of each method (kept above
    `filter_iou`, at most `budget` proposals per image), suppressed at `nms_iou` and evaluated, with
    each oracle and with both. Methods look at pictures in `images`. Without proposals the
    detections are taken as they are. `oracle_iou` is the IoU with a true positive from which
    perfect suppression removes a false one.

    >>> result = proposal_oracles(gt, dt)
    >>> [(one.oracle, round(one.ap50, 3)) for one in result.oracles[0].scores]
    [('raw', 0.385), ('nms', 0.385)]
    """
    reading = Reading(split, classes, gt_format, dt_format, names, strict, threads, progress)
    dataset, tables = reading.used(gt, dt)
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


def _check_one_per_method(n_methods: int, n_tables: int) -> None:
    """Detections of one detector, run on the proposals of each method."""
    if n_tables != n_methods:
        raise ParameterError(
            f"expected one file of detections per method: there are {n_methods} methods and "
            f"{n_tables} files (--dt, dt)"
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

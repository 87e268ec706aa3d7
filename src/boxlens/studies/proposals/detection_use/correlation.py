"""Does recall of proposals predict mAP? Pearson's r over methods (METHODS 6.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Floats, owned
from boxlens.data.naming import some_names
from boxlens.errors import ParameterError
from boxlens.formats.given import GivenDataset, GivenDetections, Reading, shared_settings
from boxlens.formats.method_scores import MethodScores, Setting, read_method_scores
from boxlens.formats.window_files import Order
from boxlens.limits import BUDGET
from boxlens.metrics.results import Provenance, about_dataset
from boxlens.progress import Progress
from boxlens.studies.proposals.detection_use.correlation_result import (
    MethodScore,
    ProposalCorrelationResult,
    RecallCorrelation,
)
from boxlens.studies.proposals.detection_use.filtering import FILTER_IOU, NMS_IOU
from boxlens.studies.proposals.detection_use.method_scoring import (
    Metric,
    check_metric,
    scores_of_detections,
    scores_of_filtered,
)
from boxlens.studies.proposals.detection_use.shared_images import (
    check_names,
    images_searched,
    search_notices,
)
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.proposed import Proposed
from boxlens.studies.proposals.recall.average_recall import average_recall, recall_at
from boxlens.studies.proposals.recall.matched import ObjectMatches, match_objects
from boxlens.studies.proposals.sources import GivenProposals, Searching, find_proposed
from boxlens.version import VERSION
from boxlens.wording import counted

CORRELATION_IOUS: Floats = owned(np.round(np.linspace(0.5, 1.0, 21), 10))
# Partial AR, up to IoU 0.7: the mean of the first nine recalls.
N_PARTIAL = 9
FEWEST_METHODS = 3


@dataclass(frozen=True, slots=True)
class _Recall:
    """Of some objects, by one method."""

    at_iou: Floats
    ar: float
    partial_ar: float

    @classmethod
    def of(cls, iou: Floats) -> _Recall:
        at_iou = recall_at(iou, CORRELATION_IOUS)
        return cls(at_iou, average_recall(iou), float(at_iou[:N_PARTIAL].mean()))


@dataclass(frozen=True, slots=True)
class _Method:
    """One method: the recall of all objects and of those of each class."""

    overall: _Recall
    by_class: Mapping[str, _Recall]
    n_mean: float


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
    given, tables = listed(proposals), listed(dt)
    # Mistakes are reported before proposals are searched for.
    if (scores is not None) + bool(tables) + bool(listed(raw)) != 1:
        raise ParameterError(
            "give the mAP of methods by one of --scores, --dt and --raw (scores, dt, raw)"
        )
    BUDGET.check(budget, "budget (--budget)")
    _check_enough_methods(len(given))
    check_metric(metric)
    if tables and len(tables) != len(given):
        raise ParameterError(
            f"expected one file of detections per method: there are {len(given)} methods and "
            f"{len(tables)} files (--dt, dt)"
        )
    if isinstance(scores, (str, PathLike)):
        scores = read_method_scores(scores)
    reading = Reading(split, classes, gt_format, dt_format, (), strict, threads, progress)
    dataset, tables = reading.used(gt, listed(raw) or tables)
    searching = Searching.of(images, keep, order, (), seed=seed, workers=workers, threads=threads)
    proposed = find_proposed(dataset, given, [budget], searching, progress=progress)
    check_names(proposed)
    matches: Mapping[str, ObjectMatches] = {}
    if scores is None and listed(raw):
        scores, matches = scores_of_filtered(
            dataset,
            tables,
            proposed,
            metric,
            budget=budget,
            filter_iou=filter_iou,
            nms_iou=nms_iou,
            threads=threads,
            progress=progress,
        )
    elif scores is None:
        by_method = {one.name: table for one, table in zip(proposed, tables, strict=True)}
        scores = scores_of_detections(
            dataset, by_method, proposed, metric, threads=threads, progress=progress
        )
    return _correlated(dataset, proposed, scores, budget, matches, threads, progress)


def _correlated(
    dataset: Dataset,
    proposed: Sequence[Proposed],
    scores: MethodScores,
    budget: int,
    matches: Mapping[str, ObjectMatches],
    threads: int,
    progress: Progress | None,
) -> ProposalCorrelationResult:
    """Methods go together by name; each detector is correlated over the methods it was run with.

    Recall is that of the images which all methods have searched; `matches` are those of methods
    that were matched before.
    """
    known = [one for one in proposed if any(_same(one.name, key.method) for key in scores.overall)]
    _check_paired(known, proposed, scores)
    images = images_searched(dataset, known)
    methods: dict[str, _Method] = {}
    for one in known:
        if progress is not None:
            progress("matching proposals", len(methods), len(known))
        found = matches.get(one.name)
        if found is None:
            found = match_objects(dataset, one, [budget], images=images, threads=threads)
        methods[one.name.casefold()] = _recall(dataset, found.within(images))
    paired = [key for key in scores.overall if key.method.casefold() in methods]
    detectors = dict.fromkeys(key.detector for key in paired)
    others = [("proposals", source) for one in known for source in one.sources()]
    if scores.source is not None:
        others.append(("scores of methods", scores.source))
    return ProposalCorrelationResult(
        budget=budget,
        scores=tuple(_score(key, scores, methods[key.method.casefold()]) for key in paired),
        correlations=tuple(
            correlation
            for detector in detectors
            for correlation in _correlations(
                [key for key in paired if key.detector == detector], scores, methods, dataset
            )
        ),
        dataset=about_dataset(dataset),
        parameters={"metric": scores.metric, **scores.parameters},
        provenance=Provenance(VERSION, dataset.source, scores.detections, tuple(others)),
        notices=tuple(
            dict.fromkeys(
                (
                    *dataset.notices,
                    *scores.notices,
                    *(notice for one in known for notice in one.notices()),
                    *search_notices(images),
                    *_unpaired(proposed, scores, dataset),
                )
            )
        ),
    )


def _check_enough_methods(n_methods: int) -> None:
    """Two always lie on a line."""
    if n_methods < FEWEST_METHODS:
        raise ParameterError(
            f"at least three methods are needed for a correlation, got {n_methods}: name "
            "proposals of more methods (FILE, --method, proposals)"
        )


def pearson(x: Floats, y: Floats) -> float:
    """Over pairs with both numbers; NaN for fewer than three, or where one side never changes."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    # Compared, not subtracted from their mean: that leaves a trace of rounding in equal numbers.
    if len(x) < FEWEST_METHODS or x.min() == x.max() or y.min() == y.max():
        return math.nan
    across, up = x - x.mean(), y - y.mean()
    r = (across / np.linalg.norm(across)) @ (up / np.linalg.norm(up))
    return float(np.clip(r, -1.0, 1.0))


def _check_paired(
    known: Sequence[Proposed], proposed: Sequence[Proposed], scores: MethodScores
) -> None:
    """Before anything is matched."""
    if len(known) < FEWEST_METHODS:
        scored = dict.fromkeys(key.method for key in scores.overall)
        raise ParameterError(
            "at least three methods are needed that have proposals and a score: proposals are of "
            f"{some_names(one.name for one in proposed)}; scores of {some_names(scored) or 'none'}"
        )


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _recall(dataset: Dataset, found: ObjectMatches) -> _Method:
    iou = found.iou[0]
    class_row = dataset.gt.class_row[found.object_row]
    return _Method(
        overall=_Recall.of(iou),
        by_class={
            name: _Recall.of(iou[class_row == row]) for row, name in enumerate(dataset.classes.name)
        },
        n_mean=float(found.n_mean[0]),
    )


def _score(key: Setting, scores: MethodScores, method: _Method) -> MethodScore:
    return MethodScore(
        method=key.method,
        detector=key.detector,
        ar=method.overall.ar,
        map=scores.overall[key],
        class_ap=scores.by_class.get(key, {}),
        n_mean=method.n_mean,
    )


def _correlations(
    keys: Sequence[Setting], scores: MethodScores, methods: Mapping[str, _Method], dataset: Dataset
) -> Iterator[RecallCorrelation]:
    """One detector: over all classes, then class by class where AP of classes are known."""
    of_key = [methods[key.method.casefold()] for key in keys]
    overall = [scores.overall[key] for key in keys]
    yield _correlation(keys[0].detector, "", [one.overall for one in of_key], overall)
    for name in dataset.classes.name:
        ap = [scores.by_class.get(key, {}).get(name, math.nan) for key in keys]
        if not all(map(math.isnan, ap)):
            recalls = [one.by_class[name] for one in of_key]
            yield _correlation(keys[0].detector, name, recalls, ap)


def _correlation(
    detector: str, class_name: str, recalls: Sequence[_Recall], ap: Sequence[float]
) -> RecallCorrelation:
    y = np.array(ap)
    ar = np.array([one.ar for one in recalls])
    at_iou = np.stack([one.at_iou for one in recalls])
    return RecallCorrelation(
        detector=detector,
        class_name=class_name,
        n_methods=int((~np.isnan(y) & ~np.isnan(ar)).sum()),
        ious=CORRELATION_IOUS,
        at_iou=owned(np.array([pearson(column, y) for column in at_iou.T])),
        with_ar=pearson(ar, y),
        with_partial_ar=pearson(np.array([one.partial_ar for one in recalls]), y),
    )


def _unpaired(
    proposed: Sequence[Proposed], scores: MethodScores, dataset: Dataset
) -> Iterator[Notice]:
    """What is skipped: scores or proposals without the other, unknown classes."""
    scored = dict.fromkeys(key.method for key in scores.overall)
    lonely = [name for name in scored if not any(_same(name, one.name) for one in proposed)]
    if lonely:
        yield Notice(
            "score_without_proposals",
            len(lonely),
            f"scores of {counted(len(lonely), 'method')} skipped: their proposals were not given "
            f"({some_names(lonely)})",
        )
    unused = [one.name for one in proposed if not any(_same(one.name, name) for name in scored)]
    if unused:
        yield Notice(
            "proposals_without_score",
            len(unused),
            f"proposals of {counted(len(unused), 'method')} skipped: no detector has a score for "
            f"them ({some_names(unused)})",
        )
    named = dict.fromkeys(name for classes in scores.by_class.values() for name in classes)
    unknown = [name for name in named if name not in dataset.classes.name]
    if unknown:
        yield Notice(
            "unknown_class",
            len(unknown),
            f"AP of {counted(len(unknown), 'unknown class', 'unknown classes')} skipped "
            f"({some_names(unknown)})",
        )

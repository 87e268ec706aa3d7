"""AP of a detector with the proposals of each method, from its detections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from boxlens.data import Dataset, Detections, Notice
from boxlens.errors import ParameterError
from boxlens.formats.method_scores import MethodScores, Setting
from boxlens.matching import COCO
from boxlens.metrics.evaluation import choose, evaluate_tables, with_unique_names
from boxlens.metrics.grid import AREA_RANGES, IOU_THRESHOLDS
from boxlens.metrics.results import DetectorResult
from boxlens.progress import Progress
from boxlens.studies.proposals.detection_use.filtering import (
    NearProposals,
    not_raw,
    suppressed,
    suppressed_before,
)
from boxlens.studies.proposals.detection_use.shared_images import (
    cut_to,
    images_searched,
    search_notices,
)
from boxlens.studies.proposals.proposed import Proposed
from boxlens.studies.proposals.recall.matched import ObjectMatches, match_objects

Metric = Literal["AP50", "AP"]
METRICS: tuple[Metric, ...] = get_args(Metric)


def check_metric(metric: str) -> None:
    if metric not in METRICS:
        raise ParameterError(f"mAP is {' or '.join(METRICS)}, got {metric!r} (--metric, metric)")


def scores_of_detections(
    dataset: Dataset,
    detections: Mapping[str, Detections],
    proposed: Sequence[Proposed],
    metric: Metric,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> MethodScores:
    """One table per method: what a detector found that was run on its proposals.

    Counted on the images that all methods of `proposed` have searched.
    """
    images = images_searched(dataset, proposed)
    seen, tables = cut_to(images, dataset, list(detections.values()))
    found: dict[Setting, DetectorResult] = {}
    for method, table in zip(detections, tables, strict=True):
        if progress is not None:
            progress("scoring methods", len(found), len(detections))
        found[Setting("", method)] = evaluated(seen, table, metric, threads)
    return _scores(found, metric, list(detections.values()), search_notices(images))


def scores_of_filtered(
    dataset: Dataset,
    raw: Sequence[Detections],
    proposed: Sequence[Proposed],
    metric: Metric,
    *,
    budget: int,
    filter_iou: float,
    nms_iou: float,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[MethodScores, dict[str, ObjectMatches]]:
    """Raw detections of each detector, filtered by the proposals of each method: nothing is run.

    Counted on the images that all methods have searched. Also what objects each method finds, by
    its name: its proposals are drawn once for both.
    """
    images = images_searched(dataset, proposed)
    seen, tables = cut_to(images, dataset, with_unique_names(raw))
    found: dict[Setting, DetectorResult] = {}
    matches: dict[str, ObjectMatches] = {}
    n_all = len(proposed) * len(tables)
    for method in proposed:
        if progress is not None:
            progress("filtering detections", len(found), n_all)
        every = NearProposals(tables, method, iou=filter_iou, threads=threads)
        matches[method.name] = match_objects(
            dataset, method, [budget], images=images, also=every.add, threads=threads
        )
        for table, near in zip(tables, every.near, strict=True):
            if progress is not None:
                progress("filtering detections", len(found), n_all)
            kept = suppressed(table.where(near), nms_iou, threads=threads)
            found[Setting(table.name, method.name)] = evaluated(seen, kept, metric, threads)
    before = suppressed_before(tables, filter_iou, threads=threads)
    told = (*search_notices(images), *(not_raw(one, filter_iou) for one in before))
    scores = _scores(found, metric, raw, told)
    parameters = {"filter_iou": filter_iou, "nms_iou": nms_iou}
    return replace(scores, parameters=parameters), matches


def _scores(
    found: Mapping[Setting, DetectorResult],
    metric: Metric,
    detections: Sequence[Detections],
    notices: tuple[Notice, ...],
) -> MethodScores:
    return MethodScores(
        metric=metric,
        overall={setting: one.metrics[metric] for setting, one in found.items()},
        by_class={
            setting: {row.name: row.metrics[metric] for row in one.classes}
            for setting, one in found.items()
        },
        detections=tuple(table.source for table in detections),
        notices=(*(notice for table in detections for notice in table.notices), *notices),
    )


def evaluated(
    dataset: Dataset, detections: Detections, metric: Metric, threads: int
) -> DetectorResult:
    """As COCO counts, at an IoU of .5 or over its ten."""
    choice = choose(
        "coco",
        iou_thresholds=IOU_THRESHOLDS[:1] if metric == "AP50" else IOU_THRESHOLDS,
        area_ranges={"all": AREA_RANGES["all"]},
        max_dets=[COCO.max_dets],
    )
    return evaluate_tables(dataset, [detections], choice, threads=threads).detectors[0]

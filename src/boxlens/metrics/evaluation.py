"""How good is it? One evaluation of one or more detectors under one protocol."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeVar, get_args

from boxlens.data import Dataset, Detections
from boxlens.data.known_classes import ClassesChoice
from boxlens.errors import ParameterError
from boxlens.formats.given import (
    GivenAttributes,
    GivenDataset,
    GivenDetections,
    Reading,
    several_names,
    shared_settings,
)
from boxlens.limits import AT_MOST
from boxlens.metrics.grid import AREA_RANGES, IOU_THRESHOLDS, MAX_DETS, GridChoice
from boxlens.metrics.grid_summary import evaluate_grid
from boxlens.metrics.intervals import IntervalMethod, ResamplingChoice
from boxlens.metrics.protocols import (
    Prepared,
    ProtocolName,
    check_protocol,
    prepare,
    prepare_dataset,
)
from boxlens.metrics.ranked_summary import evaluate_ranked
from boxlens.metrics.resampling import Sampler
from boxlens.metrics.results import (
    DetectorResult,
    EvaluationInputs,
    EvaluationResult,
    Extras,
    Provenance,
)
from boxlens.progress import Progress
from boxlens.version import VERSION


class Named(Protocol):
    """A frozen table with a name."""

    @property
    def name(self) -> str: ...


Table = TypeVar("Table", bound=Named)
ExtraName = Literal["curves", "confidence", "confusion", "olrp", "images"]
EXTRAS: tuple[ExtraName, ...] = get_args(ExtraName)
LVIS_MAX_DETS = (300,)


@dataclass(frozen=True, slots=True)
class EvaluationChoice:
    """What to count; None takes the protocol's own value."""

    protocol: ProtocolName = "coco"
    iou_thresholds: tuple[float, ...] | None = None
    area_ranges: Mapping[str, tuple[float, float]] | None = None
    max_dets: tuple[int, ...] | None = None
    group_of_weight: float = 1.0
    also: tuple[ExtraName, ...] = field(default=())
    at_iou: float = 0.5
    min_score: float = 0.25
    # How sure the numbers are, by resampling images; None: not asked for.
    intervals: ResamplingChoice | None = None


def choose(
    protocol: str = "coco",
    *,
    iou_thresholds: Sequence[float] | None = None,
    area_ranges: Mapping[str, tuple[float, float]] | None = None,
    max_dets: Sequence[int] | None = None,
    group_of_weight: float = 1.0,
    also: str | Sequence[str] = (),
    at_iou: float = 0.5,
    min_score: float = 0.25,
    intervals: ResamplingChoice | None = None,
) -> EvaluationChoice:
    """A checked choice: thresholds and limits in ascending order, names known."""
    choice = EvaluationChoice(
        protocol=check_protocol(protocol),
        iou_thresholds=tuple(sorted(set(iou_thresholds))) if iou_thresholds else None,
        area_ranges=area_ranges and {"all": AREA_RANGES["all"], **area_ranges},
        max_dets=tuple(sorted(set(max_dets))) if max_dets else None,
        group_of_weight=group_of_weight,
        also=_check_extras(several_names(also)),
        at_iou=at_iou,
        min_score=min_score,
        intervals=intervals,
    )
    _check_choice(choice)
    return choice


@shared_settings
def evaluate(
    gt: GivenDataset,
    dt: GivenDetections | Sequence[GivenDetections],
    *,
    protocol: str = "coco",
    iou_thresholds: Sequence[float] | None = None,
    area_ranges: Mapping[str, tuple[float, float]] | None = None,
    max_dets: Sequence[int] | None = None,
    group_of_weight: float = 1.0,
    also: str | Sequence[str] = (),
    at_iou: float = 0.5,
    min_score: float = 0.25,
    intervals: bool = False,
    replicates: int = 1000,
    level: float = 0.95,
    interval_method: IntervalMethod = "normal",
    seed: int = 0,
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
) -> EvaluationResult:
    """Scores detections against ground truth; both may be tables or files of any known format.

    `iou_thresholds`, `area_ranges` (name to least and most square pixels; "all" is added) and
    `max_dets` (detections per class and image of COCO, per image of LVIS) replace those of the
    protocol; `group_of_weight` is what a group-of box counts in Open Images. `also` adds readings
    of the same matches at `at_iou`: "curves", "confidence" (precision, recall, F1 and the best
    threshold), "confusion" (at `min_score`), "olrp", "images" (hits, false positives and misses of
    each image).

    >>> result = evaluate(gt, dt)
    >>> result
    EvaluationResult(coco, ground_truth: window AP 0.201)
    >>> result.detectors[0].metrics["AP50"]
    0.38499...
    """
    choice = choose(
        protocol,
        iou_thresholds=iou_thresholds,
        area_ranges=area_ranges,
        max_dets=max_dets,
        group_of_weight=group_of_weight,
        also=also,
        at_iou=at_iou,
        min_score=min_score,
        intervals=ResamplingChoice(replicates, seed, level, interval_method) if intervals else None,
    )
    reading = Reading(
        split, classes, gt_format, dt_format, names, strict, threads, progress, attributes
    )
    dataset, tables = reading.used(gt, dt, classes_used)
    return evaluate_tables(dataset, tables, choice, threads=threads, progress=progress)


def evaluate_tables(
    dataset: Dataset,
    detections: Sequence[Detections],
    choice: EvaluationChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> EvaluationResult:
    """The same for tables in memory."""
    if not detections:
        raise ParameterError("name at least one detections file")
    results: list[DetectorResult] = []
    prepared = _prepare_all(dataset, detections, choice)
    for one in prepared:
        if progress:
            progress("evaluating detectors", len(results), len(detections))
        results.append(_evaluate_one(one, choice, threads))
    if choice.intervals:
        from boxlens.metrics.bootstrap import resample
        from boxlens.metrics.interval_results import with_intervals

        walks = [_sampler(one, choice, threads) for one in prepared]
        drawn = resample(walks, choice.intervals, threads=threads, progress=progress)
        results = [
            with_intervals(result, one, choice.intervals)
            for result, one in zip(results, drawn, strict=True)
        ]
    return EvaluationResult(
        protocol=choice.protocol,
        parameters=_parameters(choice),
        dataset=dataset.name,
        n_images=len(dataset.images),
        n_objects=len(dataset.gt),
        detectors=tuple(results),
        provenance=Provenance(VERSION, dataset.source, tuple(t.source for t in detections)),
        notices=dataset.notices,
        inputs=EvaluationInputs(dataset, tuple(detections), choice.at_iou),
    )


def samplers(
    dataset: Dataset,
    detections: Sequence[Detections],
    choice: EvaluationChoice,
    *,
    threads: int = 0,
) -> list[Sampler]:
    """The same detectors, ready to be counted on resampled images."""
    prepared = _prepare_all(dataset, detections, choice)
    return [_sampler(one, choice, threads) for one in prepared]


def _prepare_all(
    dataset: Dataset, detections: Sequence[Detections], choice: EvaluationChoice
) -> list[Prepared]:
    seen = prepare_dataset(dataset, choice.protocol)
    return [
        prepare(
            seen,
            table,
            choice.protocol,
            annotated=dataset,
            max_dets=choice.max_dets[-1] if choice.max_dets else None,
            group_of_weight=choice.group_of_weight,
        )
        for table in with_unique_names(detections)
    ]


def _sampler(prepared: Prepared, choice: EvaluationChoice, threads: int) -> Sampler:
    from boxlens.metrics.resampling import grid_sampler, ranked_sampler

    if choice.protocol in ("coco", "lvis"):
        return grid_sampler(prepared, _grid_choice(choice), threads=threads)
    return ranked_sampler(prepared, choice.iou_thresholds or (0.5,), threads=threads)


def _evaluate_one(prepared: Prepared, choice: EvaluationChoice, threads: int) -> DetectorResult:
    if choice.protocol in ("coco", "lvis"):
        result = evaluate_grid(prepared, _grid_choice(choice), threads=threads)
    else:
        result = evaluate_ranked(
            prepared,
            choice.iou_thresholds or (0.5,),
            threads=threads,
        )
    if not choice.also:
        return result
    return replace(result, extras=_extras(prepared, choice, threads))


def _extras(prepared: Prepared, choice: EvaluationChoice, threads: int) -> Extras:
    from boxlens.metrics.confidence import confidence
    from boxlens.metrics.confusion import confusion
    from boxlens.metrics.image_counts import image_counts
    from boxlens.metrics.olrp import olrp
    from boxlens.metrics.pr_curves import pr_curves

    cut = choice.min_score
    # Counted once, read many ways.
    matches = prepared.matches(choice.at_iou, keep_hits=True, threads=threads)
    readings: dict[ExtraName, Callable[[], Any]] = {
        "curves": lambda: pr_curves(prepared, matches, threads=threads),
        "confidence": lambda: confidence(prepared, matches),
        "confusion": lambda: confusion(prepared, matches, min_score=cut, threads=threads),
        "olrp": lambda: olrp(prepared, matches, threads=threads),
        "images": lambda: image_counts(prepared, matches, min_score=cut),
    }
    return Extras(**{name: readings[name]() for name in choice.also})


def _grid_choice(choice: EvaluationChoice) -> GridChoice:
    default_limits = LVIS_MAX_DETS if choice.protocol == "lvis" else MAX_DETS
    return GridChoice(
        iou_thresholds=choice.iou_thresholds or IOU_THRESHOLDS,
        area_ranges=choice.area_ranges or AREA_RANGES,
        max_dets=choice.max_dets or default_limits,
        tie_band=True,
    )


def _check_extras(also: Sequence[str]) -> tuple[ExtraName, ...]:
    unknown = [name for name in also if name not in EXTRAS]
    if unknown:
        raise ParameterError(f"unknown extra {unknown[0]!r}: choose from {', '.join(EXTRAS)}")
    return tuple(name for name in EXTRAS if name in also)


def _check_choice(choice: EvaluationChoice) -> None:
    for iou in (*(choice.iou_thresholds or ()), choice.at_iou):
        if not 0 < iou <= 1:
            raise ParameterError(f"an IoU threshold must be above 0 and at most 1, got {iou:g}")
    if not (0 <= choice.group_of_weight < math.inf):
        raise ParameterError(
            f"the group-of weight must be 0 or more, got {choice.group_of_weight:g}"
        )
    if not math.isfinite(choice.min_score):
        raise ParameterError(f"min_score must be a finite number, got {choice.min_score:g}")
    for limit in choice.max_dets or ():
        AT_MOST.check(limit, "max_dets (--max-dets)")
    for name, (low, high) in (choice.area_ranges or {}).items():
        if not 0 <= low <= high:
            raise ParameterError(f"area range {name!r} must ascend from 0, got {low:g}:{high:g}")
    has_areas = choice.protocol in ("coco", "lvis")
    if not has_areas and (choice.area_ranges is not None or choice.max_dets is not None):
        raise ParameterError(f"protocol {choice.protocol} has no area ranges and no max_dets")


def with_unique_names(tables: Sequence[Table]) -> list[Table]:
    """Two detectors or data sets of one name could not be told apart in a table."""
    used: set[str] = set()
    named: list[Table] = []
    for table in tables:
        name, again = table.name, 1
        while name in used:
            again += 1
            name = f"{table.name} ({again})"
        used.add(name)
        renamed: Any = table
        named.append(table if again == 1 else replace(renamed, name=name))
    return named


def _parameters(choice: EvaluationChoice) -> dict[str, Any]:
    if choice.protocol not in ("coco", "lvis"):
        parameters: dict[str, Any] = {"iou_thresholds": list(choice.iou_thresholds or (0.5,))}
        if choice.protocol == "openimages":
            parameters["group_of_weight"] = choice.group_of_weight
    else:
        grid = _grid_choice(choice)
        parameters = {
            "iou_thresholds": list(grid.iou_thresholds),
            "area_ranges": {
                name: [low, high if math.isfinite(high) else None]
                for name, (low, high) in grid.area_ranges.items()
            },
            "max_dets": list(grid.max_dets),
        }
    if choice.also:
        parameters |= {"at_iou": choice.at_iou, "min_score": choice.min_score}
    if choice.intervals:
        parameters["intervals"] = choice.intervals.to_json()
    return parameters

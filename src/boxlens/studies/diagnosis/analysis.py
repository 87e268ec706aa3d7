"""What goes wrong, and what would fixing it add? All schemes, sensitivity and a verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.known_classes import ClassesChoice
from boxlens.data.similarity import Similarity
from boxlens.formats.class_groups import read_similarity
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
from boxlens.matching import COCO
from boxlens.metrics.confusion import ConfusionResult
from boxlens.metrics.grid import count_grid
from boxlens.metrics.intervals import IntervalMethod, ResamplingChoice
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import verified_detections
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.diagnosis.borji import BorjiResult, borji
from boxlens.studies.diagnosis.coco_analyze import CocoAnalyzeResult, coco_analyze
from boxlens.studies.diagnosis.crosswalk import crosswalk
from boxlens.studies.diagnosis.evidence import Evidence, about_background, gather
from boxlens.studies.diagnosis.gallery import gallery
from boxlens.studies.diagnosis.hoiem import HoiemResult, hoiem, match_hoiem
from boxlens.studies.diagnosis.hoiem_types import Assignment
from boxlens.studies.diagnosis.intervals import diagnosis_intervals, over_all_areas
from boxlens.studies.diagnosis.outcomes import Outcomes, confused, outcomes
from boxlens.studies.diagnosis.places import Attribute, Place, error_places, missed_beside_both
from boxlens.studies.diagnosis.result import DiagnosisChoice, DiagnosisResult
from boxlens.studies.diagnosis.side_by_side import SideBySide
from boxlens.studies.diagnosis.tide import TideResult, tide, tide_range
from boxlens.studies.diagnosis.tide_repairs import Bench
from boxlens.studies.diagnosis.tide_types import tide_types
from boxlens.studies.diagnosis.verdict import verdict
from boxlens.studies.sensitivity import (
    LOOSER,
    SensitivityChoice,
    SensitivityResult,
    analyse,
    object_values,
)
from boxlens.version import VERSION
from boxlens.wording import counted

# An attribute with more values than this names objects rather than kinds of them.
MOST_VALUES = 8
# A difference between dAP and the orders of repairs that shows in three digits.
DAP_DIFFERS = 0.0005


@shared_settings
def diagnose(
    gt: GivenDataset,
    dt: GivenDetections,
    *,
    iou: float = 0.5,
    background_iou: float | None = None,
    similar: Similarity | Mapping[str, Collection[str]] | str | PathLike[str] = None,
    assignment: Assignment = "priority",
    tidecv: bool = False,
    tide_range: bool = False,
    by: str | Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float | str]] | None = None,
    cross: str | Sequence[str | tuple[str, str]] = (),
    n_gallery: int = 15,
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
) -> DiagnosisResult:
    """What goes wrong, and the AP gained by fixing it; tables or files of any known format.

    A box is right from `iou` on, and on background below `background_iou` (0.1 by default).
    `similar` says which classes look alike: "supercategory", "tree", "none", groups of names, or
    the path of a file with groups or a tree; by default what the classes themselves show.
    `assignment` says which class a confused false positive is counted with (Hoiem): by "priority"
    or "argmax_iou". `tidecv` adds TIDE with the quirks of tidecv, `tide_range` TIDE at COCO's ten
    thresholds. `by`, `bins` and `cross` are those of `sensitivity`. `n_gallery` errors of each kind
    are listed.

    >>> result = diagnose(gt, dt)
    >>> result.verdict.sentences[1]
    'Finding missed objects would add 0.119 AP50.'
    """
    reading = Reading(
        split, classes, gt_format, dt_format, names, strict, threads, progress, attributes
    )
    whole, tables = reading.whole(gt, one_detector(dt))
    used, (detections,) = reading.of_classes(whole, tables, classes_used)
    choice = DiagnosisChoice(
        iou=iou,
        background_iou=background_iou,
        similar=read_similarity(similar, whole.classes, used.classes),
        assignment=assignment,
        tidecv=tidecv,
        tide_range=tide_range,
        n_gallery=n_gallery,
        characteristics=None if by is None else several_names(by),
        bins={name: tuple(values) for name, values in (bins or {}).items()},
        interactions=pairs_of(cross, "cross"),
        intervals=ResamplingChoice(replicates, seed, level, interval_method) if intervals else None,
    )
    return diagnose_tables(used, detections, choice, threads=threads, progress=progress)


def diagnose_tables(
    dataset: Dataset,
    detections: Detections,
    choice: DiagnosisChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> DiagnosisResult:
    """The same for tables in memory."""
    detections, unverified = verified_detections(dataset, detections, choice.iou, threads=threads)
    evidence = gather(
        dataset,
        detections,
        foreground_iou=choice.iou,
        background_iou=choice.background_iou,
        similar=choice.similar,
        threads=threads,
    )
    found = _readings(evidence, choice, threads, progress)
    metrics = {"AP": found.coco_ap, f"AP{choice.iou * 100:g}": found.borji.ap[0]}
    intervals = None
    if choice.intervals is not None:
        intervals = diagnosis_intervals(
            evidence,
            metrics,
            found.bench,
            found.tide,
            found.hoiem,
            choice.intervals,
            threads=threads,
            progress=progress,
        )
    return DiagnosisResult(
        dataset=dataset,
        detections=detections,
        choice=choice,
        metrics=metrics,
        hoiem=found.hoiem,
        tide=found.tide,
        tidecv=tide(evidence, quirks=True, threads=threads) if choice.tidecv else None,
        tide_range=tide_range(
            dataset, detections, background_iou=evidence.background_iou, threads=threads
        )
        if choice.tide_range
        else None,
        coco_analyze=found.coco_analyze,
        borji=found.borji,
        crosswalk=crosswalk(found.hoiem, found.tide, found.coco_analyze, found.borji),
        confusion=found.confusion,
        outcomes=found.outcomes,
        sensitivity=found.sensitivity,
        places=found.places,
        verdict=verdict(
            found.tide,
            found.places,
            found.sensitivity,
            ap=found.borji.ap[0],
            n_beside_both=missed_beside_both(evidence, found.tide.types),
        ),
        gallery=gallery(evidence, found.hoiem, n_each=choice.n_gallery),
        provenance=Provenance(VERSION, dataset.source, (detections.source,)),
        notices=(
            *dataset.notices,
            *detections.notices,
            *unverified,
            *about_background(evidence, choice.background_iou),
            *_own_notices(evidence, found.tide),
            *found.sensitivity.notices,
            *(intervals.notices if intervals else ()),
        ),
        intervals=intervals,
    )


@dataclass(frozen=True, slots=True)
class _Readings:
    """What the schemes say, each read off the evidence by itself."""

    hoiem: HoiemResult
    sensitivity: SensitivityResult
    tide: TideResult
    bench: Bench
    places: tuple[Place, ...]
    coco_analyze: CocoAnalyzeResult
    borji: BorjiResult
    confusion: ConfusionResult
    outcomes: Outcomes
    coco_ap: float


def _readings(
    evidence: Evidence, choice: DiagnosisChoice, threads: int, progress: Progress | None
) -> _Readings:
    """All of them at once; only the places of gains wait for two others."""
    with SideBySide(threads, progress, n_steps=7) as jobs:
        each = jobs.threads_each
        of_hoiem = jobs.start(_hoiem_and_sensitivity, evidence, choice, each)
        of_tide = jobs.start(_tide_and_bench, evidence, each)
        of_analyze = jobs.start(coco_analyze, evidence, threads=each)
        of_borji = jobs.start(borji, evidence, threads=each)
        of_confusion = jobs.start(_confusion_and_outcomes, evidence, each)
        of_ap = jobs.start(_coco_ap, evidence, each)
        hoiem_result, sensitivity = jobs.finish("Hoiem", of_hoiem)
        tide_result, bench = jobs.finish("TIDE", of_tide)
        attributes = _attributes(sensitivity, evidence)
        of_places = jobs.start(error_places, evidence, bench, tide_result, attributes, threads=each)
        confusion, of_each = jobs.finish("confusions", of_confusion)
        return _Readings(
            hoiem=hoiem_result,
            sensitivity=sensitivity,
            tide=tide_result,
            bench=bench,
            coco_analyze=jobs.finish("COCO analyze", of_analyze),
            borji=jobs.finish("Borji", of_borji),
            confusion=confusion,
            outcomes=of_each,
            coco_ap=jobs.finish("AP", of_ap),
            places=jobs.finish("verdict", of_places),
        )


def _hoiem_and_sensitivity(
    evidence: Evidence, choice: DiagnosisChoice, threads: int
) -> tuple[HoiemResult, SensitivityResult]:
    """Both are readings of Hoiem's matches."""
    of_objects = _sensitivity_choice(choice, evidence.background_iou)
    matches = match_hoiem(evidence, of_objects.looser_overlaps, threads=threads)
    sensitivity = analyse(
        evidence.dataset, evidence.detections, evidence.ranking, matches, of_objects
    )
    return hoiem(evidence, matches, assignment=choice.assignment), sensitivity


def _confusion_and_outcomes(evidence: Evidence, threads: int) -> tuple[ConfusionResult, Outcomes]:
    """Both are readings of COCO's matches."""
    confusion, matches = confused(evidence, threads=threads)
    return confusion, outcomes(evidence, matches)


def _tide_and_bench(evidence: Evidence, threads: int) -> tuple[TideResult, Bench]:
    bench = Bench.of(evidence, tide_types(evidence, threads=threads))
    return tide(evidence, bench, threads=threads), bench


def _sensitivity_choice(choice: DiagnosisChoice, background_iou: float) -> SensitivityChoice:
    between = [iou for iou in LOOSER if background_iou < iou < choice.iou]
    return SensitivityChoice(
        characteristics=choice.characteristics,
        bins=choice.bins or {},
        interactions=choice.interactions,
        iou=choice.iou,
        looser=(background_iou, *between),
    )


def _attributes(sensitivity: SensitivityResult, evidence: Evidence) -> list[Attribute]:
    """Characteristics with few values, by which a gain may be told apart."""
    names = [
        row.name
        for row in sensitivity.characteristics
        if row.kind == "values" and len(row.subset_names) <= MOST_VALUES
    ]
    columns = object_values(evidence.dataset, ~evidence.ignored, names)
    return [Attribute(name, values, code) for name, values, code in columns]


def _coco_ap(evidence: Evidence, threads: int) -> float:
    """Over COCO's ten thresholds; the start of Borji's sequence is AP at the IoU chosen."""
    tables = (evidence.dataset, evidence.detections)
    return mean_defined(count_grid(*tables, COCO, over_all_areas(), threads=threads).precision)


def _own_notices(evidence: Evidence, result: TideResult) -> list[Notice]:
    notices = []
    alone = int((~evidence.similar.any(axis=1)).sum())
    n_classes = len(evidence.dataset.classes)
    if alone == n_classes > 0:
        message = (
            "no class is known to be similar to another: all confusions count as of other classes, "
            "and the gain of removing similar ones is undefined (give groups of similar classes)"
        )
        notices.append(Notice("no_similar_classes", n_classes, message))
    elif alone:
        have = "has" if alone == 1 else "have"
        message = f"{alone} of {n_classes} classes {have} no similar class"
        notices.append(Notice("some_without_similar_class", alone, message))
    empty = [row for row in result.classes if row.n_objects == 0 and row.n["fp"] > 0]
    if empty:
        message = (
            f"TIDE counts {counted(len(empty), 'class', 'classes')} with detections but no objects "
            "as 0 in its mean; COCO skips them"
        )
        notices.append(Notice("zero_in_the_mean_of_tide", len(empty), message))
    differing = [
        row for row in result.orders if abs(row.first - result.gain[row.name]) >= DAP_DIFFERS
    ]
    if differing:
        message = (
            "AP gained differs between TIDE's table and the verdict for "
            f"{', '.join(row.name for row in differing)}: where a fix leaves a class without "
            "objects, TIDE counts its AP as 0, the verdict and the orders of fixes as 1"
        )
        notices.append(Notice("dap_differs", len(differing), message))
    return notices

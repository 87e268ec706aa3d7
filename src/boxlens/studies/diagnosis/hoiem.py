"""Hoiem's false positives: poorly placed, similar class, other class, background (METHODS 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boxlens.data.columns import Floats, Labels, Rows
from boxlens.errors import ParameterError
from boxlens.matching import HOIEM, Matches, assign
from boxlens.metrics.hits import POSITIVES_SHARE, area_ap_with_error
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, inline
from boxlens.metrics.means import mean_defined
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.hoiem_repairs import Ladder, impacts, repair_orders
from boxlens.studies.diagnosis.hoiem_trends import (
    DetectionTrend,
    FpTrend,
    detection_trend,
    fp_trend,
)
from boxlens.studies.diagnosis.hoiem_types import (
    FP_TYPES,
    Assignment,
    HoiemType,
    corrected_labels,
    hoiem_types,
)
from boxlens.studies.diagnosis.orders import RepairGain

# A class must give this share of the top false positives to be named.
NAMED_SHARE = 0.1


IMPACTS = ("loc_removed", "loc_corrected", "sim_removed", "bg_removed")


@dataclass(frozen=True, slots=True)
class Confusion:
    """A class that many of the top false positives fall on."""

    other: str = field(metadata=as_key("class"))
    kind: str
    n: int
    share: float


def _fp_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind.label: counts[kind.label] for kind in FP_TYPES}


def _top_to_json(top: Mapping[str, int]) -> dict[str, Any]:
    others = {"top_correct": top["correct"], "top_ignored": top["ignored"]}
    return {"top_fp": _fp_counts(top), **others}


@dataclass(frozen=True, slots=True)
class HoiemClass:
    """One class: how good, what is wrong in its top N_j detections, what removing it brings."""

    name: str = field(metadata=as_key("class"))
    n_objects: int
    n_detections: int
    ap: float = field(metadata=as_key("AP"))
    ap_se: float = field(metadata=as_key("AP_se"))
    ap_n: float = field(metadata=as_key("AP_N"))
    ap_n_se: float = field(metadata=as_key("AP_N_se"))
    # Verdicts among the top N_j detections, and along the whole ranking, by label.
    top: Mapping[str, int] = field(metadata=inline(_top_to_json))
    whole: Mapping[str, int] = field(metadata=as_key("all_fp", _fp_counts))
    impact: Mapping[str, float]
    confusions: tuple[Confusion, ...]

    @property
    def top_fp(self) -> dict[str, int]:
        return _fp_counts(self.top)


@dataclass(frozen=True, slots=True)
class HoiemSet:
    """Classes taken together: counts are added, impacts averaged (METHODS 1.4)."""

    name: str
    classes: tuple[str, ...]
    ap: float = field(metadata=as_key("AP"))
    ap_n: float = field(metadata=as_key("AP_N"))
    top_fp: Mapping[str, int]
    impact: Mapping[str, float]

    @property
    def title(self) -> str:
        """A class, or a set of classes and how many they are."""
        if len(self.classes) == 1:
            return self.classes[0]
        what = "all classes" if self.name == "all" else self.name
        return f"{what} ({len(self.classes)})"


@dataclass(frozen=True, slots=True)
class HoiemResult(JsonRecord):
    """Types of all detections, classes, sets of classes, and trends along the ranking."""

    iou: float
    weak_iou: float
    # N of P_N (METHODS 2.1).
    normal: float
    assignment: Assignment
    # A HoiemType by detection.
    det_type: Labels = field(metadata=HIDDEN)
    # The object a false positive falls on, -1 for background.
    det_gt_row: Rows = field(metadata=HIDDEN)
    # With that object; NaN for background.
    det_iou: Floats = field(metadata=HIDDEN)
    # By object: 1 found, 0 not found, -1 counts not.
    gt_found: Labels = field(metadata=HIDDEN)
    classes: tuple[HoiemClass, ...]
    # All classes first, then supercategories.
    sets: tuple[HoiemSet, ...]
    fp_trend: FpTrend
    detection_trend: DetectionTrend
    # All orders of correcting Loc and removing Sim, Oth and BG.
    orders: tuple[RepairGain, ...] = field(metadata=HIDDEN)


def match_hoiem(evidence: Evidence, looser: Sequence[float] = (), *, threads: int = 0) -> Matches:
    """Who hit what at looser overlaps, ascending, and last at the foreground IoU."""
    return assign(
        evidence.dataset,
        evidence.detections,
        evidence.pairs_where(evidence.same_class),
        HOIEM,
        iou_thresholds=(*looser, evidence.foreground_iou),
        keep_hits=True,
        threads=threads,
    )


def hoiem(
    evidence: Evidence, matches: Matches | None = None, *, assignment: Assignment = "priority"
) -> HoiemResult:
    """`matches` are those of `match_hoiem`, from the background IoU on."""
    if assignment not in ("priority", "argmax_iou"):
        raise ParameterError(f"assignment is 'priority' or 'argmax_iou', got {assignment!r}")
    if matches is None:
        matches = match_hoiem(evidence, (evidence.background_iou,))
    strict = len(matches.iou_thresholds) - 1
    labels, weak = matches.labels(strict), matches.labels(0)
    positive = matches.positives()
    n_classes = len(evidence.dataset.classes)
    n_positive = np.bincount(evidence.dataset.gt.class_row[positive], minlength=n_classes)
    det_type, det_gt_row, det_iou = hoiem_types(evidence, labels, assignment)
    # The impact keeps the priority, whichever way the types are counted (METHODS 1.2).
    flags = det_type if assignment == "priority" else hoiem_types(evidence, labels, "priority")[0]
    plain = Ladder.of(evidence.ranking, labels, flags, n_positive)
    corrected = Ladder.of(evidence.ranking, corrected_labels(weak, flags), flags, n_positive)
    normal = POSITIVES_SHARE * len(evidence.dataset.images)
    classes = _classes(evidence, plain, corrected, det_type, det_gt_row, normal)
    found = (matches.gt_hit & matches.bit(strict)) != 0
    return HoiemResult(
        iou=evidence.foreground_iou,
        weak_iou=evidence.background_iou,
        normal=normal,
        assignment=assignment,
        det_type=det_type,
        det_gt_row=det_gt_row,
        det_iou=det_iou,
        gt_found=np.where(positive, found, -1).astype(np.int8),
        classes=classes,
        sets=_sets(evidence, classes),
        fp_trend=fp_trend(evidence.ranking, det_type),
        detection_trend=detection_trend(evidence.ranking, det_type, weak, n_positive),
        orders=repair_orders(plain, corrected),
    )


def _classes(
    evidence: Evidence,
    plain: Ladder,
    corrected: Ladder,
    det_type: Labels,
    det_gt_row: Rows,
    normal: float,
) -> tuple[HoiemClass, ...]:
    n_positive = plain.n_positive
    ap, ap_se = area_ap_with_error(plain.hits, n_positive)
    ap_n, ap_n_se = area_ap_with_error(plain.hits, n_positive, normal)
    has_similar = np.asarray(evidence.similar.any(axis=1))
    impact = impacts(plain, corrected, has_similar)
    rows = []
    for row, name in enumerate(evidence.dataset.classes.name):
        ranked = evidence.ranking.of_class(row)
        top = ranked[: n_positive[row]]
        rows.append(
            HoiemClass(
                name=name,
                n_objects=int(n_positive[row]),
                n_detections=len(ranked),
                ap=float(ap[row]),
                ap_se=float(ap_se[row]),
                ap_n=float(ap_n[row]),
                ap_n_se=float(ap_n_se[row]),
                top=_counts(det_type[top]),
                whole=_counts(det_type[ranked]),
                impact={key: float(values[row]) for key, values in impact.items()},
                confusions=_confusions(evidence, top, det_type, det_gt_row),
            )
        )
    return tuple(rows)


def _counts(types: Labels) -> dict[str, int]:
    n = np.bincount(types, minlength=len(HoiemType)).tolist()
    return {kind.label: n[kind] for kind in HoiemType}


def _confusions(
    evidence: Evidence, top: Rows, det_type: Labels, det_gt_row: Rows
) -> tuple[Confusion, ...]:
    n_fp = int((det_type[top] >= HoiemType.LOC).sum())
    confused = top[(det_type[top] == HoiemType.SIM) | (det_type[top] == HoiemType.OTH)]
    others = evidence.dataset.gt.class_row[det_gt_row[confused]]
    counts = np.bincount(others, minlength=len(evidence.dataset.classes))
    by_count = np.argsort(-counts, kind="stable")
    named = by_count[counts[by_count] >= max(NAMED_SHARE * n_fp, 1)]
    own = evidence.detections.class_row[top[0]] if len(top) else -1
    return tuple(
        Confusion(
            other=evidence.dataset.classes.name[row],
            kind=(HoiemType.SIM if evidence.similar[own, row] else HoiemType.OTH).label,
            n=int(counts[row]),
            share=float(counts[row] / n_fp),
        )
        for row in named.tolist()
    )


def _sets(evidence: Evidence, classes: Sequence[HoiemClass]) -> tuple[HoiemSet, ...]:
    groups = {"all": range(len(classes)), **evidence.dataset.classes.by_supercategory()}
    return tuple(_set(name, [classes[row] for row in rows]) for name, rows in groups.items())


def _set(name: str, rows: Sequence[HoiemClass]) -> HoiemSet:
    def mean(values: list[float]) -> float:
        return mean_defined(np.array(values, dtype=np.float64))

    return HoiemSet(
        name=name,
        classes=tuple(row.name for row in rows),
        ap=mean([row.ap for row in rows]),
        ap_n=mean([row.ap_n for row in rows]),
        top_fp={kind.label: sum(row.top[kind.label] for row in rows) for kind in FP_TYPES},
        impact={key: mean([row.impact[key] for row in rows]) for key in IMPACTS},
    )

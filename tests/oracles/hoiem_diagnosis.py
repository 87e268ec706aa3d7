"""Hoiem's analysis of false positives, one loop a question (METHODS 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boxlens.data import Dataset, Detections
from oracles import average_precision, hoiem
from oracles.model import Matching, Scene, count_positives, iou, ranking
from planted_worlds import scene_of

TP, IGNORED = "tp", "ignored"
KINDS = ("loc", "sim", "oth", "bg")
FALSE_POSITIVES = tuple(25 * 2**k for k in range(8))
FRACTIONS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
# similar[a][b]: whether two classes look alike; a NumPy matrix will do.
Similar = Sequence[Sequence[bool]]


@dataclass(frozen=True)
class Verdict:
    """Types by detection, in priority and as asked for, and both matchings."""

    scene: Scene
    strong: Matching
    weak: Matching
    by_priority: list[str]
    types: list[str]


def diagnose(
    dataset: Dataset,
    detections: Detections,
    similar: Similar,
    *,
    assign: str = "priority",
    foreground: float = 0.5,
    background: float = 0.1,
    normal: float | None = None,
) -> dict[str, Any]:
    """{"types": one a detection, "classes": one dict a class row}. `normal` is N of METHODS 2.1."""
    verdict = judge(dataset, detections, similar, assign, foreground, background)
    n_normal = 0.15 * len(dataset.images) if normal is None else normal
    return {
        "types": verdict.types,
        "classes": [
            class_result(verdict, cls, n_normal, has_similar=any(similar[cls]))
            for cls in verdict.scene.classes
        ],
    }


def judge(
    dataset: Dataset,
    detections: Detections,
    similar: Similar,
    assign: str,
    foreground: float,
    background: float,
) -> Verdict:
    scene = scene_of(dataset, detections)
    strong, weak = hoiem.match(scene, foreground), hoiem.match(scene, background)
    choose = {"priority": priority_kind, "argmax_iou": largest_kind}
    types: dict[str, list[str]] = {}
    for name, kind_of in choose.items():
        types[name] = []
        for d, label in enumerate(strong.label):
            if label == -1:
                types[name].append(kind_of(scene, d, similar, background))
            else:
                types[name].append(TP if label == 1 else IGNORED)
    return Verdict(scene, strong, weak, types["priority"], types[assign])


def priority_kind(scene: Scene, d: int, similar: Similar, background: float) -> str:
    """METHODS 1.2: Loc, Sim, Oth, BG. Overlaps with ignored objects count like all others."""
    found = scene.detections[d]
    touched: set[str] = set()
    for obj in scene.objects:
        if obj.image == found.image and iou(found.box, obj.box) >= background:
            touched.add(relation(found.cls, obj.cls, similar))
    return next((kind for kind in KINDS if kind in touched), "bg")


def largest_kind(scene: Scene, d: int, similar: Similar, background: float) -> str:
    """METHODS 1.2, the code's pies: what is not Loc goes to the class of its largest IoU."""
    if priority_kind(scene, d, similar, background) == "loc":
        return "loc"
    found = scene.detections[d]
    kind, largest = "bg", background
    for obj in scene.objects:
        overlap = iou(found.box, obj.box)
        if obj.image == found.image and obj.cls != found.cls and overlap >= largest:
            kind, largest = relation(found.cls, obj.cls, similar), overlap
    return kind


def relation(found_cls: int, object_cls: int, similar: Similar) -> str:
    if found_cls == object_cls:
        return "loc"
    return "sim" if similar[found_cls][object_cls] else "oth"


def class_result(
    verdict: Verdict, cls: int, n_normal: float, *, has_similar: bool
) -> dict[str, Any]:
    positives = count_positives(verdict.scene, cls, verdict.strong)
    ranked = ranking(verdict.scene, cls)
    labels = labels_of(verdict.strong, ranked)
    top = [verdict.types[d] for d in ranked[:positives]]
    return {
        "n_objects": positives,
        "ap": average_precision.ap_full(labels, positives),
        "ap_se": average_precision.standard_error(labels, positives),
        "ap_n": average_precision.ap_normalized(labels, positives, n_normal),
        "ap_n_se": average_precision.standard_error_normalized(labels, positives, n_normal),
        "top": {"correct": top.count(TP), IGNORED: top.count(IGNORED)}
        | {kind: top.count(kind) for kind in KINDS},
        "impact": impact(verdict, ranked, positives, has_similar=has_similar),
        "false_positive_trend": false_positive_trend(verdict, ranked),
        "detection_trend": detection_trend(verdict, ranked, positives),
    }


def labels_of(matching: Matching, ranked: list[int]) -> list[int]:
    """Labels in order of rank; this rule judges every detection."""
    return [label for d in ranked if (label := matching.label[d]) is not None]


def impact(
    verdict: Verdict, ranked: list[int], positives: int, *, has_similar: bool
) -> dict[str, float]:
    """METHODS 1.4. The flags of METHODS 1.2 are those of the priority, whatever fills the pie."""

    def without(*kinds: str) -> float:
        kept = [d for d in ranked if verdict.by_priority[d] not in kinds]
        return average_precision.ap_full(labels_of(verdict.strong, kept), positives)

    start = without()
    not_duplicate = [d for d in ranked if d not in verdict.weak.duplicate]
    corrected = average_precision.ap_full(labels_of(verdict.weak, not_duplicate), positives)
    repaired = {
        "loc_removed": without("loc"),
        "loc_corrected": corrected,
        "sim_removed": without("sim") if has_similar else math.nan,
        "bg_removed": without("oth", "bg"),
    }
    return {
        name: math.nan if math.isnan(ap) else max(ap - start, 0.0) for name, ap in repaired.items()
    }


def false_positive_trend(verdict: Verdict, ranked: list[int]) -> list[dict[str, float]]:
    """METHODS 1.5: the share of each kind among the first 25, 50 ... 3200 false positives."""
    errors = [verdict.types[d] for d in ranked if verdict.types[d] in KINDS]
    return [
        {kind: errors[:n].count(kind) / n if len(errors) >= n else math.nan for kind in KINDS}
        for n in FALSE_POSITIVES
    ]


def detection_trend(verdict: Verdict, ranked: list[int], positives: int) -> list[dict[str, float]]:
    """METHODS 1.5: what is among the first 1/8 ... 8 times N_j detections, and recall there."""
    points = []
    for fraction in FRACTIONS:
        n = max(math.floor(fraction * positives + 0.5), 1)
        point: dict[str, float] = dict.fromkeys(
            (TP, *KINDS, IGNORED, "recall", "recall_weak"), math.nan
        )
        if positives and len(ranked) >= n:
            first = ranked[:n]
            for kind in (TP, *KINDS, IGNORED):
                point[kind] = [verdict.types[d] for d in first].count(kind)
            point["recall"] = labels_of(verdict.strong, first).count(1) / positives
            point["recall_weak"] = labels_of(verdict.weak, first).count(1) / positives
        points.append(point)
    return points

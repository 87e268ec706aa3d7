"""COCO's matching, curves and twelve numbers (METHODS 0.5 `coco`, 10), one loop a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracles.model import (
    EVERY_AREA,
    NOBODY,
    Matching,
    Object,
    Scene,
    area_of,
    considered,
    count_positives,
    detections_of,
    inside,
    iou,
    objects_of,
)

THRESHOLDS: list[float] = np.linspace(0.5, 0.95, 10).tolist()
RECALLS: list[float] = np.linspace(0.0, 1.0, 101).tolist()
AREAS = {
    "all": EVERY_AREA,
    "small": (0.0, 1024.0),
    "medium": (1024.0, 9216.0),
    "large": (9216.0, 1e10),
}
MAX_DETS = (1, 10, 100)
EPS = 2.220446049250313e-16


def is_ignored(obj: Object, area_range: tuple[float, float]) -> bool:
    """METHODS 0.4 and 10: the object's own `area` decides, not its box."""
    return is_region(obj) or obj.difficult or not inside(obj.area, area_range)


def is_region(obj: Object) -> bool:
    """METHODS 0.5: the overlap is the share of the detection inside, and any number may share it."""
    return obj.crowd or obj.group_of


def match(
    scene: Scene,
    threshold: float,
    area_range: tuple[float, float] = EVERY_AREA,
    max_det: int = 100,
) -> Matching:
    matching = Matching.blank(scene)
    for g, obj in enumerate(scene.objects):
        matching.ignored[g] = is_ignored(obj, area_range)
    for image in scene.images:
        for cls in scene.classes:
            objects = objects_of(scene, image, cls)
            for d in detections_of(scene, image, cls)[:max_det]:
                g = choose(scene, matching, d, objects, threshold)
                if g != NOBODY:
                    matching.pair(d, g)
                elif inside(area_of(scene.detections[d].box), area_range):
                    matching.label[d] = -1
                else:
                    matching.label[d] = 0
    return matching


def choose(scene: Scene, matching: Matching, d: int, objects: list[int], threshold: float) -> int:
    """METHODS 0.5: ignored objects are asked only where no regular one will do."""
    regular = [g for g in objects if not matching.ignored[g]]
    ignored = [g for g in objects if matching.ignored[g]]
    best = best_free(scene, matching, d, regular, threshold)
    if best == NOBODY:
        best = best_free(scene, matching, d, ignored, threshold)
    return best


def best_free(
    scene: Scene, matching: Matching, d: int, objects: list[int], threshold: float
) -> int:
    """The object of highest overlap; a region serves any number, and the later wins a tie."""
    best, best_overlap = NOBODY, min(threshold, 1 - 1e-10)
    for g in objects:
        obj = scene.objects[g]
        if matching.detection_of[g] != NOBODY and not is_region(obj):
            continue
        overlap = iou(scene.detections[d].box, obj.box, crowd=is_region(obj))
        if overlap >= best_overlap:
            best, best_overlap = g, overlap
    return best


@dataclass(frozen=True)
class Curve:
    """Precision and score at the 101 recalls, and the last recall; -1 without positives."""

    precision: list[float]
    score: list[float]
    recall: float


UNDEFINED = Curve([-1.0] * len(RECALLS), [-1.0] * len(RECALLS), -1.0)


def curve(scene: Scene, cls: int, matching: Matching) -> Curve:
    positives = count_positives(scene, cls, matching)
    if positives == 0:
        return UNDEFINED
    tp = fp = 0
    recall, precision, score = [], [], []
    for d in considered(scene, cls, matching):
        tp += matching.label[d] == 1
        fp += matching.label[d] == -1
        recall.append(tp / positives)
        precision.append(tp / (fp + tp + EPS))
        score.append(scene.detections[d].score)
    for i in range(len(precision) - 1, 0, -1):
        precision[i - 1] = max(precision[i - 1], precision[i])
    first = [first_at_least(recall, wanted) for wanted in RECALLS]
    return Curve(
        precision=[0.0 if i is None else precision[i] for i in first],
        score=[0.0 if i is None else score[i] for i in first],
        recall=recall[-1] if recall else 0.0,
    )


def first_at_least(values: list[float], wanted: float) -> int | None:
    for i, value in enumerate(values):
        if value >= wanted:
            return i
    return None


@dataclass(frozen=True)
class Evaluation:
    """The curve of every (threshold, class, area name, max_det)."""

    classes: tuple[int, ...]
    curves: dict[tuple[float, int, str, int], Curve]

    def mean_precision(
        self,
        thresholds: list[float],
        area: str,
        max_det: int,
        classes: tuple[int, ...] | None = None,
    ) -> float:
        """AP over thresholds, recalls and classes that have positives; -1 where none has."""
        return _mean_of_defined(
            [
                self.curves[t, cls, area, max_det].precision[r]
                for t in thresholds
                for r in range(len(RECALLS))
                for cls in (self.classes if classes is None else classes)
            ]
        )

    def mean_recall(self, area: str, max_det: int) -> float:
        return _mean_of_defined(
            [self.curves[t, cls, area, max_det].recall for t in THRESHOLDS for cls in self.classes]
        )


def evaluate(scene: Scene) -> Evaluation:
    curves = {}
    for threshold in THRESHOLDS:
        for name, area_range in AREAS.items():
            for max_det in MAX_DETS:
                matching = match(scene, threshold, area_range, max_det)
                for cls in scene.classes:
                    curves[threshold, cls, name, max_det] = curve(scene, cls, matching)
    return Evaluation(scene.classes, curves)


def summary(evaluation: Evaluation) -> list[float]:
    """AP, AP50, AP75, AP by size, AR at 1, 10 and 100 detections, AR by size."""
    sizes = ("small", "medium", "large")
    return [
        evaluation.mean_precision(THRESHOLDS, "all", 100),
        evaluation.mean_precision([0.5], "all", 100),
        evaluation.mean_precision([0.75], "all", 100),
        *(evaluation.mean_precision(THRESHOLDS, size, 100) for size in sizes),
        *(evaluation.mean_recall("all", max_det) for max_det in MAX_DETS),
        *(evaluation.mean_recall(size, 100) for size in sizes),
    ]


def _mean_of_defined(values: list[float]) -> float:
    defined = [value for value in values if value > -1]
    # NumPy adds in pairs; a plain sum differs from pycocotools in the last bit.
    return float(np.mean(defined)) if defined else -1.0

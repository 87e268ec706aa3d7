"""LVIS's matching and thirteen numbers (METHODS 9.5): COCO's, on federated annotations.

Where METHODS is silent the `lvis` package decides: the cut at 300 comes before detections of
unverified classes are dropped, and neither objects nor detections of zero area take part.
"""

from __future__ import annotations

from oracles import coco
from oracles.model import (
    EVERY_AREA,
    NOBODY,
    Matching,
    Scene,
    area_of,
    detections_of,
    inside,
    iou,
    objects_of,
)

MAX_DET = 300


def match(
    scene: Scene,
    threshold: float,
    area_range: tuple[float, float] = EVERY_AREA,
    max_det: int = MAX_DET,
) -> Matching:
    matching = Matching.blank(scene)
    for g, obj in enumerate(scene.objects):
        counts = takes_part(obj.area) and not obj.difficult
        matching.ignored[g] = not counts or not inside(obj.area, area_range)
    kept = verified(scene, best_of_each_image(scene, max_det))
    for image in scene.images:
        for cls in scene.classes:
            objects = objects_of(scene, image, cls)
            objects = [g for g in objects if takes_part(scene.objects[g].area)]
            for d in detections_of(scene, image, cls):
                if d in kept:
                    label_one(
                        scene, matching, d, objects, threshold=threshold, area_range=area_range
                    )
    return matching


def takes_part(area: float) -> bool:
    return area > 0


def best_of_each_image(scene: Scene, max_det: int) -> set[int]:
    """METHODS 10: the limit holds for an image over all classes; ties in file order."""
    kept: set[int] = set()
    for image in scene.images:
        found = [d for d, det in enumerate(scene.detections) if det.image == image]
        kept.update(sorted(found, key=lambda d: -scene.detections[d].score)[:max_det])
    return kept


def verified(scene: Scene, detections: set[int]) -> set[int]:
    """METHODS 9.5: the class is annotated in the image, or known to be absent."""
    present = {(obj.image, obj.cls) for obj in scene.objects if takes_part(obj.area)}
    kept = set()
    for d in detections:
        det = scene.detections[d]
        absent = det.cls in (scene.negative or {}).get(det.image, ())
        if takes_part(area_of(det.box)) and (absent or (det.image, det.cls) in present):
            kept.add(d)
    return kept


def label_one(
    scene: Scene,
    matching: Matching,
    d: int,
    objects: list[int],
    *,
    threshold: float,
    area_range: tuple[float, float],
) -> None:
    det = scene.detections[d]
    g = choose(scene, matching, d, objects, threshold)
    exhaustive = det.cls not in (scene.not_exhaustive or {}).get(det.image, ())
    if g != NOBODY:
        matching.pair(d, g)
    elif exhaustive and inside(area_of(det.box), area_range):
        matching.label[d] = -1
    else:
        matching.label[d] = 0


def choose(scene: Scene, matching: Matching, d: int, objects: list[int], threshold: float) -> int:
    """As COCO chooses, but LVIS knows no crowds or groups: every object serves one detection."""
    for wanted in (False, True):
        best, best_overlap = NOBODY, min(threshold, 1 - 1e-10)
        for g in objects:
            if matching.ignored[g] != wanted or matching.detection_of[g] != NOBODY:
                continue
            overlap = iou(scene.detections[d].box, scene.objects[g].box)
            if overlap >= best_overlap:
                best, best_overlap = g, overlap
        if best != NOBODY:
            return best
    return NOBODY


def evaluate(scene: Scene, max_det: int = MAX_DET) -> coco.Evaluation:
    curves = {}
    for threshold in coco.THRESHOLDS:
        for name, area_range in coco.AREAS.items():
            matching = match(scene, threshold, area_range, max_det)
            for cls in scene.classes:
                curves[threshold, cls, name, max_det] = coco.curve(scene, cls, matching)
    return coco.Evaluation(scene.classes, curves)


def summary(scene: Scene, max_det: int = MAX_DET) -> dict[str, float]:
    """AP at all thresholds, .5, .75, by size, for rare, common and frequent classes; AR."""
    evaluation = evaluate(scene, max_det)
    numbers = {
        "AP": evaluation.mean_precision(coco.THRESHOLDS, "all", max_det),
        "AP50": evaluation.mean_precision([0.5], "all", max_det),
        "AP75": evaluation.mean_precision([0.75], "all", max_det),
    }
    for size in ("small", "medium", "large"):
        numbers["AP" + size[0]] = evaluation.mean_precision(coco.THRESHOLDS, size, max_det)
    for group in "rcf":
        frequency = scene.frequency or {}
        classes = tuple(cls for cls in scene.classes if frequency.get(cls) == group)
        numbers["AP" + group] = evaluation.mean_precision(coco.THRESHOLDS, "all", max_det, classes)
    numbers[f"AR@{max_det}"] = evaluation.mean_recall("all", max_det)
    for size in ("small", "medium", "large"):
        numbers[f"AR{size[0]}@{max_det}"] = evaluation.mean_recall(size, max_det)
    return numbers

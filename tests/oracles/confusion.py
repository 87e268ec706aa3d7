"""Which class is taken for which: a confusion matrix with background, at one score cut."""

from __future__ import annotations

from oracles.coco import is_region
from oracles.model import Scene, detections_of, iou

MAX_DET = 100


def confusion_matrix(scene: Scene, score_cut: float, threshold: float) -> list[list[int]]:
    """Rows are true classes, columns predicted ones, in the scene's order, background last."""
    row_of = {cls: row for row, cls in enumerate(scene.classes)}
    background = len(scene.classes)
    matrix = [[0] * (background + 1) for _ in range(background + 1)]
    counted = [
        d
        for image in scene.images
        for cls in scene.classes
        for d in detections_of(scene, image, cls)[:MAX_DET]
    ]
    kept = sorted(d for d in counted if scene.detections[d].score >= score_cut)
    pairs = paired(scene, kept, threshold)
    for d, g in pairs.items():
        matrix[row_of[scene.objects[g].cls]][row_of[scene.detections[d].cls]] += 1
    for g, obj in enumerate(scene.objects):
        if g not in pairs.values() and not is_ignored(scene, g):
            matrix[row_of[obj.cls]][background] += 1
    for d in kept:
        if d not in pairs and not on_ignored(scene, d, threshold):
            matrix[background][row_of[scene.detections[d].cls]] += 1
    return matrix


def is_ignored(scene: Scene, g: int) -> bool:
    return scene.objects[g].difficult or is_region(scene.objects[g])


def paired(scene: Scene, kept: list[int], threshold: float) -> dict[int, int]:
    """Greedy one-to-one pairs over all classes: overlap, one class, score, file order decide."""
    candidates = []
    for d in kept:
        det = scene.detections[d]
        for g, obj in enumerate(scene.objects):
            overlap = iou(det.box, obj.box)
            if obj.image == det.image and not is_ignored(scene, g) and overlap >= threshold:
                candidates.append((-overlap, det.cls != obj.cls, -det.score, d, g))
    object_of: dict[int, int] = {}
    for _, _, _, d, g in sorted(candidates):
        if d not in object_of and g not in object_of.values():
            object_of[d] = g
    return object_of


def on_ignored(scene: Scene, d: int, threshold: float) -> bool:
    """An ignored object excuses any number of detections of any class."""
    det = scene.detections[d]
    return any(
        is_ignored(scene, g)
        and obj.image == det.image
        and iou(det.box, obj.box, crowd=is_region(obj)) >= threshold
        for g, obj in enumerate(scene.objects)
    )

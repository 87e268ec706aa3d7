"""PASCAL VOC's matching (METHODS 0.5 `voc`)."""

from __future__ import annotations

from collections.abc import Callable

from oracles.model import NOBODY, Matching, Scene, detections_of, iou, objects_of

Labelling = Callable[[Scene, Matching, int, list[int], float], None]


def match(scene: Scene, threshold: float, label: Labelling | None = None) -> Matching:
    """By this rule, or by another that looks at one detection after the other (`label`)."""
    matching = Matching.blank(scene)
    for g, obj in enumerate(scene.objects):
        matching.ignored[g] = obj.difficult or obj.crowd or obj.group_of
    for image in scene.images:
        for cls in scene.classes:
            objects = objects_of(scene, image, cls)
            for d in detections_of(scene, image, cls):
                (label or label_one)(scene, matching, d, objects, threshold)
    return matching


def label_one(
    scene: Scene, matching: Matching, d: int, objects: list[int], threshold: float
) -> None:
    g, overlap = closest(scene, d, objects)
    taken = g != NOBODY and matching.detection_of[g] != NOBODY
    if g == NOBODY or overlap < threshold or (taken and not matching.ignored[g]):
        matching.label[d] = -1
    else:
        matching.pair(d, g)


def closest(scene: Scene, d: int, objects: list[int]) -> tuple[int, float]:
    """The object of highest overlap, taken or not; the first wins a tie."""
    best, best_overlap = NOBODY, -1.0
    for g in objects:
        overlap = iou(scene.detections[d].box, scene.objects[g].box)
        if overlap > best_overlap:
            best, best_overlap = g, overlap
    return best, best_overlap

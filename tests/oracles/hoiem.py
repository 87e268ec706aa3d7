"""Hoiem's strong match, from which false positives are typed (METHODS 0.5 `hoiem`, 1.2)."""

from __future__ import annotations

from oracles.model import NOBODY, Matching, Scene, detections_of, iou, objects_of


def match(scene: Scene, threshold: float) -> Matching:
    matching = Matching.blank(scene)
    for g, obj in enumerate(scene.objects):
        matching.ignored[g] = obj.difficult or obj.crowd or obj.group_of
    for image in scene.images:
        for cls in scene.classes:
            objects = objects_of(scene, image, cls)
            for d in detections_of(scene, image, cls):
                label_one(scene, matching, d, objects, threshold)
    return matching


def label_one(
    scene: Scene, matching: Matching, d: int, objects: list[int], threshold: float
) -> None:
    """One detection per object, difficult or not; a later one is a duplicate."""
    box = scene.detections[d].box
    near = [g for g in objects if iou(box, scene.objects[g].box) >= threshold]
    best, best_overlap = NOBODY, -1.0
    for g in near:
        overlap = iou(box, scene.objects[g].box)
        if matching.detection_of[g] == NOBODY and overlap > best_overlap:
            best, best_overlap = g, overlap
    if best != NOBODY:
        matching.pair(d, best)
        return
    matching.label[d] = -1
    if near:
        matching.duplicate.add(d)

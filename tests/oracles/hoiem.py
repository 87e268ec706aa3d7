"""Hoiem's strong match, from which false positives are typed (METHODS 0.5 `hoiem`, 1.2)."""

from __future__ import annotations

from oracles import voc
from oracles.model import NOBODY, Matching, Scene, iou


def match(scene: Scene, threshold: float) -> Matching:
    return voc.match(scene, threshold, label_one)


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

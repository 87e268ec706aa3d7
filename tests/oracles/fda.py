"""Scores of every image of a scene, one loop a step: FDA (METHODS 5.1), and shares of matches."""

from __future__ import annotations

import math
from collections.abc import Sequence

from oracles.coco import match
from oracles.model import Detection, Object, Scene, intersection, iou


def fda(
    scene: Scene,
    score_cut: float,
    *,
    literal: bool = False,
    class_agnostic: bool = False,
) -> list[float]:
    """One value per image, in the scene's order."""
    values = []
    for image in scene.images:
        objects = [obj for obj in scene.objects if obj.image == image and counts(obj)]
        found = [det for det in scene.detections if det.image == image and det.score >= score_cut]
        mapped = shared_objects if literal else one_to_one
        overlaps = mapped(found, objects, class_agnostic)
        n_boxes = len(objects) + len(found)
        values.append(sum(overlaps) / (n_boxes / 2) if n_boxes else 1.0)
    return values


def counts(obj: Object) -> bool:
    return not (obj.crowd or obj.difficult or obj.group_of)


def one_to_one(
    found: Sequence[Detection], objects: Sequence[Object | Detection], class_agnostic: bool
) -> list[float]:
    """The largest IoU first; ties go to one class, the higher score, the earlier in the file."""
    pairs = []
    for d, det in enumerate(found):
        for g, obj in enumerate(objects):
            overlap = iou(det.box, obj.box)
            if overlap > 0 and (class_agnostic or det.cls == obj.cls):
                pairs.append((-overlap, det.cls != obj.cls, -det.score, d, g))
    overlaps, used, taken = [], set(), set()
    for negative, _, _, d, g in sorted(pairs):
        if d not in used and g not in taken:
            used.add(d)
            taken.add(g)
            overlaps.append(-negative)
    return overlaps


def shared_objects(
    found: list[Detection], objects: list[Object], class_agnostic: bool
) -> list[float]:
    """Each detection takes the largest common area; of equal ones the larger IoU."""
    overlaps = []
    for det in found:
        best = (0.0, 0.0)
        for obj in objects:
            if class_agnostic or det.cls == obj.cls:
                best = max(best, (intersection(det.box, obj.box), iou(det.box, obj.box)))
        overlaps.append(best[1])
    return overlaps


def share_of_matches(scene: Scene, measure: str, score_cut: float, threshold: float) -> list[float]:
    """Recall, precision or F1 of COCO's matches, an image at a time."""
    matching = match(scene, threshold)
    values = []
    for image in scene.images:
        labels = [
            label
            for label, det in zip(matching.label, scene.detections, strict=True)
            if det.image == image and det.score >= score_cut
        ]
        hits, wrong = labels.count(1), labels.count(-1)
        n_objects = sum(obj.image == image and counts(obj) for obj in scene.objects)
        if measure == "recall":
            values.append(hits / n_objects if n_objects else math.nan)
        elif measure == "precision":
            values.append(hits / (hits + wrong) if hits + wrong else math.nan)
        else:
            either = hits + wrong + n_objects
            values.append(2 * hits / either if either else 1.0)
    return values

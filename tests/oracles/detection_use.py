"""Filters, suppression, oracles and score curves of METHODS 6.8, one loop a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from oracles import coco
from oracles.model import Box, Scene, iou

UNLIMITED = 10**9
# Places of detections in a scene's list.
Places = list[int]


def near(scene: Scene, boxes: Mapping[int, Sequence[Box]], above: float) -> Places:
    """Detections with more overlap than that with a box of their image, whatever their class."""
    return [
        d
        for d, det in enumerate(scene.detections)
        if any(iou(det.box, box) > above for box in boxes.get(det.image, ()))
    ]


def object_boxes(scene: Scene) -> dict[int, list[Box]]:
    return {
        image: [obj.box for obj in scene.objects if obj.image == image and not coco.is_region(obj)]
        for image in scene.images
    }


def survivors(scene: Scene, places: Places, above: float) -> Places:
    """Best first; whoever overlaps one that stays, in image and class, goes."""
    stay: Places = []
    for d in sorted(places, key=lambda place: (-scene.detections[place].score, place)):
        det = scene.detections[d]
        rivals = [scene.detections[other] for other in stay]
        if not any(
            other.image == det.image and other.cls == det.cls and iou(det.box, other.box) > above
            for other in rivals
        ):
            stay.append(d)
    return sorted(stay)


def labels(scene: Scene, places: Places, max_det: int) -> dict[int, int | None]:
    return dict(
        zip(places, coco.match(part(scene, places), 0.5, max_det=max_det).label, strict=True)
    )


def perfect(scene: Scene, places: Places, stay: Places, at_least: float) -> Places:
    """True positives of all; of those that stay, what neither overlaps one nor was right itself."""
    found = [d for d, label in labels(scene, places, UNLIMITED).items() if label == 1]
    kept = set(found)
    for d, label in labels(scene, stay, 100).items():
        det = scene.detections[d]
        beside = any(
            (other.image, other.cls) == (det.image, det.cls)
            and iou(det.box, other.box) >= min(at_least, 1 - 1e-10)
            for other in (scene.detections[f] for f in found)
        )
        if label == 0 or (label == -1 and not beside):
            kept.add(d)
    return sorted(kept)


def part(scene: Scene, places: Places) -> Scene:
    return replace(scene, detections=tuple(scene.detections[d] for d in places))


def ap50(scene: Scene, places: Places) -> float:
    """NaN where no class has an object."""
    left = part(scene, places)
    matching = coco.match(left, 0.5)
    curves = [coco.curve(left, cls, matching) for cls in scene.classes]
    defined = [fmean(curve.precision) for curve in curves if curve.recall > -1]
    return fmean(defined) if defined else float("nan")


def best_object(scene: Scene, d: int) -> tuple[float, Box | None]:
    """The overlap with the object of its class that a detection overlaps most."""
    det = scene.detections[d]
    best, box = 0.0, None
    for obj in scene.objects:
        if (obj.image, obj.cls) == (det.image, det.cls) and not coco.is_region(obj):
            overlap = iou(det.box, obj.box)
            if overlap > best:
                best, box = overlap, obj.box
    return best, box


def scores_by_iou(scene: Scene, edges: Sequence[float], fewest: int) -> list[float | None]:
    """Bin means of each class from 0 to 1, then the mean of classes; None where no class has any."""
    curves: list[dict[int, float]] = []
    for cls in scene.classes:
        bins: dict[int, list[float]] = {}
        for d, det in enumerate(scene.detections):
            if det.cls != cls:
                continue
            overlap, _ = best_object(scene, d)
            if overlap >= edges[0]:
                row = max(i for i, edge in enumerate(edges[:-1]) if overlap >= edge)
                bins.setdefault(row, []).append(det.score)
        means = {row: fmean(scores) for row, scores in bins.items()}
        if len(means) >= fewest and min(means.values()) < max(means.values()):
            low, high = min(means.values()), max(means.values())
            curves.append({row: (mean - low) / (high - low) for row, mean in means.items()})
    by_bin = [[curve[row] for curve in curves if row in curve] for row in range(len(edges) - 1)]
    return [fmean(values) if values else None for values in by_bin]

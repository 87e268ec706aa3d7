"""mAP as Ultralytics' validation defines it, in plain loops.

Labels: crowds and difficult objects are none. Detections: scored above .001, at most 300 an image.
For each threshold every detection claims the object of its class that it overlaps most, if enough
(of equal overlaps the first; the releases leave it open); an object keeps the best-scored of those
that claim it. Releases sort all pairs by overlap before, but lose that order before objects
choose: a better placed, lower scored detection does not win. Overlaps are float64, there float32.
"""

from __future__ import annotations

import math

import numpy as np

from oracles.model import Scene, iou, objects_of, ranking

LEAST_SCORE = 0.001
MAX_DETECTIONS = 300
TEN_THRESHOLDS = np.linspace(0.5, 0.95, 10).tolist()
GRID = np.linspace(0.0, 1.0, 101).tolist()


def mean_ap(scene: Scene, thresholds: list[float], *, to_one: bool = False) -> float:
    """Mean over thresholds and over classes with labels; `to_one` as releases up to 8.3 had it."""
    labels = [g for g, obj in enumerate(scene.objects) if not obj.crowd and not obj.difficult]
    kept = kept_detections(scene)
    values = []
    for threshold in thresholds:
        correct = hits(scene, labels, kept, threshold)
        for cls in scene.classes:
            n_labels = sum(scene.objects[g].cls == cls for g in labels)
            if n_labels:
                ranked = [d in correct for d in ranking(scene, cls) if d in kept]
                values.append(area(ranked, n_labels, to_one=to_one))
    return sum(values) / len(values) if values else math.nan


def kept_detections(scene: Scene) -> set[int]:
    kept: set[int] = set()
    for image in scene.images:
        here = [
            d
            for d, det in enumerate(scene.detections)
            if det.image == image and det.score > LEAST_SCORE
        ]
        here.sort(key=lambda d: -scene.detections[d].score)
        kept.update(here[:MAX_DETECTIONS])
    return kept


def hits(scene: Scene, labels: list[int], kept: set[int], threshold: float) -> set[int]:
    """Detections that are right."""
    owner: dict[int, int] = {}
    for cls in scene.classes:
        for d in ranking(scene, cls):
            if d not in kept:
                continue
            det = scene.detections[d]
            found = [g for g in objects_of(scene, det.image, cls) if g in labels]
            overlaps = [iou(det.box, scene.objects[g].box) for g in found]
            if overlaps and max(overlaps) >= threshold:
                owner.setdefault(found[overlaps.index(max(overlaps))], d)
    return set(owner.values())


def area(ranked: list[bool], n_labels: int, *, to_one: bool) -> float:
    """Trapezoids between 101 recalls under straight lines through the envelope."""
    if not ranked:
        return 0.0
    points = [(0.0, 1.0)]
    n_right = 0
    for rank, right in enumerate(ranked, start=1):
        n_right += right
        points.append((n_right / n_labels, n_right / rank))
    if not to_one:
        points.append((n_right / n_labels, 0.0))
    points.append((1.0, 0.0))
    envelope = [
        (recall, max(height for _, height in points[at:])) for at, (recall, _) in enumerate(points)
    ]
    heights = [height_at(envelope, recall) for recall in GRID]
    return sum(
        (right - left) * (low + high) / 2
        for left, right, low, high in zip(GRID, GRID[1:], heights, heights[1:], strict=False)
    )


def height_at(points: list[tuple[float, float]], x: float) -> float:
    """On the line after the last point that is not right of x."""
    at = max(i for i, (recall, _) in enumerate(points) if recall <= x)
    if at == len(points) - 1:
        return points[at][1]
    (left, low), (right, high) = points[at], points[at + 1]
    return low + (high - low) * (x - left) / (right - left)

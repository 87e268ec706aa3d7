"""Borji and Iranmanesh's four repairs, one after the other, until AP is 1 (METHODS 4.5)."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from boxlens.data import Dataset, Detections
from oracles import coco
from oracles.average_precision import ap_coco101
from oracles.model import (
    NOBODY,
    Box,
    Scene,
    count_positives,
    detections_of,
    iou,
    objects_of,
    ranked_labels,
)
from planted_worlds import scene_of

REPAIRS = ("background", "localization", "duplicate", "miss")


@dataclass(frozen=True)
class State:
    """The detections that are left, with their boxes, and what COCO's rule says of them."""

    boxes: dict[int, Box]
    label: dict[int, int | None]
    object_of: dict[int, int]
    class_ap: list[float]


def sequence(
    dataset: Dataset,
    detections: Detections,
    foreground: float = 0.5,
    background: float = 0.1,
    max_dets: int = 100,
) -> dict[str, Any]:
    """{"ap": five values, "class_ap"[class][step], "det_step", "gt_step"}."""
    scene = scene_of(dataset, detections)
    limits = (foreground, background, max_dets)
    states = [after(scene, REPAIRS[:n_done], *limits) for n_done in range(4)]
    found = {states[-1].object_of[d] for d in states[-1].boxes}
    class_ap = [[state.class_ap[cls] for state in states] for cls in scene.classes]
    for values in class_ap:
        values.append(last_step(values[0]))
    return {
        "ap": [mean_of_defined([values[step] for values in class_ap]) for step in range(5)],
        "class_ap": class_ap,
        "det_step": [
            -1 if states[0].label.get(d) in (None, 0) else step_of(d, states)
            for d in range(len(scene.detections))
        ],
        "gt_step": [
            -1 if coco.is_ignored(obj, coco.AREAS["all"]) else 0 if g in found else 4
            for g, obj in enumerate(scene.objects)
        ],
    }


def repaired(
    dataset: Dataset,
    detections: Detections,
    steps: Collection[str],
    foreground: float = 0.5,
    background: float = 0.1,
    max_dets: int = 100,
) -> float:
    """Mean AP after some of the four steps, the others left out."""
    scene = scene_of(dataset, detections)
    state = after(scene, steps, foreground, background, max_dets)
    if "miss" not in steps:
        return mean_of_defined(state.class_ap)
    found = {state.object_of[d] for d, label in state.label.items() if label == 1}
    return mean_of_defined([with_the_rest_added(scene, state, cls, found) for cls in scene.classes])


def after(
    scene: Scene, steps: Collection[str], foreground: float, background: float, max_dets: int
) -> State:
    """Some of the first three steps, word by word; it asks nobody whether a detection is excused."""
    boxes = within_limit(scene, max_dets)
    for d in list(boxes):
        overlap, target = closest_target(scene, d)
        if overlap <= background:
            if "background" in steps:
                del boxes[d]
        elif overlap < foreground and "localization" in steps:
            boxes[d] = scene.objects[target].box
    state = judged(scene, boxes, foreground)
    if "duplicate" in steps:
        # COCO's rule hands out regular objects before others, as the step does.
        hits = [d for d, label in state.label.items() if label == 1]
        state = judged(scene, {d: boxes[d] for d in hits}, foreground)
    return state


def step_of(d: int, states: list[State]) -> int:
    """The first state without the detection, or with it in another place; 0 where it stays."""
    for step, (before, now) in enumerate(pairwise(states), start=1):
        if now.boxes.get(d) != before.boxes.get(d):
            return step
    return 0


def with_the_rest_added(scene: Scene, state: State, cls: int, found: set[int]) -> float:
    """Objects nobody found stand above all detections of their class."""
    targets = [
        g
        for g, obj in enumerate(scene.objects)
        if obj.cls == cls and not coco.is_ignored(obj, coco.AREAS["all"])
    ]
    rows = sorted(state.boxes)
    now = replace(scene, detections=tuple(scene.detections[d] for d in rows))
    order = sorted(
        (d for d in range(len(rows)) if now.detections[d].cls == cls),
        key=lambda d: (-now.detections[d].score, scene.images.index(now.detections[d].image), d),
    )
    labels = [state.label[rows[d]] for d in order]
    added = [1 for g in targets if g not in found]
    return ap_coco101([*added, *(label for label in labels if label)], len(targets))


def within_limit(scene: Scene, max_dets: int) -> dict[int, Box]:
    return {
        d: scene.detections[d].box
        for image in scene.images
        for cls in scene.classes
        for d in detections_of(scene, image, cls)[:max_dets]
    }


def judged(scene: Scene, boxes: dict[int, Box], foreground: float) -> State:
    """COCO's rule and AP on what is left of the detections."""
    rows = sorted(boxes)
    now = replace(scene, detections=tuple(replace(scene.detections[d], box=boxes[d]) for d in rows))
    matching = coco.match(now, foreground, max_det=len(rows))
    return State(
        boxes=boxes,
        label=dict(zip(rows, matching.label, strict=True)),
        object_of=dict(zip(rows, matching.object_of, strict=True)),
        class_ap=[
            ap_coco101(ranked_labels(now, cls, matching), count_positives(now, cls, matching))
            for cls in scene.classes
        ],
    )


def closest_target(scene: Scene, d: int) -> tuple[float, int]:
    """The largest IoU with a regular object of the class, the later object on equal ones."""
    found = scene.detections[d]
    best, best_overlap = NOBODY, 0.0
    for g in objects_of(scene, found.image, found.cls):
        overlap = iou(found.box, scene.objects[g].box)
        if overlap >= best_overlap and not coco.is_ignored(scene.objects[g], coco.AREAS["all"]):
            best, best_overlap = g, overlap
    return best_overlap, best


def last_step(start: float) -> float:
    """Every target has one detection, on its very box, and nothing else is left."""
    return math.nan if math.isnan(start) else 1.0


def mean_of_defined(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan

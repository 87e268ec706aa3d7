"""TIDE's errors and what repairing any of them would bring, without tidecv's quirks (METHODS 9.2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from boxlens.data import Dataset, Detections
from oracles import coco
from oracles.average_precision import ap_coco101
from oracles.model import NOBODY, Matching, Scene, iou
from planted_worlds import scene_of

TP, IGNORED, BEYOND = "tp", "ignored", "beyond"
KINDS = ("cls", "loc", "both", "dupe", "bkg", "miss")


@dataclass(frozen=True)
class Errors:
    """By detection its kind and the object it hit or could fix; what is left of the objects."""

    scene: Scene
    kind: list[str]
    object_of: list[int]
    # Regular objects, those of them without a true positive, and the one detection that could fix
    # each of these.
    regular: list[int]
    free: list[int]
    candidate: dict[int, int]
    missed: list[int]
    # Classes of the mean, the same after every repair.
    classes: list[int]


def tide(
    dataset: Dataset,
    detections: Detections,
    foreground: float = 0.5,
    background: float = 0.1,
    max_dets: int = 100,
) -> dict[str, Any]:
    """Each kind repaired alone; "after" holds {"ap", "classes"} by the name of the repair."""
    errors = find_errors(dataset, detections, foreground, background, max_dets)
    start = repaired(errors, ())
    after = {kind: repaired(errors, {kind}) for kind in KINDS}
    after["fp"], after["fn"] = without_false_positives(errors), without_unmatched(errors)
    return {
        "kind": errors.kind,
        "object_of": errors.object_of,
        "candidate": errors.candidate,
        "missed": errors.missed,
        "ap": start["ap"],
        "classes": start["classes"],
        "after": after,
        "dap": {name: max(value["ap"] - start["ap"], 0.0) for name, value in after.items()},
    }


def find_errors(
    dataset: Dataset,
    detections: Detections,
    foreground: float = 0.5,
    background: float = 0.1,
    max_dets: int = 100,
) -> Errors:
    scene = scene_of(dataset, detections)
    matching = match(scene, foreground, max_dets)
    regular = [g for g in range(len(scene.objects)) if not matching.ignored[g]]
    free = [g for g in regular if matching.detection_of[g] == NOBODY]
    kinds, object_of = [], []
    for d, label in enumerate(matching.label):
        kind, target = {None: BEYOND, 0: IGNORED, 1: TP}.get(label, ""), matching.object_of[d]
        if label == -1:
            kind, target = kind_of(scene, matching, d, foreground, background)
        kinds.append(kind)
        object_of.append(target)
    candidate = candidates(scene, kinds, object_of, free)
    found = [
        det.cls
        for det, kind in zip(scene.detections, kinds, strict=True)
        if kind not in (IGNORED, BEYOND)
    ]
    return Errors(
        scene=scene,
        kind=kinds,
        object_of=object_of,
        regular=regular,
        free=free,
        candidate=candidate,
        missed=[g for g in free if g not in candidate],
        classes=sorted({*found, *(scene.objects[g].cls for g in regular)}),
    )


def match(scene: Scene, foreground: float, max_dets: int) -> Matching:
    """COCO's rule for regular objects; the best detections of an image, whatever their class."""
    matching = Matching.blank(scene)
    for g, obj in enumerate(scene.objects):
        matching.ignored[g] = obj.difficult or coco.is_region(obj)
    for image in scene.images:
        here = [d for d, det in enumerate(scene.detections) if det.image == image]
        here.sort(key=lambda d: -scene.detections[d].score)
        for d in here[:max_dets]:
            same, _ = objects_around(scene, matching, d)
            g = coco.best_free(scene, matching, d, same, foreground)
            if g == NOBODY:
                g = excuse(scene, matching, d, foreground)
            if g == NOBODY:
                matching.label[d] = -1
            else:
                matching.pair(d, g)
    return matching


def objects_around(scene: Scene, matching: Matching, d: int) -> tuple[list[int], list[int]]:
    """The regular objects of a detection's image: of its class, and of the others."""
    same: list[int] = []
    other: list[int] = []
    for g, obj in enumerate(scene.objects):
        if obj.image == scene.detections[d].image and not matching.ignored[g]:
            (same if obj.cls == scene.detections[d].cls else other).append(g)
    return same, other


def excuse(scene: Scene, matching: Matching, d: int, foreground: float) -> int:
    """The ignored object that excuses a detection: a region (METHODS 0.2: >), or a difficult one."""
    found = scene.detections[d]
    best, best_overlap = NOBODY, 0.0
    for g, obj in enumerate(scene.objects):
        if obj.image != found.image or obj.cls != found.cls or not matching.ignored[g]:
            continue
        overlap = iou(found.box, obj.box, crowd=coco.is_region(obj))
        if coco.is_region(obj):
            excuses = overlap > foreground
        else:
            excuses = overlap >= foreground and matching.detection_of[g] == NOBODY
        if excuses and overlap >= best_overlap:
            best, best_overlap = g, overlap
    return best


def kind_of(
    scene: Scene, matching: Matching, d: int, foreground: float, background: float
) -> tuple[str, int]:
    """The first kind that fits, and the object that a Loc or Cls error could fix."""
    same, other = objects_around(scene, matching, d)
    same_iou, same_object = closest(scene, d, same)
    other_iou, other_object = closest(scene, d, other)
    box = scene.detections[d].box
    if background <= same_iou <= foreground:
        return "loc", same_object
    if other_iou >= foreground:
        return "cls", other_object
    used = [g for g in same if matching.detection_of[g] != NOBODY]
    if any(iou(box, scene.objects[g].box) >= foreground for g in used):
        return "dupe", NOBODY
    if max(same_iou, other_iou) <= background:
        return "bkg", NOBODY
    return "both", NOBODY


def closest(scene: Scene, d: int, objects: list[int]) -> tuple[float, int]:
    """The largest IoU, the later object on equal ones (METHODS 10); 0 without objects."""
    best, best_overlap = NOBODY, 0.0
    for g in objects:
        overlap = iou(scene.detections[d].box, scene.objects[g].box)
        if overlap >= best_overlap:
            best, best_overlap = g, overlap
    return best_overlap, best


def candidates(
    scene: Scene, kinds: list[str], object_of: list[int], free: list[int]
) -> dict[int, int]:
    """For each free object the highest-scored Loc or Cls error on it, the earlier of equals."""
    chosen: dict[int, int] = {}
    for g in free:
        on_it = [d for d, kind in enumerate(kinds) if kind in ("loc", "cls") and object_of[d] == g]
        if on_it:
            chosen[g] = max(on_it, key=lambda d: scene.detections[d].score)
    return chosen


def repaired(
    errors: Errors, kinds: Collection[str], *, empty_is_perfect: bool = False
) -> dict[str, Any]:
    """AP, overall and by class row, once all errors of some kinds are repaired together."""
    chosen = set(errors.candidate.values())
    labels: dict[int, tuple[int, int]] = {}
    for d, kind in enumerate(errors.kind):
        cls = errors.scene.detections[d].cls
        if kind == TP:
            labels[d] = (cls, 1)
        elif kind in kinds and d in chosen:
            labels[d] = (errors.scene.objects[errors.object_of[d]].cls, 1)
        elif kind in KINDS and kind not in kinds:
            labels[d] = (cls, -1)
    lost = set(errors.missed) if "miss" in kinds else set()
    left = [g for g in errors.regular if g not in lost]
    return scored(errors, labels, left, empty_is_perfect=empty_is_perfect)


def without_false_positives(errors: Errors) -> dict[str, Any]:
    return scored(errors, true_positives(errors), errors.regular)


def without_unmatched(errors: Errors) -> dict[str, Any]:
    """Every object that was not found is no object any more."""
    labels = true_positives(errors)
    for d, kind in enumerate(errors.kind):
        if kind in KINDS:
            labels[d] = (errors.scene.detections[d].cls, -1)
    return scored(errors, labels, [g for g in errors.regular if g not in errors.free])


def true_positives(errors: Errors) -> dict[int, tuple[int, int]]:
    """Detection -> its class and label."""
    return {
        d: (errors.scene.detections[d].cls, 1) for d, kind in enumerate(errors.kind) if kind == TP
    }


def scored(
    errors: Errors,
    labels: dict[int, tuple[int, int]],
    objects: list[int],
    *,
    empty_is_perfect: bool = False,
) -> dict[str, Any]:
    """A class of the mean without objects has AP 0; a class that is not of the mean has NaN.

    Where all orders of repairs are counted, a class that is left neither objects nor detections is
    perfect. Without any object there is no mean.
    """
    by_class = [math.nan] * len(errors.scene.classes)
    for cls in errors.classes:
        ranked = sorted(
            (d for d in sorted(labels) if labels[d][0] == cls),
            key=lambda d: -errors.scene.detections[d].score,
        )
        positives = sum(errors.scene.objects[g].cls == cls for g in objects)
        had_objects = any(errors.scene.objects[g].cls == cls for g in errors.regular)
        if positives:
            by_class[cls] = ap_coco101([labels[d][1] for d in ranked], positives)
        else:
            perfect = empty_is_perfect and had_objects and not ranked
            by_class[cls] = 1.0 if perfect else 0.0
    in_mean = [by_class[cls] for cls in errors.classes] if errors.regular else []
    return {"ap": sum(in_mean) / len(in_mean) if in_mean else math.nan, "classes": by_class}


def subsets() -> Iterator[frozenset[str]]:
    """All 64 sets of kinds, from none to all."""
    for size in range(len(KINDS) + 1):
        yield from map(frozenset, itertools.combinations(KINDS, size))

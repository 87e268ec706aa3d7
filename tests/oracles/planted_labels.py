"""The error type of each detection and the missed objects by Hoiem and TIDE (METHODS 1.2, 9.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oracles import coco, hoiem
from oracles.model import Matching, Scene, iou

CORRECT, IGNORED = "correct", "ignored"


@dataclass(frozen=True)
class Limits:
    """The IoU from which a detection hits, and the one from which it touches at all."""

    foreground: float = 0.5
    background: float = 0.1


USUAL = Limits()


@dataclass(frozen=True)
class Typing:
    """By place in the scene's lists: the type of every detection, its object, objects missed."""

    types: list[str]
    object_of: list[int]
    missed: list[int]


def hoiem_types(
    scene: Scene, similar: Mapping[int, set[int]], limits: Limits = USUAL, *, by_iou: bool
) -> Typing:
    """METHODS 1.2. `by_iou` gives a confusion to the class of the object it overlaps most."""
    matching = hoiem.match(scene, limits.foreground)
    types = []
    for d, found in enumerate(scene.detections):
        of_class = of_similar = of_other = 0.0
        for obj in scene.objects:
            if obj.image != found.image:
                continue
            overlap = iou(found.box, obj.box)
            if obj.cls == found.cls:
                of_class = max(of_class, overlap)
            elif obj.cls in similar[found.cls]:
                of_similar = max(of_similar, overlap)
            else:
                of_other = max(of_other, overlap)
        if matching.label[d] != -1:
            types.append(CORRECT if matching.label[d] == 1 else IGNORED)
        elif of_class >= limits.background:
            types.append("Loc")
        elif of_similar >= limits.background and not (by_iou and of_other > of_similar):
            types.append("Sim")
        elif of_other >= limits.background:
            types.append("Oth")
        else:
            types.append("BG")
    return Typing(types, matching.object_of, not_found(scene, matching))


def tide_types(
    scene: Scene, limits: Limits = USUAL, *, ignored_are_objects: bool, best_only: bool
) -> Typing:
    """METHODS 9.2, without its limit of 100 detections per image.

    The description leaves two things open: whether errors are typed against ignored objects too,
    and whether an error could fix only the object it overlaps most (`best_only`) or any.
    """
    matching = coco.match(scene, limits.foreground, max_det=max(len(scene.detections), 1))
    seen = [g for g in range(len(scene.objects)) if ignored_are_objects or not matching.ignored[g]]
    types: list[str] = []
    fixable: set[int] = set()
    for d, label in enumerate(matching.label):
        if label != -1:
            types.append(CORRECT if label == 1 else IGNORED)
            continue
        name, could_fix = tide_type(scene, matching, d, seen, limits)
        types.append(name)
        if could_fix and best_only:
            fixable.add(max(could_fix, key=lambda g: could_fix[g]))
        else:
            fixable.update(could_fix)
    missed = [g for g in not_found(scene, matching) if g not in fixable]
    return Typing(types, matching.object_of, missed)


def tide_type(
    scene: Scene, matching: Matching, d: int, seen: list[int], limits: Limits
) -> tuple[str, dict[int, float]]:
    """The type of a false positive, in the order of METHODS, and the objects it could fix."""
    found = scene.detections[d]
    same: dict[int, float] = {}
    other: dict[int, float] = {}
    for g in seen:
        obj = scene.objects[g]
        if obj.image == found.image:
            kept = same if obj.cls == found.cls else other
            kept[g] = iou(found.box, obj.box)
    best_same, best_other = max(same.values(), default=0.0), max(other.values(), default=0.0)
    if limits.background <= best_same <= limits.foreground:
        return "Loc", {g: overlap for g, overlap in same.items() if overlap >= limits.background}
    if best_other >= limits.foreground:
        return "Cls", {g: overlap for g, overlap in other.items() if overlap >= limits.foreground}
    for g, overlap in same.items():
        if overlap >= limits.foreground and matching.detection_of[g] >= 0:
            return "Dupe", {}
    if max(best_same, best_other) <= limits.background:
        return "Bkg", {}
    return "Both", {}


def not_found(scene: Scene, matching: Matching) -> list[int]:
    """Objects that count and have no true positive."""
    hit = {g for d, g in enumerate(matching.object_of) if matching.label[d] == 1}
    return [g for g in range(len(scene.objects)) if not matching.ignored[g] and g not in hit]

"""The Open Images challenge (METHODS 9.4): verified labels, a class tree, boxes around groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from oracles import voc
from oracles.average_precision import ap_voc10
from oracles.model import (
    NOBODY,
    Matching,
    Scene,
    count_positives,
    detections_of,
    iou,
    objects_of,
    ranking,
)


@dataclass(frozen=True)
class GroupMatching:
    """A matching on the expanded scene; group-of boxes are no positives of `matching`.

    A detection counted for a group has label +1 and the weight of a group, any other weight 1.
    """

    scene: Scene
    matching: Matching
    weight: list[float]
    positives: dict[int, float]


def ancestors(parents: Mapping[int, tuple[int, ...]], node: int) -> set[int]:
    found: set[int] = set()
    for parent in parents.get(node, ()):
        found |= {parent} | ancestors(parents, parent)
    return found


def expand(scene: Scene) -> Scene:
    """Boxes and positive labels go up the tree, negative labels down; detections stay.

    An object is followed by its copies, so objects of one class keep the order of the file.
    """
    parents = scene.parents or {}
    above = {cls: ancestors(parents, cls) & set(scene.classes) for cls in scene.classes}
    objects = []
    for obj in scene.objects:
        objects.append(obj)
        objects.extend(replace(obj, cls=cls) for cls in sorted(above[obj.cls]))
    positive = {
        image: frozenset(up for cls in labels for up in {cls} | above[cls])
        for image, labels in (scene.positive or {}).items()
    }
    negative = {
        image: frozenset(
            down for down in scene.classes if any(cls in {down} | above[down] for cls in labels)
        )
        for image, labels in (scene.negative or {}).items()
    }
    return replace(scene, objects=tuple(objects), positive=positive, negative=negative)


def match(scene: Scene, threshold: float = 0.5, group_weight: float = 1.0) -> GroupMatching:
    wide = expand(scene)
    matching = Matching.blank(wide)
    weight = [1.0] * len(wide.detections)
    for g, obj in enumerate(wide.objects):
        matching.ignored[g] = obj.difficult or obj.crowd or obj.group_of
    for image in wide.images:
        for cls in wide.classes:
            if not is_verified(wide, image, cls):
                continue
            objects = objects_of(wide, image, cls)
            singles = [g for g in objects if not wide.objects[g].group_of]
            groups = [g for g in objects if wide.objects[g].group_of]
            found = detections_of(wide, image, cls)
            for d in found:
                voc.label_one(wide, matching, d, singles, threshold)
            for d in found:
                if matching.label[d] == -1:
                    g = closest_group(wide, d, groups, threshold)
                    if g != NOBODY:
                        give_to_group(matching, weight, d, g, group_weight)
    positives = {cls: count_weighted(wide, cls, matching, group_weight) for cls in wide.classes}
    return GroupMatching(wide, matching, weight, positives)


def is_verified(scene: Scene, image: int, cls: int) -> bool:
    """Boxed in the image, or labelled present or absent there."""
    return (
        bool(objects_of(scene, image, cls))
        or cls in (scene.positive or {}).get(image, ())
        or cls in (scene.negative or {}).get(image, ())
    )


def closest_group(scene: Scene, d: int, groups: list[int], threshold: float) -> int:
    """The group that holds most of the detection's area; the first wins a tie."""
    best, best_overlap = NOBODY, -1.0
    for g in groups:
        overlap = iou(scene.detections[d].box, scene.objects[g].box, crowd=True)
        if overlap >= threshold and overlap > best_overlap:
            best, best_overlap = g, overlap
    return best


def give_to_group(
    matching: Matching, weight: list[float], d: int, g: int, group_weight: float
) -> None:
    """The best scored detection in a group counts for it, later ones are don't-care."""
    matching.object_of[d] = g
    matching.label[d] = 0
    if matching.detection_of[g] == NOBODY:
        matching.detection_of[g] = d
        if group_weight > 0:
            matching.label[d] = 1
            weight[d] = group_weight


def count_weighted(scene: Scene, cls: int, matching: Matching, group_weight: float) -> float:
    n_groups = sum(obj.group_of and obj.cls == cls for obj in scene.objects)
    return count_positives(scene, cls, matching) + group_weight * n_groups


def average_precision(result: GroupMatching, cls: int) -> float:
    """METHODS 0.6 (b), a detection that counts for a group with the weight of one."""
    labels, weights = [], []
    for d in ranking(result.scene, cls):
        label = result.matching.label[d]
        if label is not None:
            labels.append(label)
            weights.append(result.weight[d])
    return ap_voc10(labels, result.positives[cls], weights)


def mean_average_precision(
    scene: Scene, threshold: float = 0.5, group_weight: float = 1.0
) -> float:
    """The mean over classes that have ground truth."""
    result = match(scene, threshold, group_weight)
    values = [average_precision(result, cls) for cls in scene.classes if result.positives[cls] > 0]
    return sum(values) / len(values) if values else math.nan

"""What detectors reach together (METHODS 3.1, 3.2), one loop a step.

Detectors are lists of detections over one scene; the scene's own detections take no part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from oracles import coco
from oracles.model import NOBODY, Detection, Matching, Scene, iou

System = Sequence[Detection]


def counts(scene: Scene) -> list[bool]:
    return [not coco.is_ignored(obj, (0.0, 1e10)) for obj in scene.objects]


def guess_accuracy(
    scene: Scene, systems: Sequence[System], n_guesses: int
) -> dict[int, float | None]:
    """By class: the share of its images in which some guess of some system is right."""
    accuracy: dict[int, float | None] = {}
    for cls in scene.classes:
        verdicts = []
        for image in scene.images:
            instances = [
                obj
                for obj, counted in zip(scene.objects, counts(scene), strict=True)
                if counted and obj.image == image and obj.cls == cls
            ]
            if instances:
                guesses = [g for system in systems for g in best_guesses(system, image, n_guesses)]
                verdicts.append(
                    any(
                        guess.cls == cls and iou(guess.box, obj.box) >= 0.5
                        for guess in guesses
                        for obj in instances
                    )
                )
        accuracy[cls] = sum(verdicts) / len(verdicts) if verdicts else None
    return accuracy


def best_guesses(system: System, image: int, n_guesses: int) -> list[Detection]:
    here = [det for det in system if det.image == image]
    return sorted(here, key=lambda det: -det.score)[:n_guesses]


def found(scene: Scene, system: System, threshold: float = 0.5) -> set[int]:
    matching = coco.match(replace(scene, detections=tuple(system)), threshold)
    return {
        g for g, d in enumerate(matching.detection_of) if d != NOBODY and not matching.ignored[g]
    }


def chosen(
    scene: Scene, systems: Sequence[System], choice: Callable[[int], int]
) -> tuple[float, float]:
    """AP and AP50 where `choice` names the system of an image."""
    taken = [det for s, system in enumerate(systems) for det in system if choice(det.image) == s]
    mixed = replace(scene, detections=tuple(taken))
    return average(mixed, lambda threshold: coco.match(mixed, threshold))


def with_hits(scene: Scene, systems: Sequence[System], own: int) -> tuple[float, float]:
    """AP and AP50 of one system with the others' hits on what it misses, at each threshold."""
    everything = replace(scene, detections=tuple(det for system in systems for det in system))
    starts = np.cumsum([0, *(len(system) for system in systems)]).tolist()

    def labelled(threshold: float) -> Matching:
        joint = Matching.blank(everything)
        single = [coco.match(replace(scene, detections=tuple(s)), threshold) for s in systems]
        joint.ignored[:] = single[own].ignored
        joint.label[starts[own] : starts[own + 1]] = single[own].label
        for g, hit in enumerate(single[own].detection_of):
            if hit == NOBODY and not joint.ignored[g]:
                finders = [
                    starts[s] + matching.detection_of[g]
                    for s, matching in enumerate(single)
                    if matching.detection_of[g] != NOBODY
                ]
                if finders:
                    joint.label[max(finders, key=lambda d: everything.detections[d].score)] = 1
        return joint

    return average(everything, labelled)


def average(scene: Scene, matching_at: Callable[[float], Matching]) -> tuple[float, float]:
    """Over thresholds, recalls and classes with positives; and at the first threshold."""
    precision = [
        [coco.curve(scene, cls, matching).precision for cls in scene.classes]
        for matching in map(matching_at, coco.THRESHOLDS)
    ]
    values = np.array(precision).reshape(len(coco.THRESHOLDS), -1)
    kept = values[:, values[0] > -1]
    if not kept.size:
        return float("nan"), float("nan")
    return float(kept.mean()), float(kept[0].mean())

"""COCO's seven nested curves as the MATLAB code has them: other classes are only ignored (METHODS 9.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from boxlens.data import Dataset, Detections
from oracles import coco
from oracles.model import Matching, Scene
from planted_worlds import scene_of

CURVES = ("C75", "C50", "Loc", "Sim", "Oth", "BG", "FN")
MATCHED = (0.75, 0.5, 0.1, 0.1, 0.1)
LOC, OTH, BG, FN = 2, 4, 5, 6
AREAS = ("all", "small", "medium", "large")
Similar = Sequence[Sequence[bool]]


def analyze(
    dataset: Dataset, detections: Detections, similar: Similar, max_dets: int = 100
) -> dict[str, Any]:
    """Gives "precision"[curve][recall][class][area], "labels"[curve][det], "det_curve", "gt_curve".

    Sim is NaN for a class without similar classes; the last three are told for all areas.
    """
    scene = scene_of(dataset, detections)
    precision = [
        [[[math.nan] * len(AREAS) for _ in scene.classes] for _ in coco.RECALLS] for _ in CURVES
    ]
    labels: list[list[int | None]] = [[None] * len(scene.detections) for _ in MATCHED]
    gt_curve = [-1] * len(scene.objects)
    for cls in scene.classes:
        for a, area in enumerate(AREAS):
            runs = [run(scene, cls, i, area, similar, max_dets) for i in range(len(MATCHED))]
            curves = [coco.curve(seen, cls, matching).precision for seen, matching in runs]
            for r, values in enumerate(all_seven(curves, has_similar=any(similar[cls]))):
                for c, value in enumerate(values):
                    precision[c][r][cls][a] = value
            if area == "all":
                matchings = [matching for _, matching in runs]
        for d, det in enumerate(scene.detections):
            if det.cls == cls:
                for i, matching in enumerate(matchings):
                    labels[i][d] = matching.label[d]
        for g, obj in enumerate(scene.objects):
            if obj.cls == cls:
                gt_curve[g] = curve_of_object(matchings, g)
    return {
        "precision": precision,
        "labels": labels,
        "det_curve": [curve_of_detection([of[d] for of in labels]) for d in range(len(labels[0]))],
        "gt_curve": gt_curve,
    }


def run(
    scene: Scene, cls: int, curve: int, area: str, similar: Similar, max_dets: int
) -> tuple[Scene, Matching]:
    """One class on one curve: the scene as this class sees it, and its matching."""
    others = {other for other in scene.classes if other != cls}
    excusing: set[int] = set()
    if curve > LOC:
        excusing = others if curve == OTH else {other for other in others if similar[cls][other]}
    # Not counted, but otherwise what it was: a crowd stays a crowd. The original sorts objects by
    # class, so that of equal overlaps the one of the highest class wins.
    objects = [
        replace(obj, cls=cls, difficult=True) if obj.cls in excusing else obj
        for obj in (sorted(scene.objects, key=lambda obj: obj.cls) if excusing else scene.objects)
    ]
    seen = replace(scene, classes=(cls,), objects=tuple(objects))
    return seen, coco.match(seen, MATCHED[curve], coco.AREAS[area], max_dets)


def all_seven(curves: list[list[float]], *, has_similar: bool) -> list[list[float]]:
    """At each recall the five matched precisions, BG and FN; NaN without objects."""
    rows = []
    for values in zip(*curves, strict=True):
        if values[0] == -1:
            rows.append([math.nan] * len(CURVES))
            continue
        c75, c50, loc, sim, oth = values
        background = 1.0 if oth > 0 else 0.0
        rows.append([c75, c50, loc, sim if has_similar else math.nan, oth, background, 1.0])
    return rows


def curve_of_detection(labels: list[int | None]) -> int:
    """The first curve in which a detection is no false positive; -1 where it is ignored there."""
    for i, label in enumerate(labels):
        if label is None:
            return -1
        if label != -1:
            return -1 if label == 0 and i <= LOC else i
    return BG


def curve_of_object(matchings: list[Matching], g: int) -> int:
    """The first curve that finds an object; -1 where it does not count."""
    if matchings[0].ignored[g]:
        return -1
    for i, matching in enumerate(matchings[: LOC + 1]):
        if matching.detection_of[g] >= 0:
            return i
    return FN

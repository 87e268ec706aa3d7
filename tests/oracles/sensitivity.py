"""Normalized AP of objects by their characteristics, and the objects missed (METHODS 2)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxlens.data import Dataset, Detections
from oracles import average_precision, hoiem
from oracles.model import Matching, Scene, ranking
from planted_worlds import scene_of

# One value per object: a bin (0 to 4) or a category; None where it is not known or does not count.
Column = list[Hashable]
MISSED_BELOW = 0.05


@dataclass(frozen=True)
class Found:
    """Hoiem's match at one IoU, the objects that count by class row, and P_N where each is hit."""

    scene: Scene
    matching: Matching
    normal: float
    objects: list[list[int]]
    # From the right (METHODS 2.6); 0 for an object not found, NaN for one that does not count.
    achieved: list[float]

    def missed(self, g: int) -> bool:
        return self.achieved[g] < MISSED_BELOW


def find(
    dataset: Dataset, detections: Detections, iou: float = 0.5, normal: float | None = None
) -> Found:
    """`normal` is N of METHODS 2.1, .15 times the number of images unless given."""
    scene = scene_of(dataset, detections)
    matching = hoiem.match(scene, iou)
    n_normal = 0.15 * len(scene.images) if normal is None else normal
    objects: list[list[int]] = [[] for _ in scene.classes]
    achieved = [math.nan] * len(scene.objects)
    for g, obj in enumerate(scene.objects):
        if not matching.ignored[g]:
            objects[obj.cls].append(g)
            achieved[g] = 0.0
    for cls in scene.classes:
        ranked = ranking(scene, cls)
        labels = [matching.label[d] or 0 for d in ranked]
        hits = [d for d, label in zip(ranked, labels, strict=True) if label == 1]
        values = average_precision.normalized_at_hits(labels, len(objects[cls]), n_normal)
        for d, value in zip(hits, values, strict=True):
            achieved[matching.object_of[d]] = value
    return Found(scene, matching, n_normal, objects, achieved)


def subset_ap_n(found: Found, cls: int, subset: Sequence[int]) -> tuple[float, float]:
    """METHODS 2.3: AP_N of some objects of a class, and its standard error (METHODS 2.2)."""
    labels = []
    for d in ranking(found.scene, cls):
        label = found.matching.label[d] or 0
        labels.append(0 if label == 1 and found.matching.object_of[d] not in subset else label)
    return (
        average_precision.ap_normalized(labels, len(subset), found.normal),
        average_precision.standard_error_normalized(labels, len(subset), found.normal),
    )


def percentile_bins(values: list[float]) -> list[int]:
    """METHODS 2.4: thresholds at the 1-based places round(q n), ties go down; 0 is the lowest bin.

    Places are computed in tenths, where halves are exact. Place 0 lies below every value: of fewer
    than five values none is among the lowest tenth.
    """
    ascending = [-math.inf, *sorted(values)]
    thresholds = [ascending[(2 * tenths * len(values) + 10) // 20] for tenths in (1, 3, 7, 9)]
    return [sum(threshold < value for threshold in thresholds) for value in values]


def binned_column(found: Found, name: str) -> Column:
    """The five bins of "area", "height" or "aspect", each class by itself."""
    column: Column = [None] * len(found.scene.objects)
    for objects in found.objects:
        known = []
        for g in objects:
            _, _, width, height = found.scene.objects[g].box
            # A box without width or height has no aspect.
            if name != "aspect" or (width > 0 and height > 0):
                value = {"area": width * height, "height": height}.get(name)
                known.append((g, width / height if value is None else value))
        bins = percentile_bins([value for _, value in known])
        for (g, _), place in zip(known, bins, strict=True):
            column[g] = place
    return column


def attribute_column(dataset: Dataset, found: Found, name: str) -> Column:
    """The values of an attribute as categories."""
    values = dataset.gt.attributes[name].tolist()
    counted = {g for objects in found.objects for g in objects}
    return [
        None if g not in counted or value is None or value != value else value  # noqa: PLR0124
        for g, value in enumerate(values)
    ]


def characteristic(found: Found, columns: Sequence[Column], enough: int = 5) -> dict[str, Any]:
    """METHODS 2.5: sensitivity and impact of one column, or of several pooled (parts, sides).

    A column of pairs of values gives the grid of two characteristics.
    """
    classes = [class_spread(found, cls, columns, enough) for cls in found.scene.classes]
    defined = [spread for spread in classes if not math.isnan(spread["highest"])]
    highest = mean([spread["highest"] for spread in defined])
    return {
        "classes": classes,
        "highest": highest,
        "lowest": mean([spread["lowest"] for spread in defined]),
        "sensitivity": mean([spread["highest"] - spread["lowest"] for spread in defined]),
        # Each class against itself, so that a class without subsets does not enter one side only.
        "impact": mean([spread["highest"] - spread["ap_n"] for spread in defined]),
        "entropy_share": mean(
            [s["entropy_share"] for s in classes if not math.isnan(s["entropy_share"])]
        ),
    }


def class_spread(found: Found, cls: int, columns: Sequence[Column], enough: int) -> dict[str, Any]:
    """AP_N of a class, whole and by subset: (place of the column, value)."""
    ap_n, ap_n_se = subset_ap_n(found, cls, found.objects[cls])
    subsets: dict[tuple[int, Hashable], dict[str, Any]] = {}
    for place, column in enumerate(columns):
        for value in {column[g] for g in found.objects[cls]} - {None}:
            subset = [g for g in found.objects[cls] if column[g] == value]
            subset_ap, subset_se = subset_ap_n(found, cls, subset)
            subsets[place, value] = {
                "n_objects": len(subset),
                "ap_n": subset_ap,
                "ap_n_se": subset_se,
                "n_missed": sum(found.missed(g) for g in subset),
            }
    reached = [subset["ap_n"] for subset in subsets.values() if subset["n_objects"] >= enough]
    return {
        "ap_n": ap_n,
        "ap_n_se": ap_n_se,
        "subsets": subsets,
        "highest": max(reached, default=math.nan),
        "lowest": min(reached, default=math.nan),
        "entropy_share": entropy_share(found, cls, columns[0]) if len(columns) == 1 else math.nan,
    }


def entropy_share(found: Found, cls: int, column: Column) -> float:
    """METHODS 2.6: I(missed; value) / H(missed), over the objects whose value is known."""
    known = [g for g in found.objects[cls] if column[g] is not None]
    missed = [found.missed(g) for g in known]
    whole = entropy(missed)
    if whole == 0:
        return math.nan
    left = 0.0
    for value in {column[g] for g in known}:
        part = [is_missed for g, is_missed in zip(known, missed, strict=True) if column[g] == value]
        left += len(part) / len(known) * entropy(part)
    return (whole - left) / whole


def entropy(flags: list[bool]) -> float:
    """Of a yes or no, in bits."""
    shares = [flags.count(value) / len(flags) for value in (True, False) if value in flags]
    return -sum(share * math.log2(share) for share in shares if share < 1)


def looser(
    dataset: Dataset, detections: Detections, ious: Sequence[float], strict: float = 0.5
) -> list[dict[str, float]]:
    """What a looser overlap finds of the objects missed at the strict one."""
    first = find(dataset, detections, strict)
    missed = [g for objects in first.objects for g in objects if first.missed(g)]
    answers = []
    for iou in ious:
        found = find(dataset, detections, iou)
        still = [g for g in missed if found.missed(g)]
        answers.append(
            {
                "iou": iou,
                "n_missed": sum(found.missed(g) for objects in found.objects for g in objects),
                "share_recovered": 1 - len(still) / len(missed) if missed else math.nan,
            }
        )
    return answers


def predict(found: Found, columns: Sequence[Column]) -> list[float]:
    """METHODS 2.7: achieved P_N by least squares on the values, each class by itself, in [0, 1].

    An object whose value is not known has a zero in all columns of that characteristic.
    """
    predicted = [math.nan] * len(found.scene.objects)
    for objects in found.objects:
        if not objects:
            continue
        rows = [[1.0] for _ in objects]
        for column in columns:
            for value in {column[g] for g in objects} - {None}:
                for row, g in zip(rows, objects, strict=True):
                    row.append(float(column[g] == value))
        achieved = np.array([found.achieved[g] for g in objects])
        weights, *_ = np.linalg.lstsq(np.array(rows), achieved, rcond=None)
        for row, g in zip(rows, objects, strict=True):
            predicted[g] = min(max(float(np.dot(row, weights)), 0.0), 1.0)
    return predicted


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan

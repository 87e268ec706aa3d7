"""METHODS 6.1-6.4 rule by rule, in plain loops: every pair is compared, every number counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from oracles.coco import THRESHOLDS
from oracles.model import NOBODY, Box, Object, area_of, iou

N_BINS = 10
GRID_STEPS = 1000


@dataclass(frozen=True)
class Found:
    """One object with one budget: its partner's IoU, and the best with any proposal."""

    iou: float
    best: float


def ordered(scores: Sequence[float], rule: str) -> list[int]:
    """Places, the best first; METHODS 0.3: equal scores keep their order."""
    places = list(range(len(scores)))
    if rule == "descending":
        return sorted(places, key=lambda place: -scores[place])
    if rule == "ascending":
        return sorted(places, key=lambda place: scores[place])
    return places


def pixels(box: Box) -> tuple[int, int, int, int]:
    """METHODS 6.1: left and top to the nearest whole number, right and bottom to the next one."""
    x, y, w, h = box
    return whole(x), whole(y), math.ceil(x + w), math.ceil(y + h)


def whole(place: float) -> int:
    """As the authors round, halves away from zero; they count pixels from 1 (METHODS 0.1)."""
    from_one = place + 1
    return int(math.copysign(math.floor(abs(from_one) + 0.5), from_one)) - 1


def first_on_pixels(boxes: Sequence[Box]) -> list[bool]:
    """Whether no box before this one lies on the same pixels."""
    seen: set[tuple[int, int, int, int]] = set()
    first = []
    for box in boxes:
        first.append(pixels(box) not in seen)
        seen.add(pixels(box))
    return first


def candidates(boxes: Sequence[Box], budget: int) -> list[Box]:
    """From ranked boxes those that are asked: duplicates leave before the budget counts."""
    kept = [box for box, first in zip(boxes, first_on_pixels(boxes), strict=True) if first]
    return kept[:budget]


def overlaps_of(objects: Sequence[Box], proposals: Sequence[Box]) -> list[list[float]]:
    """A row per object, a column per proposal."""
    return [[iou(proposal, one) for proposal in proposals] for one in objects]


def greedy(overlaps: Sequence[Sequence[float]]) -> list[tuple[float, int]]:
    """METHODS 6.2 in one image: IoU and place of each object's partner, or 0 and nobody.

    Of equal overlaps the earlier object goes first, then the earlier proposal.
    """
    pairs = [
        (-value, row, place)
        for row, values in enumerate(overlaps)
        for place, value in enumerate(values)
        if value > 0
    ]
    partner = [(0.0, NOBODY)] * len(overlaps)
    while pairs:
        minus_iou, row, place = min(pairs)
        partner[row] = (-minus_iou, place)
        pairs = [pair for pair in pairs if pair[1] != row and pair[2] != place]
    return partner


def best_overlaps(overlaps: Sequence[Sequence[float]]) -> list[float]:
    """METHODS 6.2: one proposal may serve several objects."""
    return [max(values, default=0.0) for values in overlaps]


def is_object(obj: Object) -> bool:
    """METHODS 6.2: difficult objects count, crowds and groups do not."""
    return not (obj.crowd or obj.group_of)


def found_in_image(objects: Sequence[Box], ranked: Sequence[Box], budget: int) -> list[Found]:
    overlaps = overlaps_of(objects, candidates(ranked, budget))
    pairs = zip(greedy(overlaps), best_overlaps(overlaps), strict=True)
    return [Found(matched, best) for (matched, _), best in pairs]


def recall(overlaps: Sequence[float], threshold: float) -> float:
    """METHODS 6.3; METHODS 10: an IoU of 1 up to rounding reaches 1."""
    if not overlaps:
        return math.nan
    return sum(value >= min(threshold, 1 - 1e-10) for value in overlaps) / len(overlaps)


def average_recall(overlaps: Sequence[float], low: float = 0.5, high: float = 1.0) -> float:
    """METHODS 6.3, closed form."""
    if not overlaps:
        return math.nan
    inside = [min(max(value - low, 0.0), high - low) for value in overlaps]
    return math.fsum(inside) / ((high - low) * len(overlaps))


def average_recall_on_grid(overlaps: Sequence[float], low: float = 0.5, high: float = 1.0) -> float:
    """METHODS 6.3, as the authors' code does it: a trapezoid under recall every .001."""
    steps = [i / GRID_STEPS for i in range(GRID_STEPS + 1) if low <= i / GRID_STEPS <= high]
    heights = [recall(overlaps, step) for step in steps]
    area = math.fsum((a + b) / 2 / GRID_STEPS for a, b in pairwise(heights))
    return area / (high - low)


def coco_average_recall(overlaps: Sequence[float]) -> float:
    return mean(recall(overlaps, threshold) for threshold in THRESHOLDS)


def volume(budgets: Sequence[int], heights: Sequence[float]) -> float:
    """METHODS 6.3: average recall over log10 k, as a share of what is possible; trapezoids."""
    if len(budgets) < 2:
        return math.nan
    area = 0.0
    for i in range(len(budgets) - 1):
        width = math.log10(budgets[i + 1]) - math.log10(budgets[i])
        area += width * (heights[i] + heights[i + 1]) / 2
    return area / (math.log10(budgets[-1]) - math.log10(budgets[0]))


def size_shares(boxes: Sequence[Box], image_sizes: Sequence[tuple[int, int]]) -> list[float]:
    """METHODS 6.4: shares by the root of the relative area, ten bins; what is larger is in the last."""
    if not boxes:
        return [math.nan] * N_BINS
    counts = [0] * N_BINS
    for box, (width, height) in zip(boxes, image_sizes, strict=True):
        root = math.sqrt(area_of(box) / (width * height))
        counts[sum(root >= edge / N_BINS for edge in range(1, N_BINS))] += 1
    return [count / len(boxes) for count in counts]


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else math.nan


def mean_of_class_means(values: Sequence[float], classes: Sequence[int]) -> float:
    return mean(
        mean(value for value, cls in zip(values, classes, strict=True) if cls == one)
        for one in sorted(set(classes))
    )

"""METHODS 6.5 rule by rule, in plain loops: corners mapped one by one, all pairs compared."""

from __future__ import annotations

import math

Box = tuple[float, float, float, float]


def mapped(box: Box, matrix: list[list[float]]) -> Box:
    x, y, w, h = box
    (a, b, c), (d, e, f) = matrix
    corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
    xs = sorted(a * px + b * py + c for px, py in corners)
    ys = sorted(d * px + e * py + f for px, py in corners)
    left, right = (xs[0] + xs[1]) / 2, (xs[2] + xs[3]) / 2
    top, bottom = (ys[0] + ys[1]) / 2, (ys[2] + ys[3]) / 2
    return left, top, right - left, bottom - top


def inverse(matrix: list[list[float]]) -> list[list[float]]:
    (a, b, c), (d, e, f) = matrix
    det = a * e - b * d
    return [
        [e / det, -b / det, (b * f - c * e) / det],
        [-d / det, a / det, (c * d - a * f) / det],
    ]


def centred_in(box: Box, width: int, height: int) -> bool:
    x, y, w, h = box
    return 0 <= x + w / 2 <= width and 0 <= y + h / 2 <= height


def overlap(one: Box, other: Box) -> float:
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    high = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / (one[2] * one[3] + other[2] * other[3] - wide * high)


def greedy(first: list[Box], second: list[Box]) -> list[float]:
    """The IoU of every box of the first list with its partner, 0 where it has none."""
    pairs = [
        (-overlap(one, other), row, column)
        for row, one in enumerate(first)
        for column, other in enumerate(second)
    ]
    found = [0.0] * len(first)
    rows, columns = set(), set()
    for minus_iou, row, column in sorted(pairs):
        if minus_iou < 0 and row not in rows and column not in columns:
            found[row] = -minus_iou
            rows.add(row)
            columns.add(column)
    return found


def tally(
    reference: list[Box],
    perturbed: list[Box],
    matrix: list[list[float]],
    reference_size: tuple[int, int],
    perturbed_size: tuple[int, int],
) -> tuple[list[float], list[int], int]:
    """Sums and counts by bin, and how many reference boxes leave the perturbed picture."""
    kept = [box for box in reference if centred_in(mapped(box, matrix), *perturbed_size)]
    back = [mapped(box, inverse(matrix)) for box in perturbed]
    back = [box for box in back if centred_in(box, *reference_size)]
    sums, counts = [0.0] * 10, [0] * 10
    for box, iou in zip(kept, greedy(kept, back), strict=True):
        share = math.sqrt(box[2] * box[3] / (reference_size[0] * reference_size[1]))
        place = min(sum(share >= edge / 10 for edge in range(1, 10)), 9)
        sums[place] += iou
        counts[place] += 1
    return sums, counts, len(reference) - len(kept)

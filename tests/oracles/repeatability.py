"""METHODS 6.5 rule by rule, in plain loops: corners mapped one by one, all pairs compared."""

from __future__ import annotations

import math

from oracles.proposal_recall import greedy, overlaps_of

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
    partners = greedy(overlaps_of(kept, back))
    for box, (iou, _) in zip(kept, partners, strict=True):
        share = math.sqrt(box[2] * box[3] / (reference_size[0] * reference_size[1]))
        place = min(sum(share >= edge / 10 for edge in range(1, 10)), 9)
        sums[place] += iou
        counts[place] += 1
    return sums, counts, len(reference) - len(kept)

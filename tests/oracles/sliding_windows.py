"""METHODS 7.3 rule by rule, in plain loops: windows of 28 sizes as published, 1-based corners."""

from __future__ import annotations

import math

SIZES = [
    *[(w, 512) for w in (512, 256, 128, 64)],
    *[(w, 256) for w in (512, 256, 128, 64, 32)],
    *[(w, 128) for w in (512, 256, 128, 64, 32, 16)],
    *[(w, 64) for w in (512, 256, 128, 64, 32, 16)],
    *[(w, 32) for w in (128, 64, 32, 16)],
    *[(w, 16) for w in (64, 32, 16)],
]


def starts(last: int, stride: float) -> list[float]:
    """From 1 to the last place, centred: what is left over is shared by both ends."""
    at = 1 + ((last - 1) % stride) / 2
    found = []
    number = 0
    while at + number * stride <= last + 1e-9:
        found.append(at + number * stride)
        number += 1
    return found


def count(image: tuple[int, int], size: tuple[int, int], stride: float) -> int:
    return len(starts(image[0] - size[0], stride)) * len(starts(image[1] - size[1], stride))


def strides(image: tuple[int, int], limit: int) -> list[tuple[tuple[int, int], float]]:
    """The sizes that fit, each with its stride."""
    fitting = [size for size in SIZES if size[0] < image[0] and size[1] < image[1]]
    if not fitting:
        return []
    share = limit // len(fitting)
    chosen = []
    for size in fitting:
        stride = math.sqrt((image[0] - size[0]) * (image[1] - size[1]) / share)
        while count(image, size, stride) > share:
            stride += 1
        chosen.append(stride)
    placed = 1 if len(fitting) < len(SIZES) else 0
    for size, stride in zip(fitting, chosen, strict=True):
        placed += count(image, size, stride)
    spare = limit - placed
    for number in range(5, len(fitting)):
        before = count(image, fitting[number], chosen[number])
        after = count(image, fitting[number], 0.75 * chosen[number])
        if spare > after - before:
            chosen[number] *= 0.75
            spare -= after - before
        else:
            break
    return list(zip(fitting, chosen, strict=True))


def sliding_windows(width: int, height: int, limit: int) -> list[list[float]]:
    """x, y, w, h of windows whose published corners are inclusive and count pixels from 1."""
    corners: list[tuple[float, float, float, float]] = []
    chosen = strides((width, height), limit)
    if len(chosen) < len(SIZES):
        corners.append((0, 0, width, height))
    for (w, h), stride in chosen:
        corners += [
            (x, y, x + w, y + h)
            for x in starts(width - w, stride)
            for y in starts(height - h, stride)
        ]
    return [[x1 - 1, y1 - 1, x2 - x1 + 1, y2 - y1 + 1] for x1, y1, x2, y2 in corners]

"""Outlines for the true boxes as COCO writes them: polygons, and run lengths for crowds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from worlds import Floats, Images, Ints, Objects

TWO_RING_SHARE = 0.1


@dataclass(frozen=True)
class Polygons:
    """Vertices of all rings in a row; a ring starts where `ring_start` says."""

    points: Floats
    ring_start: Ints
    ring_object: Ints
    area: Floats


def polygons(rng: np.random.Generator, xywh: Floats) -> Polygons:
    """Star-shaped outlines that fill their boxes, 25 vertices on average, some in two rings."""
    n_points = np.clip(rng.lognormal(3.06, 0.6, len(xywh)), 6, 200).astype(np.int64)
    first = np.concatenate(([0], np.cumsum(n_points)[:-1]))
    owner = np.repeat(np.arange(len(xywh)), n_points)
    step = np.arange(len(owner)) - first[owner]
    angle = 2 * np.pi * (step + rng.random(len(owner))) / n_points[owner]
    radius = 0.6 + 0.4 * rng.random(len(owner))
    points = np.column_stack((np.cos(angle), np.sin(angle))) * radius[:, None]
    low = np.minimum.reduceat(points, first)[owner]
    high = np.maximum.reduceat(points, first)[owner]
    points = np.round(xywh[owner, :2] + (points - low) / (high - low) * xywh[owner, 2:], 2)

    cut = np.flatnonzero((rng.random(len(xywh)) < TWO_RING_SHARE) & (n_points >= 8))
    starts = np.concatenate((first, first[cut] + n_points[cut] // 2))
    owners = np.concatenate((np.arange(len(xywh)), cut))
    order = np.argsort(starts, kind="stable")
    ring_start, ring_object = starts[order], owners[order]
    area = np.zeros(len(xywh))
    np.add.at(area, ring_object, _ring_areas(points, ring_start))
    return Polygons(points, ring_start, ring_object, area)


def _ring_areas(points: Floats, ring_start: Ints) -> Floats:
    following = np.arange(1, len(points) + 1)
    following[np.append(ring_start[1:], len(points)) - 1] = ring_start
    x, y = points.T
    cross = x * y[following] - x[following] * y
    return np.asarray(np.abs(np.add.reduceat(cross, ring_start)) / 2, dtype=np.float64)


def run_lengths(rng: np.random.Generator, images: Images, objects: Objects, row: int) -> list[int]:
    """Uncompressed column-major runs of a ragged region inside the object's box."""
    image = objects.image_row[row]
    width, height = int(images.width[image]), int(images.height[image])
    x, y, w, h = objects.xywh[row]
    left, right = int(x), min(max(int(x + w), int(x) + 1), width)
    top, bottom = int(y), min(max(int(y + h), int(y) + 1), height)
    upper = top + rng.integers(0, max((bottom - top) // 3, 1), right - left)
    lower = np.maximum(bottom - rng.integers(0, max((bottom - top) // 3, 1), right - left), upper)
    column = np.arange(left, right) * height
    edges = np.column_stack((column + upper, column + lower)).ravel()
    bounds: npt.NDArray[np.int64] = np.concatenate(([0], edges, [width * height]))
    return [int(run) for run in np.diff(bounds)]

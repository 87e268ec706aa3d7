"""Where a region that grows around a seed should stop: before the steps that cost most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boxlens.data.columns import Bools, Boxes, Floats
    from boxlens.studies.proposals.generators.geodesic_graph import SuperpixelGraph

# A large region has many neighbours, so its next step is short: gaps count by this power of area.
AREA_POWER = 0.15
# A region that covers more of the picture is the picture.
LARGEST_SHARE = 0.98


@dataclass(frozen=True, slots=True)
class Levels:
    """Boxes of regions [seed, level], the clearest first; some seeds have fewer levels."""

    box: Boxes
    exists: Bools


def critical_levels(signed: Floats, graph: SuperpixelGraph, n: int, overlap: float) -> Levels:
    """Level sets of signed distances [seed, superpixel] whose growth is slow.

    A region holds every superpixel up to a distance; it is clear when the next distance is far off.
    Of regions around one seed that overlap (IoU) more than `overlap`, the clearest stays.
    """
    order = np.argsort(signed, axis=1, kind="stable")
    area = np.cumsum(graph.area[order], axis=1)
    low = np.minimum.accumulate(graph.box[order, :2], axis=1)
    high = np.maximum.accumulate((graph.box[:, :2] + graph.box[:, 2:])[order], axis=1)
    clear = _clearness(np.take_along_axis(signed, order, axis=1), area)
    row = np.arange(len(signed))
    boxes, exists = np.zeros((len(row), n, 4)), np.zeros((len(row), n), dtype=np.bool_)
    for level in range(n):
        best = clear.argmax(axis=1)
        exists[:, level] = clear[row, best] > 0
        boxes[:, level, :2] = low[row, best]
        boxes[:, level, 2:] = high[row, best] - low[row, best]
        # Regions around one seed are nested: their overlap is the quotient of their areas.
        ratio = area / area[row, best][:, None]
        clear[np.minimum(ratio, 1 / ratio) > overlap] = 0
    return Levels(boxes, exists)


def _clearness(sorted_distance: Floats, area: Floats) -> Floats:
    """The gap after each superpixel in order; none after the last."""
    gap = np.diff(sorted_distance, axis=1, append=sorted_distance[:, -1:])
    small = area <= LARGEST_SHARE * area[:, -1:]
    clear: Floats = gap * area**AREA_POWER * small
    return clear

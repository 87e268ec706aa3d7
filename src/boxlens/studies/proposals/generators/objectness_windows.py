"""Windows that stand out: drawn by multi-scale saliency, the first cue of objectness.

Faithful are the spectral residual of each colour channel at five scales, the score of a window and
the share of every scale and channel. Windows are whole cells of a map, from edge to edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from boxlens.data.columns import Floats
    from boxlens.images import Pixels

# Sides of the saliency maps, in cells.
SCALES = (16, 24, 32, 48, 64)
# The edges of the cells of every scale lie on one lattice of so many steps a side.
STEPS = math.lcm(*SCALES)
# Windows are at least so wide and high, in pixels and in cells.
LEAST_PX, LEAST_CELLS = 10, 2
SMOOTHING_CELLS = 3
DISK_RADIUS_CELLS = 3
# Frequencies that a channel lacks have rounding errors instead: far below those that it has.
_NO_AMPLITUDE = 1e-9
# Spans of columns at a time, so that their sums stay in the cache.
_SPANS = 64


@dataclass(frozen=True, slots=True)
class DrawnWindows:
    """Left, top, right and bottom of each window in lattice steps, and its saliency score."""

    steps: npt.NDArray[np.int64]
    saliency: Floats

    def corners_px(self, width_px: int, height_px: int) -> Floats:
        size = np.array([width_px, height_px] * 2, dtype=np.float64)
        corners: Floats = self.steps * size / STEPS
        return corners


def draw_windows(
    image: Pixels, thresholds: Sequence[float], n_windows: int, random: np.random.Generator
) -> DrawnWindows:
    """At most `n_windows`, repeated ones among them: as many from every scale and channel."""
    height, width = image.shape[:2]
    share = -(-n_windows // (len(SCALES) * image.shape[2]))
    steps, scored = [np.zeros((0, 4), dtype=np.int64)], [np.zeros(0)]
    for cells, threshold in zip(SCALES, thresholds, strict=True):
        columns, rows = _spans(cells, width), _spans(cells, height)
        for channel in np.moveaxis(image, 2, 0):
            saliency = saliency_map(channel, cells)
            if not saliency.any():
                continue
            scores = window_scores(saliency, threshold, columns, rows)
            picked = _picked(scores, share, random)
            across, down = np.divmod(picked, scores.shape[1])
            edges = [columns[0][across], rows[0][down], columns[1][across], rows[1][down]]
            steps.append(np.stack(edges, axis=1) * (STEPS // cells))
            scored.append(scores.ravel()[picked])
    return DrawnWindows(np.concatenate(steps)[:n_windows], np.concatenate(scored)[:n_windows])


def saliency_map(channel: npt.NDArray[np.uint8], cells: int) -> Floats:
    """What the spectrum of a channel has beyond its own average, from 0 to 1."""
    from scipy.ndimage import correlate, uniform_filter

    small = _shrunk(channel, cells)
    if np.ptp(small) == 0:
        return np.zeros_like(small)
    spectrum = np.fft.fft2(small)
    amplitude = np.log(np.maximum(np.abs(spectrum), _NO_AMPLITUDE))
    usual = uniform_filter(amplitude, SMOOTHING_CELLS, mode="nearest")
    # The amplitude's logarithm less its local average, with the phase unchanged.
    residual = np.abs(np.fft.ifft2(spectrum * np.exp(-usual))) ** 2
    smooth: Floats = correlate(residual, _disk(DISK_RADIUS_CELLS), mode="constant")
    low, high = smooth.min(), smooth.max()
    return (smooth - low) / (high - low) if high > low else np.zeros_like(smooth)


def _shrunk(channel: npt.NDArray[np.uint8], cells: int) -> Floats:
    """Bilinear and, where it shrinks, over all pixels: as MATLAB's imresize does."""
    from PIL import Image

    picture = Image.fromarray(np.ascontiguousarray(channel, dtype=np.float32) / np.float32(255))
    small = picture.resize((cells, cells), Image.Resampling.BILINEAR)
    return np.asarray(small, dtype=np.float64)


@cache
def _disk(radius: int, parts: int = 64) -> Floats:
    """Weights by how much of each cell a disk covers; their sum is 1."""
    side = 2 * radius + 1
    place = (np.arange(side * parts) + 0.5) / parts - side / 2
    covered = np.hypot(place[:, None], place[None, :]) <= radius
    weight = covered.reshape(side, parts, side, parts).mean(axis=(1, 3))
    normalized: Floats = weight / weight.sum()
    return normalized


Spans = tuple["npt.NDArray[np.int64]", "npt.NDArray[np.int64]"]


def _spans(cells: int, side_px: int) -> Spans:
    """Every pair of edges (low, high) that is far enough apart; at least the whole side."""
    least = max(LEAST_CELLS, math.floor(LEAST_PX * cells / side_px + 0.5))
    return np.triu_indices(cells + 1, k=min(least, cells))


def window_scores(saliency: Floats, threshold: float, columns: Spans, rows: Spans) -> Floats:
    """Salient mass times the share of salient cells, for every span of columns and of rows."""
    salient = saliency >= threshold
    mass = _strips(np.where(salient, saliency, 0.0), rows)
    share = _strips(salient.astype(np.float64), rows) / (rows[1] - rows[0])
    scores = np.empty((len(columns[0]), len(rows[0])))
    for begin in range(0, len(scores), _SPANS):
        low, high = (edge[begin : begin + _SPANS] for edge in columns)
        shares = (share[high] - share[low]) / (high - low)[:, None]
        np.multiply(mass[high] - mass[low], shares, out=scores[begin : begin + _SPANS])
    return scores


def _strips(values: Floats, rows: Spans) -> Floats:
    """Sums left of every edge between columns (rows here), within every span of rows."""
    integral = np.pad(values, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    return np.ascontiguousarray((integral[rows[1]] - integral[rows[0]]).T)


def _picked(scores: Floats, n: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Flat positions, with replacement, each as often as its score says; none where all are 0."""
    upto = np.cumsum(scores)
    chance = random.random(n)
    if upto[-1] == 0:
        return np.zeros(0, dtype=np.int64)
    mark = np.minimum(chance * upto[-1], np.nextafter(upto[-1], 0))
    picked: npt.NDArray[np.int64] = np.searchsorted(upto, mark, side="right")
    return picked

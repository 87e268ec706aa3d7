"""The cues of objectness: windows drawn by saliency, their colour contrast, superpixels straddling.

Faithful are the spectral residual of each colour channel at five scales, the score of a window and
the share of every scale and channel, both other measures and their settings (METHODS 7.5). Windows
are whole cells of a map, from edge to edge. Pixels are counted in the cells between the edges that
occur, as the windows of one picture share a few hundred of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.images import Pixels
from boxlens.studies.proposals.segments import Labels, segment

Corners = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int32]

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
Spans = tuple["npt.NDArray[np.int64]", "npt.NDArray[np.int64]"]
# Bins of L from 0 to 100, of a and of b from -120 to 120.
LAB_BINS = (4, 8, 8)
# The size of pictures that the settings of the superpixels are meant for; others scale them.
USUAL_AREA_PX = 300 * 200
# At a time, so that the counts stay in the cache: windows, labels.
_WINDOWS, _LABELS = 2048, 256


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


def whole_pixels(corners_px: Floats) -> Corners:
    """Left, top, right and bottom, each at the nearest border of pixels."""
    return np.floor(corners_px + 0.5).astype(np.int64)


def colour_contrast(image: Pixels, corners_px: Floats, ring: float) -> Floats:
    """Chi-square distance (0 to 2) of the Lab histograms of a window and of the ring around it.

    `ring` is how much larger window and ring together are on either axis, in percent, as far as
    the picture goes; 0 where it leaves no ring.
    """
    inner, outer = whole_pixels(corners_px), _with_ring(image, corners_px, ring)
    colours, labels = np.unique(_lab_bins(image), return_inverse=True)
    counts = _Counts(labels.reshape(image.shape[:2]), len(colours), np.vstack([inner, outer]))
    contrast = np.empty(len(inner))
    for part in _parts(len(inner), _WINDOWS):
        inside = counts.inside(inner[part])
        contrast[part] = _chi_square(inside, counts.inside(outer[part]) - inside)
    return contrast


def _with_ring(image: Pixels, corners_px: Floats, ring: float) -> Corners:
    height, width = image.shape[:2]
    margin = (corners_px[:, 2:] - corners_px[:, :2]) * (ring / 200)
    low = np.maximum(corners_px[:, :2] - margin, 0)
    high = np.minimum(corners_px[:, 2:] + margin, [width, height])
    return whole_pixels(np.hstack([low, high]))


def _lab_bins(image: Pixels) -> Labels:
    import cv2

    lab = np.asarray(cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_RGB2LAB))
    whole = np.zeros(image.shape[:2], dtype=np.int32)
    for channel, bins, (low, high) in zip(
        np.moveaxis(lab, 2, 0), LAB_BINS, ((0, 100), (-120, 120), (-120, 120)), strict=True
    ):
        place = np.floor((channel - low) * (bins / (high - low))).astype(np.int32)
        whole = whole * bins + place.clip(0, bins - 1)
    return whole


def _chi_square(one: Counts, other: Counts) -> Floats:
    p, q = _shares(one), _shares(other)
    both = p + q
    terms = np.divide((p - q) ** 2, both, out=np.zeros_like(both), where=both > 0)
    none = (one.sum(axis=1) == 0) | (other.sum(axis=1) == 0)
    return np.where(none, 0.0, terms.sum(axis=1))


def _shares(counts: Counts) -> Floats:
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


def superpixels(image: Pixels, *, sigma: float, k: float, min_size: float) -> Labels:
    """Blur and least size grow with the side of the picture."""
    scale = np.sqrt(image.shape[0] * image.shape[1] / USUAL_AREA_PX)
    return segment(image, sigma=sigma * scale, k=k, min_size=max(round(min_size * scale), 1))


def straddling(labels: Labels, corners_px: Floats) -> Floats:
    """1 where the border of a window cuts no superpixel, less by what it cuts off, at most 1.

    Each superpixel weighs by the smaller of its parts, inside or outside, over the window's area.
    """
    windows = whole_pixels(corners_px)
    cut = np.zeros(len(windows))
    n = int(labels.max()) + 1
    for begin in range(0, n, _LABELS):
        here = np.where((labels >= begin) & (labels < begin + _LABELS), labels - begin, -1)
        n_here = min(_LABELS, n - begin)
        counts = _Counts(here, n_here, windows)
        whole = np.bincount(here[here >= 0], minlength=n_here).astype(np.int32)
        for part in _parts(len(windows), _WINDOWS):
            inside = counts.inside(windows[part])
            cut[part] += np.minimum(inside, whole - inside).sum(axis=1)
    uncut: Floats = 1 - cut / np.prod(windows[:, 2:] - windows[:, :2], axis=1)
    return uncut


class _Counts:
    """How many pixels of every label (-1: none) lie above and left of any two edges."""

    def __init__(self, labels: npt.NDArray[np.integer], n_labels: int, windows: Corners) -> None:
        self._x, self._y = np.unique(windows[:, ::2]), np.unique(windows[:, 1::2])
        height, width = labels.shape
        column = np.searchsorted(self._x, np.arange(width), side="right")
        row = np.searchsorted(self._y, np.arange(height), side="right")
        # What lies beyond the last edge is counted nowhere.
        shape = (len(self._y) + 1, len(self._x) + 1, n_labels)
        cell = (row[:, None] * shape[1] + column[None, :]) * n_labels + labels
        counted = np.bincount(cell[labels >= 0], minlength=int(np.prod(shape))).reshape(shape)
        upto = counted[:-1, :-1].astype(np.int32)
        self._upto = upto.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)

    def inside(self, windows: Corners) -> Counts:
        """One row per window (corners among those given at first), one column a label."""
        left, right = (np.searchsorted(self._x, windows[:, side]) for side in (0, 2))
        top, bottom = (np.searchsorted(self._y, windows[:, side]) for side in (1, 3))
        counts = self._upto[bottom, right]
        counts -= self._upto[bottom, left]
        counts -= self._upto[top, right]
        counts += self._upto[top, left]
        return counts


def _parts(n: int, size: int) -> Iterator[slice]:
    return (slice(begin, begin + size) for begin in range(0, n, size))

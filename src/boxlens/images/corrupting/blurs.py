"""Out of focus, through frosted glass, in motion, and zoomed while the shutter is open."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.images.perturbing.libraries import opencv
from boxlens.images.pixels import Pixels, eight_bits

# Radius of the disk and sigma of the Gaussian that softens its rim, in pixels.
DEFOCUS_DISKS = ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5))
# Radius and sigma of the streak, in pixels. Published streaks begin at the pixel; centred to whole
# pixels as ours are, a longer one changes a few pictures less than a shorter one.
MOTION_STREAKS = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))
STEEPEST_MOTION_DEG = 45
_LEAST_WEIGHT = 1e-6
# From one zoom to the next, and how many there are from 1 up. Where steps get longer (third, fifth)
# a few pictures change less than by the severity before.
ZOOMS = ((0.01, 12), (0.01, 16), (0.02, 11), (0.02, 13), (0.03, 11))
# Sigma of both blurs in pixels, longest step d in pixels, rounds.
PANES = ((0.7, 1, 2), (0.9, 2, 1), (1.0, 2, 3), (1.1, 3, 2), (1.5, 4, 2))
_N_WALKS = 1 << 16


def defocus_blur(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    blurred: Pixels = opencv().filter2D(image, -1, disk(*DEFOCUS_DISKS[severity - 1]))
    return blurred


def motion_blur(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """Along one direction for all severities, at most so steep."""
    angle = random.uniform(-STEEPEST_MOTION_DEG, STEEPEST_MOTION_DEG)
    return smeared(image, *MOTION_STREAKS[severity - 1], angle)


def zoom_blur(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    """The mean of the picture and its zooms about the centre, of which the first is itself."""
    cv2 = opencv()
    height, width = image.shape[:2]
    total = image.astype(np.float32)
    step, n_zooms = ZOOMS[severity - 1]
    for zoom in 1 + step * np.arange(n_zooms):
        rows, columns = math.ceil(height / zoom), math.ceil(width / zoom)
        top, left = (height - rows) // 2, (width - columns) // 2
        inner = image[top : top + rows, left : left + columns]
        cv2.accumulate(cv2.resize(inner, (width, height)), total)
    total /= n_zooms + 1
    return eight_bits(total)


def disk(radius_px: int, sigma_px: float) -> npt.NDArray[np.float32]:
    """Weights that sum to 1."""
    reach = max(radius_px, 8) + 2
    ruler = np.arange(-reach, reach + 1)
    inside = ruler[:, None] ** 2 + ruler**2 <= radius_px**2
    rim = (3, 3) if radius_px <= 8 else (5, 5)
    weights: npt.NDArray[np.float32] = opencv().GaussianBlur(
        inside.astype(np.float32), rim, sigma_px
    )
    used = np.flatnonzero(weights[reach] > _LEAST_WEIGHT)
    trimmed: npt.NDArray[np.float32] = weights[used[0] : used[-1] + 1, used[0] : used[-1] + 1]
    trimmed /= trimmed.sum()
    return trimmed


def glass_blur(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """Every pixel shows one so many steps away, each from -d to d along either axis.

    The published loop swaps pixels one after the other, which carries some of them far along. Here
    places are drawn at once: a pixel may be shown twice or not at all, none comes from farther than
    d times the rounds, and the variance of the way is about half of that of sequential swaps.
    """
    sigma, longest_step, n_rounds = PANES[severity - 1]
    height, width = image.shape[:2]
    law = _walks(longest_step, n_rounds)
    rows, columns = (
        law[random.integers(0, _N_WALKS, (height, width), dtype=np.uint16)] for _ in range(2)
    )
    rows += np.arange(height, dtype=np.int32)[:, None]
    columns += np.arange(width, dtype=np.int32)
    np.clip(rows, 0, height - 1, out=rows)
    np.clip(columns, 0, width - 1, out=columns)
    rows *= width
    rows += columns
    smooth = smoothed(image.astype(np.float32), sigma).reshape(-1, 3)
    return eight_bits(smoothed(smooth.take(rows, axis=0), sigma))


def _walks(longest_step: int, n_rounds: int) -> npt.NDArray[np.int32]:
    """Where a walk ends, for every rank of a draw in equal shares."""
    step = np.full(2 * longest_step + 1, 1 / (2 * longest_step + 1))
    chances = np.ones(1)
    for _ in range(n_rounds):
        chances = np.convolve(chances, step)
    probabilities = (np.arange(_N_WALKS) + 0.5) / _N_WALKS
    ends = np.searchsorted(chances.cumsum()[:-1], probabilities)
    return (ends - longest_step * n_rounds).astype(np.int32)


def smoothed(values: npt.NDArray[np.float32], sigma_px: float) -> npt.NDArray[np.float32]:
    """A picture or a plane, by a Gaussian up to four sigmas; it goes on as it ends."""
    cv2 = opencv()
    side = 2 * round(4 * sigma_px) + 1
    smooth: npt.NDArray[np.float32] = cv2.GaussianBlur(
        values, (side, side), sigma_px, borderType=cv2.BORDER_REPLICATE
    )
    return smooth


def smeared(
    pixels: npt.NDArray[Any], radius_px: int, sigma_px: float, angle_deg: float
) -> npt.NDArray[Any]:
    """Along a line: half a Gaussian, as something moving leaves it.

    Angles are counter-clockwise from the right. Beyond its border a picture goes on as it ends.
    Published kernels begin at the pixel and shift the picture by up to eleven; ours have their
    centre of mass there, so that boxes stay where they are.
    """
    kernel, (row, column) = streak(radius_px, sigma_px, angle_deg)
    cv2 = opencv()
    smeared: npt.NDArray[Any] = cv2.filter2D(
        pixels, -1, kernel, anchor=(column, row), borderType=cv2.BORDER_REPLICATE
    )
    return smeared


def streak(
    radius_px: int, sigma_px: float, angle_deg: float
) -> tuple[npt.NDArray[np.float32], tuple[int, int]]:
    """Weights that sum to 1, and the row and column of the pixel they are centred on."""
    steps = np.arange(2 * radius_px + 1)
    weights = np.exp(-(steps**2) / (2 * sigma_px**2))
    weights /= weights.sum()
    angle = math.radians(angle_deg)
    rows = np.rint(-steps * math.sin(angle)).astype(int)
    columns = np.rint(steps * math.cos(angle)).astype(int)
    top, left = rows.min(), columns.min()
    kernel = np.zeros((rows.max() - top + 1, columns.max() - left + 1), dtype=np.float32)
    np.add.at(kernel, (rows - top, columns - left), weights)
    return kernel, (round(weights @ rows) - top, round(weights @ columns) - left)

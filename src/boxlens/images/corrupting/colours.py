"""Lighter, flatter and more or less colourful: each is a table over the values of a pixel.

Brightness and saturation are V and S of HSV. V is the largest channel and S says how far below it
the smallest lies, so both change without a way through hues.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from boxlens.images.perturbing.libraries import opencv
from boxlens.images.pixels import Pixels, eight_bits

# Added to V, 1 is full.
BRIGHTNESS_ADDED = (0.1, 0.2, 0.3, 0.4, 0.5)
# What is left of the distances from the mean.
CONTRAST_LEFT = (0.4, 0.3, 0.2, 0.1, 0.05)
# S times the first and plus the second. Two take colour away, three add it: the third may change a
# picture less than the second.
SATURATIONS = ((0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2))


def brightness(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    """Channels keep their ratios to V; black turns grey."""
    cells = _largest(image).astype(np.uint16) << 8
    return _lightened(severity).take(cells[..., None] | image)


def contrast(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    """Each channel of the picture about its own mean."""
    left = CONTRAST_LEFT[severity - 1]
    means = np.array(opencv().mean(image)[:3])
    values = np.arange(256.0)[:, None]
    flat: Pixels = opencv().LUT(image, eight_bits(means + left * (values - means))[None])
    return flat


def saturate(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    """Grey pixels count as red ones without saturation, and turn red where some is added."""
    largest = _largest(image)
    smallest = np.minimum(np.minimum(image[..., 0], image[..., 1]), image[..., 2])
    gain = _depth_gains(severity).take(largest.astype(np.uint16) << 8 | smallest)
    saturated = np.empty_like(image)
    for channel in range(3):
        # A channel of grey differs from V by nothing, which no gain can enlarge.
        depth = (largest - image[..., channel]).astype(np.float32)
        saturated[..., channel] = eight_bits(largest - depth * gain)
    added = SATURATIONS[severity - 1][1]
    if added:
        grey = largest == smallest
        saturated[grey, 1:] = np.rint((1 - added) * largest[grey].astype(np.float32))[:, None]
    return saturated


def _largest(image: Pixels) -> Pixels:
    return np.maximum(np.maximum(image[..., 0], image[..., 1]), image[..., 2])


@cache
def _lightened(severity: int) -> Pixels:
    """By V and channel."""
    added = 255 * BRIGHTNESS_ADDED[severity - 1]
    largest, channel = np.ogrid[:256, :256]
    lighter = channel * np.minimum(largest + added, 255) / np.maximum(largest, 1)
    lighter[0] = added
    return eight_bits(lighter).reshape(-1)


@cache
def _depth_gains(severity: int) -> npt.NDArray[np.float32]:
    """New S by old S, by largest and smallest channel."""
    factor, added = SATURATIONS[severity - 1]
    largest, smallest = np.ogrid[:256, :256]
    old = np.maximum(largest - smallest, 0) / np.maximum(largest, 1)
    new = np.clip(old * factor + added, 0, 1)
    gains: npt.NDArray[np.float32] = np.divide(new, old, out=np.ones_like(old), where=old > 0)
    return gains.astype(np.float32).reshape(-1)

"""Histograms of oriented gradients: an image as cells of edge strength by direction.

Values are whole numbers from 0 to 63. Products with whole weights are then summed without
rounding, so that a score is the same bits whatever library, thread count or batch computes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.errors import imported
from boxlens.images import Pixels

CELL_PX = 8
# All the way round: dark on bright is told from bright on dark.
N_DIRECTIONS = 18
# The directions, and the overall strength as each of the four blocks around a cell sees it.
N_CHANNELS = N_DIRECTIONS + 4
LARGEST_VALUE = 63

# Rows x columns x channels of whole numbers, held as float32 for quick products.
Cells = npt.NDArray[np.float32]

_DIRECTION_STEPS, _STRENGTH_STEPS = 24.0, 17.0


def hog_cells(pixels: Pixels) -> Cells:
    """The cells that lie in the image whole: one for every 8 x 8 pixels from the top left."""
    rows, columns = pixels.shape[0] // CELL_PX, pixels.shape[1] // CELL_PX
    if rows == 0 or columns == 0:
        return np.zeros((rows, columns, N_CHANNELS), dtype=np.float32)
    cv2 = opencv()
    whole = pixels[: rows * CELL_PX, : columns * CELL_PX]
    # A ring of repeated pixels, so that cells at the edge have four blocks around them too.
    ringed = cv2.copyMakeBorder(whole, CELL_PX, CELL_PX, CELL_PX, CELL_PX, cv2.BORDER_REPLICATE)
    blocks = _blocks(np.asarray(ringed, dtype=np.uint8)).reshape(
        columns + 1, rows + 1, 2, 2, N_DIRECTIONS
    )
    around = [
        blocks[right : columns + right, below : rows + below, 1 - right, 1 - below]
        for right in (0, 1)
        for below in (0, 1)
    ]
    strength = np.stack([block.sum(axis=-1) for block in around], axis=-1) * _STRENGTH_STEPS
    direction = sum(around[1:], around[0]) * _DIRECTION_STEPS
    cells = np.concatenate([direction, strength], axis=-1).swapaxes(0, 1)
    steps: Cells = np.minimum(np.rint(cells), LARGEST_VALUE).astype(np.float32, order="C")
    return steps


def _blocks(pixels: Pixels) -> npt.NDArray[np.float32]:
    """Histograms of 2 x 2 cells, each normalised; OpenCV lists blocks and cells by column."""
    described = opencv().HOGDescriptor(
        (pixels.shape[1], pixels.shape[0]),
        (2 * CELL_PX, 2 * CELL_PX),
        (CELL_PX, CELL_PX),
        (CELL_PX, CELL_PX),
        N_DIRECTIONS,
        _gammaCorrection=True,
        _signedGradient=True,
    )
    return np.asarray(described.compute(pixels), dtype=np.float32)


def cut(pixels: Pixels, box: Floats) -> Pixels:
    """What a box holds, at least a pixel; beyond the image its edge is repeated."""
    height, width = pixels.shape[:2]
    left, top = np.floor(box[:2] + 0.5).astype(int).tolist()
    right, bottom = np.floor(box[:2] + box[2:] + 0.5).astype(int).tolist()
    right, bottom = max(right, left + 1), max(bottom, top + 1)
    if left >= 0 and top >= 0 and right <= width and bottom <= height:
        return pixels[top:bottom, left:right]
    rows = np.clip(np.arange(top, bottom), 0, height - 1)
    columns = np.clip(np.arange(left, right), 0, width - 1)
    beyond: Pixels = pixels[rows[:, None], columns]
    return beyond


def resized(pixels: Pixels, width_px: int, height_px: int) -> Pixels:
    """The image at another size: areas are averaged where it shrinks."""
    cv2 = opencv()
    shrinks = width_px * height_px < pixels.shape[0] * pixels.shape[1]
    way = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(pixels, (width_px, height_px), interpolation=way), dtype=np.uint8)


def opencv() -> Any:
    return imported("cv2", "a detector", "opencv-contrib-python-headless")

"""Floats from 0 to 255 as pixels: rounded, where the published code cuts decimals off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.images.pixels import Pixels


def eight_bits(values: npt.NDArray[np.floating[Any]]) -> Pixels:
    """Writes on the values."""
    np.clip(values, 0, 255, out=values)
    np.rint(values, out=values)
    return values.astype(np.uint8)

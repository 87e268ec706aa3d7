"""What a picture is inside Boxlens: height x width x RGB, 8 bits each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Rows from the top, columns from the left, channels red, green, blue.
Pixels = npt.NDArray[np.uint8]


def eight_bits(values: npt.NDArray[np.floating[Any]]) -> Pixels:
    """Floats rounded, where published corruptions cut decimals off; writes on the values."""
    np.clip(values, 0, 255, out=values)
    np.rint(values, out=values)
    return values.astype(np.uint8)

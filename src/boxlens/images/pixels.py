"""What a picture is inside Boxlens: height x width x RGB, 8 bits each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Rows from the top, columns from the left, channels red, green, blue.
Pixels = npt.NDArray[np.uint8]

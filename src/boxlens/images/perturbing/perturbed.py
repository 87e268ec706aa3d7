"""A changed picture, and where the boxes of the original lie in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import Floats, frozen

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels

STAYS = frozen(np.eye(2, 3), np.float64)


@dataclass(frozen=True, slots=True)
class Perturbed:
    pixels: Pixels
    # 2 x 3: continuous coordinates of the reference picture to those of this one.
    matrix: Floats

"""Where the picture is taken from: the world in metres becomes picture points.

World space: x to the right, y into the picture, z up; the camera stands above the origin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from boxlens.data.columns import Floats


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera, looking along y and down by `pitch`."""

    width_px: int
    height_px: int
    focal_px: float
    height: float
    pitch: float

    @property
    def horizon_px(self) -> float:
        """Picture row of what is infinitely far, on the ground's level."""
        return self.height_px / 2 - self.focal_px * math.tan(self.pitch)

    def project(self, points: Floats) -> tuple[Floats, Floats]:
        """Picture points (n x 2) and their depth along the view; depth <= 0 is behind us."""
        x, y, z = points[:, 0], points[:, 1], points[:, 2] - self.height
        cosine, sine = math.cos(self.pitch), math.sin(self.pitch)
        depth = y * cosine - z * sine
        up = y * sine + z * cosine
        away = np.where(depth > 1e-6, depth, np.nan)
        column = self.width_px / 2 + self.focal_px * x / away
        row = self.height_px / 2 - self.focal_px * up / away
        return np.stack([column, row], axis=1), depth

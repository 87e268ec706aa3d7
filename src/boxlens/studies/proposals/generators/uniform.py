"""Boxes whose centre, size and aspect are uniform within what training boxes have (METHODS 7.1).

Nothing is substituted: the published numbers, those of PASCAL VOC 2007 trainval, are the defaults.
`box_statistics.uniform_of` takes them from another training set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boxlens.errors import ParameterError
from boxlens.studies.proposals.generators.drawn_boxes import (
    clipped,
    collect,
    corners_of,
    key_of,
    stream_of,
)
from boxlens.studies.proposals.generators.ranked import identity_text, ranked
from boxlens.version import VERSION

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes, Floats
    from boxlens.images import Pixels
    from boxlens.studies.proposals.generators.ranked import Ranked


@dataclass(frozen=True, slots=True)
class Uniform:
    """The ranges: centre and area are fractions of the image, aspect is width over height."""

    name: str = "uniform"
    seed: int = 0
    x_low: float = 0.031
    x_high: float = 0.974
    y_low: float = 0.065
    y_high: float = 0.9347
    area_low: float = 0.00096
    area_high: float = 0.98233
    aspect_low: float = 0.1905
    aspect_high: float = 4.667
    nested: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for what, least in (("x", 0.0), ("y", 0.0), ("area", 0.0), ("aspect", 1e-6)):
            low, high = getattr(self, f"{what}_low"), getattr(self, f"{what}_high")
            if not least <= low <= high:
                raise ParameterError(f"{what} of uniform boxes from {low} to {high} is no range")

    @property
    def identity(self) -> str:
        settings = {key: getattr(self, key) for key in self.__slots__ if key != "name"}
        return identity_text(self.name, f"boxlens {VERSION}", **settings)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        height, width = image.shape[:2]
        return self.propose_for(width, height, limit, key_of(image))

    def propose_for(self, width_px: int, height_px: int, limit: int, key: int | str) -> Ranked:
        chance = stream_of(self.seed, key)

        def draw(n: int) -> Boxes:
            corners = corners_of(self.shapes(chance, n), width_px, height_px, least_side_px=0)
            return clipped(corners, width_px, height_px)

        return ranked(collect(draw, limit), limit)

    def shapes(self, chance: np.random.Generator, n: int) -> Floats:
        """One row a box: log2 of width / height, root of relative area, relative centre."""
        low = [np.log2(self.aspect_low), np.sqrt(self.area_low), self.x_low, self.y_low]
        high = [np.log2(self.aspect_high), np.sqrt(self.area_high), self.x_high, self.y_high]
        return chance.uniform(low, high, (n, 4))

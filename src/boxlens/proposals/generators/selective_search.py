"""Selective search: boxes of segments and of their unions, by OpenCV's fast strategy.

Faithful are the colours, segmentations and similarities of the fast setting. Substituted is the
order. The method ranks a region by its place in the merging, counted from the top, times a random
number (METHODS 7.5). OpenCV does not tell the place and draws from C's rand(), differently at each
call. Here the place is that by size, the largest box first, as merging goes from small to large,
and the random numbers follow from the seed and the boxes: same boxes in, same order out.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.proposals.generators.opencv import contributed, versions
from boxlens.proposals.generators.ranked import identity_text, ranked

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes
    from boxlens.images import Pixels
    from boxlens.proposals.generators.ranked import Ranked


@dataclass(frozen=True, slots=True)
class SelectiveSearch:
    """Coarseness of the segmentations (first, step), their blur, and the narrowest box."""

    name: str = "selective-search"
    seed: int = 0
    base_k: int = 150
    step_k: int = 150
    sigma: float = 0.8
    min_side_px: int = 20

    def __post_init__(self) -> None:
        contributed("ximgproc")

    @property
    def identity(self) -> str:
        settings = {key: getattr(self, key) for key in self.__slots__ if key != "name"}
        return identity_text(self.name, versions(), strategy="fast", order="size", **settings)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        search = contributed("ximgproc").segmentation.createSelectiveSearchSegmentation()
        search.setBaseImage(np.ascontiguousarray(image[..., ::-1]))
        search.switchToSelectiveSearchFast(self.base_k, self.step_k, self.sigma)
        boxes = np.asarray(search.process(), dtype=np.float64).reshape(-1, 4)
        wide = boxes[boxes[:, 2:].min(axis=1) >= self.min_side_px]
        return ranked(in_seeded_order(wide, self.seed), limit)


def in_seeded_order(boxes: Boxes, seed: int) -> Boxes:
    """Distinct boxes by place times a random number, ascending; their order here does not matter.

    Places are from the largest box (1) to the smallest; equal sizes go by x, y, width.
    """
    by_place = np.unique(boxes, axis=0)
    by_place = by_place[np.argsort(-by_place[:, 2] * by_place[:, 3], kind="stable")]
    # Drawn anew for each picture: otherwise the luck of a place would be the same in all of them.
    chance = np.random.default_rng([seed, zlib.crc32(by_place.tobytes())])
    place = np.arange(1, len(by_place) + 1)
    return by_place[np.argsort(place * chance.random(len(place)), kind="stable")]

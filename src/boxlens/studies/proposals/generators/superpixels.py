"""Superpixels: the boxes of the pieces of four segmentations, a baseline that joins nothing.

Faithful are the segmentation, its settings and the four colour spaces (METHODS 7.4); the code is
OpenCV's. The method has no scores. Its boxes come in a random order that follows from the seed and
the boxes: so the first k are a fair sample of all, and a small budget favours no size.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boxlens.images import Pixels
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import Ranked, identity_of, ranked
from boxlens.studies.proposals.segments import (
    SUPERPIXEL_SPACES,
    check_segmentation,
    in_colours,
    segment,
    segment_boxes,
)


@dataclass(frozen=True, slots=True)
class Superpixels:
    """Blur before the segmentation, its coarseness, and the fewest pixels of a piece."""

    nested: ClassVar[bool] = True

    name: str = "superpixels"
    seed: int = 0
    sigma: float = 0.8
    k: float = 100.0
    min_size_px: int = 100

    def __post_init__(self) -> None:
        contributed("ximgproc")
        check_segmentation(sigma=self.sigma, k=self.k, min_size=self.min_size_px)

    @property
    def identity(self) -> str:
        spaces = "+".join(SUPERPIXEL_SPACES)
        return identity_of(self, versions(), spaces=spaces, order="random")

    def propose(self, image: Pixels, limit: int) -> Ranked:
        found = []
        for space in SUPERPIXEL_SPACES:
            pieces = segment(
                in_colours(image, space), sigma=self.sigma, k=self.k, min_size=self.min_size_px
            )
            found.append(segment_boxes(pieces))
        boxes = np.unique(np.concatenate(found), axis=0)
        chance = np.random.default_rng([self.seed, zlib.crc32(boxes.tobytes())])
        return ranked(boxes[chance.permutation(len(boxes))], limit)

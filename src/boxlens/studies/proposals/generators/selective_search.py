"""Selective search: boxes of segments and of what they merge into, from several points of view.

After Uijlings et al. (METHODS 7.5). Faithful are colours, segmentations, likenesses, merging and
order: a region's place in its merging, counted from the top, times a random number. Substituted
are the derivatives of texture: Sobel's on a blurred picture instead of those of a Gaussian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from boxlens.errors import ParameterError
from boxlens.studies.proposals.generators.hierarchical_grouping import (
    PixelBins,
    Segments,
    merged_boxes,
)
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import distinct, identity_text, key_of, ranked
from boxlens.studies.proposals.segments import in_colours, segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.data.columns import Boxes
    from boxlens.images import Pixels
    from boxlens.studies.proposals.generators.hierarchical_grouping import Likeness
    from boxlens.studies.proposals.generators.ranked import Ranked

Strategy = Literal["fast", "quality", "published"]
Colours = Literal["hsv", "lab", "rg", "hue", "grey"]


class _Views(NamedTuple):
    """Every colour space with every segmentation (k, least size) with every likeness."""

    colours: tuple[Colours, ...]
    segmentations: tuple[tuple[int, int], ...]
    likenesses: tuple[tuple[Likeness, ...], ...]


_TWO_LIKENESSES: tuple[tuple[Likeness, ...], ...] = (
    ("colour", "texture", "size", "fill"),
    ("texture", "size", "fill"),
)
_ALL_LIKENESSES: tuple[tuple[Likeness, ...], ...] = (*_TWO_LIKENESSES, ("fill",), ("size",))
_ALL_COLOURS: tuple[Colours, ...] = ("hsv", "lab", "rg", "hue", "grey")
_VIEWS: dict[Strategy, _Views] = {
    # The fast mode of the paper.
    "fast": _Views(("hsv", "lab"), ((50, 50), (100, 100)), _TWO_LIKENESSES),
    # What OpenCV calls so.
    "quality": _Views(
        _ALL_COLOURS, tuple((k, 100) for k in (150, 300, 450, 600, 750)), _ALL_LIKENESSES
    ),
    "published": _Views(_ALL_COLOURS, tuple((k, k) for k in (50, 100, 150, 300)), _ALL_LIKENESSES),
}


@dataclass(frozen=True, slots=True)
class SelectiveSearch:
    """Which views are merged, their blur, and the narrowest box."""

    name: str = "selective-search"
    seed: int = 0
    strategy: Strategy = "fast"
    sigma: float = 0.8
    # All k of the strategy are multiplied by it: larger segments to begin with.
    coarseness: float = 1.0
    min_side_px: int = 20
    nested: ClassVar[bool] = True

    def __post_init__(self) -> None:
        contributed("ximgproc")
        if self.strategy not in get_args(Strategy):
            known = ", ".join(get_args(Strategy))
            raise ParameterError(f"unknown strategy '{self.strategy}': choose one of {known}")
        if not (self.sigma > 0 and self.coarseness > 0):
            raise ParameterError(
                f"sigma and coarseness are above 0, got {self.sigma} and {self.coarseness}"
            )

    @property
    def identity(self) -> str:
        return identity_text(
            self.name,
            versions(),
            strategy=self.strategy,
            sigma=self.sigma,
            coarseness=self.coarseness,
            min_side_px=self.min_side_px,
            seed=self.seed,
        )

    def propose(self, image: Pixels, limit: int) -> Ranked:
        chance = np.random.default_rng([self.seed, key_of(image)])
        mergings = list(self._mergings(image))
        boxes = in_random_order(mergings, chance)
        wide = boxes[boxes[:, 2:].min(axis=1) >= self.min_side_px]
        return ranked(distinct(wide), limit)

    def _mergings(self, image: Pixels) -> Iterator[Boxes]:
        views = _VIEWS[self.strategy]
        for colours in views.colours:
            channels = _channels(image, colours)
            bins = PixelBins.of(channels)
            for k, min_size in views.segmentations:
                labels = segment(
                    channels, sigma=self.sigma, k=k * self.coarseness, min_size=min_size
                )
                segments = Segments.of(labels, bins)
                for likeness in views.likenesses:
                    yield merged_boxes(segments, likeness)


def in_random_order(mergings: list[Boxes], chance: np.random.Generator) -> Boxes:
    """Regions of all mergings by place times a random number, ascending (METHODS 7.5).

    The whole image came last in its merging: its place is 1.
    """
    priorities = [np.arange(len(boxes), 0, -1) * chance.random(len(boxes)) for boxes in mergings]
    return np.concatenate(mergings)[np.argsort(np.concatenate(priorities), kind="stable")]


def _channels(image: Pixels, colours: Colours) -> Pixels:
    import cv2

    if colours == "hue":
        return np.ascontiguousarray(in_colours(image, "hsv")[..., :1])
    if colours == "grey":
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), dtype=np.uint8)[..., None]
    return in_colours(image, colours)

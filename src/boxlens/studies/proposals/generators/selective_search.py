"""Selective search: boxes of segments and of what they merge into, from several points of view.

After Uijlings, van de Sande, Gevers and Smeulders, "Selective search for object recognition"
(METHODS 7.5). Faithful are colours, segmentations, likenesses (of colours, of textures, of being
small, and of how well two regions fill the box around both), merging and order: a region's place in
its merging, counted from the top, times a random number. Substituted are the derivatives of
texture: Sobel's on a blurred picture instead of those of a Gaussian.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Boxes
from boxlens.errors import ParameterError
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import (
    Ranked,
    distinct,
    identity_text,
    key_of,
    ranked,
)
from boxlens.studies.proposals.segments import (
    Labels,
    RowOrRows,
    in_colours,
    merge_most_alike,
    neighbours,
    segment,
    segment_boxes,
)

Likeness = Literal["colour", "texture", "size", "fill"]
Shares = npt.NDArray[np.float32]
Bins = npt.NDArray[np.uint8]

N_COLOUR_BINS = 25
N_TEXTURE_BINS = 10
# Derivatives are taken in these directions, and rising apart from falling.
DIRECTIONS = tuple(np.arange(4) * np.pi / 4)
DERIVATIVE_BLUR_PX = 1.0
# In grey levels a pixel: less than this is rounding.
_FLAT = 1e-3
Strategy = Literal["fast", "quality", "published"]
Colours = Literal["hsv", "lab", "rg", "hue", "grey"]
_TWO_LIKENESSES: tuple[tuple[Likeness, ...], ...] = (
    ("colour", "texture", "size", "fill"),
    ("texture", "size", "fill"),
)
_ALL_LIKENESSES: tuple[tuple[Likeness, ...], ...] = (*_TWO_LIKENESSES, ("fill",), ("size",))
_ALL_COLOURS: tuple[Colours, ...] = ("hsv", "lab", "rg", "hue", "grey")


@dataclass(frozen=True, slots=True)
class PixelBins:
    """The bins of each pixel, one row a histogram: of its colours, of its derivatives."""

    colour: Bins
    texture: Bins

    @classmethod
    def of(cls, channels: Pixels) -> PixelBins:
        """From a picture of one channel or more (height x width x channels)."""
        planes = np.moveaxis(channels, 2, 0)
        colour = [plane.ravel().astype(np.uint16) * N_COLOUR_BINS // 256 for plane in planes]
        texture = [bins for plane in planes for bins in _texture_bins(plane)]
        return cls(np.stack(colour).astype(np.uint8), np.stack(texture))


def _texture_bins(plane: Pixels) -> list[Bins]:
    import cv2

    smooth = cv2.GaussianBlur(plane.astype(np.float32), (0, 0), DERIVATIVE_BLUR_PX)
    x, y = (cv2.Sobel(smooth, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
    found = []
    for angle in DIRECTIONS:
        along = (np.float32(np.cos(angle)) * x + np.float32(np.sin(angle)) * y).ravel()
        for rising in (along, -along):
            top = max(float(rising.max()), _FLAT)
            share = np.maximum(rising, 0) * np.float32(N_TEXTURE_BINS / top)
            found.append(np.minimum(share, N_TEXTURE_BINS - 1).astype(np.uint8))
    return found


@dataclass(frozen=True, slots=True)
class Segments:
    """The pieces that merging starts from, and what their likeness is told by."""

    size: Shares
    box: Boxes
    pairs: npt.NDArray[np.int64]
    colour: Shares
    texture: Shares

    @classmethod
    def of(cls, labels: Labels, bins: PixelBins) -> Segments:
        pairs, _ = neighbours(labels)
        flat = labels.ravel()
        size = np.bincount(flat).astype(np.float32)
        return cls(
            size / np.float32(len(flat)),
            segment_boxes(labels),
            pairs,
            _histograms(flat, bins.colour, N_COLOUR_BINS, size),
            _histograms(flat, bins.texture, N_TEXTURE_BINS, size),
        )


def _histograms(flat: Labels, bins: Bins, n_bins: int, size: Shares) -> Shares:
    """One row per segment; each row sums to 1."""
    n = len(size)
    start = flat.astype(np.intp) * n_bins
    counts = [np.bincount(start + one, minlength=n * n_bins).reshape(n, n_bins) for one in bins]
    return (np.hstack(counts) / (size[:, None] * len(bins))).astype(np.float32)


def merged_boxes(segments: Segments, likeness: tuple[Likeness, ...]) -> Boxes:
    """Boxes of all regions, in the order in which they came to be: segments first, then unions."""
    regions = _Regions(segments, likeness)
    merge_most_alike(segments.pairs, regions.n, regions.alike, regions.join)
    return regions.boxes()


class _Regions:
    """A growing table of regions: the segments, then one row a union."""

    def __init__(self, segments: Segments, likeness: tuple[Likeness, ...]) -> None:
        self.n = len(segments.size)
        rows = 2 * self.n - 1
        self._by_size, self._by_fill = "size" in likeness, "fill" in likeness
        told = [getattr(segments, name) for name in ("colour", "texture") if name in likeness]
        self._histogram = np.empty((rows, sum(one.shape[1] for one in told)), dtype=np.float32)
        if told:
            self._histogram[: self.n] = np.hstack(told)
        self._size = np.empty(rows, dtype=np.float32)
        self._size[: self.n] = segments.size
        self._corner = np.empty((rows, 4), dtype=np.float32)
        low = segments.box[:, :2]
        # Corners at the far end are negative: the union has the least of all four.
        self._corner[: self.n] = np.hstack([low, -(low + segments.box[:, 2:])])
        end = -self._corner[: self.n, 2:].min(axis=0)
        self._area_px = np.float32(end[0] * end[1])

    def alike(self, one: RowOrRows, other: RowOrRows) -> Shares:
        """Likeness of pairs; `one` may be a single region."""
        total = np.minimum(self._histogram[one], self._histogram[other]).sum(axis=-1)
        both = self._size[one] + self._size[other]
        if self._by_size:
            total = total + (1 - both)
        if self._by_fill:
            corner = np.minimum(self._corner[one], self._corner[other])
            side = -(corner[..., :2] + corner[..., 2:])
            total = total + (1 - (side[..., 0] * side[..., 1] / self._area_px - both))
        return np.asarray(total, dtype=np.float32)

    def join(self, a: int, b: int, new: int) -> None:
        size_a, size_b = self._size[a], self._size[b]
        self._size[new] = both = size_a + size_b
        self._histogram[new] = (size_a * self._histogram[a] + size_b * self._histogram[b]) / both
        self._corner[new] = np.minimum(self._corner[a], self._corner[b])
        self.n = new + 1

    def boxes(self) -> Boxes:
        corner = self._corner[: self.n].astype(np.float64)
        return np.hstack([corner[:, :2], -corner[:, 2:] - corner[:, :2]])


class _Views(NamedTuple):
    """Every colour space with every segmentation (k, least size) with every likeness."""

    colours: tuple[Colours, ...]
    segmentations: tuple[tuple[int, int], ...]
    likenesses: tuple[tuple[Likeness, ...], ...]


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

"""Boxes drawn at random by the size of a picture alone: Uniform and Gaussian (METHODS 7.1, 7.2).

Nothing is substituted: the published numbers, those of PASCAL VOC 2007 trainval, are the defaults.
`training` takes them from another training set.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from boxlens.data.boxes import xywh_from_inclusive_corners
from boxlens.data.columns import Bools, Boxes, Floats
from boxlens.errors import ParameterError
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.ranked import Ranked, identity_of, key_of, ranked
from boxlens.version import VERSION

# Drawn at once, however many are asked for: so fewer boxes are the first of more.
_AT_ONCE = 1280
# So often the number asked for is drawn, where a small picture has no more boxes to give.
_PATIENCE = 10
LEAST_SIDE_PX = 5.0
# A variance that rounding alone makes negative is none.
_ROUNDING = 1e-9


def stream_of(seed: int, key: int | str) -> np.random.Generator:
    """The random numbers of one image."""
    return np.random.default_rng([seed, zlib.crc32(str(key).encode())])


def collect(draw: Callable[[int], Boxes], limit: int) -> Boxes:
    """The first `limit` distinct boxes that are drawn, and have an area."""
    found = np.zeros((0, 4))
    for _ in range(0, _PATIENCE * limit, _AT_ONCE):
        more = draw(_AT_ONCE)
        found = _distinct(np.concatenate([found, more[(more[:, 2:] > 0).all(axis=1)]]))
        if len(found) >= limit:
            break
    return found[:limit]


def corners_of(shapes: Floats, width_px: int, height_px: int, *, least_side_px: float) -> Floats:
    """Inclusive corners counted from 1, rounded, not yet clipped (METHODS 7.1, 7.2)."""
    log_aspect, root_area, x, y = shapes.T
    area = root_area**2 * width_px * height_px
    height = np.sqrt(area / 2**log_aspect)
    width = np.divide(area, height, out=np.zeros_like(area), where=height > 0)
    width, height = np.maximum(width, least_side_px), np.maximum(height, least_side_px)
    left, top = _rounded(x * width_px - width / 2), _rounded(y * height_px - height / 2)
    return np.column_stack([left, top, _rounded(left + width - 1), _rounded(top + height - 1)])


def clipped(corners: Floats, width_px: int, height_px: int) -> Boxes:
    """Boxes cut at all sides of the picture; one that lies beside it has no area."""
    low = np.maximum(corners[:, :2], 1)
    high = np.minimum(corners[:, 2:], (width_px, height_px))
    return xywh_from_inclusive_corners(np.hstack([low, np.maximum(high, low - 1)]))


def _rounded(values: Floats) -> Floats:
    return np.floor(values + 0.5)


def _distinct(boxes: Boxes) -> Boxes:
    """Each box once, where it stood first. One number per box sorts faster than four."""
    x, y, w, h = boxes.astype(np.int64).T
    base = int(boxes.max(initial=0)) + 1
    _, first = np.unique(((x * base + y) * base + w) * base + h, return_index=True)
    return boxes[np.sort(first)]


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
                raise ParameterError(
                    f"{what} of uniform boxes from {low} to {high} is not a valid range"
                )

    @property
    def identity(self) -> str:
        return identity_of(self, f"boxlens {VERSION}")

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
        """One row per box: log2 of width / height, root of relative area, relative centre."""
        low = [np.log2(self.aspect_low), np.sqrt(self.area_low), self.x_low, self.y_low]
        high = [np.log2(self.aspect_high), np.sqrt(self.area_high), self.x_high, self.y_high]
        return chance.uniform(low, high, (n, 4))


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Mean and covariance of log2 of width / height, root of relative area, relative centre.

    The rule "released" is that of the study's code: what is too large or has its centre outside
    is drawn again, boxes are moved in at the left and top and cut at the right and bottom.
    "clipped" keeps all and cuts them at all sides: it comes closer to the published recall.
    """

    name: str = "gaussian"
    seed: int = 0
    rule: Literal["released", "clipped"] = "released"
    mean_aspect: float = -0.2205
    mean_size: float = 0.3297
    mean_x: float = 0.5036
    mean_y: float = 0.5370
    variance_aspect: float = 0.8549
    variance_size: float = 0.0596
    variance_x: float = 0.0551
    variance_y: float = 0.0324
    covariance_aspect_size: float = 0.0532
    covariance_aspect_x: float = -0.0028
    covariance_aspect_y: float = 0.0087
    covariance_size_x: float = -0.0002
    covariance_size_y: float = 0.0040
    covariance_x_y: float = -0.0006
    nested: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.rule not in ("released", "clipped"):
            raise ParameterError(f"the rule is released or clipped, got '{self.rule}'")
        _root(self.covariance)

    @property
    def identity(self) -> str:
        return identity_of(self, f"boxlens {VERSION}")

    @property
    def mean(self) -> Floats:
        return np.array([self.mean_aspect, self.mean_size, self.mean_x, self.mean_y])

    @property
    def covariance(self) -> Floats:
        a_s, a_x, a_y = (
            self.covariance_aspect_size,
            self.covariance_aspect_x,
            self.covariance_aspect_y,
        )
        s_x, s_y, x_y = self.covariance_size_x, self.covariance_size_y, self.covariance_x_y
        return np.array(
            [
                [self.variance_aspect, a_s, a_x, a_y],
                [a_s, self.variance_size, s_x, s_y],
                [a_x, s_x, self.variance_x, x_y],
                [a_y, s_y, x_y, self.variance_y],
            ]
        )

    def propose(self, image: Pixels, limit: int) -> Ranked:
        height, width = image.shape[:2]
        return self.propose_for(width, height, limit, key_of(image))

    def propose_for(self, width_px: int, height_px: int, limit: int, key: int | str) -> Ranked:
        chance = stream_of(self.seed, key)

        def draw(n: int) -> Boxes:
            shapes = self.shapes(chance, n)
            if self.rule == "clipped":
                corners = corners_of(shapes, width_px, height_px, least_side_px=0)
                return clipped(corners, width_px, height_px)
            sound = shapes[_makes_sense(shapes)]
            corners = corners_of(sound, width_px, height_px, least_side_px=LEAST_SIDE_PX)
            return _moved_in(corners, width_px, height_px)

        return ranked(collect(draw, limit), limit)

    def shapes(self, chance: np.random.Generator, n: int) -> Floats:
        """One row per box, as drawn: nothing is rejected yet."""
        return self.mean + chance.standard_normal((n, 4)) @ _root(self.covariance).T


def _makes_sense(shapes: Floats) -> Bools:
    size, centre = shapes[:, 1], shapes[:, 2:]
    return (size > 0) & (size <= 1) & ((centre >= 0) & (centre <= 1)).all(axis=1)


def _moved_in(corners: Floats, width_px: int, height_px: int) -> Boxes:
    shift = np.maximum(1 - corners[:, :2], 0)
    low, high = corners[:, :2] + shift, corners[:, 2:] + shift
    high = np.minimum(high, (width_px, height_px))
    # A centre at the very end of the image and rounding may leave nothing of a box.
    return xywh_from_inclusive_corners(np.hstack([low, np.maximum(high, low - 1)]))


def _root(covariance: Floats) -> Floats:
    """L with L L' = covariance; a variable may be constant, or follow from others."""
    root = np.zeros((4, 4))
    for column in range(4):
        rest = covariance[column:, column] - root[column:] @ root[column]
        if not rest[0] >= -_ROUNDING:
            raise ParameterError(
                "invalid covariance matrix of Gaussian boxes: no boxes vary in this way"
            )
        if rest[0] > _ROUNDING:
            root[column:, column] = rest / np.sqrt(rest[0])
    return root

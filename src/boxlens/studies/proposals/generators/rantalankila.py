"""Rantalankila, Kannala and Rahtu: boxes of regions from a local and a global search (CVPR 2014).

Faithful are both superpixelations (graph segments and SLIC) and their settings, the greedy merging
and its weights, the stage at which graph cuts begin, and their costs. Substituted are the learnt
words (see `rantalankila_regions`), the list of graph cuts (see `rantalankila_cuts`) and the order:
the method has none, fewer boxes are had by fewer cuts. Here unions come first, from the last merge
on, then cuts, branch after branch, then single superpixels; boxes that nearly repeat an earlier one
are put behind all others. Of the orders tried on training pictures it found most at 100 boxes; at
1000 all that put repeats last were alike.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boxlens.data.columns import Boxes, Floats
from boxlens.detectors.suppression import suppress
from boxlens.errors import ParameterError
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import Ranked, distinct, identity_of, ranked
from boxlens.studies.proposals.generators.rantalankila_cuts import BRANCHES, cut_objects
from boxlens.studies.proposals.generators.rantalankila_regions import (
    Merging,
    Regions,
    find_regions,
    find_words,
    merge_regions,
)
from boxlens.studies.proposals.segments import Labels, segment

_SLIC_ROUNDS = 10
# Smaller pieces, in percent of a superpixel, join a neighbour.
_SLIC_SMALLEST = 25


@dataclass(frozen=True, slots=True)
class Rantalankila:
    """Settings of the superpixels, of their merging and of the graph cuts."""

    name: str = "rantalankila"
    seed: int = 0
    sigma: float = 0.8
    k: float = 50.0
    min_size_px: int = 150
    slic_side_px: int = 20
    # Weight of place against colour.
    slic_ruler: float = 20.0
    # Against 1 of colour and texture together.
    size_weight: float = 1.0
    # Cuts begin when the two most similar neighbours are less alike,
    cut_below: float = 0.8
    # and when so many regions are left.
    cut_regions: int = 200
    branches: int = len(BRANCHES)
    # Boxes that overlap an earlier one by more come last.
    repeat_iou: float = 0.85
    nested: ClassVar[bool] = True

    def __post_init__(self) -> None:
        contributed("ximgproc")
        if not 0 <= self.branches <= len(BRANCHES):
            raise ParameterError(f"branches: {self.branches} is not within 0 to {len(BRANCHES)}")
        if self.slic_side_px < 2 or self.cut_regions < 1 or self.size_weight < 0:
            raise ParameterError(
                "slic_side_px must be 2 or more, cut_regions 1 or more, size_weight 0 or more"
            )

    @property
    def identity(self) -> str:
        return identity_of(self, versions(), order="unions, cuts, superpixels")

    def propose(self, image: Pixels, limit: int) -> Ranked:
        words = find_words(image)
        searched = [
            merge_regions(find_regions(labels, words), size_weight=self.size_weight)
            for labels in self._superpixels(image)
        ]
        unions = [merging.regions.corners[merging.n_leaves :][::-1] for merging in searched]
        single = [merging.regions.corners[: merging.n_leaves] for merging in searched]
        found = [
            _at_one_pace(unions),
            *self._cuts(searched),
            _largest_first(np.concatenate(single)),
        ]
        corners = distinct(np.concatenate(found))
        boxes = np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]])
        return ranked(_repeats_last(boxes, self.repeat_iou), limit)

    def _superpixels(self, image: Pixels) -> list[Labels]:
        segments = segment(image, sigma=self.sigma, k=self.k, min_size=self.min_size_px)
        # OpenCV's SLIC reads outside of pictures that are less than half a superpixel wide.
        if min(image.shape[:2]) < 2 * self.slic_side_px:
            return [segments]
        return [segments, _slic(image, self.slic_side_px, self.slic_ruler)]

    def _cuts(self, searched: list[Merging]) -> list[Floats]:
        """Of each branch in turn, in random order: neighbouring seeds find much the same."""
        branches = BRANCHES[: self.branches]
        stages = [self._stage(merging) for merging in searched]
        by_stage = [cut_objects(stage, branches) for stage in stages]
        by_branch = [np.concatenate(cuts) for cuts in zip(*by_stage, strict=True)]
        # Drawn anew for each picture: otherwise places would be lucky in all of them.
        picture = zlib.crc32(b"".join(stage.corners.tobytes() for stage in stages))
        chance = np.random.default_rng([self.seed, picture])
        return [chance.permutation(corners) for corners in by_branch]

    def _stage(self, merging: Merging) -> Regions:
        unlike = np.flatnonzero(merging.similarity < self.cut_below)
        n_merged = int(unlike[0]) if len(unlike) else len(merging.parts)
        return merging.stage(max(n_merged, merging.n_leaves - self.cut_regions))


def _slic(image: Pixels, side_px: int, ruler: float) -> Labels:
    import cv2

    lab = cv2.cvtColor(image, cv2.COLOR_RGB2LAB)
    ximgproc = contributed("ximgproc")
    slic = ximgproc.createSuperpixelSLIC(lab, ximgproc.SLIC, side_px, ruler)
    slic.iterate(_SLIC_ROUNDS)
    slic.enforceLabelConnectivity(_SLIC_SMALLEST)
    labels = np.asarray(slic.getLabels(), dtype=np.int32)
    _, compact = np.unique(labels, return_inverse=True)
    return compact.reshape(labels.shape).astype(np.int32)


def _at_one_pace(lists: list[Boxes]) -> Boxes:
    """One list, in which each given one is used up to the same share."""
    share = np.concatenate([(np.arange(len(rows)) + 0.5) / max(len(rows), 1) for rows in lists])
    return np.concatenate(lists)[np.argsort(share, kind="stable")]


def _largest_first(corners: Boxes) -> Boxes:
    area = (corners[:, 2:] - corners[:, :2]).prod(axis=1)
    return corners[np.argsort(-area, kind="stable")]


def _repeats_last(boxes: Boxes, iou: float) -> Boxes:
    kept = suppress(boxes, np.zeros(len(boxes)), iou=iou)
    repeated = np.ones(len(boxes), dtype=np.bool_)
    repeated[kept] = False
    return np.concatenate([boxes[kept], boxes[repeated]])

"""Rahtu-style: windows of superpixels and of a prior, ranked by their sides. An approximation.

After Rahtu, Kannala and Blaschko, "Learning a category independent object detection cascade" (ICCV
2011). Faithful are the initial windows (one to three superpixels, and draws from a prior), the
features (superpixel borders along the sides, edges around them, symmetry) and that the best windows
are spread. Substituted are the prior (METHODS 7.2), the cascade's learnt ranking (one linear score
with the weights below) and its rule of spreading (suppression at one overlap).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boxlens.detectors.suppression import suppress
from boxlens.studies.proposals.edges import find_edges
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.rahtu_features import FEATURES, window_features
from boxlens.studies.proposals.generators.rahtu_windows import initial_windows
from boxlens.studies.proposals.generators.ranked import identity_text, nothing
from boxlens.studies.proposals.segments import segment

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.images import Pixels
    from boxlens.studies.proposals.generators.ranked import Ranked

# Larger pictures get larger superpixels, so that their triplets stay few.
MOST_SUPERPIXELS = 3000


@dataclass(frozen=True, slots=True)
class Rahtu:
    """How fine superpixels are, how many windows are drawn, and what each feature weighs.

    The weights are those of a logistic regression that tells windows with an IoU of at least .6 to
    an object from those below .4, each picture and each side weighing the same, on the boxes of 97
    photographs of LVIS.
    """

    nested: ClassVar[bool] = True

    name: str = "rahtu"
    seed: int = 0
    sigma: float = 0.5
    k: float = 100.0
    min_size_px: int = 100
    n_drawn: int = 5_000
    min_side_px: int = 8
    box_overlap: float = 0.75
    border_mean: float = 0.39
    border_least: float = 3.07
    edges_outside: float = -0.97
    edges_on: float = 2.27
    edges_in: float = 1.5
    edges_deep: float = -0.26
    symmetry: float = -0.47

    def __post_init__(self) -> None:
        contributed("ximgproc")

    @property
    def identity(self) -> str:
        settings = {key: getattr(self, key) for key in self.__slots__ if key != "name"}
        return identity_text(
            self.name,
            versions(),
            approximation="one linear score, Gaussian prior, colour gradients",
            **settings,
        )

    @property
    def weights(self) -> Floats:
        """In the order of the features."""
        return np.array([getattr(self, name) for name in FEATURES], dtype=np.float64)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        smallest = max(self.min_size_px, math.ceil(image[..., 0].size / MOST_SUPERPIXELS))
        labels = segment(image, sigma=self.sigma, k=self.k, min_size=smallest)
        windows = initial_windows(
            image, labels, n_drawn=self.n_drawn, seed=self.seed, min_side_px=self.min_side_px
        )
        if len(windows) == 0:
            return nothing()
        scores = window_features(windows, labels, find_edges(image)) @ self.weights
        best = suppress(windows, scores, iou=self.box_overlap, limit=limit)
        return windows[best], scores[best]

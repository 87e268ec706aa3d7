"""Geodesic-style: regions around seeds, cut where they grow slowly. An approximation.

After Krahenbuhl and Koltun, "Geodesic Object Proposals" (ECCV 2014). Faithful are the graph of
superpixels, seeds placed far from one another, signed geodesic distances and their critical levels.
Substituted are what the authors learn: boundaries are gradients and colour differences, seeds come
from the heuristic that they compare with, and the background is the frame or none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boxlens.detectors.suppression import suppress
from boxlens.studies.proposals.generators.geodesic_distances import (
    all_distances,
    place_seeds,
    signed_distances,
)
from boxlens.studies.proposals.generators.geodesic_graph import superpixel_graph
from boxlens.studies.proposals.generators.geodesic_levels import critical_levels
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import identity_text, nothing, ranked

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.images import Pixels
    from boxlens.studies.proposals.generators.geodesic_levels import Levels
    from boxlens.studies.proposals.generators.ranked import Ranked


@dataclass(frozen=True, slots=True)
class Geodesic:
    """How fine superpixels are, what a step costs, how many seeds and levels, what is too alike."""

    nested: ClassVar[bool] = True

    name: str = "geodesic"
    sigma: float = 0.5
    k: float = 40.0
    min_size_px: int = 100
    # A step between superpixels: by the edge along their border, their colours, and at least this.
    edge_weight: float = 0.5
    colour_weight: float = 1.0
    step: float = 0.01
    n_seeds: int = 300
    n_levels: int = 5
    # Levels around one seed, and boxes of all seeds, that overlap more are one.
    level_overlap: float = 0.7
    box_overlap: float = 0.9
    min_side_px: int = 8

    def __post_init__(self) -> None:
        contributed("ximgproc")

    @property
    def identity(self) -> str:
        settings = {key: getattr(self, key) for key in self.__slots__ if key != "name"}
        return identity_text(
            self.name,
            versions(),
            approximation="heuristic seeds, colour gradients",
            **settings,
        )

    def propose(self, image: Pixels, limit: int) -> Ranked:
        graph = superpixel_graph(
            image,
            sigma=self.sigma,
            k=self.k,
            min_size_px=self.min_size_px,
            edge_weight=self.edge_weight,
            colour_weight=self.colour_weight,
            step=self.step,
        )
        if len(graph) < 2:
            return nothing()
        distance = all_distances(graph)
        seeds = place_seeds(distance, self.n_seeds)
        signed = signed_distances(distance, seeds, graph.at_frame)
        levels = critical_levels(
            signed.reshape(-1, len(graph)), graph, self.n_levels, self.level_overlap
        )
        place = _places(len(signed), len(seeds), self.n_levels)
        return self._ranked(levels, place, limit)

    def _ranked(self, levels: Levels, place: Floats, limit: int) -> Ranked:
        shown = levels.exists.ravel() & (
            levels.box[..., 2:].min(axis=-1).ravel() >= self.min_side_px
        )
        boxes, place = levels.box.reshape(-1, 4)[shown], place[shown]
        if len(boxes) == 0:
            return nothing()
        return ranked(boxes[suppress(boxes, -place, iou=self.box_overlap, limit=limit)], limit)


def _places(n_backgrounds: int, n_seeds: int, n_levels: int) -> Floats:
    """Where each level stands in the order: seed times level, both counted from 1.

    So the clearest level of a late seed comes beside the faintest of an early one, and few
    proposals are spread over the picture already.
    """
    background, seed, level = np.indices((n_backgrounds, n_seeds, n_levels))
    places: Floats = (seed + 1.0) * (level * n_backgrounds + background + 1.0)
    return places.ravel()

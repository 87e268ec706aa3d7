"""EdgeBoxes: boxes that hold whole contours, scored by OpenCV on our own thin edges.

Faithful are the scoring and its parameters (METHODS 7.5). Substituted are the edges: gradients of
colour (see `proposals.edges`) instead of a learnt structured-edge model, whose files are not free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.errors import InputError
from boxlens.proposals.edges import find_edges
from boxlens.proposals.generators.opencv import contributed, versions
from boxlens.proposals.generators.ranked import identity_text, nothing

if TYPE_CHECKING:
    from boxlens.images import Pixels
    from boxlens.proposals.generators.ranked import Ranked

# OpenCV keeps a table of 10,000 half perimeters and reads beyond it in silence.
LARGEST_PX = 20_000


@dataclass(frozen=True, slots=True)
class EdgeBoxes:
    """Step of the search, suppression and its decay, and what counts as an edge or a contour."""

    name: str = "edge-boxes"
    alpha: float = 0.65
    beta: float = 0.75
    eta: float = 1.0
    min_score: float = 0.01
    max_boxes: int = 10_000
    edge_min_mag: float = 0.1
    edge_merge_thr: float = 0.5
    cluster_min_mag: float = 0.5
    max_aspect_ratio: float = 3.0
    min_box_area: float = 1000.0
    gamma: float = 2.0
    kappa: float = 1.5

    def __post_init__(self) -> None:
        contributed("ximgproc")

    @property
    def identity(self) -> str:
        settings = {key: getattr(self, key) for key in self.__slots__ if key != "name"}
        return identity_text(self.name, versions(), edges="colour gradients", **settings)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        height, width = image.shape[:2]
        if width + height >= LARGEST_PX:
            raise InputError(
                f"{width} x {height} pixels are more than OpenCV's EdgeBoxes can hold",
                remedy=f"Scale the picture down: width and height together below {LARGEST_PX:,}",
            )
        edges = find_edges(image)
        search = contributed("ximgproc").createEdgeBoxes(
            alpha=self.alpha,
            beta=self.beta,
            eta=self.eta,
            minScore=self.min_score,
            maxBoxes=self.max_boxes,
            edgeMinMag=self.edge_min_mag,
            edgeMergeThr=self.edge_merge_thr,
            clusterMinMag=self.cluster_min_mag,
            maxAspectRatio=self.max_aspect_ratio,
            minBoxArea=self.min_box_area,
            gamma=self.gamma,
            kappa=self.kappa,
        )
        found, scores = search.getBoundingBoxes(edges.strength, edges.normal)
        if scores is None:  # no box reaches the least score
            return nothing()
        # OpenCV counts pixels from 1, as the original does.
        boxes = np.asarray(found, dtype=np.float64).reshape(-1, 4) - [1, 1, 0, 0]
        score = np.asarray(scores, dtype=np.float64).ravel()
        best = np.argsort(-score, kind="stable")[:limit]
        return boxes[best], score[best]

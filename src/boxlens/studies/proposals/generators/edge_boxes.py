"""EdgeBoxes: boxes that hold whole contours, scored by OpenCV on thin edges.

Faithful are the scoring and its parameters (METHODS 7.5), those tuned for an overlap and the
suppression that adapts (METHODS 6.9). Substituted are the edges: gradients of colour (see
`proposals.edges`), unless a model of structured edges is given, whose files are not free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boxlens.data.columns import Boxes
from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import file_hash
from boxlens.images import Pixels
from boxlens.studies.proposals.edges import check_model, find_edges, structured_edges
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import Ranked, identity_of, nothing

# OpenCV keeps a table of 10,000 half perimeters and reads beyond it in silence.
LARGEST_PX = 20_000


@dataclass(frozen=True, slots=True)
class EdgeBoxes:
    """Step of the search, suppression and its decay, and what counts as an edge or a contour."""

    name: str = "edge-boxes"
    alpha: float = 0.65
    beta: float = 0.75
    # Beta is multiplied by it after each box that is kept, down to .5.
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
    # A file of structured edges; without one, edges are gradients of colour.
    model: str = ""
    nested: ClassVar[bool] = True

    def __post_init__(self) -> None:
        contributed("ximgproc")
        if not (0 < self.alpha < 1 and 0 < self.beta <= 1 and 0 < self.eta <= 1):
            raise ParameterError(
                "alpha must be above 0 and below 1, beta and eta above 0 and at most 1; got "
                f"{self.alpha}, {self.beta} and {self.eta}"
            )
        if self.model:
            check_model(self.model)

    @classmethod
    def tuned_for(cls, overlap: float, *, model: str = "") -> EdgeBoxes:
        """Finds most objects at this IoU (METHODS 6.9)."""
        name = f"edge-boxes-{100 * overlap:.0f}"
        alpha, beta = round(max(0.65, overlap - 0.05), 6), round(overlap + 0.05, 6)
        return cls(name, alpha=alpha, beta=beta, model=model)

    @classmethod
    def adaptive(cls, *, model: str = "") -> EdgeBoxes:
        """Has the best average recall: boxes lie the sparser, the more there are (METHODS 6.9)."""
        return cls("edge-boxes-ar", alpha=0.65, beta=0.90, eta=0.9996, model=model)

    @property
    def identity(self) -> str:
        edges = f"model {file_hash(self.model)}" if self.model else "colour gradients"
        return identity_of(self, versions(), edges=edges)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        height, width = image.shape[:2]
        if width + height >= LARGEST_PX:
            raise InputError(
                f"{width} x {height} pixels are more than OpenCV's EdgeBoxes can hold",
                remedy=f"Scale the picture down: width and height together below {LARGEST_PX:,}",
            )
        edges = structured_edges(image, self.model) if self.model else find_edges(image)
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
        boxes: Boxes = np.asarray(found, dtype=np.float64).reshape(-1, 4) - [1, 1, 0, 0]
        score = np.asarray(scores, dtype=np.float64).ravel()
        order = np.argsort(-score, kind="stable")
        # Without suppression (a beta of 1) a box may come twice.
        _, first = np.unique(boxes[order], axis=0, return_index=True)
        best = order[np.sort(first)][:limit]
        return boxes[best], score[best]

"""RandomizedPrim's: boxes of random trees over superpixels that look like one object.

Faithful to Manen, Guillaumin and Van Gool (ICCV 2013) are the four segmentations, the three
features of neighbours and their logistic, the drawing of trees and their two stopping terms, and
the order: as drawn, the colour spaces taking turns. Substituted are the learnt numbers (ours, from
boxes), segmentation and colours (OpenCV's), and the number of trees: as many are drawn as it takes
to have the boxes asked for, each of them once.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.randomized_prim_graph import superpixel_graphs
from boxlens.studies.proposals.generators.randomized_prim_tables import PrimTables, shipped_tables
from boxlens.studies.proposals.generators.randomized_prim_trees import tree_boxes
from boxlens.studies.proposals.generators.ranked import identity_text, ranked
from boxlens.studies.proposals.segments import check_segmentation

if TYPE_CHECKING:
    from pathlib import Path

    from boxlens.images import Pixels
    from boxlens.studies.proposals.generators.ranked import Ranked

# Drawing ends where new boxes have become rare: so many trees, and so many for each box found.
# The rule looks at what was drawn alone, so that fewer boxes are the first of more.
FREE_TREES = 400
TREES_A_BOX = 4


@dataclass(frozen=True, slots=True)
class RandomizedPrim:
    """Blur before the segmentation, its coarseness, the fewest pixels of a piece; learnt tables."""

    nested: ClassVar[bool] = True

    name: str = "randomized-prim"
    seed: int = 0
    sigma: float = 0.8
    k: float = 100.0
    min_size_px: int = 100
    tables: PrimTables = field(default_factory=shipped_tables)

    def __post_init__(self) -> None:
        contributed("ximgproc")
        check_segmentation(sigma=self.sigma, k=self.k, min_size=self.min_size_px)

    @classmethod
    def opened(cls, path: str | Path | None = None, seed: int = 0) -> RandomizedPrim:
        """With the tables of a file, or those that the package carries."""
        tables = shipped_tables() if path is None else PrimTables.opened(path)
        return cls(seed=seed, tables=tables)

    @property
    def identity(self) -> str:
        own = ("name", "tables")
        settings = {key: getattr(self, key) for key in self.__slots__ if key not in own}
        return identity_text(self.name, versions(), **settings, tables=self.tables.digest)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        picture = zlib.crc32(np.ascontiguousarray(image).tobytes())
        size_stop = self.tables.size_stop()
        graphs = superpixel_graphs(image, sigma=self.sigma, k=self.k, min_size_px=self.min_size_px)
        trees = [
            tree_boxes(
                graph,
                self.tables.similarity(graph.features),
                size_stop,
                np.random.default_rng([self.seed, picture, number]),
            )
            for number, graph in enumerate(graphs)
        ]
        found: dict[tuple[float, float, float, float], None] = {}
        for n_drawn, source in enumerate(cycle(trees)):
            if len(found) >= limit or n_drawn >= FREE_TREES + TREES_A_BOX * len(found):
                break
            found[next(source)] = None
        corners = np.array(list(found), dtype=np.float64).reshape(-1, 4)
        return ranked(np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]]), limit)

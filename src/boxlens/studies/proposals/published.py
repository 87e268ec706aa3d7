"""What the published study found of each method: PASCAL VOC 2007 test, 1,000 proposals per image.

After Hosang, Benenson, Dollár and Schiele, "What makes for effective detection proposals?"
(METHODS 6.10).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

N_PROPOSALS = 1000


@dataclass(frozen=True, slots=True)
class PublishedMethod:
    """As the study names it; seconds are those of one image on a computer of 2014."""

    name: str
    ar: float
    recall_50: float
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "AR": self.ar,
            "recall": {"0.5": self.recall_50},
            "seconds": self.seconds,
        }


# What methods should surpass (METHODS 7): drawn dashed.
BASELINES = ("uniform", "gaussian", "sliding-window", "superpixels")
# By our word for a method, or by the study's for those that Boxlens reads from files only.
PUBLISHED: Mapping[str, PublishedMethod] = {
    "bing": PublishedMethod("Bing", 0.273, 0.860, 0.2),
    "CPMC": PublishedMethod("CPMC", 0.474, 0.786, 250),
    # Its settings are those of edge-boxes-70.
    "edge-boxes": PublishedMethod("EdgeBoxes70", 0.502, 0.856, 0.3),
    "edge-boxes-70": PublishedMethod("EdgeBoxes70", 0.502, 0.856, 0.3),
    "edge-boxes-ar": PublishedMethod("EdgeBoxesAR", 0.528, 0.876, 0.3),
    "Endres": PublishedMethod("Endres", 0.490, 0.818, 100),
    "geodesic": PublishedMethod("Geodesic", 0.501, 0.850, 1),
    "MCG": PublishedMethod("MCG", 0.574, 0.898, 30),
    "objectness": PublishedMethod("Objectness", 0.309, 0.810, 3),
    "rahtu": PublishedMethod("Rahtu", 0.395, 0.696, 3),
    "randomized-prim": PublishedMethod("RandomizedPrims", 0.463, 0.807, 1),
    "rantalankila": PublishedMethod("Rantalankila", 0.491, 0.812, 10),
    "Rigor": PublishedMethod("Rigor", 0.493, 0.809, 10),
    # The study ran the largest of the three settings.
    "selective-search": PublishedMethod("SelectiveSearch", 0.519, 0.835, 10),
    "selective-search-published": PublishedMethod("SelectiveSearch", 0.519, 0.835, 10),
    "gaussian": PublishedMethod("Gaussian", 0.327, 0.694, 0),
    "sliding-window": PublishedMethod("SlidingWindow", 0.2288, 0.6874, 0),
    "superpixels": PublishedMethod("Superpixels", 0.152, 0.470, 1),
    "uniform": PublishedMethod("Uniform", 0.305, 0.638, 0),
}

"""What an analysis of difficulty found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import notice_to_json

if TYPE_CHECKING:
    from boxlens.data import Notice
    from boxlens.dataset_difficulty.accuracy import SystemAccuracy
    from boxlens.dataset_difficulty.choice import DifficultyChoice
    from boxlens.dataset_difficulty.class_groups import PropertyScores
    from boxlens.dataset_difficulty.class_measures import DatasetDifficulty
    from boxlens.dataset_difficulty.correlations import Correlation
    from boxlens.dataset_difficulty.cumulative import CumulativeCurve
    from boxlens.dataset_difficulty.levels import LevelScores, NodeScores
    from boxlens.dataset_difficulty.matched_subset import MatchedSubset
    from boxlens.metrics.results import Provenance

SCHEMA = "boxlens/difficulty/1"


@dataclass(frozen=True, slots=True, repr=False)
class DifficultyResult(Displayed):
    """How hard data sets are; all about systems speaks of the first data set."""

    choice: DifficultyChoice
    datasets: tuple[DatasetDifficulty, ...]
    systems: tuple[SystemAccuracy, ...]
    # What the systems reach together: None for one alone.
    upper_bound: SystemAccuracy | None
    # By system, then by level; empty without a tree.
    levels: tuple[LevelScores, ...]
    nodes: tuple[NodeScores, ...]
    # Where the levels come from, such as "supercategory" or a file; empty: no tree.
    tree: str
    correlations: tuple[Correlation, ...]
    cumulative: tuple[CumulativeCurve, ...]
    properties: tuple[PropertyScores, ...]
    subsets: tuple[MatchedSubset, ...]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        first = self.datasets[0]
        return f"DifficultyResult({first.name}: CPL {first.means['cpl']:.4f})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens difficulty --json -` prints; undefined is null."""
        first = self.datasets[0]
        bound = self.upper_bound
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": {**self.choice.to_json(), "tree": self.tree or None},
            "dataset": {
                "name": first.name,
                "n_images": first.n_images,
                "n_objects": first.n_objects,
            },
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": {
                "classes": [one.to_json() for one in first.classes],
                "dataset": first.to_json(),
                "datasets": [
                    {**one.to_json(), "classes": [row.to_json() for row in one.classes]}
                    for one in self.datasets
                ],
                "systems": [one.to_json() for one in self.systems],
                "upper_bound": None if bound is None else bound.to_json(),
                "levels": [one.to_json() for one in self.levels],
                "nodes": [one.to_json() for one in self.nodes],
                "correlations": [one.to_json() for one in self.correlations],
                "cumulative": [one.to_json() for one in self.cumulative],
                "properties": [one.to_json() for one in self.properties],
                "subsets": [one.to_json() for one in self.subsets],
            },
        }

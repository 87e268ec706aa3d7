"""What an analysis of difficulty found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Dataset, Detections, Notice
from boxlens.display import Displayed
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.difficulty.accuracy import SystemAccuracy, score_label
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_groups import PropertyScores
from boxlens.studies.difficulty.class_measures import DatasetDifficulty
from boxlens.studies.difficulty.correlations import Correlation
from boxlens.studies.difficulty.cumulative import CumulativeCurve
from boxlens.studies.difficulty.levels import LevelScores, NodeScores
from boxlens.studies.difficulty.matched_subset import MatchedSubset
from boxlens.studies.difficulty.measures import measure_text

SCHEMA = "boxlens/difficulty/1"


@dataclass(frozen=True, slots=True, repr=False)
class DifficultyResult(Displayed):
    """How hard data sets are; everything about systems is about the first data set.

    >>> result = difficulty(gt, dt)
    >>> [one.name for one in result.datasets[0].hardest_first("cpl")[:3]]
    ['cat', 'dog', 'cup']
    """

    choice: DifficultyChoice
    """The settings of `difficulty`, as checked."""
    datasets: tuple[DatasetDifficulty, ...]
    """One per data set: its classes, and means over them."""
    systems: tuple[SystemAccuracy, ...]
    """One per detector or file of guesses: its scores, 0 to 1, by class."""
    upper_bound: SystemAccuracy | None
    """What a perfect choice between the systems would reach; None for one alone."""
    levels: tuple[LevelScores, ...]
    """By system, then by level; empty without a class tree."""
    nodes: tuple[NodeScores, ...]
    """By node, then by system."""
    tree: str
    """Where the levels come from, such as "supercategory" or a file; empty: no tree."""
    correlations: tuple[Correlation, ...]
    """Every score of every system against every measure, over classes."""
    cumulative: tuple[CumulativeCurve, ...]
    """Mean scores of all classes up to a difficulty."""
    properties: tuple[PropertyScores, ...]
    """Mean scores of groups of classes; empty without a table of properties."""
    subsets: tuple[MatchedSubset, ...]
    """The hardest classes that together are as hard as a target."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""
    inputs: tuple[Dataset, ...] = field(default=(), compare=False)
    """The data sets that were measured."""
    detections: tuple[Detections, ...] = field(default=(), compare=False)
    """The detections of systems that are detectors."""

    def __repr__(self) -> str:
        first = self.datasets[0]
        return f"DifficultyResult({first.name}: CPL {measure_text(first.means['cpl'])})"

    def label(self, score: str) -> str:
        """What a score is called, such as AP50."""
        return score_label(score, self.choice.iou)

    @property
    def has_detectors(self) -> bool:
        """Whether a system is a detector: only those have an AP, and objects that the app shows."""
        return any(one.has("ap") for one in self.systems)

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens difficulty --json -` prints; undefined is null."""
        first, *others = self.datasets
        counts = ("name", "n_images", "n_objects", "n_classes")
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={**self.choice.to_json(), "tree": self.tree or None},
            dataset=None if others else {name: getattr(first, name) for name in counts},
            notices=self.notices,
            results={
                "classes": first.classes,
                "dataset": first,
                "datasets": [{**one.to_json(), "classes": one.classes} for one in self.datasets],
                "systems": self.systems,
                "upper_bound": self.upper_bound,
                "levels": self.levels,
                "nodes": self.nodes,
                "correlations": self.correlations,
                "cumulative": self.cumulative,
                "properties": self.properties,
                "subsets": self.subsets,
            },
        )

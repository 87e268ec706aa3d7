"""What an analysis of difficulty found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import envelope
from boxlens.studies.difficulty.accuracy import score_label
from boxlens.studies.difficulty.measures import measure_text

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections, Notice
    from boxlens.metrics.results import Provenance
    from boxlens.studies.difficulty.accuracy import SystemAccuracy
    from boxlens.studies.difficulty.choice import DifficultyChoice
    from boxlens.studies.difficulty.class_groups import PropertyScores
    from boxlens.studies.difficulty.class_measures import DatasetDifficulty
    from boxlens.studies.difficulty.correlations import Correlation
    from boxlens.studies.difficulty.cumulative import CumulativeCurve
    from boxlens.studies.difficulty.levels import LevelScores, NodeScores
    from boxlens.studies.difficulty.matched_subset import MatchedSubset

SCHEMA = "boxlens/difficulty/1"


@dataclass(frozen=True, slots=True, repr=False)
class DifficultyResult(Displayed):
    """How hard data sets are; everything about systems is about the first data set."""

    # What was asked: the settings of `difficulty()`.
    choice: DifficultyChoice
    # One per data set: its classes, and means over them.
    datasets: tuple[DatasetDifficulty, ...]
    # One per detector or file of guesses: its scores, 0 to 1, by class.
    systems: tuple[SystemAccuracy, ...]
    # What a perfect choice between the systems would reach; None for one alone.
    upper_bound: SystemAccuracy | None
    # By system, then by level; empty without a class tree.
    levels: tuple[LevelScores, ...]
    # By node, then by system.
    nodes: tuple[NodeScores, ...]
    # Where the levels come from, such as "supercategory" or a file; empty: no tree.
    tree: str
    # Every score of every system against every measure, over classes.
    correlations: tuple[Correlation, ...]
    # Mean scores of all classes up to a difficulty.
    cumulative: tuple[CumulativeCurve, ...]
    # Mean scores of groups of classes; empty without a table of properties.
    properties: tuple[PropertyScores, ...]
    # The hardest classes that together are as hard as a target.
    subsets: tuple[MatchedSubset, ...]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()
    # What was measured: the data sets, and the detections of systems that are detectors.
    inputs: tuple[Dataset, ...] = field(default=(), compare=False)
    detections: tuple[Detections, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        first = self.datasets[0]
        return f"DifficultyResult({first.name}: CPL {measure_text(first.means['cpl'])})"

    def label(self, score: str) -> str:
        """What a score is called, such as AP50."""
        return score_label(score, self.choice.iou)

    @property
    def has_detectors(self) -> bool:
        """Only those have an AP, and objects that the app shows."""
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

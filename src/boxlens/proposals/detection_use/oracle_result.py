"""What a detector would reach with perfect proposals or perfect suppression: what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import notice_to_json, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data import Notice
    from boxlens.data.columns import Floats
    from boxlens.metrics.results import Provenance

SCHEMA = "boxlens/proposals-oracle/1"


@dataclass(frozen=True, slots=True)
class OracleScore:
    """AP with some of the oracles."""

    # "raw", "none", "gt", "nms" or "gt+nms"; raw: the detections as given, none: filtered by
    # proposals and suppressed, without help.
    oracle: str
    ap: float
    ap50: float
    # By class name.
    class_ap50: Mapping[str, float]
    n_detections: int

    def to_json(self) -> dict[str, Any]:
        return {
            "oracle": self.oracle,
            "AP": number(self.ap),
            "AP50": number(self.ap50),
            "n_detections": self.n_detections,
            "classes": {name: number(value) for name, value in self.class_ap50.items()},
        }


@dataclass(frozen=True, slots=True)
class ScoresByIou:
    """How a detector's scores rise with the overlap (METHODS 6.8)."""

    # Edges of the bins; mean score, scaled from 0 to 1 in each class, then the mean of classes.
    edges: Floats
    mean: Floats
    # Half the distance between the quarters of the classes' means.
    spread: Floats
    n_detections: tuple[int, ...]
    n_classes: int
    # Too few bins of theirs hold a detection, or all have one mean.
    n_classes_skipped: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "n_classes": self.n_classes,
            "n_classes_skipped": self.n_classes_skipped,
            "bins": [
                {"low": low, "high": high, "score": number(mean), "spread": number(spread), "n": n}
                for low, high, mean, spread, n in zip(
                    self.edges[:-1].round(6).tolist(),
                    self.edges[1:].round(6).tolist(),
                    self.mean.tolist(),
                    self.spread.tolist(),
                    self.n_detections,
                    strict=True,
                )
            ],
        }


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """Mean score of detections by where they lie around their object."""

    # "shift": centre beside centre, in widths and heights of the object; "scale": width and height
    # as log2 of the object's.
    kind: str
    # Edges of the cells along x and y; values [y, x], NaN where there is no detection.
    x_edges: Floats
    y_edges: Floats
    mean: Floats
    n_detections: Floats
    # Beyond the cells, or of a class whose scores are all alike.
    n_left_out: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "n_left_out": self.n_left_out,
            "x_edges": self.x_edges.round(6).tolist(),
            "y_edges": self.y_edges.round(6).tolist(),
            "score": [[number(value) for value in row] for row in self.mean.tolist()],
            "n": self.n_detections.astype(int).tolist(),
        }


@dataclass(frozen=True, slots=True)
class DetectorOracles:
    """One detector with the proposals of one method, or as it is (an empty name)."""

    detector: str
    method: str
    budget: int | None
    scores: tuple[OracleScore, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "detector": self.detector,
            "method": self.method or None,
            "budget": self.budget,
            "oracles": [one.to_json() for one in self.scores],
        }


@dataclass(frozen=True, slots=True)
class DetectorScores:
    """How one detector scores boxes near objects."""

    detector: str
    by_iou: ScoresByIou
    maps: tuple[ScoreMap, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "detector": self.detector,
            "by_iou": self.by_iou.to_json(),
            "maps": [one.to_json() for one in self.maps],
        }


@dataclass(frozen=True, slots=True, repr=False)
class ProposalOracleResult(Displayed):
    """What holds detectors back: proposals, suppression, or neither."""

    oracles: tuple[DetectorOracles, ...]
    scores: tuple[DetectorScores, ...]
    parameters: Mapping[str, Any]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        return f"ProposalOracleResult({len(self.scores)} detectors)"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals oracle --json -` prints."""
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": dict(self.parameters),
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": {
                "oracles": [one.to_json() for one in self.oracles],
                "scores": [one.to_json() for one in self.scores],
            },
        }

"""What a detector would reach with perfect proposals or perfect suppression: what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Notice
from boxlens.data.columns import Floats
from boxlens.display import Displayed
from boxlens.metrics.json_form import JsonRecord, as_key, null_if_empty, number, to_json
from boxlens.metrics.results import Provenance, envelope
from boxlens.wording import score

SCHEMA = "boxlens/proposals-oracle/1"
ORACLE_WORDS: Mapping[str, str] = {
    "raw": "as given",
    "none": "on the proposals",
    "gt": "perfect proposals",
    "nms": "perfect suppression",
    "gt+nms": "both",
}


@dataclass(frozen=True, slots=True)
class OracleScore(JsonRecord):
    """AP with some of the oracles."""

    oracle: str
    """"raw": detections as given; "none": filtered by proposals and suppressed, without oracle;
    "gt": perfect proposals; "nms": perfect suppression; "gt+nms": both."""
    ap: float = field(metadata=as_key("AP"))
    """COCO's AP, over ten IoUs."""
    ap50: float = field(metadata=as_key("AP50"))
    """AP at IoU 0.5."""
    n_detections: int
    """Detections that are left."""
    class_ap50: Mapping[str, float] = field(metadata=as_key("classes"))
    """AP50 by class name."""


@dataclass(frozen=True, slots=True)
class ScoresByIou:
    """How a detector's scores rise with IoU (METHODS 6.8)."""

    edges: Floats
    """Of the bins of IoU."""
    mean: Floats
    """Mean score by bin, scaled from 0 to 1 in each class, then averaged over classes."""
    spread: Floats
    """Half the distance between the quartiles of the classes' means."""
    n_detections: tuple[int, ...]
    """Detections by bin."""
    n_classes: int
    """Classes that count."""
    n_classes_skipped: int = 0
    """Classes with too few bins that hold a detection, or one mean in all."""

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

    kind: str
    """"shift": offset of the centre in widths and heights of the object; "scale": width and height
    as log2 of the object's."""
    x_edges: Floats
    """Edges of the cells along x."""
    y_edges: Floats
    """Edges of the cells along y."""
    mean: Floats
    """Mean score by cell [y, x]; NaN without a detection."""
    n_detections: Floats
    """Detections by cell [y, x]."""
    n_left_out: int = 0
    """Detections beyond the cells, or of a class whose scores are all equal."""

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "n_left_out": self.n_left_out,
            "x_edges": self.x_edges.round(6).tolist(),
            "y_edges": self.y_edges.round(6).tolist(),
            "score": to_json(self.mean),
            "n": self.n_detections.astype(int).tolist(),
        }


@dataclass(frozen=True, slots=True)
class DetectorOracles(JsonRecord):
    """One detector with the proposals of one method, or as it is (an empty name)."""

    detector: str
    """Name of the detector."""
    method: str = field(metadata=as_key("method", null_if_empty))
    """Name of the method; empty without proposals."""
    budget: int | None
    """Proposals per image, at most; None without proposals."""
    scores: tuple[OracleScore, ...] = field(metadata=as_key("oracles"))
    """One per oracle."""

    @property
    def unaided(self) -> OracleScore:
        """What gains are counted from: on the proposals; without proposals, as given."""
        return next((one for one in self.scores if one.oracle == "none"), self.scores[0])


@dataclass(frozen=True, slots=True)
class DetectorScores(JsonRecord):
    """How one detector scores boxes near objects."""

    detector: str
    """Name of the detector."""
    by_iou: ScoresByIou
    """By IoU with the object."""
    maps: tuple[ScoreMap, ...]
    """By offset and by size."""


@dataclass(frozen=True, slots=True, repr=False)
class ProposalOracleResult(Displayed):
    """What holds detectors back: proposals, suppression, or neither.

    >>> result = proposal_oracles(gt, dt)
    >>> {one.oracle: round(one.ap50, 3) for one in result.oracles[0].scores}
    {'raw': 0.385, 'nms': 0.385}
    """

    oracles: tuple[DetectorOracles, ...]
    """One per detector and method."""
    scores: tuple[DetectorScores, ...]
    """One per detector."""
    dataset: Mapping[str, Any]
    """Name, n_images, n_objects and n_classes of the data set."""
    parameters: Mapping[str, Any]
    """What was asked for."""
    provenance: Provenance
    """Files with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or is unusual."""
    suppressed: tuple[str, ...] = ()
    """Detectors whose detections were suppressed before, so that oracles say little."""

    def __repr__(self) -> str:
        found = ", ".join(
            f"{one.detector} {one.method} AP50 {score(one.unaided.ap50)}".replace("  ", " ")
            for one in self.oracles
        )
        return f"ProposalOracleResult({self.dataset['name']}: {found})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals oracle --json -` prints."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=self.parameters,
            dataset=self.dataset,
            notices=self.notices,
            results={
                "oracles": self.oracles,
                "scores": self.scores,
                "suppressed": self.suppressed,
            },
        )

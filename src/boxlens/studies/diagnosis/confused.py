"""What is taken for what, at the score where a detector works best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.metrics.confidence import overall_confidence
from boxlens.metrics.confusion import ConfusionResult, confusion
from boxlens.metrics.protocols import prepare

if TYPE_CHECKING:
    from boxlens.matching import Matches
    from boxlens.studies.diagnosis.evidence import Evidence


def confused(evidence: Evidence, *, threads: int = 0) -> tuple[ConfusionResult, Matches]:
    """At the score of the best F1: a fixed cut suits some detectors only.

    With it come the matches it is read from: COCO's, with their hits.
    """
    prepared = prepare(evidence.dataset, evidence.detections, "coco")
    matches = prepared.matches(evidence.foreground_iou, keep_hits=True, threads=threads)
    cut = overall_confidence(prepared, matches).best()["threshold"]
    least = 0.0 if math.isnan(cut) else cut
    return confusion(prepared, matches, min_score=least, threads=threads), matches

"""Results as the stable JSON documents that are written and printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.metrics.results import Provenance, notice_to_json
from boxlens.version import VERSION

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections
    from boxlens.object_sensitivity import SensitivityResult

SENSITIVITY_SCHEMA = "boxlens/sensitivity/1"


def sensitivity_document(
    result: SensitivityResult, dataset: Dataset, detections: Detections
) -> dict[str, Any]:
    """What `boxlens sensitivity --json -` prints; undefined is null."""
    sensitivity = result.to_json()
    misses = sensitivity.pop("misses")
    # They are among the notices of the whole.
    sensitivity.pop("notices")
    return {
        "schema": SENSITIVITY_SCHEMA,
        "provenance": Provenance(VERSION, dataset.source, (detections.source,)).to_json(),
        "parameters": {
            "iou": result.iou,
            "looser": [row.iou for row in result.misses.looser],
            "missed_p_n": result.misses.p_n,
            "characteristics": [row.name for row in result.characteristics],
            "interactions": [[row.first, row.second] for row in result.interactions],
        },
        "dataset": {
            "name": dataset.name,
            "n_images": len(dataset.images),
            "n_objects": len(dataset.gt),
        },
        "notices": [notice_to_json(notice) for notice in result.notices],
        "results": {
            "detector": detections.name,
            "n_detections": len(detections),
            "sensitivity": sensitivity,
            "misses": misses,
        },
    }

"""Results as the stable JSON documents that are written and printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.metrics.results import Provenance, notice_to_json
from boxlens.version import VERSION

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections
    from boxlens.object_sensitivity import SensitivityResult

SENSITIVITY_SCHEMA = "boxlens/sensitivity/1"
NUMBERS = ("iou", "min_objects", "missed_p_n", "positives_share", "n_unexpected")


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
            **{name: getattr(result.choice, name) for name in NUMBERS},
            "looser": list(result.choice.looser_overlaps),
            "characteristics": [row.name for row in result.characteristics],
            "bins": {name: list(values) for name, values in result.choice.bins.items()},
            "interactions": [list(pair) for pair in result.choice.interactions],
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

"""Two real detectors on the whole of COCO val2017, each with its best score cut, and their F1."""

from __future__ import annotations

from functools import cache

import numpy as np

import boxlens
from boxlens.metrics.confidence import overall_confidence
from boxlens.metrics.image_counts import image_counts
from boxlens.metrics.protocols import prepare
from shared_data import shared


def coco_detectors():
    return _read(shared("coco_val2017"))


@cache
def _read(folder):
    dataset = boxlens.read_dataset(folder / "instances_boxes.json.gz")
    names = ("yolox_nano", "fastestdet")
    tables = [boxlens.read_detections(folder / f"{name}.json.gz", dataset) for name in names]
    cuts, scores = [], []
    for table in tables:
        prepared = prepare(dataset, table, "coco")
        matches = prepared.matches(0.5)
        cuts.append(overall_confidence(prepared, matches).best()["threshold"])
        counts = image_counts(prepared, matches, min_score=cuts[-1])
        n_boxes = 2 * counts.tp + counts.fp + counts.fn
        scores.append(np.where(n_boxes > 0, 2 * counts.tp / np.maximum(n_boxes, 1), 1.0))
    return dataset, tables, cuts, np.stack(scores)

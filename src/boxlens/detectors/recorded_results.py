"""The records of a run as detections, as a results file and as counts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Dataset, Detections, GroundTruth, Images, Notice
from boxlens.detectors.journal import Found

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from boxlens.detectors.journal import Record
    from boxlens.detectors.protocols import Detector


def recorded_detections(name: str, records: Sequence[Record]) -> Detections:
    nothing = Found.of([], [], [])
    found = [record.found or nothing for record in records]
    return Detections.of(
        name,
        len(records),
        image_row=np.repeat(np.arange(len(found)), [len(one.score) for one in found]),
        class_row=np.concatenate([nothing.class_row, *(one.class_row for one in found)]),
        box=np.concatenate([nothing.box, *(one.box for one in found)]),
        score=np.concatenate([nothing.score, *(one.score for one in found)]),
    )


def write_results(
    detections: Detections, detector: Detector, keys: Sequence[int | str], target: Path
) -> None:
    """COCO results; the journal may go only once they are on the disk."""
    from boxlens.formats import write_detections

    unknown = np.full(len(keys), np.nan)
    images, _ = Images.of(keys, unknown, unknown, [""] * len(keys))
    nothing = GroundTruth.of(len(keys), image_row=[], class_row=[], box=[])
    dataset = Dataset("pictures", images, detector.classes, nothing)
    write_detections(detections, dataset, target, "coco")
    with target.open("rb") as file:
        os.fsync(file.fileno())


def summed_notices(records: Sequence[Record]) -> Iterator[Notice]:
    """One notice per kind for all batches: the text of the first, the count of all."""
    kinds: dict[str, list[Notice]] = {}
    for notice in (notice for record in records for notice in record.notices):
        kinds.setdefault(notice.code, []).append(notice)
    for code, notices in kinds.items():
        count = sum(notice.count for notice in notices)
        more = f" (in one batch; {count:,} in all)" if len(notices) > 1 else ""
        yield Notice(code, count, notices[0].message + more)

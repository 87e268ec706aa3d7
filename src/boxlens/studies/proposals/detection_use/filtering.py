"""Raw detections of a detector as if it had looked at proposals only (METHODS 6.8).

A detector is not run again: what it says elsewhere is dropped, then suppression follows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxlens.data import Detections, Notice
from boxlens.data.columns import Bools, Boxes, Offsets
from boxlens.data.windows import WindowPart
from boxlens.errors import ParameterError
from boxlens.matching.box_matching import match_boxes
from boxlens.studies.proposals.detection_use.suppression import survivors
from boxlens.studies.proposals.proposed import Proposed

FILTER_IOU = 0.8
NMS_IOU = 0.3
# Fewer may well lie apart by themselves.
MANY_DETECTIONS = 1000


class NearProposals:
    """Detections of any class with an IoU above `iou` to a proposal, as parts of these come in."""

    def __init__(
        self,
        tables: Sequence[Detections],
        proposed: Proposed,
        *,
        iou: float = FILTER_IOU,
        threads: int = 0,
    ) -> None:
        n_images = len(proposed.searched())
        for table in tables:
            if table.n_images != n_images:
                raise ParameterError(
                    f"detections {table.name!r} are rows of {table.n_images} images, "
                    f"the proposals of {n_images}: read them with the same data set"
                )
        self.tables = tables
        self.iou = iou
        self.threads = threads
        # One per table.
        self.near: list[Bools] = [np.zeros(len(table), dtype=np.bool_) for table in tables]
        self.n_proposals = 0

    def add(self, part: WindowPart) -> None:
        windows = part.windows
        self.n_proposals += len(windows)
        for table, near in zip(self.tables, self.near, strict=True):
            offsets = table.offsets[part.images.start : part.images.stop + 1]
            rows = slice(int(offsets[0]), int(offsets[-1]))
            near[rows] = near_boxes(
                (offsets - offsets[0], table.box[rows]),
                (windows.offsets, windows.box),
                self.iou,
                threads=self.threads,
            )


def near_proposals(
    tables: Sequence[Detections],
    proposed: Proposed,
    budget: int,
    *,
    iou: float = FILTER_IOU,
    threads: int = 0,
) -> NearProposals:
    """The same of all proposals of a method, `budget` per image."""
    found = NearProposals(tables, proposed, iou=iou, threads=threads)
    for part, _ in proposed.parts(budget, threads=threads):
        found.add(part)
    return found


def near_boxes(
    boxes: tuple[Offsets, Boxes], others: tuple[Offsets, Boxes], iou: float, *, threads: int = 0
) -> Bools:
    """Boxes with an IoU above `iou` to one of the others of their image; both grouped by image."""
    if not 0 <= iou < 1:
        raise ParameterError(
            f"detections are filtered by an IoU from 0 to below 1, got {iou} (filter_iou)"
        )
    matches = match_boxes(*boxes, *others, threads=threads)
    near: Bools = np.asarray(matches.best[0] > iou)
    return near


def suppressed(detections: Detections, iou: float = NMS_IOU, *, threads: int = 0) -> Detections:
    """Those that no better one of their class overlaps by more than `iou`."""
    return detections.where(survivors(detections, iou=iou, threads=threads))


def suppressed_before(
    detections: Sequence[Detections], iou: float, *, threads: int = 0
) -> list[Detections]:
    """Those whose boxes all lie apart: filtering them is too strict."""
    return [
        table
        for table in detections
        if len(table) >= MANY_DETECTIONS and survivors(table, iou=iou, threads=threads).all()
    ]


def not_raw(table: Detections, iou: float) -> Notice:
    """Of detections that were suppressed before."""
    return Notice(
        "not_raw",
        len(table),
        f"{table.name}: no two detections of a class overlap by more than {iou:g}, so they have "
        "been suppressed before: proposals near removed detections find nothing. Give detections "
        "without suppression",
    )

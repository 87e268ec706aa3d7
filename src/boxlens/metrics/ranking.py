"""Detections of each class by score descending: the order every curve is counted along."""

from __future__ import annotations

from dataclasses import dataclass

from boxlens import _kernel
from boxlens.data import Detections
from boxlens.data.columns import Floats, Offsets, Rows
from boxlens.limits import THREADS


@dataclass(frozen=True, slots=True)
class Ranking:
    """Class k owns order[offsets[k]:offsets[k + 1]]; ties stand in row order (METHODS 10)."""

    order: Rows
    offsets: Offsets

    def of_class(self, class_row: int) -> Rows:
        """Detection rows of a class, best first."""
        return self.order[self.offsets[class_row] : self.offsets[class_row + 1]]


def rank(detections: Detections, n_classes: int, *, threads: int = 0) -> Ranking:
    """Ranks all detections; which of them count is the matches' business."""
    return rank_rows(detections.class_row, detections.score, n_classes, threads=threads)


def rank_rows(class_row: Rows, score: Floats, n_classes: int, *, threads: int = 0) -> Ranking:
    """The same for bare columns."""
    THREADS.check(threads, "threads (--threads)")
    order, offsets = _kernel.rank_classes(
        det_class=class_row, det_score=score, n_classes=n_classes, threads=threads
    )
    return Ranking(order, offsets)

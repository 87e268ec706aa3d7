"""Which boxes of one group overlap one another, and which stand beside one another: counted."""

from __future__ import annotations

import numpy as np

from boxlens import _kernel
from boxlens.data.columns import Boxes, Offsets, Rows
from boxlens.errors import ParameterError
from boxlens.limits import THREADS
from boxlens.matching.overlaps import reachable
from boxlens.progress import Progress

# Below, starting threads takes longer than counting.
FEW_BOXES = 1000


def count_overlapping_pairs(
    box: Boxes,
    group: Rows,
    n_groups: int,
    iou: float,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Offsets:
    """For each group its pairs of boxes with IoU >= iou, each pair once; exact for any size."""
    if not 0 < iou <= 1:
        raise ParameterError(f"an overlap must be above 0 and at most 1, got {iou}")
    THREADS.check(threads, "threads (--threads)")
    order = np.argsort(group, kind="stable")
    grouped = np.ascontiguousarray(box[order])
    offsets = np.searchsorted(group[order], np.arange(n_groups + 1))
    n_pairs = np.zeros(n_groups, dtype=np.int64)
    for row in range(n_groups):
        if progress is not None:
            progress("counting pairs of boxes", int(offsets[row]), len(box))
        of_group = grouped[offsets[row] : offsets[row + 1]]
        n_pairs[row] = _kernel.count_overlapping_pairs(
            box=of_group,
            iou=reachable(iou),
            threads=1 if len(of_group) < FEW_BOXES else threads,
        )
    return n_pairs


def count_neighbours(
    offsets: Offsets,
    class_row: Rows,
    box: Boxes,
    gap: float = 0.0,
    *,
    threads: int = 0,
) -> Rows:
    """For each object the others of its class and image that touch it or are `gap` away at most."""
    THREADS.check(threads, "threads (--threads)")
    return _kernel.count_neighbours(
        offsets=offsets, class_row=class_row, box=box, gap=gap, threads=threads
    )

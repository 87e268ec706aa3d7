"""AP after every subset of Borji's four repairs: what each brings in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.diagnosis.orders import RepairGain, repair_gains, subsets
from boxlens.metrics.cells import cell_precision
from boxlens.metrics.ranking import rank_rows

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data.columns import Bits, Bools, Rows
    from boxlens.diagnosis.evidence import Evidence

REPAIRS = ("background", "localization", "duplicate", "miss")


def repair_orders(
    evidence: Evidence,
    hit: tuple[Bools, Bools],
    ignored: tuple[Bools, Bools],
    found: tuple[Bools, Bools],
    background: Bools,
    det_rank: Rows,
    n_positive: npt.NDArray[np.int64],
    *,
    max_dets: int,
    threads: int = 0,
) -> tuple[RepairGain, ...]:
    """Hits, don't-cares and found objects as they are, and with the boxes of step 2 moved.

    A repair left out is simply not made: without step 2 step 3 deletes the badly placed boxes.
    """
    counted = n_positive > 0
    chosen = subsets(len(REPAIRS))
    if not counted.any():
        return repair_gains(REPAIRS, np.full(len(chosen), np.nan))
    gt = evidence.dataset.gt
    added = np.flatnonzero(~(found[0] & found[1]))
    det_class = evidence.detections.class_row
    tp, gone = _bits(chosen, hit, ignored, background)
    added_tp = _worlds(chosen[:, 3] & ~chosen[:, 1]) * ~found[0][added]
    added_tp |= _worlds(chosen[:, 3] & chosen[:, 1]) * ~found[1][added]
    n_classes = len(n_positive)
    # An added object stands above every detection, whatever scores the detector gives.
    score = np.concatenate([np.full(len(added), np.inf), evidence.detections.score])
    precision = cell_precision(
        rank_rows(
            np.concatenate([gt.class_row[added], det_class]), score, n_classes, threads=threads
        ),
        score,
        np.concatenate([added_tp, tp]),
        np.concatenate([~added_tp, gone]),
        np.concatenate([np.zeros(len(added), dtype=np.int32), det_rank]),
        np.repeat(n_positive[:, np.newaxis], len(chosen), axis=1),
        max_dets=max_dets,
        threads=threads,
    )
    return repair_gains(REPAIRS, precision[counted].mean(axis=(0, 2)))


def _worlds(chosen: Bools) -> np.uint64:
    """The bits of some subsets."""
    return np.uint64(sum(1 << int(row) for row in np.flatnonzero(chosen)))


def _bits(
    chosen: Bools,
    hit: tuple[Bools, Bools],
    ignored: tuple[Bools, Bools],
    background: Bools,
) -> tuple[Bits, Bits]:
    tp = np.zeros(len(background), dtype=np.uint64)
    gone = np.zeros(len(background), dtype=np.uint64)
    for moved in (False, True):
        here = chosen[:, 1] == moved
        tp |= _worlds(here) * hit[moved]
        gone |= _worlds(here) * ignored[moved]
        gone |= _worlds(here & chosen[:, 2]) * ~hit[moved]
    gone |= _worlds(chosen[:, 0]) * background
    return tp, gone & ~tp

"""AP after every subset of Borji's four repairs: what each brings in any order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.metrics.cells import cell_precision
from boxlens.metrics.ranking import rank_rows
from boxlens.studies.diagnosis.orders import subsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from boxlens.data.columns import Bits, Bools, Floats, Rows
    from boxlens.studies.diagnosis.evidence import Evidence

REPAIRS = ("background", "localization", "duplicate", "miss")


@dataclass(frozen=True, slots=True)
class Judged:
    """What COCO's rule says after step 1, step 2, both or neither."""

    # Whether boxes on background are deleted, and badly placed ones moved.
    deleted: bool
    moved: bool
    hit: Bools
    # Detections that count neither way: deleted, excused or beyond the limit.
    gone: Bools
    # Objects that are hit or do not count.
    found: Bools


def subset_precision(
    evidence: Evidence,
    judged: Sequence[Judged],
    det_rank: Rows,
    n_positive: npt.NDArray[np.int64],
    *,
    max_dets: int,
    threads: int = 0,
) -> Floats:
    """[class, subset of REPAIRS, recall]; `judged` has all four combinations of steps 1 and 2.

    A repair left out is simply not made: without step 2 step 3 deletes the badly placed boxes.
    """
    gt = evidence.dataset.gt
    added = np.flatnonzero(~np.logical_and.reduce([state.found for state in judged]))
    tp, gone, added_tp = _bits(judged, added)
    # An added object stands above every detection, whatever scores the detector gives.
    score = np.concatenate([np.full(len(added), np.inf), evidence.detections.score])
    class_row = np.concatenate([gt.class_row[added], evidence.detections.class_row])
    return cell_precision(
        rank_rows(class_row, score, len(n_positive), threads=threads),
        score,
        np.concatenate([added_tp, tp]),
        np.concatenate([~added_tp, gone]),
        np.concatenate([np.zeros(len(added), dtype=np.int32), det_rank]),
        np.repeat(n_positive[:, np.newaxis], 1 << len(REPAIRS), axis=1),
        max_dets=max_dets,
        threads=threads,
    )


def _bits(judged: Sequence[Judged], added: npt.NDArray[np.int64]) -> tuple[Bits, Bits, Bits]:
    """Hits and don't-cares among detections, and added objects; a bit for every subset."""
    chosen = subsets(len(REPAIRS))
    tp, gone = np.zeros((2, len(judged[0].hit)), dtype=np.uint64)
    added_tp = np.zeros(len(added), dtype=np.uint64)
    for state in judged:
        here = (chosen[:, 0] == state.deleted) & (chosen[:, 1] == state.moved)
        tp |= _worlds(here) * state.hit
        gone |= _worlds(here) * state.gone
        gone |= _worlds(here & chosen[:, 2]) * ~state.hit
        added_tp |= _worlds(here & chosen[:, 3]) * ~state.found[added]
    return tp, gone, added_tp


def _worlds(chosen: Bools) -> np.uint64:
    """The bits of some subsets."""
    return np.uint64(sum(1 << int(row) for row in np.flatnonzero(chosen)))

"""Precision on a grid of recalls for up to 64 readings of one ranking, each a bit of a word."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boxlens import _kernel
from boxlens.data.columns import Bits, Floats, Rows
from boxlens.errors import ParameterError
from boxlens.matching import MAX_CELLS
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.ranking import Ranking


def cell_precision(
    ranking: Ranking,
    score: Floats,
    det_tp: Bits,
    det_ignored: Bits,
    det_rank: Rows,
    n_positive: npt.NDArray[np.integer],
    *,
    max_dets: int,
    recalls: Floats = COCO_RECALLS,
    n_thresholds: int = 1,
    threads: int = 0,
) -> Floats:
    """[class, cell, recall]: NaN where a cell has no positives for a class.

    n_positive is [class, group of cells]: `n_thresholds` neighbouring bits share their positives,
    as the thresholds of an area do in `Matches`. A detection whose rank does not count is
    in no cell.
    """
    n_classes, n_groups = n_positive.shape
    n_cells = n_groups * n_thresholds
    if not 1 <= n_cells <= MAX_CELLS:
        raise ParameterError(f"between 1 and {MAX_CELLS} cells fit a word, got {n_cells}")
    precision, _, _ = _kernel.accumulate(
        order=ranking.order,
        class_offsets=ranking.offsets,
        det_score=score,
        det_tp=det_tp,
        det_ignored=det_ignored,
        det_rank=det_rank,
        n_positive=np.ascontiguousarray(n_positive, dtype=np.int64),
        n_thresholds=n_thresholds,
        max_dets=max_dets,
        recalls=recalls.tolist(),
        with_scores=False,
        with_tie_band=False,
        threads=threads,
    )
    return precision.reshape(n_classes, n_cells, len(recalls))

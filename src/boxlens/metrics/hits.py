"""True positives of many ranked lists and the false positives above each: AP by area, AP_N.

Everything AP by area needs is in these two numbers per hit, so a subset of the objects, a repair
or a normalization is a few sums more, never another pass over the detections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Labels, Offsets, Rows, ratio
from boxlens.metrics.ranking import Ranking

Counts = npt.NDArray[np.integer]


# N of P_N, by default, as a share of the images (METHODS 2.1).
POSITIVES_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Hits:
    """List k owns offsets[k]:offsets[k + 1], best first; one list per class unless regrouped."""

    offsets: Offsets
    det_row: Rows
    # The object hit; empty where nobody asked.
    gt_row: Rows
    # False positives ranked above.
    n_fp: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n_fp)

    def list_row(self) -> npt.NDArray[np.int64]:
        """The list of every hit."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def ranked_hits(ranking: Ranking, labels: Labels, hit_row: Rows | None = None) -> Hits:
    """The hits of each class along its ranking; don't-cares advance nothing (METHODS 0.4)."""
    ranked = labels[ranking.order]
    at = np.flatnonzero(ranked > 0)
    n_fp = np.concatenate([[0], np.cumsum(ranked < 0)])
    offsets = np.searchsorted(at, ranking.offsets)
    first = np.repeat(n_fp[ranking.offsets[:-1]], np.diff(offsets))
    det_row = ranking.order[at]
    return Hits(
        offsets=offsets.astype(np.int64),
        det_row=det_row,
        gt_row=np.empty(0, dtype=np.int32) if hit_row is None else hit_row[det_row],
        n_fp=n_fp[at] - first,
    )


def regrouped(hits: Hits, group: npt.NDArray[np.integer], n_groups: int) -> Hits:
    """The same hits in other lists (-1: in none); their order within a list stays.

    A dropped hit becomes a don't-care: false positives stay for every subset (METHODS 2.3).
    """
    order = np.argsort(group, kind="stable")
    order = order[np.searchsorted(group[order], 0) :]
    return Hits(
        offsets=np.searchsorted(group[order], np.arange(n_groups + 1)).astype(np.int64),
        det_row=hits.det_row[order],
        gt_row=hits.gt_row[order] if len(hits.gt_row) else hits.gt_row,
        n_fp=hits.n_fp[order],
    )


def envelope(hits: Hits, n_positive: Counts, normal: float | None = None) -> Floats:
    """The best precision at each hit's recall or beyond; with `normal`, precision is P_N.

    P_N = R N / (R N + F) with recall R and false positives F (METHODS 2.1).
    """
    sizes = np.diff(hits.offsets)
    n_tp = np.arange(1, len(hits) + 1) - np.repeat(hits.offsets[:-1], sizes)
    if normal is None:
        precision = n_tp / (n_tp + hits.n_fp)
    else:
        found = n_tp / np.repeat(np.maximum(n_positive, 1), sizes) * normal
        precision = found / (found + hits.n_fp)
    for begin, end in zip(hits.offsets[:-1].tolist(), hits.offsets[1:].tolist(), strict=True):
        if end - begin > 1:
            backwards = precision[begin:end][::-1]
            np.maximum.accumulate(backwards, out=backwards)
    return precision


def area_ap(hits: Hits, n_positive: Counts, normal: float | None = None) -> Floats:
    """(1 / positives) x the sum of the envelope at hits; NaN for a list without positives."""
    return ratio(_list_sums(hits, envelope(hits, n_positive, normal)), n_positive)


def area_ap_with_error(
    hits: Hits, n_positive: Counts, normal: float | None = None
) -> tuple[Floats, Floats]:
    """AP and its standard error: one value per hit, one zero per missed object (METHODS 2.2)."""
    values = envelope(hits, n_positive, normal)
    mean = ratio(_list_sums(hits, values), n_positive)
    spread = values - np.repeat(np.nan_to_num(mean), np.diff(hits.offsets))
    n_missed = n_positive - np.diff(hits.offsets)
    squares = _list_sums(hits, spread**2) + n_missed * np.nan_to_num(mean) ** 2
    error = np.full(len(n_positive), np.nan)
    many = n_positive > 1
    error[many] = np.sqrt(squares[many] / (n_positive[many] - 1) / n_positive[many])
    return mean, error


def _list_sums(hits: Hits, values: Floats) -> Floats:
    sums = np.zeros(len(hits.offsets) - 1)
    filled: Bools = np.diff(hits.offsets) > 0
    if filled.any():
        sums[filled] = np.add.reduceat(values, hits.offsets[:-1][filled])
    return sums

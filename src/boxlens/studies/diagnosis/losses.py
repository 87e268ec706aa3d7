"""What every single error costs: AP without one false positive, AP that one missed object holds.

AP is the area under the curve (METHODS 0.6 b), at one IoU, and a mean over classes with objects.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Labels, Rows
from boxlens.metrics.hits import envelope, ranked_hits
from boxlens.metrics.ranking import Ranking


def detection_losses(
    ranking: Ranking, labels: Labels, n_positive: npt.NDArray[np.integer]
) -> Floats:
    """What mean AP rises by when this one detection is deleted: 0 unless it is wrong.

    A false positive took no object, so nothing else is matched differently without it. NaN for
    detections of classes without objects, where AP is undefined.
    """
    hits = ranked_hits(ranking, labels)
    best = envelope(hits, n_positive)
    n_defined = max(int(np.count_nonzero(n_positive)), 1)
    loss = np.zeros(len(labels))
    for row, positives in enumerate(n_positive.tolist()):
        members = ranking.of_class(row)
        if positives == 0:
            loss[members] = np.nan
            continue
        own = slice(hits.offsets[row], hits.offsets[row + 1])
        ranked = labels[members]
        n_hits_above = np.cumsum(ranked > 0)
        gain = _gains(hits.n_fp[own], best[own]) / positives / n_defined
        wrong = ranked < 0
        loss[members[wrong]] = gain[n_hits_above[wrong]]
    return loss


def _gains(n_fp: npt.NDArray[np.int64], best: Floats) -> Floats:
    """By number of hits above: the rise of the envelope's sum without one false positive there.

    Hits below it get the envelope of k / (k + F - 1); hits above it keep theirs where that is
    not overtaken by the first one below.
    """
    n = len(n_fp)
    gains = np.zeros(n + 1)
    if n == 0:
        return gains
    n_tp = np.arange(1, n + 1)
    # A hit without a false positive above it is never below one: its value is not used.
    without = n_tp / (n_tp + np.maximum(n_fp - 1, 0))
    risen = np.maximum.accumulate(without[::-1])[::-1]
    below = np.cumsum((risen - best)[::-1])[::-1]
    sums = np.concatenate([[0.0], np.cumsum(best)])
    # `best` descends: the hits above that are overtaken are the last of them.
    kept = np.minimum(np.searchsorted(-best, -risen, side="right"), np.arange(n))
    overtaken = np.arange(n) - kept
    lifted = overtaken * risen - (sums[np.arange(n)] - sums[kept])
    gains[:n] = np.maximum(below + lifted, 0.0)
    return gains


def object_losses(class_row: Rows, positive: Bools, hit: Bools) -> Floats:
    """The share of mean AP that only a hit of this object could bring: 0 where it is hit."""
    n_positive = np.bincount(class_row[positive], minlength=int(class_row.max(initial=-1)) + 1)
    n_defined = max(int(np.count_nonzero(n_positive)), 1)
    loss = np.zeros(len(class_row))
    missed = positive & ~hit
    loss[missed] = 1.0 / n_positive[class_row[missed]] / n_defined
    return loss

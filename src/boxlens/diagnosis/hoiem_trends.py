"""How the kinds of false positives change along the ranking (METHODS 1.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.metrics.results import number

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data.columns import Floats, Labels
    from boxlens.metrics.ranking import Ranking

# Rows of a verdict: correct, ignored, loc, sim, oth, bg.
N_TYPES = 6
FIRST_FP = 2
FP_LABELS = ("loc", "sim", "oth", "bg")
FP_COUNTS = tuple(25 * 2**k for k in range(8))
MULTIPLES = (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, slots=True)
class FpTrend:
    """share[class, count, kind] among the first `counts` false positives of a class.

    NaN where a class has fewer; `mean` is over the classes that have as many.
    """

    counts: tuple[int, ...]
    share: Floats
    mean: Floats
    n_classes: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "n_fp": list(self.counts),
            "n_classes": list(self.n_classes),
            "share": _by_label(self.mean),
            "classes": [_by_label(rows) for rows in self.share],
        }


@dataclass(frozen=True, slots=True)
class DetectionTrend:
    """share[class, multiple, verdict] of the top multiple x N_j detections, and recall there.

    Verdicts are correct, ignored, loc, sim, oth, bg; NaN where a class has fewer detections.
    """

    multiples: tuple[float, ...]
    share: Floats
    mean: Floats
    # [class, multiple]: at the foreground and at the background IoU.
    recall: Floats
    weak_recall: Floats

    def to_json(self) -> dict[str, Any]:
        correct, _, *kinds = self.mean.T
        return {
            "multiples": list(self.multiples),
            "correct": _numbers(correct),
            "share": {name: _numbers(row) for name, row in zip(FP_LABELS, kinds, strict=True)},
            "recall": _numbers(mean_over_classes(self.recall)),
            "weak_recall": _numbers(mean_over_classes(self.weak_recall)),
        }


def fp_trend(ranking: Ranking, det_type: Labels) -> FpTrend:
    """Shares of the kinds among the first 25, 50, ... 3,200 false positives."""
    share = np.full((len(ranking.offsets) - 1, len(FP_COUNTS), len(FP_LABELS)), np.nan)
    for row in range(len(share)):
        types = det_type[ranking.of_class(row)]
        wrong = types[types >= FIRST_FP]
        for at, count in enumerate(FP_COUNTS):
            if len(wrong) >= count:
                counts = np.bincount(wrong[:count], minlength=N_TYPES)
                share[row, at] = counts[FIRST_FP:] / count
    n_classes = (~np.isnan(share[:, :, 0])).sum(axis=0)
    return FpTrend(FP_COUNTS, share, mean_over_classes(share), tuple(n_classes.tolist()))


def detection_trend(
    ranking: Ranking, det_type: Labels, weak: Labels, n_positive: npt.NDArray[np.int64]
) -> DetectionTrend:
    """Verdicts among the top 1/8 ... 8 x N_j detections; `weak` are labels at the weak IoU."""
    shape = (len(n_positive), len(MULTIPLES))
    share = np.full((*shape, N_TYPES), np.nan)
    recall, weak_recall = np.full(shape, np.nan), np.full(shape, np.nan)
    for row, n in enumerate(n_positive.tolist()):
        ranked = ranking.of_class(row)
        for at, multiple in enumerate(MULTIPLES):
            size = max(int(np.floor(multiple * n + 0.5)), 1)
            if n == 0 or len(ranked) < size:
                continue
            top = ranked[:size]
            counts = np.bincount(det_type[top], minlength=N_TYPES)
            share[row, at] = counts / size
            recall[row, at] = counts[0] / n
            weak_recall[row, at] = (weak[top] > 0).sum() / n
    return DetectionTrend(MULTIPLES, share, mean_over_classes(share), recall, weak_recall)


def mean_over_classes(values: Floats) -> Floats:
    """Over the classes for which a value is defined; NaN where there is none."""
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    mean = np.full(n.shape, np.nan)
    np.divide(np.where(known, values, 0).sum(axis=0), n, out=mean, where=n > 0)
    return mean


def _by_label(rows: Floats) -> dict[str, list[float | None]]:
    return {name: _numbers(row) for name, row in zip(FP_LABELS, rows.T, strict=True)}


def _numbers(values: Floats) -> list[float | None]:
    return [number(value) for value in values.tolist()]

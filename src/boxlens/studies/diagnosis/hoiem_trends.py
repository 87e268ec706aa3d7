"""How the kinds of false positives change along the ranking (METHODS 1.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats, Labels
from boxlens.metrics.json_form import JsonRecord, as_key, to_json
from boxlens.metrics.means import means_defined
from boxlens.metrics.ranking import Ranking
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES, HoiemType

FP_LABELS = tuple(kind.label for kind in FP_TYPES)
FP_COUNTS = tuple(25 * 2**k for k in range(8))
MULTIPLES = (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0)


def _by_label(rows: Floats) -> dict[str, list[float | None]]:
    labelled: dict[str, list[float | None]] = to_json(dict(zip(FP_LABELS, rows.T, strict=True)))
    return labelled


@dataclass(frozen=True, slots=True)
class FpTrend(JsonRecord):
    """share[class, count, kind] among the first `counts` false positives of a class.

    NaN where a class has fewer. In `mean` such a class stays with all that it has, so that the
    same classes are averaged all along; `n_classes` have as many.
    """

    counts: tuple[int, ...] = field(metadata=as_key("n_fp"))
    n_classes: tuple[int, ...]
    mean: Floats = field(metadata=as_key("share", _by_label))
    share: Floats = field(metadata=as_key("classes", lambda share: list(map(_by_label, share))))


@dataclass(frozen=True, slots=True)
class DetectionTrend:
    """share[class, multiple, verdict] of the top multiple x N_j detections, and recall there.

    Verdicts are correct, ignored, loc, sim, oth, bg; NaN where a class has fewer detections. In
    means such a class stays with all that it has; `n_classes` have as many.
    """

    multiples: tuple[float, ...]
    share: Floats
    mean: Floats
    # [class, multiple]: at the foreground and at the background IoU.
    recall: Floats
    weak_recall: Floats
    mean_recall: Floats
    mean_weak_recall: Floats
    n_classes: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        correct, _, *kinds = self.mean.T
        return {
            "multiples": list(self.multiples),
            "n_classes": list(self.n_classes),
            "correct": to_json(correct),
            "share": to_json(dict(zip(FP_LABELS, kinds, strict=True))),
            "recall": to_json(self.mean_recall),
            "weak_recall": to_json(self.mean_weak_recall),
        }


def fp_trend(ranking: Ranking, det_type: Labels) -> FpTrend:
    """Shares of the kinds among the first 25, 50, ... 3,200 false positives."""
    held = np.full((len(ranking.offsets) - 1, len(FP_COUNTS), len(FP_LABELS)), np.nan)
    enough = np.zeros(held.shape[:2], dtype=np.bool_)
    for row in range(len(held)):
        types = det_type[ranking.of_class(row)]
        wrong = types[types >= HoiemType.LOC]
        enough[row] = len(wrong) >= np.array(FP_COUNTS)
        for at, count in enumerate(FP_COUNTS if len(wrong) else ()):
            first = wrong[:count]
            held[row, at] = np.bincount(first, minlength=len(HoiemType))[HoiemType.LOC :] / len(
                first
            )
    return FpTrend(
        counts=FP_COUNTS,
        share=np.where(enough[:, :, np.newaxis], held, np.nan),
        mean=means_defined(held, 0),
        n_classes=tuple(enough.sum(axis=0).tolist()),
    )


def detection_trend(
    ranking: Ranking, det_type: Labels, weak: Labels, n_positive: npt.NDArray[np.int64]
) -> DetectionTrend:
    """Verdicts among the top 1/8 ... 8 x N_j detections; `weak` are labels at the weak IoU."""
    shape = (len(n_positive), len(MULTIPLES))
    share = np.full((*shape, len(HoiemType)), np.nan)
    recall, weak_recall = np.full(shape, np.nan), np.full(shape, np.nan)
    enough = np.zeros(shape, dtype=np.bool_)
    for row, n in enumerate(n_positive.tolist()):
        ranked = ranking.of_class(row)
        types, weak_hits = det_type[ranked], np.concatenate([[0], np.cumsum(weak[ranked] > 0)])
        for at, multiple in enumerate(MULTIPLES if n else ()):
            wished = max(int(np.floor(multiple * n + 0.5)), 1)
            size = min(wished, len(ranked))
            enough[row, at] = size == wished
            counts = np.bincount(types[:size], minlength=len(HoiemType))
            if size:
                share[row, at] = counts / size
            recall[row, at] = counts[HoiemType.CORRECT] / n
            weak_recall[row, at] = weak_hits[size] / n
    return DetectionTrend(
        multiples=MULTIPLES,
        share=np.where(enough[:, :, np.newaxis], share, np.nan),
        mean=means_defined(share, 0),
        recall=np.where(enough, recall, np.nan),
        weak_recall=np.where(enough, weak_recall, np.nan),
        mean_recall=means_defined(recall, 0),
        mean_weak_recall=means_defined(weak_recall, 0),
        n_classes=tuple(enough.sum(axis=0).tolist()),
    )

"""AP of rankings put together from several detectors by one who knows the truth (METHODS 3.2).

Matches are local to an image and hits stay hits, so a merged ranking is counted from the
detectors' own matches, never matched again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bits, Bools, Floats, Rows
from boxlens.matching import Matches
from boxlens.metrics.cells import cell_precision
from boxlens.metrics.grid import positives_by_class_and_area
from boxlens.metrics.json_form import defined
from boxlens.metrics.means import mean_defined
from boxlens.metrics.ranking import rank, rank_rows


@dataclass(frozen=True, slots=True)
class Source:
    """A detector and its matches over COCO's thresholds, hits kept."""

    detections: Detections
    matches: Matches


@dataclass(frozen=True, slots=True)
class ReachedAp:
    """AP and AP50 of one ranking."""

    name: str
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class MergedAp:
    """Each detector, one chosen in every image, and each with the hits of the others added.

    As they are, scores of different detectors do not compare, and a merged ranking may lose by
    it; "aligned" ones are first replaced by how often such a detection is right.
    """

    single: tuple[ReachedAp, ...]
    # A greedy choice by the score of an image: a lower bound of the best choice, and in AP not
    # even bound to beat the better detector.
    chosen: ReachedAp
    chosen_aligned: ReachedAp
    # Never below the detector itself.
    with_hits: tuple[ReachedAp, ...]
    with_hits_aligned: tuple[ReachedAp, ...]
    # [detector]: the images it was chosen in.
    n_chosen: tuple[int, ...]

    def joint(self) -> dict[str, float]:
        """The best, number by number: never below the best single detector.

        Hits are added to the best detector alone. Added to a worse one, those of the best come
        without its false positives, and a detector that finds nothing would seem to bring much.
        """
        return {name: self._joint(name) for name in self.chosen.metrics}

    def _joint(self, metric: str) -> float:
        # Undefined for one is undefined for all: they share their objects.
        alone = [row.metrics[metric] for row in self.single]
        best = int(np.argmax(alone))
        together = (
            self.chosen,
            self.chosen_aligned,
            self.with_hits[best],
            self.with_hits_aligned[best],
        )
        return max(alone[best], *(row.metrics[metric] for row in together))

    def to_json(self) -> dict[str, Any]:
        return {
            "joint": defined(self.joint()),
            "single": [defined(row.metrics) for row in self.single],
            "chosen": {
                "n_images": list(self.n_chosen),
                "as_is": defined(self.chosen.metrics),
                "aligned": defined(self.chosen_aligned.metrics),
            },
            "with_hits_of_others": {
                "as_is": [defined(row.metrics) for row in self.with_hits],
                "aligned": [defined(row.metrics) for row in self.with_hits_aligned],
            },
        }


@dataclass(frozen=True, slots=True)
class _Pool:
    """All detections of all detectors, image by image, and how each fared."""

    source: Rows
    image_row: Rows
    class_row: Rows
    score: Floats
    aligned: Floats
    det_tp: Bits
    det_ignored: Bits
    det_rank: Rows
    # [cell, detection]: the object hit.
    hit_row: Rows
    n_positive: npt.NDArray[np.int64]
    max_dets: int


def merged_ap(
    dataset: Dataset, sources: Sequence[Source], image_scores: Floats, *, threads: int = 0
) -> MergedAp:
    """`image_scores` are [detector, image]; the larger is chosen, undefined ones never are.

    Equal scores go to the detector that is better on the whole, then to the one named first.
    """
    pool = _pool(dataset, sources)
    values = np.where(np.isnan(image_scores), -np.inf, image_scores)
    better_first = np.argsort(-np.nan_to_num(image_scores).sum(axis=1), kind="stable")
    choice = better_first[np.argmax(values[better_first], axis=0)]
    taken = choice[pool.image_row] == pool.source
    names = [source.detections.name for source in sources]
    everyone = range(len(sources))

    def reached(name: str, keep: Bools, score: Floats) -> ReachedAp:
        return ReachedAp(name, _ap(pool, keep, pool.det_tp, pool.det_ignored, score, threads))

    def with_hits(score: Floats) -> tuple[ReachedAp, ...]:
        return tuple(
            ReachedAp(names[row], _ap_with_hits(pool, row, sources[row], score, threads))
            for row in everyone
        )

    return MergedAp(
        single=tuple(reached(names[row], pool.source == row, pool.score) for row in everyone),
        chosen=reached("chosen", taken, pool.score),
        chosen_aligned=reached("chosen, aligned", taken, pool.aligned),
        with_hits=with_hits(pool.score),
        with_hits_aligned=with_hits(pool.aligned),
        n_chosen=tuple(np.bincount(choice, minlength=len(sources)).tolist()),
    )


def _pool(dataset: Dataset, sources: Sequence[Source]) -> _Pool:
    tables = [source.detections for source in sources]
    matches = [source.matches for source in sources]
    image_row = np.concatenate([table.image_row for table in tables])
    # Grouped by image as any table is: row order breaks ties of score (METHODS 10).
    order = np.argsort(image_row, kind="stable")

    def joined(columns: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.ascontiguousarray(np.concatenate(columns, axis=-1)[..., order])

    expected = [_expected_precision(source, len(dataset.classes)) for source in sources]
    precision, place = (joined([column[k] for column in expected]) for k in range(2))
    aligned = np.empty(len(order))
    aligned[np.lexsort((place, precision))] = np.arange(1, len(order) + 1) / len(order)
    numbers = [np.full(len(table), row, dtype=np.int32) for row, table in enumerate(tables)]
    return _Pool(
        source=joined(numbers),
        image_row=image_row[order],
        class_row=joined([table.class_row for table in tables]),
        score=joined([table.score for table in tables]),
        aligned=aligned,
        det_tp=joined([match.det_tp for match in matches]),
        det_ignored=joined([match.det_ignored for match in matches]),
        det_rank=joined([match.det_rank for match in matches]),
        hit_row=joined([match.hit_row for match in matches]),
        n_positive=positives_by_class_and_area(dataset, matches[0]),
        max_dets=matches[0].max_dets,
    )


def _expected_precision(source: Source, n_classes: int) -> tuple[Floats, Floats]:
    """How often a detection is right, over thresholds and falling with its place in its class.

    Isotonic regression of hits on the ranking; the second column, a detection's place as a
    fraction, keeps the order among equals.
    """
    from scipy.optimize import isotonic_regression

    table, matches = source.detections, source.matches
    cells = range(len(matches.iou_thresholds))
    n_right = np.zeros(len(table))
    n_counted = np.zeros(len(table))
    for cell in cells:
        labels = matches.labels(cell)
        n_right += labels > 0
        n_counted += labels != 0
    ranking = rank(table, n_classes)
    precision, place = np.zeros(len(table)), np.zeros(len(table))
    for class_row in range(n_classes):
        rows = ranking.of_class(class_row)
        place[rows] = 1 - np.arange(len(rows)) / max(len(rows), 1)
        rows = rows[n_counted[rows] > 0]
        if len(rows):
            share = n_right[rows] / n_counted[rows]
            fit = isotonic_regression(share, weights=n_counted[rows], increasing=False)
            precision[rows] = fit.x
    return precision, place


def _ap_with_hits(
    pool: _Pool, own: int, source: Source, score: Floats, threads: int
) -> dict[str, float]:
    """The ranking of one detector and, among it, others' hits on objects that it never finds.

    Of several hits on one object the best scored is added, once for each threshold. What only
    adds hits cannot lower precision at any recall.
    """
    is_own = pool.source == own
    added = np.zeros(len(pool.source), dtype=np.uint64)
    for cell in range(len(source.matches.iou_thresholds)):
        bit = source.matches.bit(cell)
        missed = (source.matches.gt_hit & bit) == 0
        rows = np.flatnonzero(~is_own & ((pool.det_tp & bit) != 0))
        rows = rows[missed[pool.hit_row[cell, rows]]]
        rows = rows[np.argsort(-score[rows], kind="stable")]
        _, first = np.unique(pool.hit_row[cell, rows], return_index=True)
        added[rows[first]] |= bit
    keep = is_own | (added != 0)
    det_tp = np.where(is_own, pool.det_tp, added)
    det_ignored = np.where(is_own, pool.det_ignored, ~added)
    return _ap(pool, keep, det_tp, det_ignored, score, threads)


def _ap(
    pool: _Pool, keep: Bools, det_tp: Bits, det_ignored: Bits, score: Floats, threads: int
) -> dict[str, float]:
    ranked = np.ascontiguousarray(score[keep])
    n_classes = len(pool.n_positive)
    ranking = rank_rows(pool.class_row[keep], ranked, n_classes, threads=threads)
    n_thresholds = len(pool.hit_row)
    precision = cell_precision(
        ranking,
        ranked,
        det_tp[keep],
        det_ignored[keep],
        pool.det_rank[keep],
        pool.n_positive,
        max_dets=pool.max_dets,
        n_thresholds=n_thresholds,
        threads=threads,
    )
    # [threshold, recall, class], in the order in which pycocotools adds them.
    in_order = np.ascontiguousarray(precision.transpose(1, 2, 0))
    return {"AP": mean_defined(in_order), "AP50": mean_defined(in_order[0])}

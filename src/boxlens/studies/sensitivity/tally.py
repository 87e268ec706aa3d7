"""What every number here is counted from: objects that count and the correct detections of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats, Rows
from boxlens.matching import Matches
from boxlens.metrics.hits import Hits, area_ap_with_error, envelope, ranked_hits, regrouped
from boxlens.metrics.ranking import Ranking
from boxlens.studies.sensitivity.characteristics import Objects


@dataclass(frozen=True, slots=True)
class Tally:
    """The hits of each class at one overlap."""

    objects: Objects
    # Objects that count, by class.
    n_positive: npt.NDArray[np.int64]
    hits: Hits
    # N of P_N (METHODS 2.1).
    normal: float

    def achieved(self) -> Floats:
        """P_N of each object's correct detection: 0 without one, NaN if it does not count."""
        values = np.where(self.objects.counted, 0.0, np.nan)
        values[self.hits.gt_row] = envelope(self.hits, self.n_positive, self.normal)
        return values


@dataclass(frozen=True, slots=True)
class Scores:
    """[class, subset]: normalized AP, its standard error and the number of objects."""

    ap_n: Floats
    ap_n_se: Floats
    n_objects: npt.NDArray[np.int64]


def count(objects: Objects, ranking: Ranking, matches: Matches, iou: float, normal: float) -> Tally:
    """The hits at one of the overlaps of the matches."""
    cell = matches.iou_thresholds.index(iou)
    return Tally(
        objects=objects,
        n_positive=np.bincount(
            objects.gt.class_row[objects.counted], minlength=objects.n_classes
        ).astype(np.int64),
        hits=ranked_hits(ranking, matches.labels(cell), matches.hit_row[cell]),
        normal=normal,
    )


def score_subsets(tally: Tally, code: Rows, n_subsets: int) -> Scores:
    """All subsets of all classes at once; `code` is [column, object], a subset is in one column.

    Correct detections of other objects become don't-cares, false positives stay for every
    subset, and N stays (METHODS 2.3).
    """
    n_columns, n_lists = len(code), tally.objects.n_classes * n_subsets
    subset = code[:, tally.hits.gt_row]
    group = np.where(subset >= 0, tally.hits.list_row() * n_subsets + subset, -1).ravel()
    hits = tally.hits if n_columns == 1 else _repeated(tally.hits, n_columns)
    n_objects = count_subsets(tally.objects, code, n_subsets)
    ap_n, error = area_ap_with_error(
        regrouped(hits, group, n_lists), n_objects.ravel(), tally.normal
    )
    return Scores(ap_n.reshape(n_objects.shape), error.reshape(n_objects.shape), n_objects)


def count_subsets(
    objects: Objects, code: Rows, n_subsets: int, of: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.int64]:
    """[class, subset]: objects with that code, or those of a mask."""
    inside = code >= 0 if of is None else (code >= 0) & of
    group = (objects.gt.class_row * np.int64(n_subsets) + code)[inside]
    counts = np.bincount(group, minlength=objects.n_classes * n_subsets)
    return counts.astype(np.int64).reshape(objects.n_classes, n_subsets)


def _repeated(hits: Hits, times: int) -> Hits:
    """Hits that stand in several lists each; `regrouped` puts them there."""
    return Hits(
        offsets=hits.offsets,
        det_row=np.tile(hits.det_row, times),
        gt_row=np.tile(hits.gt_row, times),
        n_fp=np.tile(hits.n_fp, times),
    )

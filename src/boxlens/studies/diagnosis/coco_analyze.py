"""COCO's analysis: seven nested precision-recall curves, each without one more kind of error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Labels
from boxlens.matching import COCO, Matches, assign
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.cells import cell_precision
from boxlens.metrics.grid import AREA_RANGES, positives_by_class_and_area
from boxlens.metrics.json_form import to_json
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.foreign_objects import views_by_class

CURVES = ("C75", "C50", "Loc", "Sim", "Oth", "BG", "FN")
STRICT_IOU = 0.75
_C75, _C50, _LOC, _SIM, _OTH, _BG, _FN = range(len(CURVES))
_AREAS = tuple(AREA_RANGES.values())


@dataclass(frozen=True, slots=True)
class CocoAnalyzeResult:
    """precision[curve, recall, class, area]: NaN where a class has no object in an area range.

    Read `ap` for the areas under them. Sim is NaN for a class without similar classes. In means
    over classes its Loc curve stands in, since there is nothing more to excuse; so curves of means
    are nested too. Where none of the classes has a similar one, the mean of Sim is NaN as well.

    From Loc on every curve lies on or above the one before. C75, C50 and Loc are matched anew: a
    detection ignored at one IoU (in a crowd, beside an area range) may take an object at a lower
    one, so that these three can cross a little.
    """

    areas: tuple[str, ...]
    classes: tuple[str, ...]
    # The overlaps of the first three curves: strict, foreground and background IoU.
    ious: tuple[float, float, float]
    precision: Floats
    # [curve, class, area]
    ap: Floats
    # [curve, recall, area] and [curve, area]: over all classes.
    mean_precision: Floats
    mean_ap: Floats
    # [curve, recall, group, area] and [curve, group, area]: over the classes of each group.
    group_precision: Floats
    group_ap: Floats
    # Of every detection, over all areas: 0 and 1 for hits of C50 (that C75 has too or not), for
    # false positives of C50 the first curve in which they are none (2: matched or ignored at the
    # background IoU, 3 and 4: excused, 5: BG); -1 for ignored ones and those beyond the limit.
    det_curve: Labels
    # Of every object the first curve that finds it (0, 1, 2), or 6 (FN); -1 where it counts not.
    gt_curve: Labels
    # Supercategories and their classes; none where the classes name none.
    groups: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def curve_names(self) -> tuple[str, ...]:
        """CURVES with the overlaps that were asked for: C60 where the foreground IoU is .6."""
        strict, foreground, _ = self.ious
        return (f"C{strict * 100:g}", f"C{foreground * 100:g}", *CURVES[_LOC:])

    def to_json(self) -> dict[str, Any]:
        """Curves go by CURVES, whatever their overlaps; `ious` tells them."""
        return {
            "ious": dict(zip(CURVES, self.ious, strict=False)),
            "areas": list(self.areas),
            "overall": self._by_area(self.mean_ap),
            "supercategories": [
                {
                    "name": name,
                    "n_classes": len(classes),
                    **self._by_area(self.group_ap[:, row]),
                }
                for row, (name, classes) in enumerate(self.groups)
            ],
            "classes": [
                {"class": name, **self._by_area(self.ap[:, row])}
                for row, name in enumerate(self.classes)
            ],
            "curves": {
                "recall": COCO_RECALLS.tolist(),
                **self._by_area(self.mean_precision),
            },
        }

    def _by_area(self, values: Floats) -> dict[str, Any]:
        """[curve, ..., area] by name."""
        return {
            area: dict(zip(CURVES, to_json(values[..., column]), strict=True))
            for column, area in enumerate(self.areas)
        }


@dataclass(frozen=True, slots=True)
class _Readings:
    """COCO's matching, alone and with objects of similar or of all other classes ignored."""

    plain: Matches
    # The threshold of each of the first three curves, as a place in plain.iou_thresholds.
    threshold: tuple[int, int, int]
    similar: Matches
    other: Matches

    @property
    def ious(self) -> tuple[float, float, float]:
        strict, foreground, background = (
            self.plain.iou_thresholds[place] for place in self.threshold
        )
        return strict, foreground, background


def coco_analyze(evidence: Evidence, *, threads: int = 0) -> CocoAnalyzeResult:
    """METHODS 9.1 with the semantics of the original in MATLAB: other classes are only ignored.

    Their crowds stay crowds. Means leave out classes without objects, which the original counts 0.
    The foreground IoU stands for .5, the background IoU for .1; C75 is never below the former.
    """
    dataset = evidence.dataset
    readings = _match(evidence, threads=threads)
    by_class = _precision(evidence, readings, threads=threads)
    if dataset.relative:  # areas in pixels are not known
        by_class[:, :, 1:] = np.nan
    precision = by_class.transpose(0, 3, 1, 2)
    has_similar = np.asarray(evidence.similar.any(axis=1))
    groups = dataset.classes.by_supercategory()
    names = dataset.classes.name
    mean = _Means(precision, has_similar)
    everything = np.arange(len(names))
    group_precision, group_ap = mean.of_groups([np.array(rows) for rows in groups.values()])
    return CocoAnalyzeResult(
        areas=tuple(AREA_RANGES),
        classes=names,
        ious=readings.ious,
        precision=precision,
        ap=by_class.mean(axis=-1),
        mean_precision=mean.precision(everything),
        mean_ap=mean.ap(everything),
        group_precision=group_precision,
        group_ap=group_ap,
        det_curve=_det_curve(readings),
        gt_curve=_gt_curve(readings),
        groups=tuple((name, tuple(names[row] for row in rows)) for name, rows in groups.items()),
    )


def _match(evidence: Evidence, *, threads: int) -> _Readings:
    background, foreground = evidence.background_iou, evidence.foreground_iou
    strict = max(STRICT_IOU, foreground)
    thresholds = tuple(sorted({background, foreground, strict}))
    plain = assign(
        evidence.dataset,
        evidence.detections,
        evidence.pairs_where(evidence.same_class, evidence.overlaps.iou),
        COCO,
        iou_thresholds=thresholds,
        area_ranges=_AREAS,
        threads=threads,
    )
    det_class = evidence.detections.class_row[evidence.det_row]
    gt_class = evidence.dataset.gt.class_row[evidence.overlaps.gt_row]
    views = views_by_class(evidence)
    similar, other = (
        views.match(excusing, iou_threshold=background, area_ranges=_AREAS, threads=threads)
        for excusing in (evidence.similar[det_class, gt_class], ~evidence.same_class)
    )
    at = (thresholds.index(strict), thresholds.index(foreground), thresholds.index(background))
    return _Readings(plain, at, similar, other)


def _precision(evidence: Evidence, readings: _Readings, *, threads: int) -> Floats:
    """[curve, class, area, recall], so that means along recalls add up as elsewhere."""
    n_positive = positives_by_class_and_area(evidence.dataset, readings.plain)
    out = np.full((len(CURVES), *n_positive.shape, len(COCO_RECALLS)), np.nan)

    def count(matches: Matches) -> Floats:
        """[threshold, class, area, recall]"""
        n_thresholds = len(matches.iou_thresholds)
        cells = cell_precision(
            evidence.ranking,
            evidence.detections.score,
            matches.det_tp,
            matches.det_ignored,
            matches.det_rank,
            n_positive,
            max_dets=matches.max_dets,
            n_thresholds=n_thresholds,
            threads=threads,
        )
        by_area = cells.reshape(*n_positive.shape, n_thresholds, len(COCO_RECALLS))
        return by_area.transpose(2, 0, 1, 3)

    out[[_C75, _C50, _LOC]] = count(readings.plain)[list(readings.threshold)]
    out[_SIM] = count(readings.similar)[0]
    out[_SIM, ~evidence.similar.any(axis=1)] = np.nan
    out[_OTH] = count(readings.other)[0]
    defined = n_positive > 0
    out[_BG, defined] = out[_OTH, defined] > 0
    out[_FN, defined] = 1
    return out


@dataclass(frozen=True, slots=True)
class _Means:
    """Means over some classes, of those with objects."""

    # [curve, recall, class, area]
    of: Floats
    has_similar: Bools

    def precision(self, rows: npt.NDArray[np.integer]) -> Floats:
        """[curve, recall, area]"""
        return self._each_area(rows, lambda chosen: chosen.mean(axis=-1))

    def ap(self, rows: npt.NDArray[np.integer]) -> Floats:
        """[curve, area], added up in the order of pycocotools."""
        return self._each_area(rows, lambda chosen: chosen.reshape(len(CURVES), -1).mean(axis=-1))

    def of_groups(self, groups: Sequence[npt.NDArray[np.integer]]) -> tuple[Floats, Floats]:
        """[curve, recall, group, area] and [curve, group, area]"""
        n_curves, n_recalls, _, n_areas = self.of.shape
        precision = np.empty((n_curves, n_recalls, len(groups), n_areas))
        ap = np.empty((n_curves, len(groups), n_areas))
        for at, rows in enumerate(groups):
            precision[:, :, at], ap[:, at] = self.precision(rows), self.ap(rows)
        return precision, ap

    def _each_area(self, rows: npt.NDArray[np.integer], mean: Callable[[Floats], Floats]) -> Floats:
        means = [mean(self._chosen(rows, area)) for area in range(self.of.shape[3])]
        return np.stack(means, axis=-1)

    def _chosen(self, rows: npt.NDArray[np.integer], area: int) -> Floats:
        """[curve, recall, class]: classes with objects, Sim completed (see the result)."""
        with_objects = rows[~np.isnan(self.of[_FN, 0, rows, area])]
        if not len(with_objects):
            return np.full((*self.of.shape[:2], 1), np.nan)
        chosen = np.ascontiguousarray(self.of[:, :, with_objects, area])
        alone = ~self.has_similar[with_objects]
        if not alone.all():
            chosen[_SIM][:, alone] = chosen[_LOC][:, alone]
        return chosen


def _det_curve(readings: _Readings) -> Labels:
    """A hit of one threshold can be a duplicate at another: C50 decides what is an error."""
    strict, foreground, background = (readings.plain.labels(at) for at in readings.threshold)
    curve = np.full(len(foreground), _BG, dtype=np.int8)
    curve[readings.other.labels() >= 0] = _OTH
    curve[readings.similar.labels() >= 0] = _SIM
    curve[background >= 0] = _LOC
    curve[foreground > 0] = _C50
    curve[(foreground > 0) & (strict > 0)] = _C75
    curve[foreground == 0] = -1
    return curve


def _gt_curve(readings: _Readings) -> Labels:
    plain = readings.plain
    curve = np.full(len(plain.gt_hit), _FN, dtype=np.int8)
    for row, at in reversed(list(enumerate(readings.threshold))):
        curve[(plain.gt_hit & plain.bit(at)) != 0] = row
    curve[~plain.positives()] = -1
    return curve

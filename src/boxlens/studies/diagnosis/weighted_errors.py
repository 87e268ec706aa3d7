"""TIDE's gains and Hoiem's numbers of weighted copies of a test set, read off one walk each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bits, Bools, Floats, Labels, Offsets, Rows, ratio
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.hits import POSITIVES_SHARE
from boxlens.metrics.means import means_defined
from boxlens.metrics.resampling import Walk, Weights, replicate, top_kinds
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.hoiem import HoiemResult
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES, HoiemType
from boxlens.studies.diagnosis.tide import GAINS, single_repairs
from boxlens.studies.diagnosis.tide_repairs import Bench

TIDE_MISS = GAINS.index("miss")
TIDE_FN = GAINS.index("fn")


@dataclass(frozen=True, slots=True)
class TideReader:
    """Each repair is a world of its own, and a group of cells of one walk."""

    walk: Walk
    # [image, class]: shown by an object or by a detection that takes part (METHODS 9.2).
    shown: npt.NDArray[np.float32]

    @classmethod
    def of(cls, evidence: Evidence, bench: Bench) -> TideReader:
        types, repairs = bench.types, single_repairs()
        tp, gone = bench.bits(repairs)
        rank = types.det_rank[bench.source]
        seen = ((rank >= 0) & (rank < types.max_dets))[bench.ranking.order]
        rows = bench.ranking.order[seen]
        before = np.concatenate([[0], np.cumsum(seen)])
        walk = _walk(
            evidence,
            rows=bench.source[rows],
            offsets=before[bench.ranking.offsets].astype(np.int64),
            tp=tp[rows],
            ignored=gone[rows],
            positive=_positive_worlds(bench, len(repairs)),
            n_groups=len(repairs),
            recalls=tuple(COCO_RECALLS.tolist()),
        )
        n_images, n_classes = len(evidence.dataset.images), len(evidence.dataset.classes)
        shown = np.zeros((n_images, n_classes), dtype=np.float32)
        gt, det = evidence.dataset.gt, evidence.detections
        shown[gt.image_row[types.positive], gt.class_row[types.positive]] = 1
        shown[det.image_row[~types.unseen], det.class_row[~types.unseen]] = 1
        return cls(walk, shown)

    def read(self, weights: Weights, threads: int) -> dict[str, Floats]:
        found = replicate(self.walk, weights, threads=threads).ap[..., 0]
        ap = np.nan_to_num(found)
        counted = (weights > 0).astype(np.float32) @ self.shown > 0
        n = np.maximum(counted.sum(axis=1), 1)
        mean = (ap * counted[:, :, np.newaxis]).sum(axis=1) / n[:, np.newaxis]
        gain = np.maximum(mean[:, 1:] - mean[:, :1], 0)
        # Where no class has objects there is nothing to average.
        gain[np.isnan(found[:, :, 0]).all(axis=1)] = np.nan
        return {f"tide {name}": gain[:, row] for row, name in enumerate(GAINS)}


def _positive_worlds(bench: Bench, n_worlds: int) -> Bits:
    """By object, the worlds in which it counts; the first world has no repair."""
    types = bench.types
    every = np.uint64((1 << n_worlds) - 1)
    word = np.where(types.positive, every, np.uint64(0))
    for at, gone in ((TIDE_MISS + 1, types.missed), (TIDE_FN + 1, ~types.found)):
        word[gone] &= ~(np.uint64(1) << np.uint64(at))
    return word


@dataclass(frozen=True, slots=True)
class HoiemReader:
    """AP and AP_N by area, and the kinds of the top false positives, for sets of classes."""

    walk: Walk
    kind: Labels
    # Class rows by name of the set.
    sets: Mapping[str, Rows]

    @classmethod
    def of(cls, evidence: Evidence, hoiem: HoiemResult) -> HoiemReader:
        ranked = evidence.ranking.order
        kind = hoiem.det_type[ranked]
        walk = _walk(
            evidence,
            rows=ranked,
            offsets=evidence.ranking.offsets,
            tp=_bit(kind == HoiemType.CORRECT),
            ignored=_bit(kind == HoiemType.IGNORED),
            positive=_bit(hoiem.gt_found >= 0),
        )
        place = {name: row for row, name in enumerate(evidence.dataset.classes.name)}
        sets = {
            row.name: np.array([place[name] for name in row.classes], dtype=np.int32)
            for row in hoiem.sets
        }
        return cls(walk, kind, sets)

    def read(self, weights: Weights, threads: int) -> dict[str, Floats]:
        normal = POSITIVES_SHARE * weights.sum(axis=1).astype(np.float64)
        ap = replicate(self.walk, weights, threads=threads).ap[..., 0, 0]
        ap_n = replicate(self.walk, weights, normal=normal, threads=threads).ap[..., 0, 0]
        top = top_kinds(self.walk, self.kind, len(HoiemType), weights, threads=threads)
        found: dict[str, Floats] = {}
        for name, rows in self.sets.items():
            found[f"AP of {name}"] = means_defined(ap[:, rows], 1)
            found[f"AP_N of {name}"] = means_defined(ap_n[:, rows], 1)
            counts = top[:, rows].sum(axis=1)
            total = counts[:, list(FP_TYPES)].sum(axis=1)
            for kind in FP_TYPES:
                found[f"{kind.label} of {name}"] = ratio(counts[:, kind], total)
        return found


def _bit(marked: Bools) -> Bits:
    return marked.astype(np.uint64)


def _walk(
    evidence: Evidence,
    *,
    rows: npt.NDArray[np.integer],
    offsets: Offsets,
    tp: Bits,
    ignored: Bits,
    positive: Bits,
    n_groups: int = 1,
    recalls: tuple[float, ...] = (),
) -> Walk:
    """Images are the units; `rows` are detections, class after class and best first."""
    gt, detections = evidence.dataset.gt, evidence.detections
    return Walk(
        n_units=len(evidence.dataset.images),
        class_offsets=offsets,
        det_unit=detections.image_row[rows],
        det_score=detections.score[rows],
        det_tp=tp,
        det_ignored=ignored,
        det_limit=np.zeros(len(rows), dtype=np.uint8),
        det_value=None,
        gt_class=gt.class_row,
        gt_unit=gt.image_row,
        gt_positive=positive,
        gt_value=None,
        n_thresholds=1,
        n_groups=n_groups,
        n_limits=0,
        recalls=recalls,
        spacing=bool(recalls),
    )

"""TIDE: six kinds of errors, and the AP that repairing each would bring (METHODS 9.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bools, Floats
from boxlens.metrics.grid import IOU_THRESHOLDS
from boxlens.metrics.json_form import as_key, defined, number, to_json
from boxlens.studies.diagnosis.evidence import Evidence, gather
from boxlens.studies.diagnosis.orders import RepairGain, repair_gains, subsets
from boxlens.studies.diagnosis.tide_repairs import Bench, Repairs
from boxlens.studies.diagnosis.tide_types import ERRORS, MAX_DETS, TideType, TideTypes, tide_types

GAINS = (*(kind.label for kind in ERRORS), "fp", "fn")


@dataclass(frozen=True, slots=True)
class TideClass:
    """One class; NaN where it has no objects."""

    name: str = field(metadata=as_key("class"))
    n_objects: int
    ap: float = field(metadata=as_key("AP"))
    gain: Mapping[str, float] = field(metadata=as_key("dAP"))
    # Errors by kind: false positives that name this class, missed objects of it.
    n: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TideResult:
    """AP at the foreground IoU and the gain of each repair, overall and by class."""

    foreground_iou: float
    background_iou: float
    quirks: bool
    types: TideTypes
    ap: float
    gain: Mapping[str, float]
    n: Mapping[str, int]
    # How many classes the means are over: some may have detections only, and count 0.
    n_mean: int
    classes: tuple[TideClass, ...]
    # All orders of the six repairs, over classes with objects; one that is left neither objects nor
    # detections is perfect there, so that all six lead to 1. Empty with tidecv's quirks, or where
    # nobody asked.
    orders: tuple[RepairGain, ...] = ()

    def to_json(self) -> dict[str, Any]:
        score = {"AP50": number(self.ap)} if self.foreground_iou == 0.5 else {}
        return {
            "foreground_iou": self.foreground_iou,
            "background_iou": self.background_iou,
            "max_dets": self.types.max_dets,
            "quirks": self.quirks,
            "AP": number(self.ap),
            **score,
            "dAP": defined(self.gain),
            "n": dict(self.n),
            "n_classes_in_mean": self.n_mean,
            "classes": to_json(self.classes),
        }


@dataclass(frozen=True, slots=True)
class TideRange:
    """The mean over several foreground thresholds, and each of them."""

    results: tuple[TideResult, ...]

    @property
    def ap(self) -> float:
        return float(np.mean([result.ap for result in self.results]))

    @property
    def gain(self) -> dict[str, float]:
        return {
            name: float(np.mean([result.gain[name] for result in self.results])) for name in GAINS
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "AP": number(self.ap),
            "dAP": defined(self.gain),
            "thresholds": [
                {
                    "iou": result.foreground_iou,
                    "AP": number(result.ap),
                    "dAP": defined(result.gain),
                }
                for result in self.results
            ],
        }


def tide(
    evidence: Evidence,
    bench: Bench | None = None,
    *,
    max_dets: int = MAX_DETS,
    quirks: bool = False,
    orders: bool = True,
    threads: int = 0,
) -> TideResult:
    """With `quirks`, equal to tidecv; without, free of what METHODS 9.2 names as its oddities.

    A `bench` that is there already spares making it; the other choices are then its own. `orders`
    also counts every subset of the repairs.
    """
    if bench is None:
        types = tide_types(evidence, max_dets=max_dets, quirks=quirks, threads=threads)
        bench = Bench.of(evidence, types)
    types = bench.types
    all_orders: tuple[RepairGain, ...] = ()
    if quirks:
        from boxlens.studies.diagnosis.tide_quirks import quirky_ap

        world_ap, mean_ap = quirky_ap(bench, single_repairs(), threads=threads)
    else:
        counted = counted_classes(evidence, types)
        world_ap = bench.ap(single_repairs(), threads=threads)
        # dAP keeps to METHODS 9.2: without objects a class counts 0, also after a repair.
        world_ap[bench.positives(single_repairs()) == 0] = np.nan
        mean_ap = mean_with_zeros(world_ap, counted)
        if orders:
            every_subset = Repairs.of_kinds(subsets(len(ERRORS)))
            subset_ap = mean_over_objects(bench.ap(every_subset, threads=threads), evidence, types)
            all_orders = repair_gains([kind.label for kind in ERRORS], subset_ap)
    counts = _counts(evidence, types)
    return TideResult(
        foreground_iou=evidence.foreground_iou,
        background_iou=evidence.background_iou,
        quirks=quirks,
        types=types,
        ap=float(mean_ap[0]),
        gain=_gains(mean_ap, floor_all=not quirks),
        n=dict(zip(GAINS, counts.sum(axis=0).tolist(), strict=True)),
        n_mean=int(counted_classes(evidence, types).sum()),
        classes=_classes(evidence, types, world_ap, counts),
        orders=all_orders,
    )


def tide_range(
    dataset: Dataset,
    detections: Detections,
    *,
    thresholds: Sequence[float] = IOU_THRESHOLDS,
    background_iou: float | None = None,
    threads: int = 0,
) -> TideRange:
    """The same at every threshold, COCO's ten by default."""

    def at(iou: float) -> TideResult:
        pairs = gather(
            dataset, detections, foreground_iou=iou, background_iou=background_iou, threads=threads
        )
        return tide(pairs, orders=False, threads=threads)

    return TideRange(tuple(map(at, thresholds)))


def single_repairs() -> Repairs:
    """Nothing, then each kind alone, then FP and FN."""
    n = len(ERRORS)
    kinds = np.zeros((n + 3, n, 1), dtype=np.bool_)
    kinds[np.arange(1, n + 1), np.arange(n)] = True
    at = np.arange(n + 3)
    return Repairs(kinds, fp=at == n + 1, fn=at == n + 2)


def counted_classes(evidence: Evidence, types: TideTypes) -> Bools:
    """Classes with objects, or with detections that count: these count 0 without objects.

    Where no class has objects there is nothing to average.
    """
    counted = np.zeros(len(evidence.dataset.classes), dtype=np.bool_)
    if not types.positive.any():
        return counted
    counted[evidence.dataset.gt.class_row[types.positive]] = True
    counted[evidence.detections.class_row[~types.unseen]] = True
    return counted


def mean_with_zeros(ap: Floats, counted: Bools) -> Floats:
    """[world]: the mean over counted classes, undefined ones as 0 (METHODS 9.2)."""
    if not counted.any():
        return np.full(ap.shape[1], np.nan)
    mean: Floats = np.nan_to_num(ap[counted]).mean(axis=0)
    return mean


def mean_over_objects(ap: Floats, evidence: Evidence, types: TideTypes) -> Floats:
    """[world]: the mean over classes with objects, as COCO has it; NaN where there is none."""
    gt_class = evidence.dataset.gt.class_row[types.positive]
    with_objects = np.bincount(gt_class, minlength=len(ap)) > 0
    if not with_objects.any():
        return np.full(ap.shape[1], np.nan)
    mean: Floats = ap[with_objects].mean(axis=0)
    return mean


def _gains(ap: Floats, *, floor_all: bool = True) -> dict[str, float]:
    """By how much each repair raises AP, not below 0; tidecv leaves FP and FN as they come."""
    gain = ap[1:] - ap[0]
    n_floored = len(gain) if floor_all else len(ERRORS)
    gain[:n_floored] = np.maximum(gain[:n_floored], 0)
    return dict(zip(GAINS, gain.tolist(), strict=True))


def _counts(evidence: Evidence, types: TideTypes) -> npt.NDArray[np.int64]:
    """[class, gain]: false positives by the class they name, objects by their own."""
    n_classes, n_types = len(evidence.dataset.classes), len(TideType)
    gt_class = evidence.dataset.gt.class_row
    key = evidence.detections.class_row.astype(np.int64) * n_types + types.det_type
    counts = np.bincount(key, minlength=n_classes * n_types).reshape(n_classes, n_types)
    table = np.zeros((n_classes, len(GAINS)), dtype=np.int64)
    table[:, : len(ERRORS)] = counts[:, : len(ERRORS)]
    table[:, TideType.MISS] = np.bincount(gt_class[types.missed], minlength=n_classes)
    table[:, -2] = counts[:, : TideType.MISS].sum(axis=1)
    table[:, -1] = np.bincount(gt_class[types.positive & ~types.found], minlength=n_classes)
    return table


def _classes(
    evidence: Evidence, types: TideTypes, ap: Floats, counts: npt.NDArray[np.int64]
) -> tuple[TideClass, ...]:
    gt_class = evidence.dataset.gt.class_row
    n_objects = np.bincount(gt_class[types.positive], minlength=len(ap)).tolist()
    return tuple(
        TideClass(
            name=name,
            n_objects=n_objects[row],
            ap=float(ap[row, 0]),
            gain=_gains(np.nan_to_num(ap[row]) if n_objects[row] else ap[row]),
            n=dict(zip(GAINS, counts[row].tolist(), strict=True)),
        )
        for row, name in enumerate(evidence.dataset.classes.name)
    )

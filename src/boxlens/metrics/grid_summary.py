"""COCO's twelve numbers and LVIS's thirteen, read off the precision grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice
from boxlens.metrics.grid import IOU_THRESHOLDS, Grid, GridChoice, count_grid, mean_defined
from boxlens.metrics.results import ClassResult, DetectorResult

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.metrics.protocols import Prepared

# A spread of AP over tie orders below this does not show in three digits.
NEGLIGIBLE_BAND = 5e-4
FREQUENCIES = ("r", "c", "f")


def evaluate_grid(prepared: Prepared, choice: GridChoice, *, threads: int = 0) -> DetectorResult:
    """AP and AR over thresholds, by area and limit; LVIS adds its frequency groups."""
    grid = count_grid(
        prepared.dataset,
        prepared.detections,
        prepared.rule,
        choice,
        det_dropped=prepared.det_dropped,
        det_unmatched_ignored=prepared.det_unmatched_ignored,
        threads=threads,
    )
    return DetectorResult(
        name=prepared.detections.name,
        n_detections=len(prepared.detections),
        metrics=_summary(prepared, grid),
        classes=_classes(prepared, grid),
        tie_band=grid.tie_band,
        notices=(
            *prepared.detections.notices,
            *prepared.notices,
            *_without_objects(prepared, grid),
            *_ties(prepared, grid),
        ),
    )


def _summary(prepared: Prepared, grid: Grid) -> dict[str, float]:
    choice = grid.choice
    precision = grid.precision[..., -1]
    metrics = {"AP": mean_defined(precision[:, :, :, 0])}
    for name, at in named_thresholds(choice).items():
        metrics[name] = mean_defined(precision[at, :, :, 0])
    areas = list(enumerate(choice.area_ranges))[1:]
    known = not prepared.dataset.relative
    metrics |= {
        f"AP{name}": mean_defined(precision[..., area]) if known else float("nan")
        for area, name in areas
    }
    if prepared.protocol == "lvis":
        metrics |= _by_frequency(prepared, precision[:, :, :, 0])
    last = len(choice.max_dets) - 1
    shown = [last] if prepared.protocol == "lvis" else range(len(choice.max_dets))
    for limit in shown:
        metrics[f"AR{choice.max_dets[limit]}"] = mean_defined(grid.recall[:, :, 0, limit])
    metrics |= {
        f"AR{name}": mean_defined(grid.recall[:, :, area, last]) if known else float("nan")
        for area, name in areas
    }
    return metrics


def named_thresholds(choice: GridChoice) -> dict[str, int]:
    """Numbers at one threshold: AP50 and AP75 of COCO's ten, otherwise one each."""
    rows = {f"AP{100 * t:.6g}": row for row, t in enumerate(choice.iou_thresholds)}
    if choice.iou_thresholds == IOU_THRESHOLDS:
        return {name: rows[name] for name in ("AP50", "AP75")}
    return rows


def _by_frequency(prepared: Prepared, precision: Floats) -> dict[str, float]:
    """METHODS 9.5: rare, common and frequent classes, as the file marks them."""
    marks = prepared.dataset.classes.frequency or (None,) * len(prepared.dataset.classes)
    rows = {name: [row for row, mark in enumerate(marks) if mark == name] for name in FREQUENCIES}
    return {f"AP{name}": mean_defined(precision[:, :, rows[name]]) for name in FREQUENCIES}


def _classes(prepared: Prepared, grid: Grid) -> tuple[ClassResult, ...]:
    choice = grid.choice
    # Contiguous over threshold and recall, so that a class's mean is added in pycocotools' order.
    by_class = np.ascontiguousarray(grid.precision[..., -1].transpose(2, 3, 0, 1))
    n_recalls = len(choice.recalls)
    by_class = by_class.reshape(*by_class.shape[:2], len(choice.iou_thresholds) * n_recalls)
    columns: dict[str, Floats] = {"AP": by_class[:, 0].mean(axis=-1)}
    for name, at in named_thresholds(choice).items():
        at_threshold = slice(at * n_recalls, (at + 1) * n_recalls)
        columns[name] = by_class[:, 0, at_threshold].mean(axis=-1)
    for area, name in list(enumerate(choice.area_ranges))[1:]:
        values = by_class[:, area].mean(axis=-1)
        columns[f"AP{name}"] = np.full_like(values, np.nan) if prepared.dataset.relative else values
    columns[f"AR{choice.max_dets[-1]}"] = grid.recall[:, :, 0, -1].mean(axis=0)
    n_detections = detections_by_class(prepared)
    return tuple(
        ClassResult(
            name=name,
            n_gt=int(grid.n_positive[row, 0]),
            n_detections=int(n_detections[row]),
            metrics={key: float(values[row]) for key, values in columns.items()},
        )
        for row, name in enumerate(prepared.dataset.classes.name)
    )


def detections_by_class(prepared: Prepared) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.bincount(prepared.detections.class_row, minlength=len(prepared.dataset.classes))


def _without_objects(prepared: Prepared, grid: Grid) -> tuple[Notice, ...]:
    return classes_without_objects(prepared, grid.n_positive[:, 0] == 0)


def classes_without_objects(
    prepared: Prepared,
    empty: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> tuple[Notice, ...]:
    """METHODS 10: a class without objects is undefined, and its detections count nowhere."""
    n_detections = detections_by_class(prepared)
    lost = int(n_detections[empty].sum())
    if lost == 0:
        return ()
    n_classes = int(np.count_nonzero(empty & (n_detections > 0)))
    message = (
        f"{prepared.detections.name}: {lost:,} detections of {n_classes} classes without any "
        "object count nowhere (AP of such a class is undefined)"
    )
    return (Notice("class_without_objects", lost, message),)


def _ties(prepared: Prepared, grid: Grid) -> tuple[Notice, ...]:
    if grid.tie_band is None:
        return ()
    low, high = grid.tie_band
    if not high - low >= NEGLIGIBLE_BAND:
        return ()
    message = (
        f"{prepared.detections.name}: equal scores leave AP between {low:.4f} and {high:.4f}, "
        "depending on their order in the ranking; write scores with more digits"
    )
    return (Notice("ties", 1, message),)

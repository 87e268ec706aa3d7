"""COCO's twelve numbers and LVIS's thirteen, read off the precision grid."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from boxlens.data import Notice
from boxlens.data.columns import Floats
from boxlens.metrics.grid import Grid, GridChoice, count_grid
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import Prepared
from boxlens.metrics.readings import Mean, grid_readings
from boxlens.metrics.results import ClassResult, DetectorResult
from boxlens.wording import counted

# A spread of AP over tie orders below this does not show in three digits.
NEGLIGIBLE_BAND = 5e-4


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
    readings = grid_readings(prepared, choice)
    return DetectorResult(
        name=prepared.detections.name,
        n_detections=len(prepared.detections),
        metrics={name: _read(grid, mean) for name, mean in readings.whole.items()},
        classes=class_results(
            prepared,
            grid.n_positive[:, 0],
            {name: _read_classes(grid, mean) for name, mean in readings.by_class.items()},
        ),
        tie_band=grid.tie_band,
        notices=(
            *prepared.detections.notices,
            *prepared.notices,
            *classes_without_objects(prepared, grid.n_positive[:, 0] == 0),
            *_ties(prepared, grid),
        ),
    )


def _read(grid: Grid, mean: Mean) -> float:
    if not mean.known:
        return float("nan")
    if mean.limit is None:
        return mean_defined(grid.precision[mean.at, :, mean.of, mean.area, -1])
    return mean_defined(grid.recall[mean.at, mean.of, mean.area, mean.limit])


def class_results(
    prepared: Prepared, n_gt: npt.NDArray[np.integer], columns: Mapping[str, Floats]
) -> tuple[ClassResult, ...]:
    """Numbers by name, each a value by class."""
    n_detections = _detections_by_class(prepared)
    return tuple(
        ClassResult(
            name=name,
            n_gt=int(n_gt[row]),
            n_detections=int(n_detections[row]),
            metrics={key: float(values[row]) for key, values in columns.items()},
        )
        for row, name in enumerate(prepared.dataset.classes.name)
    )


def _read_classes(grid: Grid, mean: Mean) -> Floats:
    n_classes = len(grid.n_positive)
    if not mean.known:
        return np.full(n_classes, np.nan)
    if mean.limit is not None:
        recall: Floats = grid.recall[mean.at, :, mean.area, mean.limit].mean(axis=0)
        return recall
    # Contiguous over threshold and recall, so that a class's mean is added in pycocotools' order.
    precision = grid.precision[mean.at, :, :, mean.area, -1]
    n_values = precision.shape[0] * precision.shape[1]
    in_a_row = np.ascontiguousarray(precision.transpose(2, 0, 1)).reshape(n_classes, n_values)
    by_class: Floats = in_a_row.mean(axis=-1)
    return by_class


def _detections_by_class(prepared: Prepared) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.bincount(prepared.detections.class_row, minlength=len(prepared.dataset.classes))


def classes_without_objects(
    prepared: Prepared,
    empty: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> tuple[Notice, ...]:
    """METHODS 10: a class without objects is undefined, and its detections are not counted."""
    n_detections = _detections_by_class(prepared)
    lost = int(n_detections[empty].sum())
    if lost == 0:
        return ()
    n_classes = int(np.count_nonzero(empty & (n_detections > 0)))
    message = (
        f"{prepared.detections.name}: {counted(lost, 'detection')} of "
        f"{counted(n_classes, 'class', 'classes')} without objects not counted (AP of such a "
        "class is undefined)"
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

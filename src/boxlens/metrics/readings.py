"""A benchmark's numbers as means over cells and classes: what is averaged, not how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from boxlens.metrics.grid import IOU_THRESHOLDS, GridChoice
from boxlens.metrics.protocols import Prepared

FREQUENCIES = ("r", "c", "f")


@dataclass(frozen=True, slots=True)
class Mean:
    """Over thresholds of one area, and over the classes that have objects there."""

    area: int = 0
    # Thresholds first:last; None: all.
    thresholds: tuple[int, int] | None = None
    # Recall at this row of max_dets; None: AP.
    limit: int | None = None
    # None: all of them.
    class_rows: tuple[int, ...] | None = None
    # Sizes of boxes are unknown where they are not in pixels.
    known: bool = True

    @property
    def at(self) -> slice:
        return slice(None) if self.thresholds is None else slice(*self.thresholds)

    @property
    def of(self) -> slice | np.ndarray[tuple[int], np.dtype[np.int64]]:
        if self.class_rows is None:
            return slice(None)
        return np.array(self.class_rows, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Readings:
    """The names a result shows, in their order: of the whole, and of every class."""

    whole: Mapping[str, Mean]
    by_class: Mapping[str, Mean]


def grid_readings(prepared: Prepared, choice: GridChoice) -> Readings:
    """COCO's twelve numbers and LVIS's thirteen."""
    last = len(choice.max_dets) - 1
    known = not prepared.dataset.relative
    areas = list(enumerate(choice.area_ranges))[1:]
    ap = {
        "AP": Mean(),
        **{name: Mean(thresholds=(row, row + 1)) for name, row in _named_thresholds(choice)},
        **{f"AP{name}": Mean(area, known=known) for area, name in areas},
    }
    whole = dict(ap)
    if prepared.protocol == "lvis":
        whole |= _by_frequency(prepared)
    shown = [last] if prepared.protocol == "lvis" else range(last + 1)
    whole |= {f"AR{choice.max_dets[limit]}": Mean(limit=limit) for limit in shown}
    whole |= {f"AR{name}": Mean(area, limit=last, known=known) for area, name in areas}
    return Readings(whole, ap | {f"AR{choice.max_dets[-1]}": Mean(limit=last)})


def ranked_readings(iou_thresholds: tuple[float, ...]) -> Readings:
    """VOC and Open Images: mAP, and one per threshold where there are several."""
    each = {
        f"mAP{iou * 100:.4g}": Mean(thresholds=(row, row + 1))
        for row, iou in enumerate(iou_thresholds)
        if len(iou_thresholds) > 1
    }
    return Readings(
        {"mAP": Mean(), **each}, {"AP": Mean(), **{name[1:]: mean for name, mean in each.items()}}
    )


def _named_thresholds(choice: GridChoice) -> list[tuple[str, int]]:
    """Numbers at one threshold: AP50 and AP75 of COCO's ten, otherwise one each."""
    rows = [(f"AP{100 * t:.6g}", row) for row, t in enumerate(choice.iou_thresholds)]
    if choice.iou_thresholds == IOU_THRESHOLDS:
        return [(name, row) for name, row in rows if name in ("AP50", "AP75")]
    return rows


def _by_frequency(prepared: Prepared) -> dict[str, Mean]:
    """METHODS 9.5: rare, common and frequent classes, as the file marks them."""
    marks = prepared.dataset.classes.frequency or (None,) * len(prepared.dataset.classes)
    return {
        f"AP{name}": Mean(class_rows=tuple(row for row, mark in enumerate(marks) if mark == name))
        for name in FREQUENCIES
    }

"""What there is to see of a diagnosis: errors and objects with their boxes and captions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boxlens.diagnosis.hoiem_types import FP_TYPES, HoiemType
from boxlens.report.charts.theme import KINDS, decimal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.data import Dataset
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.diagnosis.gallery import Exhibit
    from boxlens.object_sensitivity import Unexpected

Box = tuple[float, float, float, float]
OBJECT_COLOUR = KINDS["correct"].colour
ON_OBJECT = (("object", OBJECT_COLOUR),)


@dataclass(frozen=True, slots=True)
class Shown:
    """One example: the boxes in its picture, by colour, and what is said about it."""

    image_id: int | str
    boxes: tuple[tuple[Box, str], ...]
    caption: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Wall:
    """Examples of one kind, the most telling first."""

    name: str
    title: str
    reading: str
    # What the colours of the boxes mean.
    key: tuple[tuple[str, str], ...]
    shown: tuple[Shown, ...]


_READINGS = {
    "loc": "On an object of its class, but badly placed, or the second box on it.",
    "sim": "On an object of a similar class.",
    "oth": "On an object of a class that is not similar.",
    "bg": "On no object.",
}


def walls(result: DiagnosisResult) -> tuple[Wall, ...]:
    """The most confident false positives of each kind, then objects found against expectation."""
    misses, missed = result.sensitivity.misses, KINDS["miss"].colour
    found = [
        Wall(
            name=kind.label,
            title=f"False positives: {KINDS[kind.label].label}",
            reading=_READINGS[kind.label],
            key=(("detection", KINDS[kind.label].colour), *ON_OBJECT[: kind != HoiemType.BG]),
            shown=tuple(_false_positives(result, kind.label)),
        )
        for kind in FP_TYPES
    ]
    found += [
        Wall(
            name="difficult",
            title="Objects that are unexpectedly difficult",
            reading="Found far worse than objects of their class, size and kind usually are.",
            key=(("object", missed),),
            shown=tuple(_object(result.dataset, row, missed) for row in misses.difficult),
        ),
        Wall(
            name="easy",
            title="Objects that are unexpectedly easy",
            reading="Found far better than objects of their class, size and kind usually are.",
            key=ON_OBJECT,
            shown=tuple(_object(result.dataset, row, OBJECT_COLOUR) for row in misses.easy),
        ),
    ]
    return tuple(wall for wall in found if wall.shown)


def n_examples(result: DiagnosisResult) -> int:
    """How many a gallery shows if it has all pictures."""
    return sum(len(wall.shown) for wall in walls(result))


def _false_positives(result: DiagnosisResult, kind: str) -> Iterator[Shown]:
    for exhibit in result.gallery:
        if exhibit.kind != kind:
            continue
        boxes = [(exhibit.box, KINDS[kind].colour)]
        gt_row = int(result.hoiem.det_gt_row[exhibit.det_row])
        if gt_row >= 0:
            boxes.insert(0, (_box(result.dataset, gt_row), OBJECT_COLOUR))
        yield Shown(exhibit.image_id, tuple(boxes), caption(exhibit))


def caption(exhibit: Exhibit) -> tuple[str, str]:
    """What was said, and how wrong and how early it is."""
    said = f"{exhibit.class_name} {decimal(exhibit.score, 2)}"
    if exhibit.object_class is not None and exhibit.object_class != exhibit.class_name:
        said += f", is {exhibit.object_class}"
    details = [
        f"{name} {decimal(value, 2)}"
        for name, value in (("IoU", exhibit.iou), ("1-recall", exhibit.one_minus_recall))
        if not math.isnan(value)
    ]
    return said, ", ".join(details)


def _object(dataset: Dataset, row: Unexpected, colour: str) -> Shown:
    numbers = f"P_N {decimal(row.achieved, 2)}, expected {decimal(row.predicted, 2)}"
    boxes = ((_box(dataset, row.gt_row), colour),)
    return Shown(row.image_id, boxes, (row.class_name, numbers))


def _box(dataset: Dataset, gt_row: int) -> Box:
    x, y, width, height = dataset.gt.box[gt_row].tolist()
    return (x, y, width, height)

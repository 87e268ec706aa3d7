"""What there is to see of a diagnosis: errors and objects with their boxes and captions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from boxlens.data import Dataset
from boxlens.report.charts.kinds import KINDS
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.gallery import Exhibit
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES, HoiemType
from boxlens.studies.sensitivity import Unexpected
from boxlens.wording import score

Box = tuple[float, float, float, float]
OBJECT_COLOUR = KINDS["correct"].colour
ON_OBJECT = (("object", OBJECT_COLOUR),)


@dataclass(frozen=True, slots=True)
class Shown:
    """One example: the boxes in its picture, by colour, and what is said about it."""

    image_id: int | str
    boxes: tuple[tuple[Box, str], ...]
    # What was said; how wrong or how early it is.
    caption: tuple[str, str]
    # The name of the picture's file, empty where it is not known.
    file_name: str = ""
    # The whole picture instead of the surroundings of the boxes.
    whole: bool = False

    @property
    def image_words(self) -> str:
        return f"image {self.image_id}"

    @property
    def alternative(self) -> str:
        """All of it, for those who do not see the picture or look for its file."""
        where = f"{self.image_words} ({self.file_name})" if self.file_name else self.image_words
        return ", ".join(part for part in (*self.caption, where) if part)


@dataclass(frozen=True, slots=True)
class ExampleGroup:
    """Examples of one kind, the most telling first."""

    name: str
    title: str
    reading: str
    # What the colours of the boxes mean.
    key: tuple[tuple[str, str], ...]
    shown: tuple[Shown, ...]


_READINGS = {
    "loc": "On an object of its class, but poorly placed, or the second box on it.",
    "sim": "On an object of a similar class.",
    "oth": "On an object of a class that is not similar.",
    "bg": "On no object.",
}


def example_groups(result: DiagnosisResult) -> tuple[ExampleGroup, ...]:
    """The most confident false positives of each kind, then objects found against expectation."""
    misses = result.sensitivity.misses
    found = [
        ExampleGroup(
            name=kind.label,
            title=f"False positives: {KINDS[kind.label].label}",
            reading=_READINGS[kind.label],
            key=(("detection", KINDS[kind.label].colour), *ON_OBJECT[: kind != HoiemType.BG]),
            shown=tuple(_error(result, one) for one in result.gallery if one.kind == kind.label),
        )
        for kind in FP_TYPES
    ]
    found += [
        ExampleGroup(
            name=name,
            title=f"Objects that are unexpectedly {name}",
            reading=f"Found far {how} than objects of their class, size and kind usually are.",
            key=(("object", colour),),
            shown=tuple(_object(result.dataset, row, colour) for row in rows),
        )
        for name, how, colour, rows in (
            ("difficult", "worse", KINDS["miss"].colour, misses.difficult),
            ("easy", "better", OBJECT_COLOUR, misses.easy),
        )
    ]
    return tuple(group for group in found if group.shown)


def _error(result: DiagnosisResult, exhibit: Exhibit) -> Shown:
    boxes = [(exhibit.box, KINDS[exhibit.kind].colour)]
    gt_row = int(result.hoiem.det_gt_row[exhibit.det_row])
    if gt_row >= 0:
        boxes.insert(0, (object_box(result.dataset, gt_row), OBJECT_COLOUR))
    file = result.dataset.images.file_name[result.detections.image_row[exhibit.det_row]]
    return Shown(exhibit.image_id, tuple(boxes), caption(exhibit, result.hoiem.iou), file)


def is_duplicate(exhibit: Exhibit, iou: float) -> bool:
    """Well placed, but the object was taken: Hoiem counts it with the poorly placed ones."""
    return exhibit.kind == HoiemType.LOC.label and exhibit.iou >= iou


def caption(exhibit: Exhibit, iou: float) -> tuple[str, str]:
    """What was said, and how wrong and how early it is; `iou` is what counts as right."""
    said = f"{exhibit.class_name} {score(exhibit.score)}"
    if is_duplicate(exhibit, iou):
        said += f", {KINDS['dupe'].label}"
    if exhibit.object_class is not None and exhibit.object_class != exhibit.class_name:
        said += f", is {exhibit.object_class}"
    details = [
        f"{name} {score(value)}"
        for name, value in (("IoU", exhibit.iou), ("1-recall", exhibit.one_minus_recall))
        if not math.isnan(value)
    ]
    return said, ", ".join(details)


def _object(dataset: Dataset, row: Unexpected, colour: str) -> Shown:
    numbers = f"P_N {score(row.achieved)}, expected {score(row.predicted)}"
    boxes = ((object_box(dataset, row.gt_row), colour),)
    file = dataset.images.file_name[dataset.gt.image_row[row.gt_row]]
    return Shown(row.image_id, boxes, (row.class_name, numbers), file)


def object_box(dataset: Dataset, gt_row: int) -> Box:
    x, y, width, height = dataset.gt.box[gt_row].tolist()
    return (x, y, width, height)

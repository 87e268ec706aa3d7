"""A detector translated to the classes of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data import Classes, Detections, Notice
from boxlens.data.columns import Rows
from boxlens.detectors.protocols import Detector
from boxlens.errors import InputError
from boxlens.images import Pixels


@dataclass(frozen=True, slots=True)
class RenamedDetector:
    """Classes are the same where their names are; detections of other classes are skipped."""

    detector: Detector
    classes: Classes
    # The detector's class row -> the row in `classes`, or -1.
    class_row_of: Rows

    @property
    def name(self) -> str:
        return self.detector.name

    def detect(self, images: Sequence[Pixels]) -> Detections:
        found = self.detector.detect(images)
        same_images = np.arange(len(images), dtype=np.int32)
        return found.renumbered(same_images, self.class_row_of, len(images))


def with_classes(detector: Detector, classes: Classes) -> tuple[Detector, tuple[Notice, ...]]:
    """The detector under the ids of `classes`."""
    row_of_name = classes.row_of_name()
    rows = np.array([row_of_name.get(name, -1) for name in detector.classes.name], dtype=np.int32)
    unknown = [
        name for name, row in zip(detector.classes.name, rows.tolist(), strict=True) if row < 0
    ]
    if len(unknown) == len(rows):
        raise InputError(
            f"detector '{detector.name}' knows none of the classes of the ground truth: "
            f"it finds {_shown(unknown)}, the ground truth has {_shown(classes.name)}",
            remedy="Classes are joined by name; omit the ground truth to keep the detector's",
        )
    renamed = RenamedDetector(detector, classes, rows)
    if not unknown:
        return renamed, ()
    message = (
        f"{len(unknown):,} of the {len(rows):,} classes of detector '{detector.name}' are not in "
        f"the ground truth ({_shown(unknown)}): these detections are skipped"
    )
    return renamed, (Notice("class_without_name", len(unknown), message),)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" ..." if len(names) > 5 else "")

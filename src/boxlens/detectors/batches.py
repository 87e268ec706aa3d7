"""What is found in one image, the detections of a batch, and those of any number of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from boxlens.data import Detections, Notice, concatenate_detections
from boxlens.data.columns import Boxes, Floats, Rows
from boxlens.detectors.protocols import Detector
from boxlens.detectors.suppression import suppress
from boxlens.detectors.threads import in_parallel
from boxlens.errors import ParameterError
from boxlens.images import Pixels
from boxlens.limits import BATCH
from boxlens.progress import Progress

SUPPRESSION_IOU = 0.4
MOST_DETECTIONS = 100
# Below this score hardly anything is right, and much is found.
LOWEST_SCORE = 0.01
_PLACES = 2


class Findings(NamedTuple):
    """One row per box of an image."""

    class_row: Rows
    box: Boxes
    score: Floats

    def best(self) -> Findings:
        """Without those that overlap a better one of their class, best first."""
        rows = suppress(
            self.box, self.score, iou=SUPPRESSION_IOU, groups=self.class_row, limit=MOST_DETECTIONS
        )
        return Findings(self.class_row[rows], self.box[rows].round(_PLACES), self.score[rows])


NOTHING = Findings(np.zeros(0, np.int32), np.zeros((0, 4)), np.zeros(0))


def detect_each(
    name: str, images: Sequence[Pixels], find: Callable[[Pixels], Findings]
) -> Detections:
    """A batch, each image on its own; images are spread over the cores."""
    return joined_findings(name, in_parallel(find, images))


def joined_findings(
    name: str, parts: Sequence[Findings], notices: tuple[Notice, ...] = ()
) -> Detections:
    """A batch of what was found, image after image."""
    class_row, box, score = (np.concatenate(column) for column in zip(NOTHING, *parts, strict=True))
    return Detections.of(
        name,
        len(parts),
        image_row=np.repeat(np.arange(len(parts)), [len(part.score) for part in parts]),
        class_row=class_row,
        box=box,
        score=score,
        notices=notices,
    )


def detect_all(
    detector: Detector,
    pictures: Iterable[Pixels],
    n: int,
    *,
    batch: int = 8,
    progress: Progress | None = None,
) -> Detections:
    """The detections on `n` pictures, in their order; the size of a batch does not matter."""
    BATCH.check(batch, "batch")
    source = iter(pictures)
    parts = [joined_findings(detector.name, [])]
    rows = [np.empty(0, dtype=np.int32)]
    done = 0
    while images := list(islice(source, batch)):
        parts.append(detect_batch(detector, images))
        rows.append(np.arange(done, done + len(images), dtype=np.int32))
        done += len(images)
        if progress is not None:
            progress("detecting", done, n)
    if done != n:
        raise ParameterError(f"expected {n} pictures, got {done}")
    return concatenate_detections(parts, rows, n)


def detect_batch(detector: Detector, images: Sequence[Pixels]) -> Detections:
    """One batch, held to what the protocol promises."""
    found = detector.detect(images)
    if found.n_images != len(images):
        raise ParameterError(
            f"detector '{detector.name}' was given {len(images)} pictures and answered "
            f"for {found.n_images}"
        )
    n_classes = len(detector.classes)
    if len(found) and not 0 <= found.class_row.min() <= found.class_row.max() < n_classes:
        raise ParameterError(
            f"detector '{detector.name}' gives class rows {found.class_row.min()} to "
            f"{found.class_row.max()}; it has {n_classes} classes"
        )
    return found

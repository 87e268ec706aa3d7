"""A detector over any number of pictures in memory, some at a time."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Detections, concatenate_detections
from boxlens.errors import ParameterError
from boxlens.limits import BATCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boxlens.detectors.protocols import Detector
    from boxlens.formats.files import Progress
    from boxlens.images import Pixels


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
    parts = [_nothing(detector.name)]
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
            f"for {found.n_images}",
        )
    n_classes = len(detector.classes)
    if len(found) and not 0 <= found.class_row.min() <= found.class_row.max() < n_classes:
        raise ParameterError(
            f"detector '{detector.name}' gives class rows {found.class_row.min()} to "
            f"{found.class_row.max()}; it has {n_classes} classes",
        )
    return found


def _nothing(name: str) -> Detections:
    return Detections.of(name, 0, image_row=[], class_row=[], box=[], score=[])

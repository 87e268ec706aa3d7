"""Worlds of one image and a few boxes in a row, to be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxlens.data import Dataset, Detections
from oracles.convert import scene_to_tables
from oracles.model import Box, Detection, Object, Scene


def at(x: float) -> Box:
    """A box ten wide; one shifted by 5 has IoU 50/150 = 1/3, by 3 70/130, by 10 none."""
    return (float(x), 0.0, 10.0, 10.0)


def gt(box: Box, cls: int = 0, **flags: bool) -> Object:
    return Object(0, cls, box, box[2] * box[3], **flags)


def tables(
    objects: Sequence[Object],
    found: Sequence[tuple[Box, int]],
    classes: tuple[int, ...] = (0, 1, 2),
) -> tuple[Dataset, Detections]:
    """Detections are (box, class), best first."""
    scores = np.linspace(0.9, 0.1, len(found)).tolist()
    detections = [
        Detection(0, cls, box, score) for (box, cls), score in zip(found, scores, strict=True)
    ]
    return scene_to_tables(Scene((0,), classes, tuple(objects), tuple(detections)))

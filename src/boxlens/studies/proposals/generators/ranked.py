"""Boxes in an order: what every generator does to its list before it hands it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes, Floats

Ranked = tuple["Boxes", "Floats"]


def nothing() -> Ranked:
    return np.zeros((0, 4)), np.zeros(0)


def ranked(boxes: Boxes, limit: int) -> Ranked:
    """The first boxes of an order that has no scores of its own: they count down to 1."""
    kept = boxes[:limit]
    return kept, np.arange(len(kept), 0, -1, dtype=np.float64)


def distinct(boxes: Boxes) -> Boxes:
    """Each box once, where it stood first."""
    _, first = np.unique(boxes, axis=0, return_index=True)
    return boxes[np.sort(first)]


def identity_text(name: str, version: str, **settings: object) -> str:
    """One line that tells runs apart."""
    told = [f"{key}={value}" for key, value in settings.items()]
    return "; ".join([name, version, *told])

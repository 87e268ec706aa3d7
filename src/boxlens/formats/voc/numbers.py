"""Numbers of VOC files as text that reads back as the very float64 it was written from."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from boxlens.data.columns import Boxes
from boxlens.errors import InputError
from boxlens.formats.exact_sides import INCLUSIVE, numbers_as_text


def corner_texts(
    box: Boxes, describe: Callable[[int], str], path: Path | None = None
) -> list[list[str]]:
    """xmin, ymin, xmax and ymax of boxes, from which the reader makes exactly these boxes."""
    return numbers_as_text(box, INCLUSIVE, describe, path=path, short=number_text)


def number_text(value: float) -> str:
    """The shortest text of the same float; whole numbers without a point, as VOC tools expect."""
    if not math.isfinite(value):
        raise InputError(
            f"VOC cannot hold the number {value}", remedy="Correct or remove it before writing"
        )
    return str(int(value)) if value.is_integer() else repr(value)

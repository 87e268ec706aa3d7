"""Chance performance of localization: would the box of one object do for another? (METHODS 3.5)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from boxlens.data import Notice
from boxlens.data.columns import Floats, Offsets, ratio
from boxlens.matching.box_pairs import count_overlapping_pairs
from boxlens.progress import Progress
from boxlens.studies.difficulty.counted_objects import CountedObjects
from boxlens.studies.difficulty.measures import OVERLAP

# Fractions of an image are rounded, and with them an overlap of exactly a half.
ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class ChanceLocalization:
    """One value per class; NaN where it has fewer than two objects in images of known size."""

    cpl: Floats
    # Unordered pairs of objects that overlap enough, and the objects that were paired.
    n_pairs: Offsets
    n_objects: Offsets
    notices: tuple[Notice, ...]


def chance_localization(
    objects: CountedObjects,
    iou: float = OVERLAP,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> ChanceLocalization:
    """The share of pairs of a class that overlap, each box as fractions of its own image.

    METHODS 3.5: pairs of one image count too.
    """
    sized = objects.sized
    class_row, box_rel = objects.class_row, objects.box_rel
    if not sized.all():
        class_row, box_rel = class_row[sized], box_rel[sized]
    n_pairs = count_overlapping_pairs(
        box_rel, class_row, objects.n_classes, iou - ROUNDING, threads=threads, progress=progress
    )
    n = np.bincount(class_row, minlength=objects.n_classes)
    cpl = ratio(2 * n_pairs, n * (n - 1))
    present = np.bincount(objects.class_row, minlength=objects.n_classes) > 0
    n_undefined = int((present & (n < 2)).sum())
    return ChanceLocalization(cpl, n_pairs, n, _notices(n_undefined, all_sized=bool(sized.all())))


def _notices(n_undefined: int, *, all_sized: bool) -> tuple[Notice, ...]:
    if not n_undefined:
        return ()
    where = "" if all_sized else " in images of known size"
    classes = "1 class" if n_undefined == 1 else f"{n_undefined:,} classes"
    message = f"CPL of {classes} with fewer than two objects{where} is undefined"
    return (Notice("class_with_one_object", n_undefined, message),)

"""Which proposals count: each place once, then the best ones (METHODS 6.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from boxlens.data.columns import frozen, owned
from boxlens.matching.box_matching import first_on_pixels

if TYPE_CHECKING:
    from boxlens.data import Dataset
    from boxlens.data.windows import Windows


# What makes boxes one place: the same pixels, or equal fractions where there are no pixels.
Places = Literal["pixels", "fractions"]


def places_in(dataset: Dataset) -> Places:
    return "fractions" if dataset.relative else "pixels"


def without_duplicates(windows: Windows, places: Places = "pixels", *, threads: int = 0) -> Windows:
    """Of boxes in one place the best one stays, as it is."""
    # Fractions are told apart down to a billionth of the image.
    box = windows.box if places == "pixels" else windows.box * 2.0**30
    first = first_on_pixels(windows.offsets, box, threads=threads)
    if first.all():
        return windows
    n_before = np.concatenate([[0], np.cumsum(first)])
    offsets = frozen(n_before[windows.offsets], np.int64)
    return replace(windows, offsets=offsets, box=owned(windows.box[first]))

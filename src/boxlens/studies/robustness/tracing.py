"""Which unchanged pictures and objects those of a changed set were made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from boxlens.data import Dataset
    from boxlens.data.columns import Rows
    from boxlens.images.transforming.transform import Step


class MeasuredSet(Protocol):
    """What numbers need of a `PictureSet`: tables, and no pixel."""

    @property
    def step(self) -> Step: ...

    @property
    def dataset(self) -> Dataset: ...

    @property
    def source_row(self) -> Rows:
        """The image that each picture was made of."""

    @property
    def object_row(self) -> Rows:
        """The object that each row of `dataset.gt` was made of; -1: it is of another scene."""


@dataclass(frozen=True, slots=True)
class Traced:
    """Where each picture, and each object, of a set is among the unchanged ones.

    Every picture was made of one of them; an object may be of another scene (-1).
    """

    picture_row: Rows
    object_row: Rows


def trace(changed: MeasuredSet, clean: MeasuredSet) -> Traced:
    """Both sets name rows of the data set they were made of."""
    picture_row = _places(changed.source_row, clean.source_row)
    lost = int(np.count_nonzero(picture_row < 0))
    if lost:
        raise ParameterError(
            f"{changed.step.slug}: {lost:,} pictures were made of images that are not among the "
            "unchanged ones"
        )
    return Traced(picture_row, _places(changed.object_row, clean.object_row))


def _places(rows: Rows, among: Rows) -> Rows:
    """Where each row is in a column; -1: nowhere."""
    # The last entry stays -1: a row of -1 reads it.
    place_of = np.full(max(rows.max(initial=-1), among.max(initial=-1)) + 2, -1, dtype=np.int32)
    known = np.flatnonzero(among >= 0)
    place_of[among[known]] = known
    places: Rows = place_of[rows]
    return places

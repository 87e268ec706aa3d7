"""Pictures of one step with their ground truth, and what unchanged ones they were made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Rows
from boxlens.detectors.pictures import Pictures
from boxlens.errors import ParameterError
from boxlens.images import ImageError
from boxlens.images.pixels import Pixels
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


class PictureSet(MeasuredSet, Pictures, Protocol):
    """What numbers need, and what a detector does; one row per picture."""

    def made_from(self) -> dict[str, Any]:
        """All that its pictures and boxes depend on, in JSON."""


@dataclass(frozen=True, slots=True)
class StepPictures:
    """Pictures are made, or read, when they are asked for."""

    # The picture of a row of a step, and of `CLEAN` the unchanged ones; None: it cannot be read.
    picture_of: Callable[[Step, int], Pixels | None]
    # Rows of the unchanged pictures by their ids.
    row_of_image: Mapping[int | str, int]

    @classmethod
    def of(cls, sets: Sequence[PictureSet]) -> StepPictures:
        """The unchanged pictures are the first set."""
        rows = {key: row for row, key in enumerate(sets[0].ids.tolist())}
        return cls(partial(_read, {one.step.slug: one for one in sets}), rows)


def _read(sets: Mapping[str, PictureSet], step: Step, row: int) -> Pixels | None:
    try:
        return sets[step.slug].read(row).pixels
    except ImageError:
        return None

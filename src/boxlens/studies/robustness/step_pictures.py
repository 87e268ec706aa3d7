"""Where the pixels of changed and unchanged pictures come from, to show examples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from boxlens.images import ImageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boxlens.images.pixels import Pixels
    from boxlens.images.transforming.transform import Step
    from boxlens.studies.robustness.picture_set import PictureSet


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

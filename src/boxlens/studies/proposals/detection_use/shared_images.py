"""Names that tell methods apart, and the images that all of them have searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxlens.data import Dataset, Detections, Notice, counted_notice
from boxlens.data.columns import Bools
from boxlens.errors import ParameterError
from boxlens.studies.proposals.proposed import Proposed
from boxlens.wording import counted


def check_names(proposed: Sequence[Proposed]) -> None:
    """Names tell methods apart, whatever their case."""
    names = [one.name.casefold() for one in proposed]
    again = next((one.name for one in proposed if names.count(one.name.casefold()) > 1), None)
    if again is not None:
        raise ParameterError(f"two methods are called {again!r}: give them different names")


def images_searched(dataset: Dataset, proposed: Sequence[Proposed]) -> Bools:
    """All images where there is no method."""
    every = np.ones(len(dataset.images), dtype=np.bool_)
    for method in proposed:
        every &= method.searched()
    if len(every) and not every.any():
        names = ", ".join(method.name for method in proposed)
        raise ParameterError(
            f"no image has proposals of all methods: {names}; give proposals for the same images, "
            "with the ids of the ground truth"
        )
    return every


def cut_to(
    images: Bools, dataset: Dataset, detections: Sequence[Detections]
) -> tuple[Dataset, list[Detections]]:
    """Objects and detections elsewhere go: an image without either changes no number."""
    if images.all():
        return dataset, list(detections)
    cut = dataset.where(images[dataset.gt.image_row])
    return cut, [table.where(images[table.image_row]) for table in detections]


def search_notices(images: Bools) -> tuple[Notice, ...]:
    message = f"of {counted(len(images), 'image')} skipped: not searched by every method"
    return counted_notice("not_searched_by_all", int((~images).sum()), message)

"""Do a baseline and a candidate belong together? Both have to have been run on the same images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections

# Files do not tell on which images a detector was run. Where it found nothing in more than this
# share of the images, and the other one something, it was hardly run on them.
LARGEST_GAP = 0.2
NOTED_GAP = 0.01


def check_pair(
    dataset: Dataset, baseline: Detections, candidate: Detections, *, allow_gaps: bool
) -> tuple[Notice, ...]:
    """Stops where the two cannot be compared; what is merely odd is noted."""
    for role, table in (("baseline", baseline), ("candidate", candidate)):
        if not len(table):
            raise ParameterError(
                f"the {role} ({table.name}) has no detections in these images: there is nothing "
                "to compare"
            )
    notices = []
    if _same(baseline, candidate):
        message = "baseline and candidate are the same detections: no rule can find a difference"
        notices.append(Notice("identical", len(candidate), message))
    n_images = len(dataset.images)
    found_baseline, found_candidate = (
        np.diff(table.offsets) > 0 for table in (baseline, candidate)
    )
    for role, gaps in (
        ("baseline", found_candidate & ~found_baseline),
        ("candidate", found_baseline & ~found_candidate),
    ):
        n_gaps = int(np.count_nonzero(gaps))
        message = (
            f"the {role} has no detections in {n_gaps:,} of {n_images:,} images where the other "
            "one has some"
        )
        if n_gaps > LARGEST_GAP * n_images and not allow_gaps:
            raise ParameterError(
                f"{message}: were both run on the same images? If they were, say --allow-gaps "
                "(allow_gaps=True)"
            )
        if n_gaps > NOTED_GAP * n_images:
            notices.append(Notice(f"{role}_gaps", n_gaps, message))
    n_empty = int(np.count_nonzero(~found_baseline & ~found_candidate))
    if n_empty > NOTED_GAP * n_images:
        message = f"neither detector has detections in {n_empty:,} of {n_images:,} images"
        notices.append(Notice("images_without_detections", n_empty, message))
    return tuple(notices)


def _same(one: Detections, other: Detections) -> bool:
    return all(
        np.array_equal(getattr(one, column), getattr(other, column))
        for column in ("image_row", "class_row", "box", "score")
    )

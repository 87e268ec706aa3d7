"""Do a baseline and a candidate belong together? Both have to have been run on the same images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.known_classes import ClassesChoice, expected_classes, known_classes
from boxlens.data.naming import some_names
from boxlens.data.selection import shared_classes
from boxlens.errors import ParameterError
from boxlens.studies.comparison.shared_images import nothing_fits, same_detections

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
            reason = nothing_fits(table) or "there is nothing to compare"
            raise ParameterError(
                f"the {role} ({table.name}) has no detections in these images: {reason}"
            )
        _check_skipped(role, table, allow_gaps=allow_gaps)
    notices = []
    if same_detections(baseline, candidate):
        message = "baseline and candidate are the same detections: no rule can find a difference"
        notices.append(Notice("identical", len(candidate), message))
    notices += check_gaps(dataset, baseline, candidate, allow_gaps=allow_gaps)
    return tuple(notices)


def compared_classes(
    dataset: Dataset, tables: Sequence[Detections], choice: ClassesChoice
) -> tuple[Dataset, list[Detections]]:
    """The classes to judge baseline and candidate over: all, or those "known" to both.

    "check" takes all and stops where only one of the two knows a class: else a candidate could
    pass by losing its results.
    """
    if choice == "check":
        expected = expected_classes(dataset)
        old, new = (known_classes(dataset, one, by_detections=False) & expected for one in tables)
        for role, own, other in (("baseline", old, new), ("candidate", new, old)):
            lacking = [dataset.classes.name[row] for row in np.flatnonzero(other & ~own)]
            if lacking:
                raise ParameterError(
                    f"the {role} has no results for {len(lacking):,} "
                    f"{'class' if len(lacking) == 1 else 'classes'} that the other one knows: "
                    f"{some_names(lacking)}. Judge over the classes both know with --classes-used "
                    "known (classes_used='known'), or count them as nothing found with "
                    "--classes-used all"
                )
    return shared_classes(dataset, tables, "all" if choice == "check" else choice)


def _check_skipped(role: str, table: Detections, *, allow_gaps: bool) -> None:
    """Classes of another data set; images of a larger one are nothing unusual."""
    n_skipped = sum(one.count for one in table.notices if one.code == "unknown_class")
    if n_skipped > LARGEST_GAP * (n_skipped + len(table)) and not allow_gaps:
        raise ParameterError(
            f"{n_skipped:,} detections of the {role} ({table.name}) are of classes that the ground "
            f"truth does not have, {len(table):,} are not: is it the right file? If it is, say "
            "--allow-gaps (allow_gaps=True)"
        )


def check_gaps(
    dataset: Dataset,
    baseline: Detections,
    candidate: Detections,
    *,
    allow_gaps: bool,
    where: str = "",
) -> list[Notice]:
    """Images in which only one of the two has detections."""
    notices = []
    n_images = len(dataset.images)
    found_baseline, found_candidate = (
        np.diff(table.offsets) > 0 for table in (baseline, candidate)
    )
    for role, found, by_other in (
        ("baseline", found_baseline, found_candidate),
        ("candidate", found_candidate, found_baseline),
    ):
        n_gaps = int(np.count_nonzero(by_other & ~found))
        message = (
            f"{where}the {role} has no detections in {n_gaps:,} of the "
            f"{np.count_nonzero(by_other):,} images where the other one has some"
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
    return notices

"""What each step is compared with: the unchanged pictures, or a level of its own transform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.data import counted_notice
from boxlens.data.naming import some_names
from boxlens.images.transforming.catalogue import CLEAN, TRANSFORMS
from boxlens.images.transforming.transform import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data import Notice


def reference_of(step: Step) -> Step:
    """A transform that crops all its pictures alike is fair to compare with its crop only.

    (METHODS 6.6.) That crop itself is compared with the unchanged pictures.
    """
    level = TRANSFORMS[step.name].reference_level
    return CLEAN if level is None or step.level == level else Step(step.name, level)


def with_references(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, and before each the one it is compared with, where that is missing."""
    asked = {step.slug for step in steps}
    found: dict[str, Step] = {}
    for step in steps:
        reference = reference_of(step)
        if reference is not CLEAN and reference.slug not in asked:
            found[reference.slug] = reference
        found[step.slug] = step
    return tuple(found.values())


def reference_rows(steps: Sequence[Step]) -> tuple[list[int], tuple[Notice, ...]]:
    """Where the reference of each step is among them; 0, the unchanged pictures, where nowhere."""
    row_of = {step.slug: row for row, step in enumerate(steps)} | {CLEAN.slug: 0}
    references = [reference_of(step) for step in steps]
    missing = dict.fromkeys(one.slug for one in references if one.slug not in row_of)
    rows = [row_of.get(one.slug, 0) for one in references]
    if not missing:
        return rows, ()
    n = sum(one.slug in missing for one in references)
    told = (
        f"{{}} compared with the unchanged pictures because {{}} fair reference is missing: "
        f"{some_names(missing)}"
    )
    many, one = told.format("steps are", "their"), told.format("step is", "its")
    return rows, counted_notice("no_reference", n, many, one)

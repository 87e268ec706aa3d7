"""Boxes of two lists matched one to one by overlap alone, for several lengths of the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boxlens import _kernel
from boxlens.data.columns import Bools, Boxes, Floats, Offsets
from boxlens.errors import ParameterError
from boxlens.limits import THREADS


@dataclass(frozen=True, slots=True)
class BoxMatches:
    """By budget and row of the first list."""

    # Of the pair that was made; 0 where none was.
    iou: Floats
    # The largest with any box within the budget, whoever else has it.
    best: Floats
    # A row of the second list, -1 where none.
    partner: Offsets


def match_boxes(
    offsets_a: Offsets,
    box_a: Boxes,
    offsets_b: Offsets,
    box_b: Boxes,
    budgets: Sequence[int] | None = None,
    *,
    threads: int = 0,
) -> BoxMatches:
    """Image by image, greedily by the largest overlap that is left (METHODS 6.2).

    A budget is how many boxes of the second list an image may use, the first ones; budgets ascend,
    and without them there is one, that of all boxes. Ties go to the earlier box of the first list,
    then to the earlier one of the second.
    """
    THREADS.check(threads, "threads (--threads)")
    most = int(np.diff(offsets_b).max(initial=1))
    asked = [max(most, 1)] if budgets is None else list(budgets)
    if not asked or asked[0] < 1 or asked != sorted(asked):
        raise ParameterError(f"budgets must be 1 or more and ascend, got {asked}")
    if len(offsets_a) != len(offsets_b):
        raise ParameterError(
            f"boxes of {len(offsets_a) - 1} images cannot be matched with boxes of "
            f"{len(offsets_b) - 1}"
        )
    iou, best, partner = _kernel.match_boxes(
        a_offsets=offsets_a,
        a_box=np.ascontiguousarray(box_a),
        b_offsets=offsets_b,
        b_box=np.ascontiguousarray(box_b),
        budgets=asked,
        threads=threads,
    )
    return BoxMatches(iou, best, partner)


def first_on_pixels(offsets: Offsets, box: Boxes, *, threads: int = 0) -> Bools:
    """Boxes that no earlier one of their image equals after rounding (METHODS 6.1)."""
    THREADS.check(threads, "threads (--threads)")
    first = _kernel.first_on_pixels(offsets=offsets, box=np.ascontiguousarray(box), threads=threads)
    return first.view(np.bool_)

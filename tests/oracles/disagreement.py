"""How much two detectors disagree about an image, and what an order of images finds (METHODS 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from oracles.fda import one_to_one
from oracles.model import Detection


def pair(first: Sequence[Detection], second: Sequence[Detection], *, agnostic: bool) -> float:
    """The summed IoU of one-to-one pairs, one detector in the place of the truth."""
    return sum(one_to_one(first, second, agnostic))


def disagreement(outputs: Sequence[Sequence[Detection]], *, agnostic: bool = False) -> float:
    """Of one image: `outputs` holds what each detector says above its cut."""
    values = []
    for a, b in combinations(outputs, 2):
        if not a and not b:
            values.append(0.0)
        else:
            shared = (pair(a, b, agnostic=agnostic) + pair(b, a, agnostic=agnostic)) / 2
            values.append(1 - shared / ((len(a) + len(b)) / 2))
    return sum(values) / len(values)


def share_found(amounts: Sequence[float], order: Sequence[int], n_first: int) -> float:
    return sum(amounts[i] for i in order[:n_first]) / sum(amounts)

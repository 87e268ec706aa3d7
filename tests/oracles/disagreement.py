"""How much two detectors disagree about an image, and what an order of images finds (METHODS 5.1)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from oracles.model import Detection, iou

if TYPE_CHECKING:
    from collections.abc import Sequence


def pair(first: Sequence[Detection], second: Sequence[Detection], *, agnostic: bool) -> float:
    """The summed IoU of one-to-one pairs, the largest first; ties go to one class, then by score."""
    candidates = [
        (-iou(a.box, b.box), a.cls != b.cls, -a.score, i, j)
        for i, a in enumerate(first)
        for j, b in enumerate(second)
        if (agnostic or a.cls == b.cls) and iou(a.box, b.box) > 0
    ]
    total, used_first, used_second = 0.0, set(), set()
    for minus_iou, _, _, i, j in sorted(candidates):
        if i not in used_first and j not in used_second:
            used_first.add(i)
            used_second.add(j)
            total -= minus_iou
    return total


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

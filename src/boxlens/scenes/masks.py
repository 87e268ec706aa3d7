"""Masks as COCO writes them: run lengths down the columns, packed into text."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools


def run_lengths(mask: Bools) -> list[int]:
    """Lengths of the runs of 0 and 1 in turn, column by column; the first is of 0."""
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    starts = np.concatenate([[0], changes, [len(flat)]])
    lengths: list[int] = np.diff(starts).tolist()
    return [0, *lengths] if len(flat) and flat[0] else lengths


def packed(lengths: list[int]) -> str:
    """Five bits per character, from 48 up; from the fourth on the difference to two runs before."""
    text: list[str] = []
    for row, length in enumerate(lengths):
        value = length - lengths[row - 2] if row > 2 else length
        more = True
        while more:
            bits = value & 31
            value >>= 5
            more = value != (-1 if bits & 16 else 0)
            text.append(chr(48 + (bits | (32 if more else 0))))
    return "".join(text)


def coco_mask(mask: Bools) -> dict[str, Any]:
    """The `segmentation` of an annotation."""
    return {"size": list(mask.shape), "counts": packed(run_lengths(mask))}


def tight_box(mask: Bools) -> tuple[int, int, int, int]:
    """x, y, w, h of the smallest box around a mask that is not empty."""
    columns: npt.NDArray[np.intp] = np.flatnonzero(mask.any(axis=0))
    rows: npt.NDArray[np.intp] = np.flatnonzero(mask.any(axis=1))
    left, right = int(columns[0]), int(columns[-1])
    top, bottom = int(rows[0]), int(rows[-1])
    return left, top, right - left + 1, bottom - top + 1

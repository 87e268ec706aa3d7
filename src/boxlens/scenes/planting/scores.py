"""Scores by kind: duplicates below the detection they repeat, and no two alike."""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import Bools, Floats, Rows
from boxlens.scenes.planting.ground import Ground
from boxlens.scenes.planting.kinds import Kind
from boxlens.scenes.planting.placing import Batch


def draw_scores(ground: Ground, batch: Batch) -> Floats:
    score = np.zeros(len(batch))
    for kind in Kind:
        mine = batch.kind == kind
        law = ground.recipe.score_law(kind)
        score[mine] = law.draw(ground.rng(f"score of {kind.label}"), int(mine.sum()))
    repeats, repeated = _duplicates(ground, batch)
    score[repeats] *= score[repeated]
    if ground.recipe.score_decimals is None:
        return distinct(score, batch.kind == Kind.DUPLICATE)
    return _rounded(score, repeats, repeated, ground.recipe.score_decimals)


def _duplicates(ground: Ground, batch: Batch) -> tuple[Rows, Rows]:
    """Rows of duplicates, and of the correct detections they repeat."""
    correct = np.flatnonzero(batch.kind == Kind.CORRECT).astype(np.int32)
    row_of_object = np.full(len(ground.gt), -1, dtype=np.int32)
    row_of_object[batch.gt_row[correct]] = correct
    repeats = np.flatnonzero(batch.kind == Kind.DUPLICATE).astype(np.int32)
    return repeats, row_of_object[batch.gt_row[repeats]]


def distinct(score: Floats, below: Bools) -> Floats:
    """Moves equal scores of 0 to 1 apart by the smallest steps; those marked `below` go lower."""
    if (np.diff(np.sort(score)) > 0).all():
        return score
    order = np.lexsort((~below, score))
    # Floats that are not negative ascend as their bits do, read as integers.
    bits = score[order].view(np.int64)
    up = np.arange(len(bits))
    down = up[::-1]
    bits = np.minimum.accumulate((bits + down)[::-1])[::-1] - down
    apart = np.empty_like(score)
    apart[order] = np.maximum(bits, up).view(np.float64)
    return apart


def _rounded(score: Floats, repeats: Rows, repeated: Rows, decimals: int) -> Floats:
    """Ties are left, but for duplicates, which stay a step below."""
    step = 10.0**-decimals
    score = np.round(score, decimals)
    score[repeated] = np.maximum(score[repeated], step)
    score[repeats] = np.minimum(score[repeats], np.round(score[repeated] - step, decimals))
    return score

"""Puts detections of one kind on objects or images: draws, judges, and draws again what failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Boxes, Floats, Rows
from boxlens.scenes.planting.boxes import boxes_at_iou
from boxlens.scenes.planting.ground import Ground
from boxlens.scenes.planting.kinds import Kind
from boxlens.scenes.planting.truth import Candidates, judge

ROUNDS = 12
# Nested boxes always fit into the image; they are drawn more often where others have failed.
NESTED_AT_FIRST, NESTED_LATER = 0.2, 0.5
# Background boxes that found no room are tried again at this part of the size.
SHRINKING = 0.75
# In an image without objects anywhere to learn sizes from.
USUAL_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Batch:
    """Planted detections, one row each."""

    kind: npt.NDArray[np.int8]
    gt_row: Rows
    image_row: Rows
    class_row: Rows
    box: Boxes
    iou: Floats
    # Touches no other object of its class.
    alone: Bools

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, rows: npt.NDArray[np.integer] | Bools) -> Batch:
        return Batch(*(getattr(self, column.name)[rows] for column in fields(self)))

    @classmethod
    def joined(cls, parts: Iterable[Batch]) -> Batch:
        parts = list(parts)
        columns = ([getattr(part, column.name) for part in parts] for column in fields(cls))
        return cls(*(np.concatenate(column) for column in columns))


def place(
    ground: Ground,
    kind: Kind,
    gt_rows: npt.NDArray[np.integer],
    unfixed: Bools,
    rng: np.random.Generator,
    *,
    clean: bool = False,
) -> Batch:
    """A detection for each of the objects (a row may stand several times), as far as one holds."""
    asked = np.sort(gt_rows).astype(np.int32)

    def draw(pending: npt.NDArray[np.int64], n_failed: int) -> Candidates:
        rows = asked[pending]
        return Candidates(
            kind=kind,
            gt_row=rows,
            image_row=ground.gt.image_row[rows],
            class_row=_classes(ground, kind, rows, rng),
            box=_boxes(ground, kind, rows, rng, n_failed),
            clean=clean,
        )

    def fits(candidates: Candidates) -> Bools:
        return _inside(candidates.box, *ground.room(candidates.gt_row))

    return _rounds(ground, len(asked), draw, fits, unfixed)


def place_exactly(
    ground: Ground,
    kind: Kind,
    pool: npt.NDArray[np.integer],
    n: int,
    unfixed: Bools,
    rng: np.random.Generator,
    *,
    clean: bool = False,
) -> Batch:
    """Detections on n of the pool, tried in its order; fewer where it does not hold as many."""
    parts = [place(ground, kind, pool[:0], unfixed, rng)]
    tried, lacking = 0, n
    while lacking > 0 and tried < len(pool):
        # As many as it takes at the rate so far; a pool that admits few is through in a few steps.
        n_next = int(lacking * (1 + tried) / (1 + n - lacking)) if tried else n
        some = pool[tried : tried + max(n_next, lacking)]
        part = place(ground, kind, some, unfixed, rng, clean=clean)
        if len(part) > lacking:
            part = part.take(np.sort(rng.choice(len(part), lacking, replace=False)))
        parts.append(part)
        tried += len(some)
        lacking -= len(part)
    return Batch.joined(parts)


def place_background(
    ground: Ground,
    image_rows: npt.NDArray[np.integer],
    rng: np.random.Generator,
    *,
    anywhere: bool,
) -> Batch:
    """Boxes that touch nothing; those without room move to another image, if anywhere will do."""
    size_of_image = ground.known_size()
    asked = np.sort(image_rows).astype(np.int32)

    def draw(pending: npt.NDArray[np.int64], n_failed: int) -> Candidates:
        rows = asked[pending]
        if anywhere and n_failed:
            rows = np.sort(rng.integers(0, len(size_of_image), len(rows), dtype=np.int32))
        class_row, size = _things(ground, len(rows), size_of_image[rows], rng)
        size = np.minimum(size, size_of_image[rows]) * SHRINKING**n_failed
        corner = rng.random(size.shape) * (size_of_image[rows] - size)
        box = _rounded(ground, np.hstack([corner, size]))
        nothing = np.full(len(rows), -1, dtype=np.int32)
        return Candidates(Kind.BACKGROUND, nothing, rows, class_row, box)

    def fits(candidates: Candidates) -> Bools:
        high = size_of_image[candidates.image_row]
        return _inside(candidates.box, np.zeros_like(high), high)

    n_asked = len(asked) if len(ground.dataset.classes) else 0
    return _rounds(ground, n_asked, draw, fits, np.zeros(len(ground.gt), dtype=np.bool_))


def _rounds(
    ground: Ground,
    n: int,
    draw: Callable[[npt.NDArray[np.int64], int], Candidates],
    fits: Callable[[Candidates], Bools],
    unfixed: Bools,
) -> Batch:
    pending = np.arange(n)
    parts: list[Batch] = []
    for n_failed in range(ROUNDS):
        candidates = draw(pending, n_failed)
        verdict = judge(ground, candidates, unfixed)
        holds = verdict.holds & fits(candidates)
        everything = Batch(
            kind=np.full(len(pending), candidates.kind, dtype=np.int8),
            gt_row=candidates.gt_row,
            image_row=candidates.image_row,
            class_row=candidates.class_row,
            box=candidates.box,
            iou=verdict.iou,
            alone=verdict.alone,
        )
        parts.append(everything.take(holds))
        pending = pending[~holds]
        if not len(pending):
            break
    return Batch.joined(parts)


def _boxes(
    ground: Ground,
    kind: Kind,
    gt_rows: Rows,
    rng: np.random.Generator,
    n_failed: int,
) -> Boxes:
    low, high = ground.room(gt_rows)
    box = boxes_at_iou(
        rng,
        ground.gt.box[gt_rows],
        ground.recipe.iou_law(kind).draw(rng, len(gt_rows)),
        low,
        high,
        NESTED_LATER if n_failed else NESTED_AT_FIRST,
    )
    return _rounded(ground, box)


def _inside(box: Boxes, low: Floats, high: Floats) -> Bools:
    inside = (box[:, :2] >= low) & (box[:, :2] + box[:, 2:] <= high)
    both: Bools = inside[:, 0] & inside[:, 1]
    return both


def _rounded(ground: Ground, box: Boxes) -> Boxes:
    decimals = ground.recipe.box_decimals
    return box if decimals is None else np.round(box, decimals)


def _classes(ground: Ground, kind: Kind, gt_rows: Rows, rng: np.random.Generator) -> Rows:
    """The object's class; for a confusion another one, similar or not, which there must be."""
    class_row = ground.gt.class_row[gt_rows]
    if not kind.confused:
        return class_row
    choice = ground.similar
    if kind.dissimilar:
        choice = ~choice
        np.fill_diagonal(choice, val=False)
    n_others = choice.sum(axis=1)
    others = np.flatnonzero(choice) % max(len(choice), 1)
    begin = np.cumsum(n_others) - n_others
    pick = (rng.random(len(class_row)) * n_others[class_row]).astype(np.int64)
    named: Rows = others[begin[class_row] + pick].astype(np.int32)
    return named


def _things(
    ground: Ground,
    n: int,
    frame: Floats,
    rng: np.random.Generator,
) -> tuple[Rows, Floats]:
    """Classes and sizes as objects have them."""
    if not len(ground.gt):
        classes = rng.integers(0, len(ground.dataset.classes), n, dtype=np.int32)
        return classes, USUAL_SHARE * frame * rng.uniform(0.5, 1.5, (n, 2))
    rows = rng.integers(0, len(ground.gt), n)
    return ground.gt.class_row[rows], ground.gt.box[rows, 2:] * rng.uniform(0.7, 1.3, (n, 2))

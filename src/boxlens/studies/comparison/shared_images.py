"""Were the detectors run on the same images? A file names only images with detections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Bools
from boxlens.data.selection import select_images
from boxlens.errors import ParameterError
from boxlens.wording import counted

ImagesChoice = Literal["check", "all", "common"]
IMAGES_CHOICES: tuple[ImagesChoice, ...] = get_args(ImagesChoice)
IMAGES_SKIPPED = "images_left_out"
# A detector that is silent on more of the images than this, where others are not, was hardly run
# on all of them.
MOST_SILENT = 0.5


def shared_images(
    dataset: Dataset, tables: Sequence[Detections], choice: ImagesChoice = "check"
) -> tuple[Dataset, list[Detections], tuple[Notice, ...]]:
    """The images to compare on: "all", or those "common" to all detectors.

    "check" takes all and stops where detectors were plainly run on different images.
    """
    if choice not in IMAGES_CHOICES:
        raise ParameterError(f"images are {', '.join(IMAGES_CHOICES)}, got {choice!r}")
    seen = np.stack(
        [np.bincount(table.image_row, minlength=table.n_images) > 0 for table in tables]
    )
    if choice != "all":
        _check_fits(tables)
    by_any: Bools = np.asarray(seen.any(axis=0))
    by_all: Bools = np.asarray(seen.all(axis=0))
    if choice == "common":
        return _only(dataset, tables, by_all)
    silent = (by_any & ~seen).sum(axis=1)
    if choice == "check" and silent.max() >= MOST_SILENT * max(int(by_any.sum()), 1):
        raise ParameterError(_different(tables, seen, int(silent.argmax())))
    return dataset, list(tables), _silent_notices(tables, silent.tolist())


def nothing_fits(table: Detections) -> str | None:
    """What its reader says of a file of which not one detection belongs to the data set."""
    return next((one.message for one in table.notices if one.code == "nothing_fits"), None)


def _check_fits(tables: Sequence[Detections]) -> None:
    for table in tables:
        problem = nothing_fits(table)
        if problem is not None:
            raise ParameterError(problem)


def _different(tables: Sequence[Detections], seen: Bools, at: int) -> str:
    n_common = int(seen.all(axis=0).sum())
    n_others = int(np.delete(seen, at, axis=0).any(axis=0).sum())
    common = (
        f"Compare over the {counted(n_common, 'image')} where all have some (--images-used "
        "common), or count "
        if n_common
        else "Count "
    )
    name, n_own = tables[at].name, int(seen[at].sum())
    problem = (
        f"{name} has detections on {counted(n_own, 'image')}, the others on {n_others:,}: were "
        "they run on the same ones?"
        if n_own
        else f"{name} has no detections at all, the others have some on "
        f"{counted(n_others, 'image')}: is it the right file?"
    )
    return f"{problem} {common}images without any as nothing found (--images-used all)"


def _only(
    dataset: Dataset, tables: Sequence[Detections], kept: Bools
) -> tuple[Dataset, list[Detections], tuple[Notice, ...]]:
    if not kept.any():
        raise ParameterError("no image has detections of all detectors: nothing can be compared")
    if kept.all():
        return dataset, list(tables), ()
    rows = np.flatnonzero(kept)
    parts = [select_images(dataset, table, rows) for table in tables]
    n_images, n_gone = len(kept), int((~kept).sum())
    message = (
        f"compared over the {len(rows):,} of {n_images:,} images where all detectors have "
        f"detections; skipped: {counted(n_gone, 'image')}"
    )
    notice = Notice(IMAGES_SKIPPED, n_gone, message)
    return parts[0][0], [table for _, table in parts], (notice,)


def same_detections(one: Detections, other: Detections) -> bool:
    """Two names for one output."""
    return all(
        np.array_equal(getattr(one, column), getattr(other, column))
        for column in ("image_row", "class_row", "box", "score")
    )


def _silent_notices(tables: Sequence[Detections], silent: Sequence[int]) -> tuple[Notice, ...]:
    return tuple(
        Notice(
            "silent_images",
            n,
            f"{table.name}: no detections on {counted(n, 'image')} where another detector has "
            "some, which counts as nothing found",
        )
        for table, n in zip(tables, silent, strict=True)
        if n
    )

"""Where file ids become rows and rows become ids; what does not fit is counted or refused here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections, Notice, Source
from boxlens.data.columns import Boxes, Floats, Rows, owned
from boxlens.data.known_classes import lacking_classes
from boxlens.formats.files import default_name
from boxlens.formats.places import Place
from boxlens.wording import counted


@dataclass(frozen=True, slots=True)
class RawDetections:
    """Detections as a file holds them, ids already turned into rows (-1: unknown).

    The columns are given away: a reader keeps none of them to write on.
    """

    image_row: Rows
    class_row: Rows
    box: Boxes
    score: Floats
    # Describes record i for messages: its ids and its place in the file.
    describe: Callable[[int], str]


def detections_from(
    raw: RawDetections,
    dataset: Dataset,
    *,
    name: str | None,
    path: Path,
    format_name: str,
    strict: bool,
    files: Sequence[Path] | None = None,
    known_classes: Rows | None = None,
    checked: bool = False,
) -> Detections:
    """Checks the numbers, sets unknown images and classes aside, groups the rest by image.

    Without a name it is that of the file or folder. `files` are those that were read where `path`
    is a folder. A format that says which classes a detector knows gives them, and one that has
    checked boxes and scores while reading says so.
    """
    if not checked:
        check_boxes(raw.box, path, raw.describe)
        check_scores(raw.score, path, raw.describe)
    notices: tuple[Notice, ...] = ()
    if len(raw.box) == 0:
        notices = (Notice("no_detections", 0, f"{path}: no detections"),)
    known: slice | npt.NDArray[np.bool_] = slice(None)
    if len(raw.box) and (raw.image_row.min() < 0 or raw.class_row.min() < 0):
        known = (raw.image_row >= 0) & (raw.class_row >= 0)
        notices = (
            *_unknown(raw.image_row < 0, "image", raw, path, strict),
            *_unknown((raw.class_row < 0) & (raw.image_row >= 0), "class", raw, path, strict),
        )
        if not known.any():
            notices = (*notices, _nothing_fits(raw, dataset, path))
    detections = Detections.of(
        default_name(path) if name is None else name,
        len(dataset.images),
        image_row=owned(raw.image_row[known]),
        class_row=owned(raw.class_row[known]),
        box=owned(raw.box[known]),
        score=owned(raw.score[known]),
        source=Source.of(path, format_name, files),
        known_classes=known_classes,
        checked=True,
    )
    return replace(detections, notices=(*notices, *lacking_classes(dataset, detections)))


def _nothing_fits(raw: RawDetections, dataset: Dataset, path: Path) -> Notice:
    """Not one detection belongs to the data set: zeros alone would mislead."""
    what = "image" if (raw.image_row < 0).all() else "class"
    ids = (dataset.images.id if what == "image" else dataset.classes.id).tolist()
    shown = ", ".join(repr(key) for key in ids[:3])
    message = (
        f"{path}: none of the {len(raw.box):,} detections matches this ground truth, whose {what} "
        f"ids are {shown}{' ...' if len(ids) > 3 else ''}; do they belong to another data set?"
    )
    return Notice("nothing_fits", len(raw.box), message)


def check_boxes(box: Boxes, path: Path, describe: Callable[[int], str]) -> None:
    """Refuses NaN, infinity and negative sizes, naming the record."""
    if _all_sound(box):
        return
    bad = ~np.isfinite(box).all(axis=1) | (box[:, 2:] < 0).any(axis=1)
    if not bad.any():
        return
    row = int(np.flatnonzero(bad)[0])
    problem = "negative width or height" if np.isfinite(box[row]).all() else "not a finite number"
    raise Place(path, describe(row)).error(
        f"box {box[row].tolist()}: {problem}",
        "Boxes are x, y, width, height; width and height must be 0 or more",
    )


def _all_sound(box: Boxes) -> bool:
    """A cheap look at whole columns: nearly every file passes, and strided access is dear."""
    if len(box) == 0:
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(box.sum()):
            return False
    return bool(box.min() >= 0 or (box[:, 2].min() >= 0 and box[:, 3].min() >= 0))


def check_scores(score: Floats, path: Path, describe: Callable[[int], str]) -> None:
    """Refuses scores that cannot be ranked, naming the record."""
    with np.errstate(over="ignore", invalid="ignore"):
        if len(score) == 0 or np.isfinite(score.sum()):
            return
    bad = np.flatnonzero(~np.isfinite(score))
    if len(bad):
        raise Place(path, describe(int(bad[0]))).error(
            f"score {score[bad[0]]} is not a finite number", "Every detection needs a finite score"
        )


def _unknown(
    unknown: npt.NDArray[np.bool_],
    what: str,
    raw: RawDetections,
    path: Path,
    strict: bool,
) -> tuple[Notice, ...]:
    count = int(np.count_nonzero(unknown))
    if count == 0:
        return ()
    example = raw.describe(int(np.argmax(unknown)))
    if strict:
        raise Place(path, example).error(
            f"{what} not in the ground truth",
            "Evaluate against the matching ground truth, or without --strict to skip it",
        )
    total = f"{count:,} of {counted(len(unknown), 'detection')}"
    message = f"{path}: skipped {total}, whose {what} is not in the ground truth"
    return (Notice(f"unknown_{what}", count, f"{message} (first: {example})"),)

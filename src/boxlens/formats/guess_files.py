"""Ranked guesses from a CSV file: image, class, and where there are boxes x, y, w, h."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice, Source
from boxlens.data.boxes import xywh_from_corners
from boxlens.data.columns import take
from boxlens.errors import InputError
from boxlens.formats.border import check_boxes
from boxlens.formats.files import existing_file, stem
from boxlens.formats.image_names import rows_of_names
from boxlens.formats.open_images.table import (
    finite_numbers,
    line_of,
    read_csv,
    refuse_empty,
    refuse_json,
)
from boxlens.wording import counted

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    import polars as pl

    from boxlens.data import Classes, Dataset, Images
    from boxlens.data.columns import Bools, Boxes, Rows

BOX = ("x", "y", "w", "h")
CORNERS = ("x1", "y1", "x2", "y2")


@dataclass(frozen=True, slots=True)
class GuessColumns:
    """One row per guess, grouped by image, best first; boxes are NaN where there are none."""

    name: str
    n_images: int
    image_row: Rows
    class_row: Rows
    box: Boxes
    source: Source
    notices: tuple[Notice, ...]


def read_guesses(
    path: str | PathLike[str], dataset: Dataset, *, name: str | None = None, strict: bool = False
) -> GuessColumns:
    """Images by id, file name or stem, classes by name or id; `score` ranks, else the lines do."""
    file = existing_file(path)
    refuse_json(
        file, "guesses", "Detections are guesses, too: name them as detections (--detections)"
    )
    frame = read_csv(file, text=("image", "class"), optional_numbers=(*BOX, *CORNERS, "score"))
    images, classes = dataset.images, dataset.classes
    image_row = _image_rows(frame["image"].str.strip_chars(), images)
    class_row = _class_rows(frame["class"].str.strip_chars(), classes, frame, file)
    box = _boxes(frame, file)
    known = (image_row >= 0) & (class_row >= 0)
    notices = (
        *_unknown(image_row < 0, "image", frame, file, strict),
        *_unknown((class_row < 0) & (image_row >= 0), "class", frame, file, strict),
        *_nothing_left(known, dataset, image_row, file),
    )
    rows = np.flatnonzero(known)
    if "score" in frame.columns:
        rows = rows[np.argsort(-_scores(frame, file)[rows], kind="stable")]
    rows = rows[np.argsort(image_row[rows], kind="stable")]
    return GuessColumns(
        name=stem(file) if name is None else name,
        n_images=len(images),
        image_row=take(image_row, rows),
        class_row=take(class_row, rows),
        box=take(box, rows),
        source=Source.of(file, "guesses"),
        notices=notices,
    )


def _image_rows(cells: pl.Series, images: Images) -> Rows:
    """The row of every cell, -1 where it is unknown."""
    texts = cells.unique().to_list()
    row_of = dict(zip(texts, rows_of_names(texts, images), strict=True))
    return _looked_up(cells, row_of)


def _class_rows(cells: pl.Series, classes: Classes, frame: pl.DataFrame, path: Path) -> Rows:
    """The same by name, then by id; a name of two classes is refused."""
    by_id = {str(key): row for row, key in enumerate(classes.id.tolist())}
    twice = {name for name, count in Counter(classes.name).items() if count > 1}
    unclear = cells.is_in(sorted(twice)).to_numpy()
    if unclear.any():
        row = int(np.argmax(unclear))
        raise InputError(
            f"the name {cells[row]!r} is not unique",
            path=path,
            where=f"{line_of(row, frame)}, column class",
            remedy="Give their ids instead",
        )
    return _looked_up(cells, by_id | classes.row_of_name())


def _looked_up(cells: pl.Series, row_of: dict[str, int]) -> Rows:
    import polars as pl

    found = cells.replace_strict(
        list(row_of), list(row_of.values()), default=-1, return_dtype=pl.Int32()
    )
    rows: Rows = found.to_numpy()
    return rows


def _boxes(frame: pl.DataFrame, path: Path) -> Boxes:
    columns = CORNERS if set(CORNERS) & set(frame.columns) else BOX
    there = [name for name in columns if name in frame.columns]
    if not there:
        return np.full((len(frame), 4), np.nan)
    missing = [name for name in columns if name not in there]
    if missing:
        raise InputError(
            f"has {', '.join(there)}, but missing column {', '.join(missing)}",
            path=path,
            where="line 1",
            remedy="Boxes are x, y, w, h or x1, y1, x2, y2 in pixels; omit them if there are only "
            "classes",
        )
    given = np.stack([frame[name].is_not_null().to_numpy() for name in columns], axis=1)
    box = np.stack([frame[name].cast(float).to_numpy() for name in columns], axis=1)
    if columns is CORNERS:
        box = xywh_from_corners(box)
    partly = given.any(axis=1) & ~given.all(axis=1)
    if partly.any():
        row = int(np.argmax(partly))
        raise InputError(
            f"a box lacks some of {', '.join(columns)}",
            path=path,
            where=line_of(row, frame),
            remedy="Fill in all four, or leave all four empty",
        )
    boxed = np.flatnonzero(given[:, 0])
    check_boxes(box[boxed], path, lambda at: line_of(int(boxed[at]), frame))
    return box


def _scores(frame: pl.DataFrame, path: Path) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    refuse_empty(frame, ["score"], path, "Give every guess a score, or remove the column")
    return finite_numbers(frame, "score", path)


def _unknown(
    unknown: Bools, what: str, frame: pl.DataFrame, path: Path, strict: bool
) -> tuple[Notice, ...]:
    count = int(np.count_nonzero(unknown))
    if count == 0:
        return ()
    row = int(np.argmax(unknown))
    if strict:
        raise InputError(
            f"{what} {frame[what][row]!r} is not in the ground truth",
            path=path,
            where=line_of(row, frame),
            remedy="Use the matching ground truth, or omit --strict to skip it",
        )
    message = (
        f"{path}: skipped {count:,} of {counted(len(unknown), 'guess', 'guesses')}, whose {what} "
        f"is not in the ground truth (first: {line_of(row, frame)}, {frame[what][row]!r})"
    )
    return (Notice(f"unknown_{what}", count, message),)


def _nothing_left(
    known: Bools, dataset: Dataset, image_row: Rows, path: Path
) -> tuple[Notice, ...]:
    if known.any():
        return ()
    if len(known) == 0:
        return (Notice("no_guesses", 0, f"{path}: no guesses"),)
    images_fit = bool((image_row >= 0).any())
    named = any(dataset.images.file_name)
    images = dataset.images.file_name if named else map(str, dataset.images.id.tolist())
    some = dataset.classes.name[:3] if images_fit else list(images)[:3]
    message = (
        f"{path}: none of the {len(known):,} guesses matches this ground truth, whose "
        f"{'classes' if images_fit else 'images'} are {', '.join(some)} ..."
    )
    return (Notice("nothing_fits", len(known), message),)

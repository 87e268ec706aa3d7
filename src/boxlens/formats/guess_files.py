"""Ranked guesses from a CSV file: image, class, and where there are boxes x, y, w, h."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice, Source
from boxlens.data.columns import take
from boxlens.errors import InputError
from boxlens.formats.border import check_boxes
from boxlens.formats.files import existing_file, stem
from boxlens.formats.open_images.table import finite_numbers, line_of, read_csv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from pathlib import Path

    import polars as pl

    from boxlens.data import Dataset
    from boxlens.data.columns import Bools, Boxes, Ids, Rows

BOX = ("x", "y", "w", "h")


@dataclass(frozen=True, slots=True)
class GuessColumns:
    """One row a guess, grouped by image, best first; boxes are NaN where there are none."""

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
    """Images by id or file name, classes by name or id; `score` ranks, else the order of lines."""
    file = existing_file(path)
    frame = read_csv(file, text=("image", "class"), optional_numbers=(*BOX, "score"))
    images, classes = dataset.images, dataset.classes
    image_row = _rows(frame, "image", images.file_name, images.id, file, ids_first=True)
    class_row = _rows(frame, "class", classes.name, classes.id, file, ids_first=False)
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


def _rows(
    frame: pl.DataFrame,
    column: str,
    names: Sequence[str],
    ids: Ids,
    path: Path,
    *,
    ids_first: bool,
) -> Rows:
    """The row of every cell, -1 where it is unknown; what could be two rows is refused."""
    import polars as pl

    by_name = {name: row for row, name in enumerate(names)}
    by_id = {str(key): row for row, key in enumerate(ids.tolist())}
    row_of = {**by_name, **by_id} if ids_first else {**by_id, **by_name}
    cells = frame[column].str.strip_chars()
    twice = {name for name, count in Counter(names).items() if count > 1}
    twice -= by_id.keys() if ids_first else set()
    if twice:
        unclear = cells.is_in(sorted(twice)).to_numpy()
        if unclear.any():
            row = int(np.argmax(unclear))
            raise InputError(
                f"several have the name {cells[row]!r}",
                path=path,
                where=f"{line_of(row, frame)}, column {column}",
                remedy="Give their ids instead",
            )
    found = cells.replace_strict(
        list(row_of), list(row_of.values()), default=-1, return_dtype=pl.Int32()
    )
    rows: Rows = found.to_numpy()
    return rows


def _boxes(frame: pl.DataFrame, path: Path) -> Boxes:
    there = [name for name in BOX if name in frame.columns]
    if not there:
        return np.full((len(frame), 4), np.nan)
    missing = [name for name in BOX if name not in there]
    if missing:
        raise InputError(
            f"has {', '.join(there)}, but no column {', '.join(missing)}",
            path=path,
            where="line 1",
            remedy="Boxes are x, y, w, h in pixels; leave all four out for classes alone",
        )
    given = np.stack([frame[name].is_not_null().to_numpy() for name in BOX], axis=1)
    box = np.stack([frame[name].cast(float).to_numpy() for name in BOX], axis=1)
    partly = given.any(axis=1) & ~given.all(axis=1)
    if partly.any():
        row = int(np.argmax(partly))
        raise InputError(
            "a box lacks some of x, y, w, h",
            path=path,
            where=line_of(row, frame),
            remedy="Fill in all four, or leave all four empty",
        )
    boxed = np.flatnonzero(given[:, 0])
    check_boxes(box[boxed], path, lambda at: line_of(int(boxed[at]), frame))
    return box


def _scores(frame: pl.DataFrame, path: Path) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if frame["score"].null_count():
        row = int(np.argmax(frame["score"].is_null().to_numpy()))
        raise InputError(
            "score is empty",
            path=path,
            where=line_of(row, frame),
            remedy="Give every guess a score, or leave the column out",
        )
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
            remedy="Use the matching ground truth, or leave --strict out to skip it",
        )
    message = (
        f"{path}: skipped {count:,} of {len(unknown):,} guesses, whose {what} is not in the "
        f"ground truth (first: {line_of(row, frame)}, {frame[what][row]!r})"
    )
    return (Notice(f"unknown_{what}", count, message),)


def _nothing_left(
    known: Bools, dataset: Dataset, image_row: Rows, path: Path
) -> tuple[Notice, ...]:
    if known.any():
        return ()
    if len(known) == 0:
        return (Notice("no_guesses", 0, f"{path}: holds no guesses"),)
    images_fit = bool((image_row >= 0).any())
    some = dataset.classes.name[:3] if images_fit else map(str, dataset.images.id.tolist()[:3])
    message = (
        f"{path}: NONE of the {len(known):,} guesses fits this ground truth, whose "
        f"{'classes' if images_fit else 'images'} are {', '.join(some)} ..."
    )
    return (Notice("nothing_fits", len(known), message),)

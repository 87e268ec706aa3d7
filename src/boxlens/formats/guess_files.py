"""Ranked guesses from a CSV file: image, class, and where there are boxes x, y, w, h."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Classes, Dataset, Images, Notice, Source
from boxlens.data.boxes import xywh_from_corners
from boxlens.data.columns import Bools, Boxes, Rows, take
from boxlens.data.image_names import rows_of_names
from boxlens.formats.border import check_boxes
from boxlens.formats.csv_tables import CsvTable, read_csv, refuse_json
from boxlens.formats.files import existing_file, stem
from boxlens.formats.places import Place
from boxlens.wording import counted

if TYPE_CHECKING:
    import polars as pl

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
    refuse_json(file, "guesses", "Detections are guesses, too: name them as detections (--dt)")
    table = read_csv(file, text=("image", "class"), optional_numbers=(*BOX, *CORNERS, "score"))
    images, classes = dataset.images, dataset.classes
    image_row = _image_rows(table["image"].str.strip_chars(), images)
    class_row = _class_rows(table["class"].str.strip_chars(), classes, table)
    box = _boxes(table)
    known = (image_row >= 0) & (class_row >= 0)
    notices = (
        *_unknown(image_row < 0, "image", table, strict),
        *_unknown((class_row < 0) & (image_row >= 0), "class", table, strict),
        *_nothing_left(known, dataset, image_row, file),
    )
    rows = np.flatnonzero(known)
    if "score" in table:
        table.refuse_empty(["score"], "Give every guess a score, or remove the column")
        rows = rows[np.argsort(-table.finite("score")[rows], kind="stable")]
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


def _class_rows(cells: pl.Series, classes: Classes, table: CsvTable) -> Rows:
    """The same by name, then by id; a name of two classes is refused."""
    by_id = {str(key): row for row, key in enumerate(classes.id.tolist())}
    twice = {name for name, count in Counter(classes.name).items() if count > 1}
    table.refuse(
        cells.is_in(sorted(twice)).to_numpy(),
        lambda row: f"the name {cells[row]!r} is not unique",
        "Give their ids instead",
        cell="column class",
    )
    return _looked_up(cells, by_id | classes.row_of_name())


def _looked_up(cells: pl.Series, row_of: dict[str, int]) -> Rows:
    import polars as pl

    found = cells.replace_strict(
        list(row_of), list(row_of.values()), default=-1, return_dtype=pl.Int32()
    )
    rows: Rows = found.to_numpy()
    return rows


def _boxes(table: CsvTable) -> Boxes:
    columns = CORNERS if any(name in table for name in CORNERS) else BOX
    there = [name for name in columns if name in table]
    if not there:
        return np.full((len(table), 4), np.nan)
    missing = [name for name in columns if name not in there]
    if missing:
        raise Place(table.path, "line 1").error(
            f"has {', '.join(there)}, but missing column {', '.join(missing)}",
            "Boxes are x, y, w, h or x1, y1, x2, y2 in pixels; omit them if there are only classes",
        )
    given = np.stack([table[name].is_not_null().to_numpy() for name in columns], axis=1)
    box = np.stack([table[name].cast(float).to_numpy() for name in columns], axis=1)
    if columns is CORNERS:
        box = xywh_from_corners(box)
    table.refuse(
        np.asarray(given.any(axis=1) & ~given.all(axis=1)),
        f"a box lacks some of {', '.join(columns)}",
        "Fill in all four, or leave all four empty",
    )
    boxed = np.flatnonzero(given[:, 0])
    check_boxes(box[boxed], table.path, lambda at: table.line(int(boxed[at])))
    return box


def _unknown(unknown: Bools, what: str, table: CsvTable, strict: bool) -> tuple[Notice, ...]:
    count = int(np.count_nonzero(unknown))
    if count == 0:
        return ()
    row = int(np.argmax(unknown))
    name = table[what][row]
    if strict:
        remedy = "Use the matching ground truth, or omit --strict to skip it"
        table.refuse(unknown, f"{what} {name!r} is not in the ground truth", remedy)
    total = counted(len(unknown), "guess", "guesses")
    message = (
        f"{table.path}: skipped {count:,} of {total}, whose {what} is not in the ground truth "
        f"(first: {table.line(row)}, {name!r})"
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

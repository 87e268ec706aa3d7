"""Ranked windows from files: COCO results with or without classes, CSV, Parquet, MAT.

Windows of an image go by falling score, or as is asked for; equal scores and files without scores
as they stand. A box of zeros (0, 0, 0, 0) is not a window: it says that its image was searched and
nothing found.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from boxlens.data import Dataset, Notice, Source
from boxlens.data.columns import Bools, Offsets, owned
from boxlens.data.windows import Windows
from boxlens.errors import InputError, ParameterError
from boxlens.formats.border import check_boxes, check_scores
from boxlens.formats.files import existing, stem
from boxlens.formats.places import Place
from boxlens.formats.sniff_content import file_head
from boxlens.formats.window_layouts import RawWindows, from_csv, from_json, from_parquet
from boxlens.formats.window_mat_files import MAT_HEADS, from_mat_file, from_mat_folder, holds_runs
from boxlens.wording import counted

Order = Literal["descending", "ascending", "given", "shuffled"]

NOTHING_FOUND = (0.0, 0.0, 0.0, 0.0)
# A box that ends beyond this is no fraction of its image, even if it overshoots it.
_FARTHEST_FRACTION = 2.0


def read_windows(
    path: str | PathLike[str],
    dataset: Dataset,
    *,
    limit: int | None = 1000,
    name: str | None = None,
    threads: int = 0,
    order: Order = "descending",
    seed: int = 0,
    run_for: int | None = None,
) -> Windows:
    """The best windows of each image, `limit` at most; images that the file lacks are marked.

    A folder has one MAT file per image. `order` is that of the scores, or of the file, or random
    by `seed` (METHODS 6.1). Of several runs of a method the one for the number nearest to
    `run_for`, else to `limit`, is taken.
    """
    if limit is not None and limit < 1:
        raise ParameterError(f"expected 1 or more windows per image, got {limit}")
    if order not in get_args(Order):
        raise ParameterError(f"unknown order '{order}': choose {', '.join(get_args(Order))}")
    source = existing(path)
    raw = _raw_windows(source, dataset, limit if run_for is None else run_for, threads)
    check_boxes(raw.box, source, raw.describe)
    if raw.score is not None:
        check_scores(raw.score, source, raw.describe)
    _refuse_pixels_without_size(raw, dataset, source)
    n_images = len(dataset.images)
    known = raw.image_row >= 0
    searched = np.zeros(n_images, dtype=np.bool_)
    searched[raw.image_row[known]] = True
    # Before boxes are put in order: there are many of them, and this takes room, too.
    notices = tuple(_notices(raw, dataset, searched, source))
    rows = np.flatnonzero(known & (raw.box != NOTHING_FOUND).any(axis=1))
    rows = _ordered(rows.astype(np.int64), raw, dataset, order, seed, source)
    image_row, box = raw.image_row, raw.box
    if not _as_they_stand(rows, len(box)):
        image_row, box = image_row[rows], box[rows]
    windows = Windows.of(
        stem(source) if name is None else name,
        n_images,
        image_row=image_row,
        box=owned(box),
        searched=searched,
        source=Source.of(source, raw.format, raw.files),
        notices=notices,
    )
    return windows if limit is None else windows.limited(limit)


def _as_they_stand(rows: Offsets, n: int) -> bool:
    """Most files have their windows in order: the largest table of all need not be copied."""
    return len(rows) == n and bool((rows[1:] > rows[:-1]).all())


def has_runs(path: str | PathLike[str]) -> bool:
    """Does it have several runs of a method, each for another number of windows?"""
    source = existing(path)
    if source.is_dir() or file_head(source).startswith(MAT_HEADS):
        return holds_runs(source)
    return False


def _raw_windows(path: Path, dataset: Dataset, limit: int | None, threads: int) -> RawWindows:
    """Recognised by content: MAT, Parquet, JSON, or else a text table."""
    if path.is_dir():
        return from_mat_folder(path, dataset, limit)
    head = file_head(path)
    if head.startswith(MAT_HEADS):
        return from_mat_file(path, dataset, limit)
    if head.startswith(b"PAR1"):
        return from_parquet(path, dataset)
    if head.lstrip()[:1] in (b"[", b"{"):
        return from_json(path, dataset, threads)
    return from_csv(path, dataset)


def _ordered(
    rows: Offsets, raw: RawWindows, dataset: Dataset, order: Order, seed: int, path: Path
) -> Offsets:
    """Sorted by image, then by score; both stably."""
    image = raw.image_row[rows]
    if order == "shuffled":
        keys = [zlib.crc32(str(key).encode()) for key in dataset.images.id.tolist()]
        rows = rows[np.argsort(image, kind="stable")]
        parts = np.split(rows, np.cumsum(np.bincount(image, minlength=len(keys)))[:-1])
        # Each image has a stream of its own: what other images hold does not matter.
        shuffled = [
            np.random.default_rng([seed, key]).permutation(part)
            for key, part in zip(keys, parts, strict=True)
        ]
        return np.concatenate([rows[:0], *shuffled])
    if raw.score is None or order == "given":
        if order == "ascending":
            remedy = "Choose the order given, or shuffled"
            raise InputError(
                "windows by rising score, but there are no scores", path=path, remedy=remedy
            )
        return rows
    score = raw.score[rows]
    return rows[np.lexsort((score if order == "ascending" else -score, image))]


def _refuse_pixels_without_size(raw: RawWindows, dataset: Dataset, path: Path) -> None:
    """Objects of an image without size are fractions of it, and so must its windows be."""
    if not dataset.relative:
        return
    unsized: Bools = np.isnan(dataset.images.known_sizes()[:, 0])
    asked = (raw.image_row >= 0) & unsized[raw.image_row]
    pixels = np.flatnonzero(asked & ((raw.box[:, :2] + raw.box[:, 2:]) > _FARTHEST_FRACTION).any(1))
    if len(pixels):
        raise Place(path, raw.describe(int(pixels[0]))).error(
            "a window in pixels, but the boxes of this image are fractions of its unknown size",
            "Give the ground truth the sizes of its images, or windows as fractions",
        )


def _notices(raw: RawWindows, dataset: Dataset, searched: Bools, path: Path) -> Iterator[Notice]:
    n, n_images = len(raw.box), len(dataset.images)
    yield from raw.notices
    unknown = raw.image_row < 0
    n_unknown = int(unknown.sum())
    if n == 0:
        yield Notice("no_windows", 0, f"{path}: no windows")
    if n_unknown:
        first = raw.describe(int(np.argmax(unknown)))
        what = f"skipped {n_unknown:,} of {counted(n, 'window')} of unknown images"
        if n_unknown == n:
            shown = ", ".join(repr(key) for key in dataset.images.id[:3].tolist())
            what = (
                f"none of the {n:,} windows matches this ground truth, with image ids like {shown}"
            )
        yield Notice("unknown_image", n_unknown, f"{path}: {what} (first: {first})")
    outside = np.flatnonzero(_outside(raw, dataset))
    if len(outside):
        first = raw.describe(int(outside[0]))
        what = f"{len(outside):,} of {counted(n, 'window')} outside the image or without area"
        message = f"{path}: {what}, which can find nothing (first: {first})"
        yield Notice("outside_image", len(outside), message)
    n_missing = n_images - int(searched.sum())
    if n_missing:
        message = f"{path}: no windows for {n_missing:,} of {counted(n_images, 'image')}"
        yield Notice("not_searched", n_missing, message)


def _outside(raw: RawWindows, dataset: Dataset) -> Bools:
    """Windows that no object of their image can overlap."""
    size = dataset.images.known_sizes()
    frame = np.ones_like(size) if dataset.relative else np.where(np.isnan(size), np.inf, size)
    known = raw.image_row >= 0
    low, side = raw.box[:, :2], raw.box[:, 2:]
    beyond = low >= np.vstack([frame, [[np.inf, np.inf]]])[raw.image_row]
    apart = (beyond | (low + side <= 0) | (side <= 0)).any(axis=1)
    outside: Bools = known & apart & (raw.box != NOTHING_FOUND).any(axis=1)
    return outside

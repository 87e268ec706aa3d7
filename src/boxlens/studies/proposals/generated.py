"""Windows that a generator finds in the pictures of a data set, in the frame of its boxes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from boxlens.data import Dataset, Notice, counted_notice
from boxlens.data.columns import Floats
from boxlens.data.windows import Windows
from boxlens.detectors.run import journal_path
from boxlens.detectors.run_result import RunResult
from boxlens.errors import InputError
from boxlens.formats.files import read_json, write_text
from boxlens.formats.unfinished import kept_or_scratch
from boxlens.formats.window_files import read_windows
from boxlens.images import ImageFiles
from boxlens.images.sizes import upright_size
from boxlens.progress import Progress
from boxlens.studies.proposals.generate import generate_windows, seconds_per_image
from boxlens.studies.proposals.generators.protocols import Generator

# A scaled copy of a picture has its sides rounded to pixels; another picture has other sides.
SAME_SHAPE = 0.02


class GeneratedWindows(NamedTuple):
    windows: Windows
    # On one core; None where a file of an older run does not say.
    seconds_per_image: float | None


def generated_windows(
    generator: Generator,
    files: ImageFiles,
    dataset: Dataset,
    limit: int,
    *,
    keep: Path | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> GeneratedWindows:
    """The best windows of each picture; in the folder `keep` they stay and are used again."""
    with kept_or_scratch(keep) as place:
        output = place / _file_name(generator, files, limit)
        failed = _searched(generator, files, output, limit, workers, progress)
        seconds = seconds_per_image(output)
        # As they were found: in pixels of the pictures, whose sizes may be others.
        unknown = np.full(len(dataset.images), np.nan)
        images = replace(dataset.images, width_px=unknown, height_px=unknown)
        in_pixels = replace(dataset, relative=False, images=images)
        windows = read_windows(output, in_pixels, limit=limit, name=generator.name)
    framed = _in_frame(windows, dataset, files)
    found = replace(
        framed,
        made_by=generator.identity,
        # Of a temporary file nothing is left to be named.
        source=None if keep is None else windows.source,
        notices=(*windows.notices, *framed.notices, *failed),
    )
    return GeneratedWindows(found, seconds)


def _searched(
    generator: Generator,
    files: ImageFiles,
    output: Path,
    limit: int,
    workers: int,
    progress: Progress | None,
) -> tuple[Notice, ...]:
    """Makes the file, unless it is there; failures are reported in either case."""
    beside = output.with_suffix(".failed.json")

    def keep_failures(run: RunResult) -> None:
        if run.failed:
            write_text(beside, json.dumps([[one.file, one.reason] for one in run.failed]))

    if not output.exists() or journal_path(output).exists():
        generate_windows(
            generator,
            files,
            output,
            limit=limit,
            workers=workers,
            before_tidying=keep_failures,
            progress=progress,
        )
    failed = _failed(beside) if beside.exists() else []
    first = ": ".join(failed[0]) if failed else ""
    not_searched = f"could not be searched (first: {first})"
    return counted_notice(
        "picture_failed", len(failed), f"pictures {not_searched}", f"picture {not_searched}"
    )


def _failed(path: Path) -> list[list[str]]:
    """File and reason of every picture that could not be searched."""
    failed = read_json(path)
    if isinstance(failed, list) and all(isinstance(one, list) and len(one) == 2 for one in failed):
        return failed
    raise InputError(
        "not a list of pictures that failed", path=path, remedy="Remove it and its windows"
    )


def _file_name(generator: Generator, files: ImageFiles, limit: int) -> str:
    """Changes with the method, its settings and the pictures."""
    states = [(one.st_size, one.st_mtime_ns) for one in (path.stat() for path in files.paths)]
    text = repr((generator.identity, limit, files.ids.tolist(), files.names, states))
    return f"windows-{generator.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"


def _in_frame(windows: Windows, dataset: Dataset, files: ImageFiles) -> Windows:
    """Scaled from the pictures to where objects have their boxes.

    A picture of another shape than the ground truth says is another picture: not searched.
    """
    picture = _picture_sizes(dataset, files)
    said = dataset.images.known_sizes()
    frame = np.ones_like(said) if dataset.relative else np.where(np.isnan(said), picture, said)
    factor = frame / picture
    apart = np.abs(said[:, 0] * picture[:, 1] / (said[:, 1] * picture[:, 0]) - 1) > SAME_SHAPE
    other = windows.searched & apart
    scaled = windows.searched & ~apart & (said != picture).any(axis=1) & ~np.isnan(said[:, 0])
    factor[~np.isfinite(factor).all(axis=1)] = 1.0
    image_row = np.repeat(np.arange(windows.n_images), np.diff(windows.offsets))
    keep = ~other[image_row]
    box = windows.box[keep] * np.tile(factor, 2)[image_row[keep]]
    return Windows.of(
        windows.name,
        windows.n_images,
        image_row=image_row[keep],
        box=box,
        searched=windows.searched & ~other,
        notices=_told(int(scaled.sum()), int(other.sum())),
    )


def _picture_sizes(dataset: Dataset, files: ImageFiles) -> Floats:
    """Width and height of each image's picture; NaN where it has none."""
    sizes = np.full((len(dataset.images), 2), np.nan)
    row_of = dataset.images.row_of_id()
    for key, path in zip(files.ids.tolist(), files.paths, strict=True):
        size = upright_size(path)
        if size is not None:
            sizes[row_of[key]] = size
    return sizes


def _told(n_scaled: int, n_other: int) -> tuple[Notice, ...]:
    scaled = (
        "differ in size from the ground truth, which knows the size before scaling: their "
        "proposals were scaled back"
    )
    skipped = "skipped: another shape than the ground truth says, so another picture"
    return (
        *counted_notice("another_size", n_scaled, f"pictures {scaled}", f"picture {scaled}"),
        *counted_notice("another_shape", n_other, f"pictures {skipped}", f"picture {skipped}"),
    )

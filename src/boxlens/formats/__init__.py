"""Files in, tables out, and back: one front over every format, each loaded only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from boxlens.errors import ParameterError
from boxlens.formats import files
from boxlens.limits import THREADS
from boxlens.progress import Progress

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections, Notice

__all__ = [
    "FORMATS",
    "Format",
    "read_dataset",
    "read_detections",
    "read_images",
    "write_dataset",
    "write_detections",
]


@dataclass(frozen=True, slots=True)
class Format:
    """A format Boxlens reads and writes, and what it can hold."""

    title: str
    module: str
    ground_truth: bool = True
    detections: bool = True
    # Its detections tell which classes the detector knows.
    known_classes: bool = False


FORMATS: Mapping[str, Format] = {
    "coco": Format(
        title="COCO JSON: one file of ground truth, one of results",
        module="boxlens.formats.coco",
    ),
    "lvis": Format(
        title="LVIS JSON: COCO with frequencies, negative and non-exhaustive classes",
        module="boxlens.formats.lvis",
    ),
    "ultralytics": Format(
        title="Ultralytics predictions.json: results that name images by their file",
        module="boxlens.formats.ultralytics",
        ground_truth=False,
    ),
    "voc": Format(
        title="Pascal VOC: a folder of XML annotations, one result file per class",
        module="boxlens.formats.voc",
        known_classes=True,
    ),
    "yolo": Format(
        title="YOLO: a folder with one text file of labels per image, and data.yaml or classes.txt",
        module="boxlens.formats.yolo",
    ),
    "openimages": Format(
        title="Open Images CSV: boxes, image labels, class descriptions, hierarchy",
        module="boxlens.formats.open_images",
    ),
    "parquet": Format(
        title="Boxlens Parquet: a folder of tables, or one file of detections; the fastest",
        module="boxlens.formats.parquet",
        known_classes=True,
    ),
}


def read_dataset(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    split: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """Reads ground truth of any format.

    `path` is a file or folder; without `format` ("coco", "voc", "yolo" ...) it is recognised by
    content. `split` is a part of the data set, such as "test" (VOC, YOLO). `threads` worker threads
    read, 0: one per core. `progress` is called with what is being done, how much is done, and of
    how much.

    >>> dataset = read_dataset(gt)
    >>> dataset.name, len(dataset.images), len(dataset.gt)
    ('ground_truth', 200, 1456)
    """
    from boxlens.formats.sniff import sniff_dataset

    THREADS.check(threads, "threads (--threads)")
    found = files.existing(path)
    with files.reading(path):
        name = sniff_dataset(found) if format is None else format
        entry = known_format(name, ground_truth=True)
        read = _module(entry).read_dataset
        options = _taken(read, split=split, threads=threads, progress=progress)
        if split is not None and "split" not in options:
            raise ParameterError(f"format '{name}' has no splits: remove split {split!r}")
        dataset: Dataset = read(found, **options)
    return dataset


def read_images(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    split: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """Images and classes of a data set, without its objects: a COCO file may lack them."""
    from boxlens.formats.sniff import sniff_dataset

    THREADS.check(threads, "threads (--threads)")
    found = files.existing(path)
    with files.reading(path):
        name = sniff_dataset(found) if format is None else format
    if name == "coco":
        from boxlens.formats import coco

        return coco.read_images(found, threads=threads)
    dataset = read_dataset(path, format=name, split=split, threads=threads, progress=progress)
    return dataset.where(dataset.gt.image_row < 0)


def read_detections(
    path: str | PathLike[str],
    dataset: Dataset,
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    name: str | None = None,
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Detections:
    """Reads a detector's output on the images of `dataset`.

    `path` is a file or folder; without `format` it is recognised by content. `name` is what the
    detector is called, else its file's name. Unknown images and classes are skipped with a notice,
    or an error if `strict`. `threads` and `progress` are those of `read_dataset`.

    >>> detections = read_detections(dt, read_dataset(gt))
    >>> detections.name, len(detections), detections.box[0].tolist()
    ('window', 7176, [448.0, 104.0, 24.0, 80.0])
    """
    from boxlens.formats.sniff import sniff_detections

    THREADS.check(threads, "threads (--threads)")
    found = files.existing(path)
    with files.reading(path):
        format_name = sniff_detections(found) if format is None else format
        entry = known_format(format_name, detections=True)
        read = _module(entry).read_detections
        options = _taken(read, threads=threads, progress=progress)
        detections: Detections = read(found, dataset, name=name, strict=strict, **options)
    return detections


def write_dataset(
    dataset: Dataset,
    path: str | PathLike[str],
    format: str,  # noqa: A002 - the word users know
    *,
    strict_coco: bool = False,
) -> tuple[Notice, ...]:
    """Writes ground truth; the notices name what the format cannot hold.

    `dataset` goes to `path`, a file or a new folder, as `format` ("coco", "voc", "yolo" ...).
    `strict_coco` writes COCO without the fields by which Boxlens keeps what COCO does not know.

    >>> dogs = read_dataset(gt).select_classes([4])
    >>> write_dataset(dogs, "dogs.json", "coco")
    ()
    """
    entry = known_format(format, ground_truth=True)
    if not strict_coco:
        return _module(entry).write_dataset(dataset, Path(path)) or ()
    if format != "coco":
        raise ParameterError(f"--strict-coco applies to 'coco', not to '{format}'")
    from boxlens.formats import coco

    return coco.write_dataset(dataset, path, strict=True)


def write_detections(
    detections: Detections,
    dataset: Dataset,
    path: str | PathLike[str],
    format: str,  # noqa: A002 - the word users know
) -> tuple[Notice, ...]:
    """Writes detections with the ids of `dataset`; the notices name what the format cannot hold.

    `detections` go to `path`, a file or a new folder, as `format` ("coco", "voc", "yolo" ...).

    >>> dataset = read_dataset(gt)
    >>> sure = read_detections(dt, dataset).where(lambda table: table.score >= 0.5)
    >>> write_detections(sure, dataset, "sure.json", "coco")
    ()
    """
    entry = known_format(format, detections=True)
    _refuse_infinite(detections)
    notices: tuple[Notice, ...] = _module(entry).write_detections(detections, dataset, Path(path))
    return (*(notices or ()), *_lost_knowledge(detections, dataset, Path(path), entry))


def _lost_knowledge(
    detections: Detections, dataset: Dataset, path: Path, entry: Format
) -> tuple[Notice, ...]:
    """Most formats hold detections alone, not the classes a detector knows."""
    known = detections.known_classes
    if entry.known_classes or known is None or len(known) == len(dataset.classes):
        return ()
    from boxlens.formats.losses import loss

    n_unknown = len(dataset.classes) - len(known)
    what = "the classes the detector does not know"
    return (loss(path, entry.title.partition(":")[0], "known_classes", n_unknown, what),)


def known_format(name: str, *, ground_truth: bool = False, detections: bool = False) -> Format:
    """The format of a name, which must hold what is asked for."""
    if name not in FORMATS:
        raise ParameterError(f"unknown format '{name}': choose one of {', '.join(FORMATS)}")
    entry = FORMATS[name]
    for wanted, held, what in (
        (ground_truth, entry.ground_truth, "ground truth"),
        (detections, entry.detections, "detections"),
    ):
        if wanted and not held:
            raise ParameterError(f"format '{name}' cannot hold {what}")
    return entry


def _refuse_infinite(detections: Detections) -> None:
    """Tables that were changed by hand may hold what no reader lets in."""
    import numpy as np

    finite = np.isfinite(detections.box).all(axis=1) & np.isfinite(detections.score)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ParameterError(
            f"detection {row} cannot be written: its box or score is not a finite number"
        )


def _taken(read: Callable[..., Any], **given: Any) -> dict[str, Any]:
    """Those of the options that a reader takes."""
    from inspect import signature

    return {key: value for key, value in given.items() if key in signature(read).parameters}


def _module(entry: Format) -> ModuleType:
    return import_module(entry.module)

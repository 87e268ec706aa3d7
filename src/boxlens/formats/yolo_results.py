"""YOLO predictions: a text file an image, lines of class cx cy w h conf."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice
from boxlens.data.boxes import relative_centre_from_xywh, xywh_from_relative_centre
from boxlens.errors import InputError
from boxlens.formats.border import RawDetections, detections_from
from boxlens.formats.files import Progress, existing_folder, plain_name
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.yolo_labels import Line, lines_of
from boxlens.formats.yolo_sizes import without_ending
from boxlens.formats.yolo_write import class_indices, known_sizes, label_names

if TYPE_CHECKING:
    from pathlib import Path

    from boxlens.data import Dataset, Detections
    from boxlens.data.columns import Boxes, Rows

_PROGRESS_STEP = 250
_AMBIGUOUS = -2


def read_detections(
    path: Path,
    dataset: Dataset,
    *,
    name: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Detections:
    """Reads a folder of predictions, or one that holds them in labels/; no file, no detections.

    A file is named after its image: the stem, or as much of the path as tells images apart.
    """
    folder = existing_folder(path)
    inner = folder / "labels"
    image_row, lines = _lines(inner if inner.is_dir() else folder, dataset, progress)
    row_of_index = {index: row for row, index in enumerate(class_indices(dataset))}
    class_row = [row_of_index.get(line.class_index(), -1) for line in lines]
    raw = RawDetections(
        image_row=image_row,
        class_row=np.array(class_row, dtype=np.int32),
        box=_pixels(np.array([line.box() for line in lines]), image_row, dataset, folder),
        score=np.array([line.numbers(5, 6)[0] for line in lines]),
        describe=lambda row: f"{lines[row].path.name} line {lines[row].number}",
    )
    detections = detections_from(
        raw,
        dataset,
        name=name or folder.resolve().name,
        path=folder,
        format_name="yolo",
        strict=strict,
    )
    return replace(detections, notices=(*detections.notices, *_class_notice(dataset, folder)))


def write_detections(detections: Detections, dataset: Dataset, path: Path) -> None:
    """Writes a text file an image into a new folder, empty where there are no detections.

    Boxes become fractions of the image, so that the last bits may differ when they are read again.
    """
    width, height = known_sizes(dataset)
    names = label_names(dataset)
    flat = {name.rpartition("/")[2] for name in names}
    if len(flat) == len(names):
        names = [name.rpartition("/")[2] for name in names]
    rows = detections.image_row
    box = relative_centre_from_xywh(detections.box, width[rows], height[rows]).tolist()
    indices = class_indices(dataset)
    lines = [
        f"{indices[class_row]} {' '.join(map(repr, numbers))} {score!r}\n"
        for class_row, numbers, score in zip(
            detections.class_row.tolist(), box, detections.score.tolist(), strict=True
        )
    ]
    with folder_written_whole(path) as folder:
        for image_row, name in enumerate(names):
            file = folder / f"{name}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            span = slice(*detections.offsets[image_row : image_row + 2])
            file.write_text("".join(lines[span]), encoding="utf-8", newline="\n")


def _lines(
    folder: Path,
    dataset: Dataset,
    progress: Progress | None,
) -> tuple[Rows, list[Line]]:
    files = sorted(
        file
        for file in folder.rglob("*")
        if plain_name(file).endswith(".txt")
        and plain_name(file) != "classes.txt"
        and not file.name.startswith(".")
    )
    if not files:
        raise InputError(
            "no predictions found",
            path=folder,
            remedy="Expected text files named after the images (predict with save_txt=True)",
        )
    row_of_name = _row_of_name(dataset)
    image_row: list[int] = []
    lines: list[Line] = []
    for done, file in enumerate(files):
        if progress and done % _PROGRESS_STEP == 0:
            progress("reading predictions", done, len(files))
        row = _image_row(file, folder, row_of_name)
        for line in lines_of(file):
            _check_fields(line)
            lines.append(line)
            image_row.append(row)
    if progress:
        progress("reading predictions", len(files), len(files))
    return np.array(image_row, dtype=np.int32), lines


def _check_fields(line: Line) -> None:
    if len(line.fields) == 5:
        raise line.error(
            "the confidence is missing, 5 fields",
            "Predict with save_conf=True: lines are class cx cy w h conf",
        )
    if len(line.fields) != 6:
        raise line.error(
            f"expected 6 fields, found {len(line.fields)}",
            "Lines are class cx cy w h conf, the output of a box detector",
        )


def _image_row(file: Path, folder: Path, row_of_name: dict[str, int]) -> int:
    name = file.with_name(plain_name(file)).relative_to(folder).as_posix().removesuffix(".txt")
    row = row_of_name.get(name, -1)
    if row == _AMBIGUOUS:
        raise InputError(
            f"several images are named '{name}'",
            path=file,
            remedy="Put the file into a folder named like the folder of its image",
        )
    return row


def _row_of_name(dataset: Dataset) -> dict[str, int]:
    """Every end of an image's path, as far as it names one image; then ids that are text."""
    rows: dict[str, int] = {}
    for row, name in enumerate(dataset.images.file_name):
        tail = ""
        for part in reversed(without_ending(name).split("/") if name else ()):
            tail = f"{part}/{tail}" if tail else part
            rows[tail] = _AMBIGUOUS if tail in rows else row
    # Number ids are left out: image 1 may be the file 0.jpg, and 1.jpg another image.
    for row, image_id in enumerate(dataset.images.id.tolist()):
        if isinstance(image_id, str) or not dataset.images.file_name[row]:
            rows.setdefault(str(image_id), row)
    return rows


def _pixels(relative: Boxes, image_row: Rows, dataset: Dataset, folder: Path) -> Boxes:
    known = image_row >= 0
    images = dataset.images
    width = np.where(known, np.append(images.width_px, 1)[image_row], 1)
    height = np.where(known, np.append(images.height_px, 1)[image_row], 1)
    unsized = np.flatnonzero(~((width > 0) & (height > 0)))
    if len(unsized):
        raise InputError(
            f"the size of image {images.id[image_row[unsized[0]]]!r} is not known, "
            "and YOLO boxes are relative to it",
            path=folder,
            remedy="Use a ground truth that tells the sizes of its images",
        )
    return xywh_from_relative_centre(relative, width, height)


def _class_notice(dataset: Dataset, folder: Path) -> tuple[Notice, ...]:
    if class_indices(dataset) == dataset.classes.id.tolist():
        return ()
    names = dataset.classes.name
    text = f"{folder}: class i was taken as the i-th class of the ground truth (0: {names[0]})"
    return (Notice("class_by_order", len(names), text),)

"""YOLO predictions: one text file per image, with lines of class cx cy w h conf."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.boxes import xywh_from_relative_centre
from boxlens.data.columns import Boxes, Floats, Rows
from boxlens.errors import InputError
from boxlens.formats.border import RawDetections, detections_from
from boxlens.formats.exact_sides import CENTRE, LONG, Number, number_of, with_exact
from boxlens.formats.files import existing_folder, plain_name, read_text
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.yolo.labels import FARTHEST, Line
from boxlens.formats.yolo.sizes import without_ending
from boxlens.formats.yolo.write import class_indices, known_sizes, label_names, relative_texts
from boxlens.progress import Progress, reported

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

    A file is named after its image: the stem, or as much of the path as identifies it.
    """
    folder = existing_folder(path)
    inner = folder / "labels"
    lines = _read(inner if inner.is_dir() else folder, dataset, progress)
    values = lines.checked()
    row_of_index = {index: row for row, index in enumerate(class_indices(dataset))}
    image_row = np.array(lines.image_row, dtype=np.int32)
    raw = RawDetections(
        image_row=image_row,
        class_row=np.array([row_of_index.get(int(i), -1) for i in values[:, 0]], dtype=np.int32),
        box=_pixels(values[:, 1:5], lines.exact, image_row, dataset, folder),
        score=values[:, 5],
        describe=lines.describe,
    )
    detections = detections_from(
        raw,
        dataset,
        name=name or None,
        path=folder,
        format_name="yolo",
        strict=strict,
        files=lines.files,
    )
    return replace(detections, notices=(*detections.notices, *_class_notice(dataset, folder)))


def write_detections(detections: Detections, dataset: Dataset, path: Path) -> None:
    """Writes one text file per image into a new folder, empty where there are no detections.

    Boxes become fractions of the image, with as many digits as it takes to read them back.
    """
    width, height = known_sizes(dataset)
    names = label_names(dataset)
    flat = {name.rpartition("/")[2] for name in names}
    if len(flat) == len(names):
        names = [name.rpartition("/")[2] for name in names]
    rows = detections.image_row
    sizes = (width[rows], height[rows])
    box = relative_texts(detections.box, sizes, lambda row: f"detection {row}", path)
    indices = class_indices(dataset)
    lines = [
        f"{indices[class_row]} {' '.join(numbers)} {score!r}\n"
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


def _read(folder: Path, dataset: Dataset, progress: Progress | None) -> _Lines:
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
    lines = _Lines()
    for file in reported(files, "reading predictions", progress):
        lines.add_file(file, _image_row(file, folder, row_of_name))
    return lines


@dataclass(slots=True)
class _Lines:
    """The numbers of all files so far; checked together, since most files are right."""

    files: list[Path] = field(default_factory=list)
    # The number of lines before each file, and the place of each line in its file.
    starts: list[int] = field(default_factory=list)
    line_number: list[int] = field(default_factory=list)
    image_row: list[int] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    # Lines with numbers that float64 cannot hold.
    exact: dict[int, list[Number]] = field(default_factory=dict)

    def add_file(self, file: Path, image_row: int) -> None:
        self.files.append(file)
        self.starts.append(len(self.line_number))
        for number, text in enumerate(read_text(file).splitlines(), 1):
            fields = text.split()
            if not fields:
                continue
            if len(fields) != 6:
                _refuse_fields(Line(file, number, fields))
            try:
                self.values.extend(map(float, fields))
            except ValueError:
                _refuse_values(Line(file, number, fields))
            if len(text) >= LONG and max(map(len, fields[1:5])) >= LONG:
                self.exact[len(self.line_number)] = list(map(number_of, fields[1:5]))
            self.line_number.append(number)
            self.image_row.append(image_row)

    def checked(self) -> Floats:
        """class cx cy w h conf, one row per line."""
        values = np.array(self.values).reshape(-1, 6)
        with np.errstate(invalid="ignore"):
            good = (
                np.isfinite(values).all(axis=1)
                & (values[:, 0] % 1 == 0)
                & (values[:, 3:5] >= 0).all(axis=1)
                & (np.abs(values[:, 1:5]) <= FARTHEST).all(axis=1)
            )
        if not good.all():
            row = int(np.argmin(good))
            fields = [f"{value:g}" for value in values[row]]
            _refuse_values(Line(self._file(row), self.line_number[row], fields))
        return values

    def describe(self, row: int) -> str:
        return f"{self._file(row).name} line {self.line_number[row]}"

    def _file(self, row: int) -> Path:
        return self.files[bisect_right(self.starts, row) - 1]


def _refuse_values(line: Line) -> NoReturn:
    """Goes through the fields one by one for the message."""
    line.class_index()
    line.box()
    line.numbers(5, 6)
    raise line.error("not six numbers", "Lines are class cx cy w h conf")


def _refuse_fields(line: Line) -> NoReturn:
    if len(line.fields) == 5:
        raise line.error(
            "missing confidence: 5 fields",
            "Predict with save_conf=True: lines are class cx cy w h conf",
        )
    raise line.error(
        f"expected 6 fields, found {len(line.fields)}",
        "Lines are class cx cy w h conf, the output of a box detector",
    )


def _image_row(file: Path, folder: Path, row_of_name: dict[str, int]) -> int:
    name = file.with_name(plain_name(file)).relative_to(folder).as_posix().removesuffix(".txt")
    row = row_of_name.get(name, -1)
    if row == _AMBIGUOUS:
        raise InputError(
            f"the image name '{name}' is not unique",
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


def _pixels(
    relative: Boxes,
    exact: Mapping[int, Sequence[Number]],
    image_row: Rows,
    dataset: Dataset,
    folder: Path,
) -> Boxes:
    known = image_row >= 0
    images = dataset.images
    width = np.where(known, np.append(images.width_px, 1)[image_row], 1)
    height = np.where(known, np.append(images.height_px, 1)[image_row], 1)
    unsized = np.flatnonzero(~((width > 0) & (height > 0)))
    if len(unsized):
        raise InputError(
            f"the size of image {images.id[image_row[unsized[0]]]!r} is unknown, "
            "and YOLO boxes are relative to it",
            path=folder,
            remedy="Use ground truth with image sizes",
        )
    box = xywh_from_relative_centre(relative, width, height)
    return with_exact(box, exact, CENTRE, (width, height))


def _class_notice(dataset: Dataset, folder: Path) -> tuple[Notice, ...]:
    if class_indices(dataset) == dataset.classes.id.tolist():
        return ()
    names = dataset.classes.name
    text = f"{folder}: class i is read as the i-th class of the ground truth (0: {names[0]})"
    return (Notice("class_by_order", len(names), text),)

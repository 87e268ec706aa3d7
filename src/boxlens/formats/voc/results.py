"""PASCAL VOC results: one text file per class, named comp4_det_SPLIT_CLASS.txt."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from boxlens.data import Dataset, Detections, Notice, file_notices
from boxlens.data.boxes import xywh_from_inclusive_corners
from boxlens.data.known_classes import known_classes
from boxlens.errors import InputError
from boxlens.formats.border import RawDetections, detections_from
from boxlens.formats.exact_sides import INCLUSIVE, LONG, Number, number_of, with_exact
from boxlens.formats.files import DATA_BYTES, existing, plain_name, read_text, stem
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.voc.numbers import corner_texts
from boxlens.formats.voc.write import class_names, file_stem, image_stems
from boxlens.progress import Progress, reported
from boxlens.wording import counted

# The competition, perhaps a label of the run, then the split and the class.
_RESULT_STEM = re.compile(r"comp.*?_det_(?P<split_and_class>.+)")
_REMEDY = "A line is: image_id score xmin ymin xmax ymax"


def read_detections(
    path: Path,
    dataset: Dataset,
    *,
    name: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Detections:
    """Reads a folder of result files, or one such file.

    A class without a file is unknown to the detector; an empty file means nothing found.
    """
    source = existing(path)
    files, notices = _result_files(source, dataset)
    by_stem = {name: row for row, name in enumerate(image_stems(dataset.images))}
    by_id = {str(key): row for key, row in dataset.images.row_of_id().items()}
    lines = _Lines(by_stem | by_id)
    for file, class_row in reported(files, "reading results", progress, step=1):
        lines.add_file(file, class_row)
    detections = detections_from(
        lines.raw(),
        dataset,
        name=name or None,
        path=source,
        format_name="voc",
        strict=strict,
        files=[file for file, _ in files],
        known_classes=np.array([row for _, row in files if row >= 0], dtype=np.int32),
    )
    return replace(detections, notices=(*detections.notices, *notices))


def write_detections(detections: Detections, dataset: Dataset, path: Path) -> None:
    """Writes comp4_det_test_CLASS.txt for every class the detector knows into a new folder.

    Boxes read back exactly; the order within an image becomes class by class, which no ranking
    depends on.
    """
    names = class_names(dataset)
    ids = image_stems(dataset.images)
    corners = corner_texts(detections.box, lambda row: f"detection {row}", path)
    scores = detections.score.tolist()
    image_rows = detections.image_row.tolist()
    with folder_written_whole(path) as folder:
        for class_row in np.flatnonzero(known_classes(dataset, detections, by_detections=False)):
            name = names[class_row]
            rows = np.flatnonzero(detections.class_row == class_row).tolist()
            sides = [" ".join(corners[row]) for row in rows]
            text = "".join(
                f"{ids[image_rows[row]]} {scores[row]!r} {side}\n"
                for row, side in zip(rows, sides, strict=True)
            )
            file = folder / f"comp4_det_test_{file_stem(name, 'class name')}.txt"
            file.write_text(text, encoding="utf-8", newline="\n")


def _result_files(
    source: Path,
    dataset: Dataset,
) -> tuple[list[tuple[Path, int]], tuple[Notice, ...]]:
    """Files with the row of their class (-1: not in the data set)."""
    row_of_name = {name: row for row, name in enumerate(class_names(dataset))}
    candidates = sorted(source.iterdir()) if source.is_dir() else [source]
    texts = [file for file in candidates if plain_name(file).endswith(".txt")]
    found = [(file, _RESULT_STEM.fullmatch(stem(file))) for file in texts]
    files = [
        (file, _class_row(match["split_and_class"], row_of_name)) for file, match in found if match
    ]
    if not files:
        raise InputError(
            "no VOC results found",
            path=source,
            remedy="Expected one file per class, named comp4_det_SPLIT_CLASS.txt",
        )
    _refuse_two_of_a_class(files, source, dataset.classes.name)
    n_others = len(texts) - len(files)
    words = f"skipped {counted(n_others, 'text file')} not named like results"
    return files, file_notices(source, ("other_file", n_others, words))


def _class_row(split_and_class: str, row_of_name: Mapping[str, int]) -> int:
    """The class that ends the name; the longest, so that hot_dog is not taken for dog."""
    begin = split_and_class.find("_")
    while begin >= 0:
        row = row_of_name.get(split_and_class[begin + 1 :])
        if row is not None:
            return row
        begin = split_and_class.find("_", begin + 1)
    return -1


def _refuse_two_of_a_class(
    files: Sequence[tuple[Path, int]],
    source: Path,
    names: Sequence[str],
) -> None:
    first: dict[int, Path] = {}
    for file, class_row in files:
        other = first.setdefault(class_row, file)
        if class_row >= 0 and other != file:
            raise InputError(
                f"{other.name} and {file.name} are both results of class {names[class_row]!r}",
                path=source,
                remedy="Keep one competition and one split per folder",
            )


@dataclass(slots=True)
class _Lines:
    """The lines of all files so far, as columns."""

    row_of_image: Mapping[str, int]
    files: list[Path] = field(default_factory=list)
    # The number of lines before each file, and the place of each line in its file.
    starts: list[int] = field(default_factory=list)
    line_number: list[int] = field(default_factory=list)
    image_id: list[str] = field(default_factory=list)
    class_row: list[int] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    corners: list[list[float]] = field(default_factory=list)
    # Lines with numbers that float64 cannot hold.
    exact: dict[int, list[Number]] = field(default_factory=dict)

    def add_file(self, file: Path, class_row: int) -> None:
        self.files.append(file)
        self.starts.append(len(self.line_number))
        for number, line in enumerate(read_text(file, DATA_BYTES).splitlines(), 1):
            # From the right: an image id may hold blanks.
            fields = line.rsplit(maxsplit=5)
            if not fields:
                continue
            score, *corners = _numbers(fields, file, number)
            if len(line) >= LONG and max(map(len, fields[2:])) >= LONG:
                self.exact[len(self.corners)] = list(map(number_of, fields[2:]))
            self.line_number.append(number)
            self.image_id.append(fields[0].strip())
            self.class_row.append(class_row)
            self.score.append(score)
            self.corners.append(corners)

    def raw(self) -> RawDetections:
        rows = [self.row_of_image.get(image_id, -1) for image_id in self.image_id]
        return RawDetections(
            image_row=np.array(rows, dtype=np.int32),
            class_row=np.array(self.class_row, dtype=np.int32),
            box=with_exact(xywh_from_inclusive_corners(self.corners), self.exact, INCLUSIVE),
            score=np.array(self.score, dtype=np.float64),
            describe=self.describe,
        )

    def describe(self, row: int) -> str:
        file = self.files[bisect_right(self.starts, row) - 1]
        return f"{file.name} line {self.line_number[row]}, image {self.image_id[row]}"


def _numbers(fields: Sequence[str], file: Path, number: int) -> list[float]:
    """Score and corners of a line."""
    problem = f"expected 6 fields, found {len(fields)}"
    if len(fields) == 6:
        try:
            values = list(map(float, fields[1:]))
        except ValueError as failure:
            problem = f"not a number ({failure})"
        else:
            if all(map(math.isfinite, values)):
                return values
            problem = f"expected finite numbers, found {' '.join(fields[1:])}"
    raise InputError(problem, path=file, where=f"line {number}", remedy=_REMEDY)

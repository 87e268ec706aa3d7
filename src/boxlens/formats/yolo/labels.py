"""Lines of YOLO label files: a class index and numbers relative to the image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from boxlens.errors import InputError
from boxlens.formats.exact_sides import LONG, Number, number_of
from boxlens.formats.files import read_text

# Boxes may stick out of the image a little; ten images away the numbers are pixels.
FARTHEST = 10.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, for its values and for messages about it."""

    path: Path
    number: int
    fields: Sequence[str]

    def error(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, path=self.path, where=f"line {self.number}", remedy=remedy)

    def class_index(self) -> int:
        """The class; some tools write it as 3.0."""
        try:
            value = float(self.fields[0])
        except ValueError:
            value = math.nan
        if not value.is_integer():
            raise self.error(f"class {self.fields[0]!r} is not an index", "Write 0, 1, 2 ...")
        return int(value)

    def numbers(self, begin: int, end: int) -> list[float]:
        try:
            values = [float(text) for text in self.fields[begin:end]]
        except ValueError as problem:
            raise self.error(f"not a number ({problem})", "Correct the line") from problem
        if not all(map(math.isfinite, values)):
            raise self.error("expected finite numbers", "Correct the line")
        return values

    def box(self) -> list[float]:
        """Centre and size as fractions of the image."""
        box = self.numbers(1, 5)
        if box[2] < 0 or box[3] < 0:
            raise self.error(f"negative width or height in {box}", "Write class cx cy w h")
        return self.relative(box)

    def relative(self, values: list[float]) -> list[float]:
        if max(map(abs, values)) > FARTHEST:
            raise self.error(
                f"{max(values, key=abs):g} is not relative to the image; it looks like pixels",
                "Divide x and width by the width of the image, y and height by its height",
            )
        return values


def lines_of(path: Path) -> Iterator[Line]:
    for number, text in enumerate(read_text(path).splitlines(), 1):
        fields = text.split()
        if fields:
            yield Line(path, number, fields)


@dataclass(slots=True)
class Labels:
    """The objects of all files read so far, as columns."""

    row_of_index: Mapping[int, int]
    n_keypoint_values: int = 0
    image_row: list[int] = field(default_factory=list)
    class_row: list[int] = field(default_factory=list)
    box: list[list[float]] = field(default_factory=list)
    # Boxes with numbers that float64 cannot hold.
    exact: dict[int, list[Number]] = field(default_factory=dict)
    n_polygons: int = 0
    n_poses: int = 0

    def add_file(self, path: Path, image_row: int) -> None:
        for line in lines_of(path):
            index = line.class_index()
            row = self.row_of_index.get(index)
            if row is None:
                raise line.error(
                    f"class {index} has no name; there are names for {_span(self.row_of_index)}",
                    "Add the name to data.yaml or classes.txt, or correct the line",
                )
            box = self._box(line)
            if len(line.fields) == 5 and max(map(len, line.fields)) >= LONG:
                self.exact[len(self.box)] = list(map(number_of, line.fields[1:]))
            self.box.append(box)
            self.class_row.append(row)
            self.image_row.append(image_row)

    def _box(self, line: Line) -> list[float]:
        n_fields = len(line.fields)
        if n_fields == 5:
            return line.box()
        if self.n_keypoint_values and n_fields == 5 + self.n_keypoint_values:
            self.n_poses += 1
            return line.box()
        if n_fields == 6:
            raise line.error(
                "6 fields: this looks like a prediction file with a confidence as last field",
                "Name the labels of the ground truth, lines of class cx cy w h",
            )
        if n_fields > 6 and n_fields % 2 == 1 and not self.n_keypoint_values:
            self.n_polygons += 1
            return _box_of_polygon(line.relative(line.numbers(1, n_fields)))
        raise line.error(
            f"{n_fields} fields",
            "Expected class cx cy w h, or class x1 y1 x2 y2 x3 y3 ... for a polygon",
        )


def _box_of_polygon(values: Sequence[float]) -> list[float]:
    xs, ys = values[0::2], values[1::2]
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    return [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]


def _span(row_of_index: Mapping[int, int]) -> str:
    return f"{min(row_of_index)} to {max(row_of_index)}"

"""The tables of a run in memory: columns as arrays, texts as small whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Boxes, Floats, Ids, Offsets, Rows

Integers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Codes:
    """A column of texts: row i has values[code[i]], -1 for none."""

    values: tuple[str, ...]
    code: Integers

    def at(self, row: int) -> str | None:
        code = int(self.code[row])
        return None if code < 0 else self.values[code]

    def among(self, wanted: Iterable[str], rows: slice = slice(None)) -> Bools:
        """Which of the rows have one of the texts."""
        asked = frozenset(wanted)
        # The last place is that of -1.
        is_wanted = np.array([value in asked for value in self.values] + [False])
        found: Bools = is_wanted[self.code[rows]]
        return found


@dataclass(frozen=True, slots=True)
class Keys:
    """A column of ids as the files of the user have them; `known` is false where there is none."""

    ids: Ids
    known: Bools

    def at(self, row: int) -> int | str | None:
        return self.ids[row : row + 1].tolist()[0] if self.known[row] else None


@dataclass(frozen=True, slots=True)
class ImageTable:
    """One row per image; width and height are NaN where they are not known."""

    id: tuple[int | str, ...]
    file_name: tuple[str, ...]
    width: Floats
    height: Floats
    columns: Mapping[str, Floats]
    # Id and file name of every image with case removed: what `find` looks through.
    found_by: tuple[tuple[str, str], ...]

    def __len__(self) -> int:
        return len(self.id)

    def name(self, row: int) -> str:
        """The file name, or the id where there is none."""
        return self.file_name[row] or str(self.id[row])


@dataclass(frozen=True, slots=True)
class BoxTable:
    """Detections, or objects once for each detector; grouped by detector, then by image.

    `numbers` and `codes` hold the further columns by their names in the Parquet file; `numbers`
    of detections also have their `area`. `partner` is a row of the other table: the object a
    detection lies on, the detection that hit an object; -1 for none.
    """

    # Columns of the file, in its order.
    names: tuple[str, ...]
    detector_row: Integers
    image_row: Rows
    class_row: Rows
    box: Boxes
    # Of an object: the score of the detection that hit it, NaN for none.
    score: Floats
    partner: Rows
    codes: Mapping[str, Codes]
    numbers: Mapping[str, Floats]
    keys: Mapping[str, Keys]
    # [detector, image]: where the rows of an image begin; one more column for the end.
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.image_row)

    def of_detector(self, detector_row: int) -> slice:
        """The rows of a detector."""
        begin, end = self.offsets[detector_row, [0, -1]].tolist()
        return slice(begin, end)

    def of_image(self, image_row: int, detector_row: int | None = None) -> Rows:
        """The rows in an image, of one detector or of all."""
        chosen = range(len(self.offsets)) if detector_row is None else (detector_row,)
        spans = [self.offsets[row, image_row : image_row + 2].tolist() for row in chosen]
        parts = [np.arange(begin, end, dtype=np.int32) for begin, end in spans]
        return np.concatenate(parts)

"""Pixel sizes of the images of a YOLO data set: from the images, or from a sizes.csv beside."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from boxlens.errors import InputError
from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.files import DATA_BYTES, existing_file, read_text
from boxlens.formats.places import Place

_COMMON = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}
IMAGE_ENDINGS = frozenset(_COMMON | {".avif", ".dng", ".heic", ".jp2", ".mpo", ".pfm"})
SIZE_COLUMNS = ("file_name", "width", "height")
_REMEDY = "The first line is file_name,width,height; sizes are pixels above 0"


@dataclass(frozen=True, slots=True)
class ImageSize:
    """An image's name below the root of its data set, and its size."""

    file_name: str
    width_px: float
    height_px: float


def stored_size(path: Path, name: str) -> ImageSize | None:
    """The size in the header of an image file; None if it has none.

    As stored: an EXIF rotation is not applied. Swapping width and height would change neither
    the IoU nor the area of relative boxes.
    """
    import imagesize  # type: ignore[import-untyped, unused-ignore]

    # Releases before 2 know no rotation, and no such argument; they raise on damaged files.
    try:
        width, height = imagesize.get(existing_file(path), exif_rotation=False)
    except TypeError:
        try:
            width, height = imagesize.get(path)
        except (ValueError, OSError):
            return None
    return ImageSize(name, float(width), float(height)) if width > 0 and height > 0 else None


def without_ending(name: str) -> str:
    """A path without the ending of an image; other dots belong to the name."""
    start, ending = os.path.splitext(name)  # noqa: PTH122 - a text with slashes, not a file
    return start if ending.lower() in IMAGE_ENDINGS else name


def sizes_file(folder: Path) -> Path | None:
    """The sizes.csv of a folder, where there is one."""
    candidates = (folder / "sizes.csv", folder / "sizes.csv.gz")
    return next((file for file in candidates if file.is_file()), None)


def read_sizes(file: Path, bare_folder: str) -> dict[str, ImageSize]:
    """Sizes by path below the root without ending; bare names lie in bare_folder."""
    rows = csv_rows(read_text(file, DATA_BYTES), file, skipinitialspace=True)
    _, header = next(rows, (1, []))
    if not set(SIZE_COLUMNS) <= set(header):
        raise InputError(f"unexpected columns {header}", path=file, remedy=_REMEDY)
    sizes: dict[str, ImageSize] = {}
    for line, cells in rows:
        if not cells:
            continue
        size = _size_of(dict(zip(header, cells, strict=False)), bare_folder)
        key = without_ending(size.file_name) if size else ""
        if size is None or key in sizes:
            raise Place(file, f"line {line}").error(
                f"bad or repeated row {','.join(cells)}", _REMEDY
            )
        sizes[key] = size
    return sizes


def _size_of(row: Mapping[str, str], bare_folder: str) -> ImageSize | None:
    name, width_text, height_text = (row.get(column) for column in SIZE_COLUMNS)
    try:
        width, height = float(width_text or ""), float(height_text or "")
    except ValueError:
        return None
    if not name or not (0 < width < math.inf and 0 < height < math.inf):
        return None
    return ImageSize(Path(name if "/" in name else bare_folder + name).as_posix(), width, height)

"""A data set together with its pictures: one file per row, all sizes known."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset, Notice, counted_notice
from boxlens.data.columns import Floats, frozen, take
from boxlens.data.naming import some_names
from boxlens.errors import InputError, ParameterError
from boxlens.images.errors import ImageError
from boxlens.images.file_content import content_hash
from boxlens.images.files import ImageFiles
from boxlens.images.reading import Picture, read_picture
from boxlens.images.sizes import upright_size
from boxlens.images.transforming.shot import Shot

# Decoding changes settings of the whole process for a while.
_decoding = threading.Lock()


@dataclass(frozen=True, slots=True)
class Pictured:
    """Row by row: an image of the data set, and its file."""

    dataset: Dataset
    files: ImageFiles

    def __post_init__(self) -> None:
        if not np.array_equal(self.dataset.images.id, self.files.ids):
            raise ParameterError("every image of the data set needs a file: see with_pictures")
        if np.isnan(self.dataset.images.known_sizes()).any() or self.dataset.relative:
            raise ParameterError("sizes of images must be known: see with_pictures")

    def __len__(self) -> int:
        return len(self.files)

    def select(self, rows: Sequence[int]) -> Pictured:
        """Some of them, their order kept."""
        chosen = sorted(rows)
        files = ImageFiles(
            take(self.files.ids, np.array(chosen, dtype=np.int32)),
            tuple(self.files.paths[row] for row in chosen),
            tuple(self.files.names[row] for row in chosen),
        )
        return Pictured(self.dataset.select_images(chosen), files)

    def shot(self, row: int, *, masked: bool = False) -> Shot:
        images, gt = self.dataset.images, self.dataset.gt
        objects = slice(*gt.offsets[row : row + 2].tolist())
        return Shot(
            key=str(images.id[row]),
            width_px=round(float(images.width_px[row])),
            height_px=round(float(images.height_px[row])),
            box=gt.box[objects],
            crowd=gt.crowd[objects] | gt.group_of[objects],
            masked=masked,
        )

    def read(self, row: int) -> Picture:
        """The picture, as large as the data set says; raises `ImageError`. Threads may share it."""
        with _decoding:
            picture = read_picture(self.files.paths[row])
        height, width = picture.pixels.shape[:2]
        stated = self.dataset.images.width_px[row], self.dataset.images.height_px[row]
        if (width, height) != stated:
            raise ImageError(
                f"{width} x {height} pixels, where the ground truth says {stated[0]:g} x "
                f"{stated[1]:g}: boxes would be misplaced",
                path=self.files.paths[row],
                remedy="Give the pictures that were annotated",
            )
        return picture

    def size_bytes(self, row: int) -> int:
        """Of the file: another size is another picture; -1 where it is unknown."""
        try:
            return self.files.paths[row].stat().st_size
        except OSError:
            return -1

    def ground_truth_hash(self) -> str:
        """Of all that changed ground truth is made of."""
        images, classes, gt = self.dataset.images, self.dataset.classes, self.dataset.gt
        digest = hashlib.sha256(repr([images.id.tolist(), classes.id.tolist()]).encode())
        digest.update(repr([classes.name, gt.id.tolist()]).encode())
        columns = (images.width_px, images.height_px, gt.image_row, gt.class_row, gt.box)
        for column in (*columns, gt.area_px, gt.crowd, gt.difficult, gt.group_of):
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()

    def pictures_hash(self) -> str:
        """Of the names and the content of the files."""
        known = zip(self.files.names, map(content_hash, self.files.paths), strict=True)
        return hashlib.sha256(repr(list(known)).encode()).hexdigest()


def with_pictures(
    dataset: Dataset, files: ImageFiles
) -> tuple[Dataset, ImageFiles, tuple[Notice, ...]]:
    """The images of a data set that have a picture, and the pictures, row by row.

    `files` are those of `find_images` with the data set. Sizes missing in the data set
    come from the files; boxes that are fractions of their image are turned into pixels.
    """
    row_of_id = {key: row for row, key in enumerate(files.ids.tolist())}
    known = dataset.images.known_sizes()
    sizes: dict[int, tuple[float, float]] = {}
    unreadable = []
    for row, key in enumerate(dataset.images.id.tolist()):
        if key not in row_of_id:
            continue
        size = tuple(known[row].tolist())
        found = upright_size(files.paths[row_of_id[key]]) if np.isnan(known[row, 0]) else size
        if found is None:
            unreadable.append(files.names[row_of_id[key]])
        else:
            sizes[row] = found
    if not sizes:
        raise InputError("no image of the ground truth has a usable picture")
    kept = dataset.select_images(list(sizes))
    file_rows = [row_of_id[key] for key in kept.images.id.tolist()]
    chosen = ImageFiles(
        kept.images.id,
        tuple(files.paths[row] for row in file_rows),
        tuple(files.names[row] for row in file_rows),
    )
    told = counted_notice(
        "unknown_size",
        len(unreadable),
        f"images without a size in the ground truth or their files were skipped: "
        f"{some_names(unreadable, 3)}",
        f"image without a size in the ground truth or its file was skipped: "
        f"{some_names(unreadable)}",
    )
    return _sized(kept, np.array(list(sizes.values()))), chosen, told


def _sized(dataset: Dataset, sizes: Floats) -> Dataset:
    images = dataset.images
    if not np.array_equal(np.stack([images.width_px, images.height_px], axis=1), sizes):
        width, height = (frozen(sizes[:, side], np.float64) for side in (0, 1))
        images = replace(images, width_px=width, height_px=height)
    if not dataset.relative:
        return dataset if images is dataset.images else replace(dataset, images=images)
    scale = np.tile(sizes, 2)[dataset.gt.image_row]
    gt = replace(
        dataset.gt,
        box=frozen(dataset.gt.box * scale, np.float64),
        area_px=frozen(dataset.gt.area_px * scale[:, 0] * scale[:, 1], np.float64),
    )
    return replace(dataset, images=images, gt=gt, relative=False)

"""All crops as squares in one file, mapped into memory: no picture is decoded twice."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Offsets, Rows, frozen
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.detectors.classifiers.torch.classifier import Mean, squared
from boxlens.detectors.model_files import read_model, write_model
from boxlens.detectors.pictures import PicturesOnDisk
from boxlens.errors import InputError
from boxlens.formats.files import existing_file, written_whole
from boxlens.formats.unfinished import remove_left
from boxlens.images import Pixels
from boxlens.progress import Progress

SCHEMA = "boxlens/crops/1"
# Pictures that are cut again to see whether they are still those of the file.
N_PROBED = 8


@dataclass(frozen=True, slots=True)
class CropCache:
    """One row per object that has a crop."""

    # n x side x side x 3, read from the disk as it is asked for.
    squares: npt.NDArray[np.uint8]
    object_row: Rows
    class_row: Rows
    image_row: Rows
    # CRC-32 of the square, and its pixel values summed by channel.
    checksum: Offsets
    channel_sum: Offsets

    def __len__(self) -> int:
        return len(self.object_row)

    def mean(self, rows: Offsets) -> Mean:
        """Red, green and blue of some crops; exact, since sums are whole numbers."""
        n_pixels = len(rows) * self.squares.shape[1] * self.squares.shape[2]
        red, green, blue = (self.channel_sum[rows].sum(axis=0) / n_pixels).tolist()
        return red, green, blue

    def pixels_digest(self) -> str:
        return hashlib.sha256(self.checksum.tobytes()).hexdigest()


def truth_digest(crops: LabelledCrops) -> str:
    """Which boxes of which images, and of which classes; not what the pictures show."""
    gt = crops.dataset.gt
    image_ids = crops.dataset.images.id[crops.image_row].tolist()
    digest = hashlib.sha256(json.dumps(image_ids).encode())
    digest.update(gt.box[crops.object_row].tobytes())
    digest.update(crops.class_row.tobytes())
    return digest.hexdigest()


def _files_digest(crops: LabelledCrops) -> str:
    """What is in the picture files; empty for pictures in memory."""
    if not isinstance(crops.images, PicturesOnDisk):
        return ""
    hashes = crops.images.content_hashes(np.unique(crops.image_row).tolist())
    return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


def cut_crops(
    crops: LabelledCrops, side_px: int, folder: Path, progress: Progress | None = None
) -> CropCache:
    """Cuts all crops into the folder, unless they are there already.

    They do where boxes, labels and picture files are the same, and a few pictures, cut again, as
    well.
    """
    wanted = {
        "schema": SCHEMA,
        "side_px": side_px,
        "truth": truth_digest(crops),
        "files": _files_digest(crops),
    }
    table_path, pixels_path = folder / "crops.npz", folder / "crops.bin"
    # A run that was killed while it cut has left its part behind, and that may be large.
    remove_left(folder)
    found = _found(crops, wanted, table_path, pixels_path)
    if found is not None:
        return found
    # First of all: the table says that the pixels are complete.
    table_path.unlink(missing_ok=True)
    with written_whole(pixels_path) as temporary, temporary.open("wb") as file:
        table = _cut_into(file, crops, side_px, progress)
    if len(table["object_row"]) == 0:
        raise InputError("no crops: all boxes are outside their pictures")
    write_model(table_path, wanted, table)
    return _opened(crops, pixels_path, table, side_px)


def _cut_into(
    file: BinaryIO, crops: LabelledCrops, side_px: int, progress: Progress | None
) -> dict[str, npt.NDArray[Any]]:
    object_row: list[int] = []
    checksum: list[int] = []
    channel_sum: list[Offsets] = []
    n_images = len(np.unique(crops.image_row))
    for number, (rows, squares) in enumerate(_squares_by_image(crops, side_px), start=1):
        object_row += rows.tolist()
        for square in squares:
            file.write(square.tobytes())
            checksum.append(zlib.crc32(square.data))
            channel_sum.append(square.sum(axis=(0, 1), dtype=np.int64))
        if progress is not None:
            progress("cutting crops", number, n_images)
    return {
        "object_row": np.array(object_row, dtype=np.int32),
        "checksum": np.array(checksum, dtype=np.int64),
        "channel_sum": np.array(channel_sum, dtype=np.int64).reshape(-1, 3),
    }


def _squares_by_image(crops: LabelledCrops, side_px: int) -> Iterator[tuple[Rows, list[Pixels]]]:
    for rows, cut in crops.by_image():
        squares = [np.ascontiguousarray(squared(crop, side_px)) for crop in cut]
        yield crops.object_row[rows], squares


def _found(
    crops: LabelledCrops, wanted: dict[str, Any], table_path: Path, pixels_path: Path
) -> CropCache | None:
    """What an earlier run has cut, if it is whole and still what the pictures show."""
    side_px = wanted["side_px"]

    def cache_of(header: Mapping[str, Any], table: dict[str, npt.NDArray[Any]]) -> CropCache:
        if header != wanted:
            raise ValueError("the crops are others")
        return _opened(crops, pixels_path, table, side_px)

    try:
        cache = read_model(table_path, SCHEMA, cache_of, what="table of crops", remedy="")
    except InputError:  # whatever it is: they are cut again
        return None
    checksum_of = dict(zip(cache.object_row.tolist(), cache.checksum.tolist(), strict=True))
    image_rows = np.unique(cache.image_row)
    probed = image_rows[np.linspace(0, len(image_rows) - 1, N_PROBED).astype(np.int64)]
    for rows, squares in _squares_by_image(crops.in_images(probed), side_px):
        found = [checksum_of.get(row) for row in rows.tolist()]
        if found != [zlib.crc32(square.data) for square in squares]:
            return None
    return cache


def _opened(
    crops: LabelledCrops, pixels_path: Path, table: dict[str, npt.NDArray[Any]], side_px: int
) -> CropCache:
    shape = (len(table["object_row"]), side_px, side_px, 3)
    if existing_file(pixels_path).stat().st_size != np.prod(shape):
        raise ValueError("not all crops are there")
    object_row = frozen(table["object_row"], np.int32)
    gt = crops.dataset.gt
    return CropCache(
        squares=np.memmap(pixels_path, dtype=np.uint8, mode="r", shape=shape),
        object_row=object_row,
        class_row=gt.class_row[object_row],
        image_row=gt.image_row[object_row],
        checksum=frozen(table["checksum"], np.int64),
        channel_sum=frozen(table["channel_sum"], np.int64),
    )

"""Which other scene the objects of each picture are pasted on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, GroundTruth, Images, Notice
from boxlens.data.columns import Rows, frozen
from boxlens.errors import InputError
from boxlens.images.files import ImageFiles
from boxlens.images.transforming.pictured import Pictured, with_pictures


@dataclass(frozen=True, slots=True)
class Scenes:
    """Pictures to paste on, and the row of the one for each picture of a data set."""

    pictured: Pictured
    row_of: Rows


def other_pictures(dataset: Dataset, files: ImageFiles, seed: int) -> Scenes:
    """Of the data set itself: one that shares no class with the picture, or else any other.

    What is in it stays to be seen, and is known.
    """
    n = len(dataset.images)
    if n < 2:
        raise InputError(
            "objects are pasted onto other pictures, and there are no others",
            remedy="Give more pictures, or a folder of scenes",
        )
    present = np.zeros((n, len(dataset.classes)), dtype=np.bool_)
    present[dataset.gt.image_row, dataset.gt.class_row] = True

    def suitable(row: int) -> npt.NDArray[np.intp]:
        alike = np.asarray(present[:, present[row]].any(axis=1))
        alike[row] = True
        strange = np.flatnonzero(~alike)
        return strange if len(strange) else np.delete(np.arange(n), row)

    return Scenes(Pictured(dataset, files), _drawn(dataset.images.id.tolist(), suitable, seed))


def given_pictures(
    dataset: Dataset, scene_files: ImageFiles, seed: int
) -> tuple[Scenes, tuple[Notice, ...]]:
    """Of a folder: nothing is known about what is in them."""
    unknown = np.full(len(scene_files), np.nan)
    images, _ = Images.of(scene_files.ids, unknown, unknown, scene_files.names)
    nothing = GroundTruth.of(len(images), image_row=[], class_row=[], box=[])
    bare, files, notices = with_pictures(
        Dataset("scenes", images, dataset.classes, nothing), scene_files
    )
    everything = np.arange(len(files))
    rows = _drawn(dataset.images.id.tolist(), lambda _row: everything, seed)
    return Scenes(Pictured(bare, files), rows), notices


def _drawn(
    keys: Sequence[int | str], suitable: Callable[[int], npt.NDArray[np.intp]], seed: int
) -> Rows:
    """One per picture, from a stream of its own."""
    rows = []
    for row, key in enumerate(keys):
        choices = suitable(row)
        random = np.random.default_rng([seed, zlib.crc32(str(key).encode())])
        rows.append(choices[random.integers(len(choices))])
    return frozen(np.array(rows, dtype=np.int32), np.int32)

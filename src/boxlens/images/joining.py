"""Which picture file belongs to which image, by names and ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from boxlens.data import Dataset, Notice
from boxlens.errors import InputError
from boxlens.wording import counted

# Found rows, the data set's id of each, and what did not fit.
Joined = tuple[list[int], list[int | str], tuple[Notice, ...]]


def join_to_dataset(names: Sequence[str], dataset: Dataset) -> Joined:
    """The pictures of a data set, under its ids."""
    file_names, ids = dataset.images.file_name, dataset.images.id.tolist()
    image_of_file, notices = join_to_images(names, file_names, ids)
    if not image_of_file:
        remedy = "Give the ground truth of these pictures, or no ground truth"
        raise nothing_fits(names, file_names, ids, remedy)
    rows = sorted(image_of_file)
    return rows, [ids[image_of_file[row]] for row in rows], notices


def join_to_images(
    names: Sequence[str], file_names: Sequence[str], ids: Sequence[int | str]
) -> tuple[dict[int, int], tuple[Notice, ...]]:
    """Row of a file -> row of its image: by file name, by the name without folders, by id = stem.

    A name that could be two images is joined to neither.
    """
    with_slashes = [name.replace("\\", "/") for name in file_names]
    free_files = set(range(len(names)))
    image_of_file: dict[int, int] = {}
    free_images = set(range(len(ids)))
    for file_keys, image_keys in (
        (names, with_slashes),
        (_base_names(names), _base_names(with_slashes)),
        ([PurePosixPath(name).stem for name in names], [str(key) for key in ids]),
        ([_number(name) for name in names], [str(key) for key in ids]),
    ):
        row_of_key = _unique(image_keys, free_images)
        for key, row in _unique(file_keys, free_files).items():
            if key in row_of_key:
                image_of_file[row] = row_of_key[key]
        free_files -= image_of_file.keys()
        free_images -= set(image_of_file.values())
    notices = tuple(_notices(len(free_files), len(names), len(free_images), len(ids)))
    return image_of_file, notices


def nothing_fits(
    names: Sequence[str], file_names: Sequence[str], ids: Sequence[int | str], remedy: str
) -> InputError:
    """What to say where no picture belongs to any image."""
    known = next((name for name in file_names if name), f"id {ids[0]!r}" if ids else "none")
    return InputError(
        f"none of the {len(names):,} pictures is in the ground truth: they have names like "
        f"{names[0]!r}, its {len(ids):,} images like {known!r}",
        remedy=remedy,
    )


def _base_names(names: Iterable[str]) -> list[str]:
    return [PurePosixPath(name).name for name in names]


def _number(name: str) -> str:
    """The stem as COCO numbers it: 000000005001 is 5001."""
    stem = PurePosixPath(name).stem
    return str(int(stem)) if stem.isascii() and stem.isdigit() else ""


def _unique(keys: Sequence[str], rows: set[int]) -> dict[str, int]:
    """Key -> row, for unique keys."""
    row_of_key: dict[str, int] = {}
    repeated = set()
    for row in rows:
        if keys[row] in row_of_key:
            repeated.add(keys[row])
        row_of_key[keys[row]] = row
    return {key: row for key, row in row_of_key.items() if key and key not in repeated}


def _notices(n_files_left: int, n_files: int, n_missing: int, n_images: int) -> Iterable[Notice]:
    if n_files_left:
        total = counted(n_files, "picture")
        message = f"skipped {n_files_left:,} of {total}, not in the ground truth"
        yield Notice("file_without_image", n_files_left, message)
    if n_missing:
        message = (
            f"no picture for {n_missing:,} of {counted(n_images, 'image')} of the ground truth"
        )
        yield Notice("image_without_file", n_missing, message)

"""Which pictures lie at a path, and by which ids the tables know them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePosixPath

from boxlens.data import Dataset, Notice
from boxlens.data.classes import ascending_unique
from boxlens.data.columns import Ids, id_column, take
from boxlens.errors import InputError
from boxlens.images.joining import join_to_dataset
from boxlens.regular_files import existing, real_path
from boxlens.wording import counted

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".gif", ".ppm", ".pgm")
_LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ImageFiles:
    """One row per picture, ids ascending. A name is the path below the folder that was given."""

    ids: Ids
    paths: tuple[Path, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.paths)


def find_images(
    places: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    dataset: Dataset | None = None,
    inside: bool = False,
) -> tuple[ImageFiles, tuple[Notice, ...]]:
    """The pictures in folders (and folders below them) or of single files.

    With a data set, its pictures alone, under its ids. With `inside`, nothing that a link leads
    out of the folder to.
    """
    given = [places] if isinstance(places, (str, os.PathLike)) else list(places)
    # Where a path really leads -> the path as it was given, and its name.
    found: dict[Path, tuple[Path, str]] = {}
    notices = Counter[str]()
    for place in map(Path, given):
        _collect(place, found, notices, inside=inside)
    if not found:
        raise _no_pictures(given, notices)
    paths = [path for path, _ in found.values()]
    names = _distinct_names(paths, [name for _, name in found.values()])
    told = _skipped(notices)
    if dataset is not None:
        rows, keys, join_notices = join_to_dataset(names, dataset)
        paths, names = [paths[row] for row in rows], [names[row] for row in rows]
        return _ascending(keys, paths, names), (*told, *join_notices)
    own_keys, id_notices = _ids_from_names(names)
    return _ascending(own_keys, paths, names), (*told, *id_notices)


def evenly_spread(n: int, n_wanted: int | None) -> list[int]:
    """Rows of so many of n pictures, the first one among them; None: all."""
    n_chosen = n if n_wanted is None else min(n_wanted, n)
    return [place * n // n_chosen for place in range(n_chosen)]


def _no_pictures(given: Sequence[object], notices: Counter[str]) -> InputError:
    shown = ", ".join(map(str, given)) or "nothing"
    remedy = f"Picture files end in {' '.join(ENDINGS)}"
    if notices["link_outside"]:
        remedy = "Links out of the folder are not followed: give the folder they point to"
    return InputError(f"no pictures in {shown}", remedy=remedy)


def _collect(
    place: Path, found: dict[Path, tuple[Path, str]], notices: Counter[str], *, inside: bool
) -> None:
    """Adds the pictures of one place."""
    top = real_path(existing(place))
    pairs = _below(place, notices, inside) if place.is_dir() else [(place, place.name)]
    for path, name in pairs:
        target = real_path(path)
        if inside and not target.is_relative_to(top):
            notices["link_outside"] += 1
        elif target in found:
            notices["repeated_file"] += 1
        else:
            found[target] = (path, name)


def _below(folder: Path, notices: Counter[str], inside: bool) -> Iterator[tuple[Path, str]]:
    """Pictures of a folder by name; linked folders are followed, each once."""
    top = real_path(folder)
    entered = {top}
    for root, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in tuple(folders):
            target = real_path(Path(root) / name)
            leads_out = inside and not target.is_relative_to(top)
            notices["link_outside"] += leads_out
            if target in entered or leads_out:
                folders.remove(name)
            entered.add(target)
        for name in sorted(files):
            if name.startswith("."):
                continue
            path = Path(root) / name
            if path.suffix.lower() in ENDINGS:
                yield path, path.relative_to(folder).as_posix()
            else:
                notices["other_file"] += 1


def _skipped(notices: Counter[str]) -> tuple[Notice, ...]:
    texts = {
        "repeated_file": ("duplicate picture", "duplicate pictures"),
        "other_file": ("file without a picture extension", "files without a picture extension"),
        "link_outside": ("link out of the folder", "links out of the folder"),
    }
    return tuple(
        Notice(code, count, f"skipped {counted(count, *texts[code])}")
        for code, count in notices.items()
        if count
    )


def _distinct_names(paths: Sequence[Path], names: Sequence[str]) -> list[str]:
    """Names below their folders, or paths as they were given where several folders share names."""
    if len(set(names)) == len(names):
        return list(names)
    return [path.as_posix() for path in paths]


def _ids_from_names(names: Sequence[str]) -> tuple[Sequence[int | str], tuple[Notice, ...]]:
    """Numbers where every stem is one, otherwise the shortest unique text."""
    stems = [PurePosixPath(name).stem for name in names]
    if all(stem.isascii() and stem.isdigit() and int(stem) <= _LARGEST_ID for stem in stems):
        numbers = [int(stem) for stem in stems]
        if len(set(numbers)) == len(numbers):
            return numbers, ()
    without_ending = [str(PurePosixPath(name).with_suffix("")) for name in names]
    choices = (("stems", stems), ("paths", without_ending), ("full paths", list(names)))
    what, keys = next(choice for choice in choices if len(set(choice[1])) == len(names))
    message = f"image ids are the {what} of the files, such as {keys[0]!r}, as not all are numbers"
    return keys, (Notice("text_image_ids", len(keys), message),)


def _ascending(keys: Sequence[int | str], paths: list[Path], names: list[str]) -> ImageFiles:
    column = id_column(keys)
    order = ascending_unique(column, "image")
    rows = order.tolist()
    return ImageFiles(
        take(column, order),
        tuple(paths[row] for row in rows),
        tuple(names[row] for row in rows),
    )

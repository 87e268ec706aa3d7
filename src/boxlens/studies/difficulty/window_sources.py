"""Ranked windows for clutter: given, read from a file, or made by a generator from pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from boxlens.data import Dataset, Notice
from boxlens.data.windows import Windows
from boxlens.errors import ParameterError
from boxlens.formats.window_files import read_windows
from boxlens.images import find_images
from boxlens.progress import Progress
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.proposals.generated import generated_windows
from boxlens.studies.proposals.generators.opening import GENERATORS, open_generator
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.sources import is_method


def find_windows(
    datasets: Sequence[Dataset],
    windows: Any,
    images: Any,
    choice: DifficultyChoice,
    *,
    keep: Path | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Windows | None]:
    """One a data set, or none at all; `keep` is a folder for those that a method makes.

    A method may be named once for all data sets, and so may a folder of pictures.
    """
    given = listed(windows)
    if not given:
        if listed(images):
            raise ParameterError(
                "pictures are for finding windows: name a method (--windows, windows), such as "
                f"{GENERATORS[0]}"
            )
        return [None] * len(datasets)
    sources = _one_each(given, datasets, "windows", once=is_method(given[0]))
    folders: list[Any] = [None] * len(datasets)
    if listed(images):
        folders = _one_each(listed(images), datasets, "images", once=True)
    return [
        _found(one, dataset, folder, choice, keep, threads, progress)
        for one, dataset, folder in zip(sources, datasets, folders, strict=True)
    ]


def _one_each(given: list[Any], datasets: Sequence[Dataset], what: str, *, once: bool) -> list[Any]:
    if len(given) == 1 and once:
        return given * len(datasets)
    if len(given) != len(datasets):
        raise ParameterError(
            f"{what} are named once a data set: there are {len(datasets)} data sets and "
            f"{len(given)} {what} (--{what}, {what})"
        )
    return given


def _found(
    given: Windows | str | PathLike[str],
    dataset: Dataset,
    folder: str | PathLike[str] | None,
    choice: DifficultyChoice,
    keep: Path | None,
    threads: int,
    progress: Progress | None,
) -> Windows:
    if isinstance(given, Windows):
        return given
    if not is_method(given):
        _check_file(given)
        windows = read_windows(given, dataset, limit=choice.n_windows, threads=threads)
        return replace(windows, made_by=str(given), notices=_without_missing(windows.notices))
    if folder is None:
        raise ParameterError(f"{given} looks at pictures: name their folder (--images, images)")
    generator = open_generator(str(given), seed=choice.seed)
    files, notices = find_images(folder, dataset=dataset)
    windows, _ = generated_windows(
        generator, files, dataset, choice.n_windows, keep=keep, progress=progress
    )
    return replace(windows, notices=(*_without_missing(windows.notices), *notices))


def _without_missing(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Which images have no windows is told where clutter is counted."""
    return tuple(one for one in notices if one.code != "not_searched")


def _check_file(given: str | PathLike[str]) -> None:
    if isinstance(given, str) and not Path(given).exists():
        raise ParameterError(
            f"{given}: no such file, and no method: methods are {', '.join(GENERATORS)} "
            "(--windows, windows)"
        )

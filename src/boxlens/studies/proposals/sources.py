"""Proposals as they are given: tables, files, generators, or words that mean a generator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Dataset
from boxlens.data.windows import Windows
from boxlens.errors import ParameterError
from boxlens.formats.window_files import Order, has_runs, read_windows
from boxlens.images import find_images
from boxlens.metrics.evaluation import with_unique_names
from boxlens.progress import Progress
from boxlens.studies.proposals.blind import BlindWindows
from boxlens.studies.proposals.generated import generated_windows
from boxlens.studies.proposals.generators.opening import (
    GENERATORS,
    no_such_source,
    open_named,
    plain_name,
)
from boxlens.studies.proposals.generators.protocols import BlindGenerator, Generator
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.proposed import Proposed, places_in
from boxlens.studies.proposals.published import BASELINES

GivenProposals = Windows | Generator | str | PathLike[str]
METHODS = tuple(dict.fromkeys(word.partition("[")[0].partition(":")[0] for word in GENERATORS))


@dataclass(frozen=True, slots=True)
class Searching:
    """How proposals are found where they are not there yet."""

    # Folders of pictures.
    images: tuple[str | PathLike[str], ...] = ()
    # Windows that a generator finds stay in this folder, and are used again.
    keep: Path | None = None
    # How the windows of files are ranked (METHODS 6.1): one for all, or one per file.
    orders: tuple[Order, ...] = ("descending",)
    # Of the files, in order; none: as they are called.
    names: tuple[str, ...] = ()
    seed: int = 0
    # Processes for pictures; 1: threads.
    workers: int = 1
    threads: int = 0

    @classmethod
    def of(
        cls, images: Any, keep: str | PathLike[str] | None, order: Any, names: Any, **rest: int
    ) -> Searching:
        """As a verb is given them: one thing or several."""
        place = None if keep is None else Path(keep)
        return cls(tuple(listed(images)), place, tuple(listed(order)), tuple(listed(names)), **rest)


def is_method(given: object) -> bool:
    """Does it mean a generator? A file goes before a method of its name."""
    if not isinstance(given, str) or Path(given).exists():
        return False
    return given.partition(":")[0] in METHODS


def find_proposed(
    dataset: Dataset,
    given: Sequence[GivenProposals],
    budgets: Sequence[int],
    searching: Searching,
    *,
    progress: Progress | None = None,
) -> list[Proposed]:
    """One per method, under names that differ."""
    return with_unique_names(
        list(each_proposed(dataset, given, budgets, searching, progress=progress))
    )


def each_proposed(
    dataset: Dataset,
    given: Sequence[GivenProposals],
    budgets: Sequence[int],
    searching: Searching,
    *,
    progress: Progress | None = None,
) -> Iterator[Proposed]:
    """Found when they are asked for, and not held: who forgets one makes room for the next."""
    if not given:
        raise ParameterError(
            f"name proposals: files, or methods (--method, proposals) such as {GENERATORS[0]}"
        )
    orders, names = iter(_orders(given, searching)), iter(_names(given, searching))
    return (
        _read(dataset, one, sorted(budgets), next(orders), next(names), searching)
        if _is_file(one)
        else _proposed(dataset, one, sorted(budgets), searching, progress)
        for one in given
    )


def _is_file(given: GivenProposals) -> bool:
    return isinstance(given, (str, PathLike)) and not is_method(given)


def _names(given: Sequence[GivenProposals], searching: Searching) -> Sequence[str | None]:
    """One per file."""
    n_files = sum(map(_is_file, given))
    if searching.names and len(searching.names) != n_files:
        raise ParameterError(
            f"name each file once: there are {n_files}, and {len(searching.names)} names "
            "(--name, names)"
        )
    return searching.names or [None] * n_files


def _orders(given: Sequence[GivenProposals], searching: Searching) -> list[Order]:
    """One per file."""
    n_files = sum(map(_is_file, given))
    orders = list(searching.orders)
    if len(orders) == 1:
        return orders * n_files
    if len(orders) != n_files:
        raise ParameterError(
            f"an order is given once for all files or once for each: there are {n_files} files "
            f"and {len(orders)} orders (--order, order)"
        )
    return orders


def _proposed(
    dataset: Dataset,
    given: GivenProposals,
    budgets: Sequence[int],
    searching: Searching,
    progress: Progress | None,
) -> Proposed:
    if isinstance(given, Windows):
        return _nested(given, given.made_by or given.name, dataset)
    generator = open_named(given, seed=searching.seed) if isinstance(given, str) else given
    if not isinstance(generator, Generator):
        raise ParameterError(f"expected windows, a generator, a file or a word, got {given!r}")
    return _generated(dataset, generator, budgets, searching, progress)


def _read(
    dataset: Dataset,
    path: GivenProposals,
    budgets: Sequence[int],
    order: Order,
    name: str | None,
    searching: Searching,
) -> Proposed:
    """Duplicates go before the best are taken, so all are read."""
    place = Path(str(path))
    if not place.exists():
        raise ParameterError(no_such_source(str(path)))

    def read(run_for: int | None) -> Windows:
        return read_windows(
            place,
            dataset,
            limit=None,
            order=order,
            seed=searching.seed,
            threads=searching.threads,
            run_for=run_for,
            name=name,
        )

    if not has_runs(place):
        return _nested(read(None), str(path), dataset)
    # A run for every number, as the method was run (METHODS 6.1).
    runs = {budget: read(budget) for budget in budgets}
    return Proposed(
        runs[budgets[-1]].name,
        str(path),
        baseline=False,
        by_budget=runs,
        nested=False,
        places=places_in(dataset),
    )


def _nested(windows: Windows, made_by: str, dataset: Dataset) -> Proposed:
    if windows.n_images != len(dataset.images):
        raise ParameterError(
            f"windows {windows.name!r} are rows of {windows.n_images} images, the data set has "
            f"{len(dataset.images)}: read them with this data set"
        )
    return Proposed(
        windows.name,
        made_by,
        baseline=False,
        by_budget={max(len(windows), 1): windows},
        places=places_in(dataset),
    )


def _generated(
    dataset: Dataset,
    generator: Generator,
    budgets: Sequence[int],
    searching: Searching,
    progress: Progress | None,
) -> Proposed:
    by_budget: dict[int, Windows | BlindWindows] = {}
    seconds = None
    for budget in budgets[-1:] if generator.nested else budgets:
        if isinstance(generator, BlindGenerator) and _knows_sizes(dataset, searching):
            by_budget[budget] = BlindWindows.of(generator, dataset, budget)
        else:
            by_budget[budget], seconds = _from_pictures(
                dataset, generator, budget, searching, progress
            )
    return Proposed(
        generator.name,
        generator.identity,
        baseline=plain_name(generator) in BASELINES,
        by_budget=by_budget,
        nested=generator.nested,
        places=places_in(dataset),
        seconds_per_image=seconds,
    )


def _knows_sizes(dataset: Dataset, searching: Searching) -> bool:
    """Without pictures there is nobody else to ask."""
    known = not dataset.relative and not np.isnan(dataset.images.known_sizes()).any()
    return known or not searching.images


def _from_pictures(
    dataset: Dataset,
    generator: Generator,
    budget: int,
    searching: Searching,
    progress: Progress | None,
) -> tuple[Windows, float | None]:
    if not searching.images:
        raise ParameterError(
            f"{generator.name} looks at pictures: name their folder (--images, images)"
        )
    files, notices = find_images(searching.images, dataset=dataset)
    windows, seconds = generated_windows(
        generator,
        files,
        dataset,
        budget,
        keep=searching.keep,
        workers=searching.workers,
        progress=progress,
    )
    return replace(windows, notices=(*windows.notices, *notices)), seconds

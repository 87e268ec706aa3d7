"""Robustness of detectors that ran elsewhere, on pictures that were exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from boxlens.data import Detections
from boxlens.errors import ParameterError
from boxlens.progress import Progress
from boxlens.studies.robustness.analysis import check_names, with_bound
from boxlens.studies.robustness.bound_file import read_bound
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.importing import (
    ExportedSet,
    ImportedResults,
    import_results,
    open_sets,
)
from boxlens.studies.robustness.measuring import measure
from boxlens.studies.robustness.picture_set import StepPictures
from boxlens.studies.robustness.result import RobustnessResult
from boxlens.studies.robustness.running import Place
from boxlens.studies.robustness.steps import with_references


def imported_robustness(
    sets: Place | Sequence[ExportedSet],
    results: Place | Sequence[Place],
    choice: RobustnessChoice | None = None,
    *,
    all_sets: bool = False,
    names: Sequence[str] = (),
    bound: Place | None = None,
    partial: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> RobustnessResult:
    """The same for results made elsewhere on sets that were exported: one folder per detector.

    Each folder has one results file per set. Without a choice, or with `all_sets`, all sets are
    looked at, otherwise the steps of the choice. With `partial`, sets that one of the detectors has
    no results for are skipped.
    """
    listed = [results] if isinstance(results, (str, PathLike)) else results
    folders = [Path(one) for one in listed]
    called = list(names) or [folder.resolve().name for folder in folders]
    if len(called) != len(folders):
        raise ParameterError(f"{len(folders)} folders of results, and {len(called)} names")
    check_names(called)
    exported = open_sets(sets) if isinstance(sets, (str, PathLike)) else sets
    opened = _asked(exported, None if all_sets else choice)
    known_bound = None if bound is None else read_bound(bound, opened[0].dataset.classes.name)
    imported = {
        name: import_results(opened, folder, name=name, partial=partial)
        for folder, name in zip(folders, called, strict=True)
    }
    kept, found = _of_all(opened, imported)
    steps = tuple(one.step for one in kept[1:])
    export = opened[0].export
    given = choice or RobustnessChoice(steps)
    # Pictures and settings are those of the export.
    asked = replace(given, steps=steps, settings=export.settings, n_images=None)
    measured = measure(kept, found, asked, threads=threads, progress=progress)
    result = with_bound(measured, known_bound)
    told = tuple(notice for one in imported.values() for notice in one.notices)
    return replace(
        result,
        failed=export.failed,
        notices=(*result.notices, *export.notices(), *told),
        pictures=StepPictures.of(opened),
    )


def _of_all(
    sets: Sequence[ExportedSet], imported: Mapping[str, ImportedResults]
) -> tuple[list[ExportedSet], dict[str, list[Detections]]]:
    """The sets that every detector has results of, and these results."""
    kept: list[ExportedSet] = []
    found: dict[str, list[Detections]] = {name: [] for name in imported}
    for row, one in enumerate(sets):
        tables = {name: of.found[row] for name, of in imported.items()}
        known = {name: table for name, table in tables.items() if table is not None}
        if len(known) == len(tables):
            kept.append(one)
            for name, table in known.items():
                found[name].append(table)
    if len(kept) < 2:
        raise ParameterError("no set but the unchanged pictures has results of all detectors")
    return kept, found


def _asked(sets: Sequence[ExportedSet], choice: RobustnessChoice | None) -> list[ExportedSet]:
    """The unchanged pictures, and all sets, or those of the choice and what they need beside."""
    if choice is None:
        return list(sets)
    by_slug = {one.step.slug: one for one in sets}
    missing = [step.slug for step in choice.steps if step.slug not in by_slug]
    if missing:
        raise ParameterError(f"not among the exported sets: {', '.join(missing)}")
    wanted = [step.slug for step in with_references(choice.steps)]
    return [sets[0], *(by_slug[slug] for slug in wanted if slug in by_slug)]

"""Exported sets read back, and what detectors found in them elsewhere."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from boxlens.data import counted_notice
from boxlens.data.columns import frozen, take
from boxlens.data.dataset import renumbering
from boxlens.data.naming import some_names
from boxlens.detector_robustness.exporting import GROUND_TRUTH, IMAGES, INDEX, ORIGIN, SCHEMA
from boxlens.errors import InputError
from boxlens.formats import read_dataset, read_detections
from boxlens.formats.files import existing_file, existing_folder, read_text, stem
from boxlens.images import ImageFiles
from boxlens.images.transforming.pictured import Pictured
from boxlens.images.transforming.transform import Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from boxlens.data import Dataset, Detections, Notice
    from boxlens.data.columns import Ids, Rows
    from boxlens.detector_robustness.picture_set import PictureSet
    from boxlens.images import Picture

CLEAN = "clean"
_EXPORT = "Give a folder that an export of changed pictures has written, and finished"


@dataclass(frozen=True, slots=True)
class ExportedSet:
    """A set in its folder. Unchanged rows are those of the unchanged set beside it."""

    step: Step
    pictured: Pictured
    source_row: Rows
    object_row: Rows
    origin: Mapping[str, Any]

    @property
    def dataset(self) -> Dataset:
        return self.pictured.dataset

    @property
    def ids(self) -> Ids:
        return self.pictured.files.ids

    @property
    def names(self) -> tuple[str, ...]:
        return self.pictured.files.names

    def __len__(self) -> int:
        return len(self.pictured)

    def read(self, row: int) -> Picture:
        return self.pictured.read(row)

    def size_bytes(self, row: int) -> int:
        return self.pictured.size_bytes(row)

    def made_from(self) -> dict[str, Any]:
        return {
            **self.origin,
            "ground_truth": self.pictured.ground_truth_hash(),
            "pictures": self.pictured.pictures_hash(),
        }


class ImportedResults(NamedTuple):
    """One table a set, in their order; None where there are no results, if that was allowed."""

    found: tuple[Detections | None, ...]
    notices: tuple[Notice, ...]


def open_sets(folder: str | PathLike[str]) -> tuple[ExportedSet, ...]:
    """The finished sets of an export, the unchanged one first."""
    place = existing_folder(folder)
    index = _document(place / INDEX)
    if index.get("schema") != SCHEMA:
        raise InputError("not the list of an export", path=place / INDEX, remedy=_EXPORT)
    try:
        entries = sorted(index["sets"], key=lambda entry: entry["name"] != CLEAN)
        sets = [_opened(place / entry["folder"], entry) for entry in entries]
    except (KeyError, TypeError) as problem:
        raise InputError(f"damaged ({problem!r})", path=place / INDEX, remedy=_EXPORT) from problem
    if not sets or sets[0].step.name != CLEAN:
        raise InputError("no unchanged pictures", path=place / INDEX, remedy=_EXPORT)
    return _within(sets)


def import_results(
    sets: Sequence[PictureSet],
    folder: str | PathLike[str],
    *,
    name: str | None = None,
    partial: bool = False,
) -> ImportedResults:
    """Results of one detector: a file (or folder) for each set, called as its step.

    Any format will do. A set without results is an error, or a notice if `partial`.
    """
    place = existing_folder(folder)
    files = _results_files(place)
    slugs = [one.step.slug for one in sets]
    missing = [slug for slug in slugs if slug not in files]
    unknown = sorted(set(files) - set(slugs))
    if missing and (not partial or CLEAN in missing or len(missing) == len(slugs)):
        there = f"; {some_names(unknown)} is no set" if unknown else ""
        needed = ", and clean is always needed" if partial and CLEAN in missing else ""
        raise InputError(
            f"no results for {len(missing):,} of {len(slugs):,} sets: {some_names(missing)}{there}",
            path=place,
            remedy=f"Results are called as their set, such as {missing[0]}.json{needed}",
        )
    called = place.resolve().name if name is None else name
    found = tuple(
        _fitting(files[slug], one, called) if slug in files else None
        for slug, one in zip(slugs, sets, strict=True)
    )
    return ImportedResults(found, tuple(_notices(missing, unknown, place)))


def _fitting(path: Path, one: PictureSet, name: str) -> Detections:
    """Results of which not one belongs to the set are those of another."""
    found = read_detections(path, one.dataset, name=name)
    wrong = next((notice for notice in found.notices if notice.code == "nothing_fits"), None)
    if wrong is not None:
        raise InputError(
            wrong.message, remedy=f"Ids are those of the set's {GROUND_TRUTH}: {one.step.slug}"
        )
    return found


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(read_text(existing_file(path)))
    except ValueError as problem:
        raise InputError(f"not JSON ({problem})", path=path, remedy=_EXPORT) from problem
    if not isinstance(document, dict):
        raise InputError("not the list of an export", path=path, remedy=_EXPORT)
    return document


def _opened(folder: Path, entry: Mapping[str, Any]) -> ExportedSet:
    dataset = read_dataset(folder / GROUND_TRUTH, format="coco")
    names = dataset.images.file_name
    paths = tuple(folder / IMAGES / name for name in names)
    origin = _document(folder / ORIGIN)
    outcome = origin.get("outcome") or {}
    source_row, object_row = outcome.get("source_row", ()), outcome.get("object_row", ())
    if (len(source_row), len(object_row)) != (len(names), len(dataset.gt)):
        raise InputError(
            "has other pictures or objects than were exported",
            path=folder / GROUND_TRUTH,
            remedy="Export the set again, into another folder",
        )
    severity = entry["severity"]
    return ExportedSet(
        Step(entry["name"], math.nan if severity is None else float(severity)),
        Pictured(dataset, ImageFiles(dataset.images.id, paths, names)),
        frozen(source_row, np.int32),
        frozen(object_row, np.int32),
        origin["made_from"],
    )


def _within(sets: Sequence[ExportedSet]) -> tuple[ExportedSet, ...]:
    """Rows of the data set that was exported become rows of the unchanged set, as far as written.

    A picture whose unchanged one could not be written has nothing to be compared with.
    """
    clean = sets[0]
    n_images = max(int(one.source_row.max(initial=-1)) for one in sets) + 1
    n_objects = max(int(one.object_row.max(initial=-1)) for one in sets) + 1
    image_row_of = renumbering(clean.source_row, n_images)
    # One more at the end serves -1.
    object_row_of = np.append(renumbering(clean.object_row, n_objects), np.int32(-1))
    return tuple(_renumbered(one, image_row_of, object_row_of) for one in sets)


def _renumbered(one: ExportedSet, image_row_of: Rows, object_row_of: Rows) -> ExportedSet:
    source_row, object_row = image_row_of[one.source_row], object_row_of[one.object_row]
    rows = np.flatnonzero(source_row >= 0)
    objects = np.isin(one.dataset.gt.image_row, rows)
    return ExportedSet(
        one.step,
        one.pictured.select(rows.tolist()),
        take(source_row, rows),
        take(object_row, np.flatnonzero(objects)),
        one.origin,
    )


def _results_files(place: Path) -> dict[str, Path]:
    """By the name of their set; what a run keeps beside its results is none."""
    files: dict[str, Path] = {}
    for path in sorted(place.iterdir()):
        if path.name.startswith(".") or path.name.endswith((".origin.json", ".partial")):
            continue
        slug = path.name if path.is_dir() else stem(path)
        if slug in files:
            raise InputError(
                f"two results for {slug}: {files[slug].name} and {path.name}",
                path=place,
                remedy="Keep one of them there",
            )
        files[slug] = path
    return files


def _notices(missing: Sequence[str], unknown: Sequence[str], place: Path) -> list[Notice]:
    absent, foreign = some_names(missing), some_names(unknown)
    return [
        *counted_notice(
            "set_without_results",
            len(missing),
            f"sets have no results in {place}: {absent}",
            f"set has no results in {place}: {absent}",
        ),
        *counted_notice(
            "results_without_set",
            len(unknown),
            f"results in {place} are of no set, and left out: {foreign}",
            f"result in {place} is of no set, and left out: {foreign}",
        ),
    ]

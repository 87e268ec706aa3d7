"""Exported sets read back, and what detectors found in them elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from boxlens.data import Dataset, Detections, Notice, counted_notice
from boxlens.data.columns import Ids, Rows, frozen
from boxlens.data.naming import some_names
from boxlens.detectors.run_result import Failure
from boxlens.errors import InputError
from boxlens.formats import read_dataset, read_detections
from boxlens.formats.files import DATA_BYTES, existing_folder, read_json, stem
from boxlens.images import ImageFiles, Picture
from boxlens.images.transforming.pictured import Pictured
from boxlens.images.transforming.transform import Step, TransformSettings
from boxlens.studies.robustness.exporting import GROUND_TRUTH, IMAGES, INDEX, ORIGIN, SCHEMA
from boxlens.studies.robustness.picture_set import PictureSet

CLEAN = "clean"
_EXPORT = "Give a folder that an export of changed pictures has written, and finished"


@dataclass(frozen=True, slots=True)
class ExportRecord:
    """What an export says of all its sets."""

    dataset: str
    settings: TransformSettings
    # Pictures that are in no set, or could not be made.
    failed: tuple[Failure, ...]
    # Sets that were to be written when it was stopped.
    left: tuple[str, ...]

    @classmethod
    def of_json(cls, index: Mapping[str, Any]) -> ExportRecord:
        failed = [Failure(one["file"], one["reason"]) for one in index["failed"]]
        failed += [
            Failure(f"{entry['folder']}/{one['file']}", one["reason"])
            for entry in index["sets"]
            for one in entry["failed"]
        ]
        settings = TransformSettings(**index["settings"])
        return cls(index["dataset"], settings, tuple(failed), tuple(index["left"]))

    def notices(self) -> tuple[Notice, ...]:
        where = f"not exported yet: {some_names(self.left)}; run the same --export again to resume"
        return counted_notice(
            "unfinished_export", len(self.left), f"sets are {where}", f"set is {where}"
        )


@dataclass(frozen=True, slots=True)
class ExportedSet:
    """A set in its folder. Unchanged rows are those of the unchanged set beside it."""

    step: Step
    pictured: Pictured
    source_row: Rows
    object_row: Rows
    origin: Mapping[str, Any]
    export: ExportRecord

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
        export = ExportRecord.of_json(index)
        entries = sorted(index["sets"], key=lambda entry: entry["name"] != CLEAN)
        sets = [_opened(place / entry["folder"], entry, export) for entry in entries]
    except (KeyError, TypeError) as problem:
        raise InputError(f"damaged ({problem!r})", path=place / INDEX, remedy=_EXPORT) from problem
    if not sets or sets[0].step.name != CLEAN:
        raise InputError("no unchanged pictures", path=place / INDEX, remedy=_EXPORT)
    return tuple(sets)


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
        there = f"; {some_names(unknown)} is not a set" if unknown else ""
        needed = ", and clean is always needed" if partial and CLEAN in missing else ""
        raise InputError(
            f"no results for {len(missing):,} of {len(slugs):,} sets: {some_names(missing)}{there}",
            path=place,
            remedy=f"Results are named after their set, such as {missing[0]}.json{needed}; "
            "--partial skips missing ones",
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
    document = read_json(path, remedy=_EXPORT, most_bytes=DATA_BYTES)
    if not isinstance(document, dict):
        raise InputError("not the list of an export", path=path, remedy=_EXPORT)
    return document


def _opened(folder: Path, entry: Mapping[str, Any], export: ExportRecord) -> ExportedSet:
    dataset = replace(read_dataset(folder / GROUND_TRUTH, format="coco"), name=export.dataset)
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
        export,
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
            f"results in {place} belong to no set and are skipped: {foreign}",
            f"result in {place} belongs to no set and is skipped: {foreign}",
        ),
    ]

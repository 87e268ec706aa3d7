"""Changed pictures and their ground truth as files, for detectors that run elsewhere.

A folder for each step, as it would be drawn: pictures without loss, and COCO ground truth. What a
stopped export has written is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from boxlens.data import Notice
from boxlens.detectors.run_result import Failure, NothingDetectedError
from boxlens.detectors.threads import in_parallel
from boxlens.errors import InputError, ParameterError
from boxlens.formats import write_dataset
from boxlens.formats.files import read_json, write_text
from boxlens.images import ImageError
from boxlens.images.sizes import upright_size
from boxlens.images.transforming.transform import Step
from boxlens.images.writing import write_png
from boxlens.limits import WORKERS
from boxlens.matching import COCO
from boxlens.metrics.json_form import JsonRecord, inline, to_json
from boxlens.progress import Progress
from boxlens.studies.robustness.choice import step_to_json
from boxlens.studies.robustness.origins import Origin
from boxlens.studies.robustness.picture_set import PictureSet
from boxlens.version import VERSION

SCHEMA = "boxlens/changed-sets/1"
# In the folder of the export, and in that of each set.
INDEX, IMAGES, GROUND_TRUTH, ORIGIN = "sets.json", "images", "ground_truth.json", "origin.json"
# Of PNG: more takes longer and saves nothing on photographs.
COMPRESSION = 1
_REMEDY = "Name another folder, or remove this one"


def _folder_to_json(step: Step) -> dict[str, Any]:
    return {**step_to_json(step), "folder": step.slug}


@dataclass(frozen=True, slots=True)
class SetExport(JsonRecord):
    """One set as it was written."""

    step: Step = field(metadata=inline(_folder_to_json))
    # Written, and to be found.
    n_images: int
    n_objects: int
    # Pictures that could not be made. Their objects stay in the ground truth, and count as missed.
    failed: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What an export has left in its folder."""

    folder: Path
    sets: tuple[SetExport, ...]
    # Pictures that were there from an export before.
    n_kept: int
    notices: tuple[Notice, ...]

    @property
    def n_images(self) -> int:
        return sum(one.n_images for one in self.sets)

    @property
    def failed(self) -> tuple[Failure, ...]:
        """With the folder of their set."""
        return tuple(
            Failure(f"{one.step.slug}/{failure.file}", failure.reason)
            for one in self.sets
            for failure in one.failed
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "folder": str(self.folder),
            "n_images": self.n_images,
            "n_kept": self.n_kept,
            "notices": to_json(self.notices),
            "sets": to_json(self.sets),
        }


def export_sets(
    sets: Sequence[PictureSet],
    folder: str | PathLike[str],
    *,
    failed: Sequence[Failure] = (),
    workers: int = 2,
    progress: Progress | None = None,
) -> ExportResult:
    """Writes images/ and ground_truth.json of every set, and sets.json, which lists them.

    Sets may be added later. `failed` are pictures that are in no set: whoever imports the results
    is told. So many threads draw and write.
    """
    if not sets:
        raise ParameterError("an export needs at least one set of pictures")
    WORKERS.check(workers, "workers (--workers)")
    place = Path(folder)
    works = [_Work.of(one, place) for one in sets]
    _refuse_other(place, sets[0])
    for work in works:
        work.origin.refuse_other(work.folder, _REMEDY)
    notices: list[Notice] = []
    exports = []
    n_kept = 0
    for count, work in enumerate(works, start=1):
        told = None
        if progress is not None:
            told = partial(progress, f"{work.pictures.step.slug} ({count:,} of {len(works):,})")
        n_kept += work.n_there()
        exports.append(work.done() or work.export(workers, told, notices))
        if count == 1 and exports[0].n_images == 0:
            raise NothingDetectedError(exports[0].failed)
        left = [one.pictures.step.slug for one in works[count:]]
        _write_index(place, sets[0], exports, failed, left)
    return ExportResult(place, tuple(exports), n_kept, tuple(notices))


def exported_names(pictures: PictureSet) -> tuple[str, ...]:
    """Names of the pictures below images/: as they are called, or numbers where that is no name."""
    names = [PurePosixPath(name).with_suffix(".png") if name else None for name in pictures.names]
    plain = [name for name in names if name and not name.is_absolute() and ".." not in name.parts]
    if len(set(plain)) < len(names):
        return tuple(f"{count:06}.png" for count in range(1, len(names) + 1))
    return tuple(map(str, plain))


@dataclass(frozen=True, slots=True)
class _Work:
    """One set on its way into its folder."""

    pictures: PictureSet
    folder: Path
    names: tuple[str, ...]
    origin: Origin

    @classmethod
    def of(cls, pictures: PictureSet, place: Path) -> _Work:
        folder = place / pictures.step.slug
        made_from = {"schema": SCHEMA, "boxlens": VERSION, **pictures.made_from()}
        return cls(pictures, folder, exported_names(pictures), Origin(folder / ORIGIN, made_from))

    def done(self) -> SetExport | None:
        outcome = self.origin.outcome()
        return None if outcome is None else self._export_of(outcome)

    def _export_of(self, outcome: Mapping[str, Any]) -> SetExport:
        failed = tuple(Failure(*one) for one in outcome["failed"])
        n_objects = int(np.count_nonzero(~COCO.ignored(self.pictures.dataset.gt)))
        n_images = len(self.pictures) - len(failed)
        return SetExport(self.pictures.step, n_images, n_objects, failed)

    def n_there(self) -> int:
        done = self.done()
        return len(self.pictures) - len(self._missing()) if done is None else done.n_images

    def export(
        self, workers: int, progress: Callable[[int, int], None] | None, notices: list[Notice]
    ) -> SetExport:
        self.origin.begin()
        missing = self._missing()
        n_before, n = len(self.pictures) - len(missing), len(self.pictures)
        heard = None if progress is None else lambda count: progress(n_before + count, n)
        problems = in_parallel(self._write_picture, missing, workers=workers, done=heard)
        failed = {row: text for row, text in zip(missing, problems, strict=True) if text}
        dataset = self.pictures.dataset
        renamed = replace(dataset, images=replace(dataset.images, file_name=self.names))
        told = write_dataset(renamed, self.folder / GROUND_TRUTH, "coco")
        notices += [one for one in told if one.code not in {other.code for other in notices}]
        outcome = {
            "source_row": self.pictures.source_row.tolist(),
            "object_row": self.pictures.object_row.tolist(),
            "failed": [[self.pictures.names[row], text] for row, text in failed.items()],
        }
        self.origin.finish(outcome)
        return self._export_of(outcome)

    def _missing(self) -> list[int]:
        """Rows without a whole picture: one that was begun has another name."""
        images = self.pictures.dataset.images
        sizes = zip(images.width_px.tolist(), images.height_px.tolist(), strict=True)
        return [
            row
            for row, size in enumerate(sizes)
            if not (path := self._path(row)).exists() or upright_size(path) != size
        ]

    def _path(self, row: int) -> Path:
        return self.folder / IMAGES / self.names[row]

    def _write_picture(self, row: int) -> str | None:
        """Why there is none."""
        path = self._path(row)
        try:
            pixels = self.pictures.read(row).pixels
        except ImageError as problem:
            return problem.problem
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_png(pixels, path, compression=COMPRESSION)
        except OSError as problem:
            raise InputError(
                f"cannot be written ({problem.strerror or problem})",
                path=path,
                remedy="Make room and start again: what is done stays done",
            ) from problem
        return None


def _write_index(
    place: Path,
    first: PictureSet,
    exports: Sequence[SetExport],
    failed: Sequence[Failure],
    left: Sequence[str],
) -> None:
    """Sets of exports before stay listed; `left` are those that are still to be written."""
    listed = {one["folder"]: one for one in _index(place).get("sets", ())}
    listed.update({one.step.slug: one.to_json() for one in exports})
    document = {
        **_shared(first),
        "dataset": first.dataset.name,
        "failed": [asdict(one) for one in failed],
        "sets": list(listed.values()),
        "left": list(left),
    }
    write_text(place / INDEX, json.dumps(document, indent=1) + "\n")


def _shared(first: PictureSet) -> dict[str, Any]:
    """What all sets of a folder have in common."""
    made_from = first.made_from()
    shared = {key: made_from[key] for key in ("settings", "ground_truth", "pictures")}
    return {"schema": SCHEMA, "boxlens": VERSION, **shared}


def _refuse_other(place: Path, first: PictureSet) -> None:
    index = _index(place)
    if index and any(index.get(key) != value for key, value in _shared(first).items()):
        raise InputError(
            "sets of other pictures or settings, or of another version, are there",
            path=place / INDEX,
            remedy=_REMEDY,
        )


def _index(place: Path) -> dict[str, Any]:
    path = place / INDEX
    if not path.exists():
        return {}
    try:
        index = read_json(path)
    except InputError:
        index = None
    return index if isinstance(index, dict) else {"schema": "damaged"}

"""Scenes as files: pictures, COCO JSON, VOC XML and the class tree, on any number of processes.

The work is done in DIR.partial, which becomes DIR when all is there; what a stopped run has drawn
is not drawn again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from boxlens.detectors.processes import mapping
from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.formats.files import read_json, write_text
from boxlens.limits import SCENES, SEED, WORKERS
from boxlens.progress import Progress
from boxlens.version import VERSION

JPEG_QUALITY = 75
SETTINGS_FILE = "settings.json"
# There while finished scenes take their place.
FINISHED_FILE = "finished.json"
SCHEMA = "boxlens/scenes/1"


@dataclass(frozen=True, slots=True)
class SceneSettings:
    """What decides every byte of a set of scenes."""

    seed: int
    n_images: int
    width_px: int = 480
    height_px: int = 360

    def __post_init__(self) -> None:
        SEED.check(self.seed, "seed (--seed)")
        SCENES.check(self.n_images, "n_images (--images)")
        if not (64 <= self.width_px <= 4096 and 48 <= self.height_px <= 4096):
            size = f"{self.width_px}x{self.height_px}"
            raise ParameterError(f"size {size}: expected 64x48 to 4096x4096 pixels")


@dataclass(frozen=True, slots=True)
class MadeScenes:
    """Where the scenes are, and how much is in them."""

    folder: Path
    n_images: int
    n_objects: int
    n_crowds: int
    n_difficult: int

    def to_json(self) -> dict[str, Any]:
        return {"schema": SCHEMA, **asdict(self), "folder": str(self.folder)}


def make_scenes(
    settings: SceneSettings,
    folder: str | PathLike[str],
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> MadeScenes:
    """Writes images/, ground_truth.json, class_tree.json and voc/ into a new folder.

    With more than one worker the calling script needs the usual `if __name__ == "__main__":`.
    """
    _check_extras()
    WORKERS.check(workers, "workers (--workers)")
    target = Path(folder)
    delivered = _delivered(target, settings)
    if delivered is not None:
        return delivered
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(
            "the folder already exists", path=folder, remedy="Name a new folder, or empty this one"
        )
    with _work_folder(target, settings) as work:
        _draw_missing(settings, work, workers, progress)
        made = replace(_finish(settings, work), folder=target)
        write_text(work / FINISHED_FILE, json.dumps(_counts(made, settings)))
        _deliver(work, target)
    return made


def work_path(folder: str | PathLike[str]) -> Path:
    """Where unfinished scenes are."""
    whole = Path(folder).resolve()
    return whole.with_name(f"{whole.name}.partial")


def _draw_missing(
    settings: SceneSettings, work: Path, workers: int, progress: Progress | None
) -> None:
    missing = [n for n in range(1, settings.n_images + 1) if not _record_path(work, n).exists()]
    done = settings.n_images - len(missing)
    with mapping(workers, chunk=4) as each:
        for _ in each(partial(_make_one, settings, work), missing):
            done += 1
            if progress is not None:
                progress("scenes", done, settings.n_images)


def _deliver(work: Path, target: Path) -> None:
    """The finished work takes its place; what only the work needed goes last.

    Killed at any instant, it is taken up by `_delivered`: the word that all is finished is the
    first to come and the last to go.
    """
    if target.is_dir():
        # It may be somebody's current folder: it is filled, not replaced.
        (work / FINISHED_FILE).rename(target / FINISHED_FILE)
        _fill(target, work)
    else:
        work.rename(target)
    _remove_traces(target)


def _fill(target: Path, work: Path) -> None:
    for path in work.iterdir():
        path.rename(target / path.name)
    work.rmdir()


def _remove_traces(target: Path) -> None:
    shutil.rmtree(target / "records", ignore_errors=True)
    (target / SETTINGS_FILE).unlink(missing_ok=True)
    (target / FINISHED_FILE).unlink()


def _delivered(target: Path, settings: SceneSettings) -> MadeScenes | None:
    """Finishes what was stopped while finished scenes took their place."""
    stated = target / FINISHED_FILE
    told = _stated(stated) if stated.exists() else None
    if not isinstance(told, dict) or told.get("settings") != _wanted(settings):
        return None
    work = work_path(target)
    if work.is_dir():
        _fill(target, work)
    _remove_traces(target)
    return MadeScenes(target, **told["counts"])


def _counts(made: MadeScenes, settings: SceneSettings) -> dict[str, Any]:
    counts = asdict(made)
    del counts["folder"]
    return {"settings": _wanted(settings), "counts": counts}


def _wanted(settings: SceneSettings) -> dict[str, Any]:
    return asdict(settings) | {"version": VERSION}


def _check_extras() -> None:
    for module, package in (("cv2", "opencv-contrib-python-headless"), ("PIL", "pillow")):
        if find_spec(module) is None:
            raise MissingExtraError("rendering scenes", package, "images")


@contextmanager
def _work_folder(target: Path, settings: SceneSettings) -> Iterator[Path]:
    """DIR.partial, new or left by a run of the same settings; held by this process alone."""
    work = work_path(target)
    stated = work / SETTINGS_FILE
    wanted = _wanted(settings)
    if stated.exists() and _stated(stated) != wanted:
        raise InputError(
            "contains unfinished scenes with other settings",
            path=work,
            remedy="Remove it, or continue with the same seed, size and number",
        )
    try:
        (work / "images").mkdir(parents=True, exist_ok=True)
        (work / "records").mkdir(exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot be written ({problem.strerror})", path=work) from problem
    with _held(work / "records"):
        write_text(stated, json.dumps(wanted))
        yield work


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Ours until we let go or end, however that comes about."""
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise InputError(
            "another process is making these scenes",
            path=folder.parent,
            remedy="Wait for it to end, or name another folder",
        ) from None
    finally:
        os.close(descriptor)


def _stated(path: Path) -> Any:
    try:
        return read_json(path)
    except InputError:
        return None


def _make_one(settings: SceneSettings, work: Path, number: int) -> None:
    import cv2

    from boxlens.images.writing import write_jpeg
    from boxlens.scenes.records import image_record, object_records
    from boxlens.scenes.scene import render_scene

    cv2.setNumThreads(1)
    scene = render_scene(settings.seed, number, settings.width_px, settings.height_px)
    file_name = f"{number:06}.jpg"
    write_jpeg(scene.pixels, work / "images" / file_name, quality=JPEG_QUALITY)
    record = {
        "image": image_record(scene, number, file_name),
        "annotations": object_records(scene, number),
    }
    # The record comes last and at once: where it is, its picture is complete.
    write_text(_record_path(work, number), json.dumps(record, separators=(",", ":")))


def _record_path(work: Path, number: int) -> Path:
    return work / "records" / f"{number:06}.json"


def _finish(settings: SceneSettings, work: Path) -> MadeScenes:
    """Joins the records and writes the VOC form."""
    from boxlens.scenes.records import category_records, class_tree

    records = [read_json(_record_path(work, number)) for number in range(1, settings.n_images + 1)]
    annotations = [found for record in records for found in record["annotations"]]
    numbered = [{"id": number, **found} for number, found in enumerate(annotations, start=1)]
    ground_truth = {
        "info": {"description": "Scenes rendered by Boxlens", **asdict(settings)},
        "images": [record["image"] for record in records],
        "annotations": numbered,
        "categories": category_records(),
    }
    lines = ",\n".join(
        f"{json.dumps(name)}:{_lines(value)}" for name, value in ground_truth.items()
    )
    write_text(work / "ground_truth.json", f"{{{lines}}}\n")
    write_text(work / "class_tree.json", json.dumps(class_tree(), indent=1) + "\n")
    _write_voc(work)
    n_crowds = sum(found["iscrowd"] for found in annotations)
    n_difficult = sum(found.get("difficult", 0) for found in annotations)
    n_objects = len(annotations) - n_crowds
    return MadeScenes(work, settings.n_images, n_objects, n_crowds, n_difficult)


def _lines(value: Any) -> str:
    """JSON with one record per line, so that a difference of two files can be read."""
    if isinstance(value, list):
        return "[" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in value) + "]"
    return json.dumps(value)


def _write_voc(work: Path) -> None:
    import numpy as np

    from boxlens.data.columns import frozen
    from boxlens.formats import read_dataset, write_dataset

    shutil.rmtree(work / "voc", ignore_errors=True)
    dataset = read_dataset(work / "ground_truth.json", format="coco")
    attributes = dict(dataset.gt.attributes)
    # COCO has no such flag, VOC has.
    difficult = frozen(attributes.pop("difficult", np.zeros(len(dataset.gt))) == 1, np.bool_)
    gt = replace(dataset.gt, difficult=difficult, attributes=attributes)
    write_dataset(replace(dataset, gt=gt), work / "voc", "voc")

"""Windows of picture files into one file; killed and started again, it goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from time import thread_time
from typing import NamedTuple

import numpy as np

from boxlens.data import Classes, Detections, Notice, counted_notice
from boxlens.detectors.batches import Findings, joined_findings
from boxlens.detectors.pictures import PictureFiles
from boxlens.detectors.processes import mapping
from boxlens.detectors.run import detect_pictures, journal_path
from boxlens.detectors.run_result import RunResult
from boxlens.detectors.threads import in_parallel
from boxlens.errors import InputError
from boxlens.formats.files import read_json, write_text
from boxlens.formats.window_files import NOTHING_FOUND
from boxlens.images import ImageFiles, Pixels
from boxlens.progress import Progress
from boxlens.studies.proposals.generators.protocols import Generator

CLASS_NAME = "window"
EMPTY = "no_windows"
# Pictures per core between two writes: cores wait for the slowest, a kill loses these.
PICTURES_A_CORE = 4
FEW_PICTURES = 8


class _Timed(NamedTuple):
    found: Findings
    seconds: float


def generate_windows(
    generator: Generator,
    files: ImageFiles,
    output: str | PathLike[str],
    *,
    limit: int = 1000,
    workers: int = 1,
    restart: bool = False,
    expected: Mapping[int | str, tuple[float, float]] | None = None,
    before_tidying: Callable[[RunResult], None] | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Writes COCO results of one class, the best windows first, for `read_windows`.

    Pictures that fail are counted in the result. `expected` and `before_tidying` are those of
    `detect_pictures`; `n_detections` of the result are the windows. One worker uses threads;
    several are processes, which generators written in Python need to use all cores.
    """

    def searching(_: str, done: int, total: int) -> None:
        if progress is not None:
            progress("searching windows", done, total)

    clock = _Clock(Path(output), restart=restart)
    # A process takes a second to begin.
    n_processes = workers if len(files) > FEW_PICTURES else 1
    with mapping(n_processes) as each, _one_opencv_thread():
        result = detect_pictures(
            _AsDetector(generator, limit, clock, each if n_processes > 1 else in_parallel),
            PictureFiles(files),
            output,
            identity=generator.identity,
            batch=PICTURES_A_CORE * (os.cpu_count() or 1),
            max_per_image=limit,
            restart=restart,
            expected=expected,
            before_tidying=before_tidying,
            progress=searching,
        )
    n_empty = sum(notice.count for notice in result.notices if notice.code == EMPTY)
    others = tuple(notice for notice in result.notices if notice.code != EMPTY)
    return replace(
        result, n_detections=result.n_detections - n_empty, notices=(*others, *_empty(n_empty))
    )


def seconds_per_image(output: str | PathLike[str]) -> float | None:
    """What a picture took on average on one core, if the run that wrote the file recorded it."""
    path = _clock_path(Path(output))
    if not path.exists():
        return None
    seconds, n_images = _told(path)
    return seconds / max(n_images, 1)


def _told(path: Path) -> tuple[float, int]:
    """Seconds, and the images they are of."""
    told = read_json(path)
    try:
        return float(told["seconds"]), int(float(told["n_images"]))
    except (LookupError, TypeError, ValueError, OverflowError) as problem:
        remedy = "Remove it: the time is then unknown"
        raise InputError("has no seconds and n_images", path=path, remedy=remedy) from problem


def write_seconds(output: Path, seconds: float, n_images: int) -> None:
    """Beside the file of windows: what so many images took."""
    told = {"seconds": round(seconds, 6), "n_images": n_images}
    write_text(_clock_path(output), json.dumps(told) + "\n")


def _clock_path(output: Path) -> Path:
    return output.with_name(f"{output.name}.seconds.json")


class _Clock:
    """Adds up what pictures take; a run that goes on adds to what is there."""

    def __init__(self, output: Path, *, restart: bool) -> None:
        self.output = output
        self.seconds, self.n_images = 0.0, 0
        path = _clock_path(output)
        if path.exists() and journal_path(output).exists() and not restart:
            self.seconds, self.n_images = _told(path)

    def add(self, seconds: Sequence[float]) -> None:
        self.seconds += sum(seconds)
        self.n_images += len(seconds)
        write_seconds(self.output, self.seconds, self.n_images)


@dataclass(frozen=True, slots=True)
class _AsDetector:
    """A generator as a detector of one class, so that its runs are those of detectors."""

    generator: Generator
    limit: int
    clock: _Clock
    # The answers for several pictures, on threads or on processes.
    each: Callable[[Callable[[Pixels], _Timed], Sequence[Pixels]], Iterable[_Timed]]

    @property
    def name(self) -> str:
        return self.generator.name

    @property
    def classes(self) -> Classes:
        return Classes.of([1], [CLASS_NAME])

    def detect(self, images: Sequence[Pixels]) -> Detections:
        answers = list(self.each(partial(_windows, self.generator, self.limit), images))
        self.clock.add([answer.seconds for answer in answers])
        found = joined_findings(self.name, [answer.found for answer in answers])
        n_empty = int((found.box == NOTHING_FOUND).all(axis=1).sum())
        return replace(found, notices=_empty(n_empty))


def _windows(generator: Generator, limit: int, image: Pixels) -> _Timed:
    """Where nothing is found, a record says so: an image without any would be unknown."""
    # What it takes of a core, however busy the machine is.
    begin = thread_time()
    with _one_opencv_thread():
        boxes, scores = generator.propose(image, limit)
    seconds = thread_time() - begin
    if len(boxes) == 0:
        boxes, scores = np.array([NOTHING_FOUND]), np.zeros(1)
    return _Timed(Findings(np.zeros(len(scores), dtype=np.int32), boxes, scores), seconds)


def _empty(count: int) -> tuple[Notice, ...]:
    return counted_notice(EMPTY, count, "images have no proposals", "image has no proposals")


@contextmanager
def _one_opencv_thread() -> Iterator[None]:
    """Pictures share the cores already; OpenCV's own threads would only get in their way."""
    try:
        import cv2
    except ImportError:  # reading the first picture reports what is missing
        yield
        return
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)

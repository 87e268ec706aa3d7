"""Windows of picture files into one file; killed and started again, it goes on."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Classes, Notice
from boxlens.detectors.findings import Findings, detect_each
from boxlens.detectors.run import detect_files
from boxlens.formats.window_files import NOTHING_FOUND

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from boxlens.data import Detections
    from boxlens.detectors.run_result import RunResult
    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles, Pixels
    from boxlens.proposals.generators.protocols import Generator

CLASS_NAME = "window"
EMPTY = "no_windows"
# Pictures done between two writes, a core: cores wait for the slowest, a kill loses these.
PICTURES_A_CORE = 8


def generate_windows(
    generator: Generator,
    files: ImageFiles,
    output: str | PathLike[str],
    *,
    limit: int = 1000,
    restart: bool = False,
    expected: Mapping[int | str, tuple[float, float]] | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Writes COCO results of one class, the best windows first, for `read_windows`.

    Pictures that fail are counted in the result. `expected` are sizes of images by id, as
    `detect_files` takes them; `n_detections` of the result are the windows.
    """

    def searching(_: str, done: int, total: int) -> None:
        if progress is not None:
            progress("searching windows", done, total)

    with _one_opencv_thread():
        result = detect_files(
            _AsDetector(generator, limit),
            files,
            output,
            identity=generator.identity,
            batch=PICTURES_A_CORE * (os.cpu_count() or 1),
            max_per_image=limit,
            restart=restart,
            expected=expected,
            progress=searching,
        )
    n_empty = sum(notice.count for notice in result.notices if notice.code == EMPTY)
    others = tuple(notice for notice in result.notices if notice.code != EMPTY)
    return replace(
        result,
        n_detections=result.n_detections - n_empty,
        notices=(*others, *_empty(n_empty)),
    )


@dataclass(frozen=True, slots=True)
class _AsDetector:
    """A generator as a detector of one class, so that its runs are those of detectors."""

    generator: Generator
    limit: int

    @property
    def name(self) -> str:
        return self.generator.name

    @property
    def classes(self) -> Classes:
        return Classes.of([1], [CLASS_NAME])

    def detect(self, images: Sequence[Pixels]) -> Detections:
        found = detect_each(self.name, images, self._windows)
        n_empty = int((found.box == NOTHING_FOUND).all(axis=1).sum())
        return replace(found, notices=_empty(n_empty))

    def _windows(self, image: Pixels) -> Findings:
        """Where nothing is found, a record says so: an image without any would be unknown."""
        boxes, scores = self.generator.propose(image, self.limit)
        if len(boxes) == 0:
            boxes, scores = np.array([NOTHING_FOUND]), np.zeros(1)
        return Findings(np.zeros(len(scores), dtype=np.int32), boxes, scores)


def _empty(count: int) -> tuple[Notice, ...]:
    message = f"{count:,} images have no window: nothing was found in them"
    return (Notice(EMPTY, count, message),) if count else ()


@contextmanager
def _one_opencv_thread() -> Iterator[None]:
    """Pictures share the cores already; OpenCV's own threads would only get in their way."""
    try:
        import cv2
    except ImportError:  # reading the first picture will tell what is missing
        yield
        return
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)

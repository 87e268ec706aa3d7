"""Windows of generators that look at the sizes of images alone: no picture is opened."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from time import thread_time
from typing import ClassVar

import numpy as np

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images, Notice
from boxlens.data.columns import Bools, Boxes, Floats, owned
from boxlens.data.windows import IN_A_PART, WindowPart, Windows
from boxlens.detectors.run import checked_target
from boxlens.detectors.run_result import RunResult
from boxlens.errors import InputError
from boxlens.formats.coco.writing import write_detection_parts
from boxlens.images import ImageFiles
from boxlens.images.sizes import upright_size
from boxlens.progress import Progress
from boxlens.studies.proposals.generate import CLASS_NAME, write_seconds
from boxlens.studies.proposals.generators.protocols import BlindGenerator
from boxlens.wording import counted


@dataclass(frozen=True, slots=True)
class BlindWindows:
    """Windows for each image of known size, drawn part by part whenever they are asked for."""

    generator: BlindGenerator
    dataset: Dataset
    limit: int
    searched: Bools
    notices: tuple[Notice, ...]
    # There is no file.
    source: ClassVar[None] = None

    @classmethod
    def of(cls, generator: BlindGenerator, dataset: Dataset, limit: int) -> BlindWindows:
        known = ~np.isnan(dataset.images.known_sizes()[:, 0])
        if dataset.relative or not known.any():
            raise InputError(
                f"{generator.name} needs the sizes of images, and the ground truth does not give "
                "them",
                path=None if dataset.source is None else dataset.source.path,
                remedy="Add width and height to the images, or name the pictures (--images)",
            )
        n_unknown = int((~known).sum())
        have = counted(n_unknown, "image has", "images have")
        message = f"{generator.name}: {have} no size, so no windows"
        notices = (Notice("image_without_size", n_unknown, message),) if n_unknown else ()
        return cls(generator, dataset, limit, owned(known), notices)

    def parts(self) -> Iterator[WindowPart]:
        """Those of an image depend on nothing else, so a part has them as the whole would."""
        n_images = len(self.searched)
        at_once = max(IN_A_PART // self.limit, 1)
        for first in range(0, n_images, at_once):
            yield self._drawn(first, min(first + at_once, n_images))

    def _drawn(self, first: int, last: int) -> WindowPart:
        begin = thread_time()
        sizes = self.dataset.images.known_sizes()[first:last]
        keys = self.dataset.images.id[first:last].tolist()
        # Without a seed images of one size have the same windows.
        random = hasattr(self.generator, "seed")
        of_size: dict[tuple[int, int], Boxes] = {}
        lists = [np.zeros((0, 4))]
        counts = np.zeros(last - first, dtype=np.int64)
        for row in np.flatnonzero(self.searched[first:last]).tolist():
            width, height = (round(side) for side in sizes[row].tolist())
            boxes = of_size.get((width, height))
            if boxes is None:
                boxes, _ = self.generator.propose_for(width, height, self.limit, keys[row])
                if not random:
                    of_size[width, height] = boxes
            lists.append(boxes)
            counts[row] = len(boxes)
        seconds = thread_time() - begin
        windows = Windows.of(
            self.generator.name,
            last - first,
            image_row=np.repeat(np.arange(last - first), counts),
            box=owned(np.concatenate(lists)),
            searched=self.searched[first:last],
        )
        return WindowPart(first, windows, seconds)


def write_blind_windows(
    generator: BlindGenerator,
    dataset: Dataset,
    output: str | PathLike[str],
    *,
    limit: int = 1000,
    restart: bool = False,
    progress: Progress | None = None,
) -> RunResult:
    """The same as a file, like `generate_windows` writes it."""
    target = checked_target(output)
    if target.exists() and not restart:
        raise InputError("already exists", path=output, remedy="Use --restart to run again")
    windows = BlindWindows.of(generator, dataset, limit)
    n_images, n_searched = len(windows.searched), int(windows.searched.sum())
    n_windows, seconds = 0, 0.0

    def tables() -> Iterator[Detections]:
        nonlocal n_windows, seconds
        for part in windows.parts():
            if progress is not None:
                progress("placing windows", part.first, n_images)
            n_windows += len(part.windows)
            seconds += part.seconds or 0.0
            yield _as_detections(part, n_images)

    nothing = GroundTruth.of(n_images, image_row=[], class_row=[], box=[])
    of_windows = Dataset("windows", dataset.images, Classes.of([1], [CLASS_NAME]), nothing)
    write_detection_parts(tables(), of_windows, target)
    write_seconds(target, seconds / n_searched, 1)
    return RunResult(
        output=target,
        detector=generator.name,
        n_images=n_searched,
        n_resumed=0,
        n_detections=n_windows,
        failed=(),
        changes={},
        notices=windows.notices,
    )


def _as_detections(part: WindowPart, n_images: int) -> Detections:
    windows = part.windows
    image_row = part.first + np.repeat(np.arange(windows.n_images), np.diff(windows.offsets))
    return Detections.of(
        windows.name,
        n_images,
        image_row=image_row,
        class_row=np.zeros(len(windows), dtype=np.int32),
        box=windows.box,
        score=_falling(windows),
    )


def _falling(windows: Windows) -> Floats:
    """Counts down to 1 in every image."""
    falling: Floats = np.repeat(windows.offsets[1:], np.diff(windows.offsets)).astype(np.float64)
    falling -= np.arange(len(windows))
    return falling


def sized_dataset(files: ImageFiles) -> Dataset:
    """Pictures as images without objects, with the sizes of their files."""
    sizes = [upright_size(path) or (math.nan, math.nan) for path in files.paths]
    images, _ = Images.of(
        files.ids, [width for width, _ in sizes], [height for _, height in sizes], files.names
    )
    nothing = GroundTruth.of(len(images), image_row=[], class_row=[], box=[])
    return Dataset("pictures", images, Classes.of([1], [CLASS_NAME]), nothing)

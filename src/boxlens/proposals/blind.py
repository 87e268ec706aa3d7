"""Windows of generators that look at the sizes of images alone: no picture is opened."""

from __future__ import annotations

import math
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images, Notice
from boxlens.data.windows import Windows
from boxlens.detectors.run import checked_target
from boxlens.detectors.run_result import RunResult
from boxlens.errors import InputError
from boxlens.formats import write_detections
from boxlens.images.sizes import upright_size
from boxlens.proposals.generate import CLASS_NAME, write_seconds
from boxlens.proposals.words import counted

if TYPE_CHECKING:
    from os import PathLike

    from boxlens.data.columns import Boxes, Floats
    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles
    from boxlens.proposals.generators.protocols import BlindGenerator

# Images between two words to the progress bar.
IN_ONE_GO = 500


class BlindWindows(NamedTuple):
    windows: Windows
    # On one core; images of one size share their windows where nothing is random.
    seconds_per_image: float


def blind_windows(
    generator: BlindGenerator,
    dataset: Dataset,
    limit: int,
    *,
    progress: Progress | None = None,
) -> BlindWindows:
    """For each image of known size."""
    sizes = dataset.images.known_sizes()
    known = ~np.isnan(sizes[:, 0])
    if dataset.relative or not known.any():
        raise InputError(
            f"{generator.name} needs the sizes of images, and the ground truth does not tell them",
            path=None if dataset.source is None else dataset.source.path,
            remedy="Add width and height to the images, or let pictures tell them (--images)",
        )
    # Without a seed images of one size have the same windows.
    random = hasattr(generator, "seed")
    of_size: dict[tuple[int, int], Boxes] = {}
    parts = [np.zeros((0, 4))]
    counts = np.zeros(len(sizes), dtype=np.int64)
    keys = dataset.images.id.tolist()
    begin = thread_time()
    for row in np.flatnonzero(known).tolist():
        if progress is not None and row % IN_ONE_GO == 0:
            progress("placing windows", row, len(sizes))
        width, height = (round(side) for side in sizes[row].tolist())
        boxes = of_size.get((width, height))
        if boxes is None:
            boxes, _ = generator.propose_for(width, height, limit, keys[row])
            if not random:
                of_size[width, height] = boxes
        parts.append(boxes)
        counts[row] = len(boxes)
    seconds = (thread_time() - begin) / int(known.sum())
    n_unknown = int((~known).sum())
    have = counted(n_unknown, "image has", "images have")
    message = f"{generator.name}: {have} no size, so no windows"
    windows = Windows.of(
        generator.name,
        len(sizes),
        image_row=np.repeat(np.arange(len(sizes)), counts),
        box=np.concatenate(parts),
        searched=known,
        notices=(Notice("image_without_size", n_unknown, message),) if n_unknown else (),
    )
    return BlindWindows(windows, seconds)


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
        raise InputError("already there", path=output, remedy="--restart does it again")
    windows, seconds = blind_windows(generator, dataset, limit, progress=progress)
    detections = Detections.of(
        generator.name,
        windows.n_images,
        image_row=np.repeat(np.arange(windows.n_images), np.diff(windows.offsets)),
        class_row=np.zeros(len(windows), dtype=np.int32),
        box=windows.box,
        score=_falling(windows),
    )
    nothing = GroundTruth.of(windows.n_images, image_row=[], class_row=[], box=[])
    of_windows = Dataset("windows", dataset.images, Classes.of([1], [CLASS_NAME]), nothing)
    write_detections(detections, of_windows, target, "coco")
    write_seconds(target, seconds, 1)
    return RunResult(
        output=target,
        detector=generator.name,
        n_images=int(windows.searched.sum()),
        n_resumed=0,
        n_detections=len(windows),
        failed=(),
        changes={},
        notices=windows.notices,
    )


def _falling(windows: Windows) -> Floats:
    """Counts down to 1 in every image."""
    falling: Floats = np.repeat(windows.offsets[1:], np.diff(windows.offsets)).astype(np.float64)
    falling -= np.arange(len(windows))
    return falling


def sized_dataset(files: ImageFiles) -> Dataset:
    """Pictures as images without objects, with the sizes that their files tell."""
    sizes = [upright_size(path) or (math.nan, math.nan) for path in files.paths]
    images, _ = Images.of(
        files.ids, [width for width, _ in sizes], [height for _, height in sizes], files.names
    )
    nothing = GroundTruth.of(len(images), image_row=[], class_row=[], box=[])
    return Dataset("pictures", images, Classes.of([1], [CLASS_NAME]), nothing)

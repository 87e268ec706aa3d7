"""The proposals of a method as a file: from pictures, or from sizes where they are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

from boxlens.detectors.run_result import RunResult
from boxlens.errors import ParameterError
from boxlens.formats.given import GivenDataset, Reading, shared_settings
from boxlens.images import find_images
from boxlens.limits import BUDGET
from boxlens.progress import Progress
from boxlens.studies.proposals.blind import sized_dataset, write_blind_windows
from boxlens.studies.proposals.generate import generate_windows
from boxlens.studies.proposals.generators.opening import open_generator
from boxlens.studies.proposals.generators.protocols import BlindGenerator, Generator
from boxlens.studies.proposals.listing import listed


@shared_settings
def generate_proposals(
    method: str | Generator,
    output: str | PathLike[str],
    *,
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    gt: GivenDataset | None = None,
    budget: int = 1000,
    split: str | None = None,
    gt_format: str | None = None,
    seed: int = 0,
    workers: int = 1,
    restart: bool = False,
    progress: Progress | None = None,
) -> RunResult:
    """Writes proposals of a method as COCO results, best first; a killed run goes on.

    `method` is a generator or a name such as "edge-boxes", `output` the file to write, with at most
    `budget` proposals per image of the folders `images`. With ground truth (`gt`) only its pictures
    are searched, under its ids; its sizes are enough for methods that do not look at pictures.
    `restart` starts over.

    >>> run = generate_proposals("uniform", "uniform.json", gt=gt, budget=10)
    >>> run.n_detections
    2000
    """
    BUDGET.check(budget, "budget (--budget)")
    generator = open_generator(method, seed=seed) if isinstance(method, str) else method
    reading = Reading(split, gt_format=gt_format, progress=progress)
    dataset = None if gt is None else reading.read(gt)
    folders = listed(images)
    files, notices = find_images(folders, dataset=dataset) if folders else (None, ())
    if isinstance(generator, BlindGenerator):
        # Random boxes follow from the id of an image, whether its picture is there or not.
        sized = dataset if files is None else sized_dataset(files)
        if sized is None:
            raise ParameterError(
                f"{generator.name} needs the sizes of images: name ground truth (--gt, gt) or "
                "pictures (--images, images)"
            )
        run = write_blind_windows(
            generator, sized, output, limit=budget, restart=restart, progress=progress
        )
        return replace(run, notices=(*notices, *run.notices))
    if files is None:
        raise ParameterError(f"{generator.name} looks at pictures: name them (--images, images)")
    run = generate_windows(
        generator,
        files,
        output,
        limit=budget,
        workers=workers,
        restart=restart,
        expected=None if dataset is None else dataset.images.sizes_by_id(),
        progress=progress,
    )
    return replace(run, notices=(*notices, *run.notices))

"""`boxlens proposals train`: what a method learns from annotated pictures."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from boxlens.cli.asking import keywords
from boxlens.cli.options import Commands
from boxlens.cli.output import print_failures, print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import add_ground_truth, add_json
from boxlens.errors import InputError, ParameterError
from boxlens.limits import SEED

if TYPE_CHECKING:
    from boxlens.data import Dataset, Notice
    from boxlens.detectors.run_result import Failure
    from boxlens.images import ImageFiles
    from boxlens.progress import Progress

SCHEMA = "boxlens/proposals-train/1"


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "train",
        help="learn a method from annotated pictures",
        description="Learn what a method knows about objects from annotated pictures: where and "
        "how large boxes are (uniform, gaussian, sliding-window: no pictures are needed), tables "
        "of cues (objectness), or weights (randomized-prim). The file is used as METHOD:FILE.",
    )
    command.set_defaults(run=run)
    add_ground_truth(command)
    command.text("method METHOD", "uniform, gaussian, sliding-window, objectness, randomized-prim")
    command.files("--images DIR", "folders of its pictures")
    command.text("-o --output FILE", "the JSON file to write", required=True)
    command.number("--seed N", SEED, "of what is drawn at random", 0)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.formats.given import Reading
    from boxlens.studies.proposals.generators.generator_files import write_generator
    from boxlens.studies.proposals.generators.training import TRAINABLE, train_generator

    if options.method not in TRAINABLE:
        raise ParameterError(
            f"{options.method} has nothing to learn; choose from {', '.join(TRAINABLE)}"
        )
    if not options.output.endswith(".json"):
        raise InputError("a generator file is JSON", path=options.output, remedy="End it in .json")
    with progress_bar() as progress:
        dataset = Reading(**keywords(options, Reading), progress=progress).dataset(options.gt)
        files, notices = _pictures(options, dataset)
        used, failed = _usable(dataset, files, progress)
        generator = train_generator(
            options.method, dataset, files, seed=options.seed, progress=progress
        )
    made_from = {"trained_on": str(options.gt), "n_objects": _n_objects(used)}
    if files is not None:
        made_from["n_pictures"] = len(files) - len(failed)
    write_generator(generator, options.output, made_from=made_from)
    print_notices(notices)
    print_failures(failed)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "results": {"output": options.output, "method": generator.name, **made_from},
    }
    text = f"wrote {options.output}: use it as {options.method}:{options.output}"
    show_or_save_json(lambda: document, options.json, lambda: text)


def _pictures(
    options: argparse.Namespace, dataset: Dataset
) -> tuple[ImageFiles | None, tuple[Notice, ...]]:
    """None for methods that learn from boxes alone."""
    from boxlens.images import find_images
    from boxlens.studies.proposals.generators.training import BLIND

    if options.method in BLIND:
        from boxlens.studies.proposals.generators.training import box_statistics

        return None, box_statistics(dataset).notices
    if not options.images:
        raise ParameterError(f"{options.method} learns from pictures: name them with --images")
    return find_images(options.images, dataset=dataset)


def _usable(
    dataset: Dataset, files: ImageFiles | None, progress: Progress
) -> tuple[Dataset, tuple[Failure, ...]]:
    """The part of the data set that can be learned from, and pictures that cannot."""
    from boxlens.detectors.pictures import usable_pictures

    if files is None:
        return dataset, ()
    _, part, failed = usable_pictures(files, dataset, progress)
    return part, failed


def _n_objects(dataset: Dataset) -> int:
    """Crowds, groups and empty boxes are none."""
    from boxlens.studies.proposals.recall.matched import countable_objects

    used = countable_objects(dataset) & (dataset.gt.box[:, 2:] > 0).all(axis=1)
    return int(used.sum())

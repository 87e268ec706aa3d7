"""`boxlens scenes make`: rendered pictures with complete ground truth."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Parser
from boxlens.cli.output import show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import add_json, add_workers
from boxlens.cli.stopping import kept_in
from boxlens.limits import SCENES, SEED
from boxlens.wording import counted

if TYPE_CHECKING:
    from boxlens.scenes.make import MadeScenes


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "scenes",
        help="render pictures with complete ground truth",
        description="Render pictures with complete ground truth.",
    )
    actions = command.add_subparsers(
        title="actions", metavar="make", required=True, parser_class=Parser
    )
    make = actions.add_parser(
        "make",
        help="render scenes into a folder",
        description="Render scenes: pictures, COCO JSON, VOC XML and the class tree. "
        "The same seed gives the same bytes.",
    )
    make.set_defaults(run=run)
    make.number("--seed N", SEED, "random seed", 0)
    make.number("--images N", SCENES, "number of scenes", 100)
    make.text("--size WxH", "default 480x360", type=_size, default=(480, 360))
    add_workers(make, "processes")
    make.text("-o --output DIR", "a new folder", required=True)
    add_json(make)


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)x(\d+)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a size like 480x360")
    return int(found[1]), int(found[2])


def run(options: argparse.Namespace) -> None:
    from boxlens.scenes.make import SceneSettings, make_scenes, work_path

    settings = SceneSettings(options.seed, options.images, *options.size)
    workers = options.workers or os.cpu_count() or 1
    kept_in(work_path(options.output))
    with progress_bar() as progress:
        made = make_scenes(
            settings, options.output, workers=min(workers, settings.n_images), progress=progress
        )
    show_or_save_json(made.to_json, options.json, lambda: _text(made))


def _text(made: MadeScenes) -> str:
    folder = made.folder
    objects = f"{counted(made.n_objects, 'object')} ({made.n_difficult:,} difficult)"
    crowds = counted(made.n_crowds, "crowd")
    return "\n".join(
        [
            f"{counted(made.n_images, 'scene')} in {folder}: {objects}, {crowds}",
            f"  {folder}/images            the pictures",
            f"  {folder}/ground_truth.json COCO, with masks and attributes",
            f"  {folder}/voc               the same as VOC XML",
            f"  {folder}/class_tree.json   groups and families of the classes",
        ]
    )

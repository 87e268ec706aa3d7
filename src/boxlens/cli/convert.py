"""`boxlens convert`: the same data in another format."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from boxlens.cli.options import Commands
from boxlens.cli.output import print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import add_json, add_strict_coco

SCHEMA = "boxlens/convert/1"


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "convert",
        help="write ground truth or detections in another format",
        description="Convert ground truth, or detections (with --gt), to another format.",
    )
    command.set_defaults(run=run)
    command.text("source IN", "ground truth or detections")
    command.text("target OUT", "the file or folder to write")
    command.text("--to FORMAT", "format to write; see boxlens formats", required=True)
    command.text("--gt PATH", "the ground truth that the detections in IN belong to")
    command.text("--split NAME", "part of the data set (VOC, YOLO)")
    command.text("--from FORMAT", "read IN as this format", into="source_format")
    command.flag("--force", "overwrite OUT if it is an existing file")
    add_strict_coco(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.formats.convert import convert

    with progress_bar() as progress:
        notices = convert(
            options.source,
            options.target,
            options.to,
            ground_truth=options.gt,
            split=options.split,
            format=options.source_format,
            strict_coco=options.strict_coco,
            force=options.force,
            progress=progress,
        )
    print_notices(notices)
    document = {
        "schema": SCHEMA,
        "source": options.source,
        "target": options.target,
        "format": options.to,
        "notices": [asdict(notice) for notice in notices],
    }
    show_or_save_json(lambda: document, options.json, lambda: f"wrote {options.target}")

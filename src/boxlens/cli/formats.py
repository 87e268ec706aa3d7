"""`boxlens formats`: what can be read and written."""

from __future__ import annotations

import argparse
from typing import Any

from boxlens.cli.options import Commands
from boxlens.cli.output import show_or_save_json
from boxlens.cli.reading import add_json

SCHEMA = "boxlens/formats/1"


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "formats",
        help="list the formats that are read and written",
        description="List the formats that are read and written.",
    )
    command.set_defaults(run=run)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    show_or_save_json(_document, options.json, _text)


def _document() -> dict[str, Any]:
    from boxlens.formats import FORMATS

    known = [
        {
            "name": name,
            "title": known.title,
            "ground_truth": known.ground_truth,
            "detections": known.detections,
        }
        for name, known in FORMATS.items()
    ]
    return {"schema": SCHEMA, "formats": known}


def _text() -> str:
    from boxlens.formats import FORMATS
    from boxlens.report.readers.terminal import aligned

    rows = [["format", "ground truth", "detections", "what it is"]]
    for name, known in FORMATS.items():
        marks = ["yes" if held else "-" for held in (known.ground_truth, known.detections)]
        rows.append([name, *marks, known.title])
    return aligned(rows, [False, True, True, False])

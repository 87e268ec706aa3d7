"""`boxlens formats`: what can be read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.output import aligned

if TYPE_CHECKING:
    import argparse

    from boxlens.cli.options import Commands


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "formats",
        help="list the formats that are read and written",
        description="List the formats that are read and written.",
    )
    command.set_defaults(run=run)


def run(_options: argparse.Namespace) -> None:
    from boxlens.formats import FORMATS

    rows = [["format", "ground truth", "detections", "what it is"]]
    for name, known in FORMATS.items():
        marks = ["yes" if held else "-" for held in (known.ground_truth, known.detections)]
        rows.append([name, *marks, known.title])
    left = max(len(row[3]) for row in rows)
    print(aligned([[*row[:3], row[3].ljust(left)] for row in rows]))

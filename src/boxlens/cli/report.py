"""`boxlens report`: every question about one detector or several, on one page."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from boxlens.cli.asking import add_report, check_report, keywords
from boxlens.cli.options import Commands
from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import (
    add_attributes,
    add_files,
    add_images_used,
    add_intervals,
    add_protocol,
    add_reading,
)
from boxlens.cli.sensitivity import add_characteristics, add_right_overlap, add_similar

if TYPE_CHECKING:
    from boxlens.studies.report import ReportResult


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "report",
        help="write one page that answers every question",
        description="Write one page that answers every question: scores with intervals, errors "
        "and what fixing them would add, which objects are missed, and, with two detectors or "
        "more, which is better.",
    )
    command.set_defaults(run=run)
    add_files(command)
    add_attributes(command)
    command.several(
        "--ask NAME",
        "scores, errors, sensitivity, difficulty or comparison; all that apply by default",
    )
    add_protocol(command)
    add_right_overlap(command)
    add_similar(command)
    add_images_used(command)
    add_characteristics(command)
    add_report(
        command, pictures="show pictures of this folder in the page", required=True, pdf=True
    )
    add_intervals(command, always=True)
    add_reading(command, classes_used="check")


def run(options: argparse.Namespace) -> None:
    from boxlens.report.writing.write_report import write_report

    check_report(options)
    with progress_bar() as progress:
        asked = {**keywords(options, write_report), "folder": options.output}
        result = write_report(**asked, progress=progress)
    print_notices(result.notices)
    print_note(f"wrote {result.written}")
    show_or_save_json(result.to_json, options.json, lambda: _text(result))


def _text(result: ReportResult) -> str:
    """What the page says, without its tables."""
    from boxlens.report.described import describe
    from boxlens.report.readers.terminal import headline, sentences_text

    study = describe(result)
    return f"{headline(study)}\n\n{sentences_text(study.all_sentences)}"

"""`boxlens convert`: the same data in another format."""

from __future__ import annotations

from typing import Annotated

import typer

from boxlens.cli.output import print_note, print_notices


def convert_command(
    source: Annotated[str, typer.Argument(metavar="IN", help="Ground truth or detections.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The file or folder to write.")],
    to: Annotated[str, typer.Option(help="The format to write; see boxlens formats.")],
    gt: Annotated[
        str | None, typer.Option(help="Ground truth that the detections in IN belong to.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Part of the data set (VOC, YOLO).")] = None,
    from_format: Annotated[
        str | None, typer.Option("--from", help="Format of IN instead of recognising it.")
    ] = None,
) -> None:
    """Convert ground truth, or with --gt detections, into another format."""
    from boxlens.cli.progress import progress_bar
    from boxlens.formats.convert import convert

    with progress_bar():
        notices = convert(source, target, to, ground_truth=gt, split=split, format=from_format)
    print_notices(notices)
    print_note(f"wrote {target}")

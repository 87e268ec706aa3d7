"""What commands with a report have in common: -o and its figures, pictures, and the last words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from boxlens.data import Notice
    from boxlens.report.charts.export import ChartFormat


def add_report(command: argparse.ArgumentParser, *, pictures: str = "") -> None:
    """`pictures` says what --images shows, where it shows something."""
    add = command.add_argument
    add(
        "-o", "--output", metavar="DIR", help="write report, figures, tables and results.json there"
    )
    add(
        "--figures",
        metavar="FORMATS",
        default="svg,pdf,png",
        help="formats of the figures, or none (svg,pdf,png)",
    )
    if pictures:
        add("--images", metavar="DIR", help=f"{pictures} (with -o)")


def chosen_formats(options: argparse.Namespace) -> tuple[ChartFormat, ...]:
    """Checked before the work, not after it; none without -o."""
    images = getattr(options, "images", None)
    if not options.output:
        if images:
            raise ParameterError("--images shows pictures in the report: name its folder with -o")
        return ()
    from boxlens.report.output_folder import check_output
    from boxlens.report.write import figure_formats

    check_output(Path(options.output))
    if images:
        from boxlens.report.gallery import check_pictures

        check_pictures(images)
    return figure_formats(options.figures)


def show_report(
    options: argparse.Namespace,
    notices: Iterable[Notice],
    written: str | None,
    to_json: Callable[[], dict[str, Any]],
    text: Callable[[], str],
) -> None:
    """Notes and what was written to stderr, then the result."""
    print_notices(notices)
    if written:
        print_note(f"wrote {written}")
    show_or_save_json(to_json, options.json, text)

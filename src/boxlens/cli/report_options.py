"""What commands with a report have in common: -o and its figures, pictures, and the last words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxlens.cli.options import Number
from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.cli.stopping import kept_in, kept_nowhere
from boxlens.errors import ParameterError
from boxlens.limits import NOT_NEGATIVE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from boxlens.data import Notice
    from boxlens.display import Displayed
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat


def add_report(
    command: argparse.ArgumentParser,
    *,
    pictures: str = "",
    figures: bool = True,
    pdf: bool = False,
    required: bool = False,
) -> None:
    """`pictures` says what --images shows, where it shows something."""
    add = command.add_argument
    what = "report, figures, tables and results.json" if figures else "report, table, results.json"
    add("-o", "--output", metavar="DIR", required=required, help=f"write {what} there")
    if figures:
        add(
            "--figures",
            metavar="FORMATS",
            default="svg",
            help="files of the figures: svg (default), pdf, png, with commas between, or none",
        )
    with_output = "" if required else " (with -o)"
    if pdf:
        add("--pdf", action="store_true", help=f"write a typeset report.pdf, too{with_output}")
    if pictures:
        add("--images", metavar="DIR", help=f"{pictures}{with_output}")
        add(
            "--images-mb",
            metavar="N",
            type=Number(NOT_NEGATIVE),
            default=8.0,
            help="megabytes that the pictures in the page take at most (8)",
        )


def chosen_formats(options: argparse.Namespace) -> tuple[ChartFormat, ...]:
    """Checked before the work, not after it; none without -o."""
    # Elsewhere --images is for something else than the report.
    images = options.images if hasattr(options, "images_mb") else None
    pdf = getattr(options, "pdf", False)
    if not options.output:
        if pdf:
            raise ParameterError("--pdf writes report.pdf into a folder: name it with -o")
        if images:
            raise ParameterError("--images shows pictures in the report: name its folder with -o")
        return ()
    from boxlens.report.charts.export import figure_formats
    from boxlens.report.writing.output_folder import check_output

    check_output(Path(options.output))
    if pdf:
        from boxlens.report.pdf.writing import check_typst

        check_typst()
    if images:
        from boxlens.report.described.examples import check_megabytes
        from boxlens.report.pictures.gallery import check_pictures

        check_megabytes(options.images_mb)
        check_pictures(images)
    return figure_formats(options.figures)


def kept_folder(options: argparse.Namespace, name: str) -> Path | None:
    """What is found stays where it is asked to, or beside the report: a stopped run goes on."""
    if getattr(options, "keep", None):
        folder = Path(options.keep)
    elif getattr(options, "output", None):
        from boxlens.report.writing.output_folder import Claim

        options.claim = Claim(Path(options.output))
        folder = options.claim.path / name
    else:
        kept_nowhere("-o")
        return None
    if folder.exists():
        print_note(f"what an earlier run kept in {folder} is used again")
    return kept_in(folder)


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


def save(
    options: argparse.Namespace,
    result: Displayed,
    formats: Sequence[ChartFormat],
    progress: Progress,
    **more: Any,
) -> str | None:
    """Writes the report where -o asks for one; returns in a line what was written."""
    if not options.output:
        return None
    # Elsewhere --images is for something else than the report.
    pictures = ("images", "images_mb", "pdf") if hasattr(options, "images_mb") else ()
    given = {name: vars(options)[name] for name in (*pictures, "threads") if name in vars(options)}
    figures = ",".join(formats) or "none"
    return result.save(options.output, figures=figures, progress=progress, **given, **more)


def show_result(
    options: argparse.Namespace, result: Displayed, written: str | None, *, detail: bool = False
) -> None:
    """Notes and what was written to stderr, then the result as text or JSON."""
    from boxlens.report.described import describe
    from boxlens.report.readers.terminal import study_text

    show_report(
        options,
        result.all_notices,
        written,
        result.to_json,
        lambda: study_text(describe(result), detail=detail),
    )

"""From options to a verb, and from its result to the report, the text or JSON that is asked for."""

from __future__ import annotations

import argparse
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from boxlens.cli.options import Parser
from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import add_json
from boxlens.cli.stopping import kept_in, kept_nowhere
from boxlens.errors import ParameterError
from boxlens.limits import NOT_NEGATIVE

if TYPE_CHECKING:
    from boxlens.display import Displayed

Result = TypeVar("Result", bound="Displayed")


def add_report(
    command: Parser,
    *,
    pictures: str = "",
    figures: bool = True,
    pdf: bool = False,
    required: bool = False,
    saving: tuple[str, ...] = (),
) -> None:
    """`pictures` says what --images shows, `saving` names more options for writing the report."""
    what = "report, figures, tables and results.json" if figures else "report, table, results.json"
    command.text("-o --output DIR", f"write {what} there", required=required)
    if figures:
        command.text(
            "--figures FORMATS",
            "files of the figures: svg (default), pdf, png, with commas between, or none",
            default="svg",
        )
    with_output = "" if required else " (with -o)"
    if pdf:
        command.flag("--pdf", f"write a typeset report.pdf, too{with_output}")
        saving += ("pdf",)
    if pictures:
        command.text("--images DIR", f"{pictures}{with_output}")
        add_megabytes(command)
        saving += ("images", "images_mb")
    add_json(command)
    command.set_defaults(saving=saving)


def add_megabytes(command: Parser) -> None:
    told = "megabytes that the pictures in the page take at most"
    command.number("--images-mb N", NOT_NEGATIVE, told, 8.0)


def check_report(options: argparse.Namespace) -> None:
    """Before the work, not after it."""
    pdf = "pdf" in options.saving and options.pdf
    images = options.images if "images" in options.saving else None
    if not options.output:
        if pdf:
            raise ParameterError("--pdf writes report.pdf into a folder: name it with -o")
        if images:
            raise ParameterError("--images shows pictures in the report: name its folder with -o")
        return
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
    if hasattr(options, "figures"):
        figure_formats(options.figures)


def keep_in(options: argparse.Namespace, name: str) -> None:
    """What is found stays where it is asked to, or beside the report: a stopped run goes on."""
    if getattr(options, "keep", None):
        folder = Path(options.keep)
    elif options.output:
        from boxlens.report.writing.output_folder import Claim

        options.claim = Claim(Path(options.output))
        folder = options.claim.path / name
    else:
        kept_nowhere("-o")
        return
    if folder.exists():
        print_note(f"what an earlier run kept in {folder} is used again")
    options.keep = kept_in(folder)


def keywords(options: argparse.Namespace, verb: Callable[..., Any]) -> dict[str, Any]:
    """What was asked, under the names that the verb has for it."""
    resampled = [getattr(options, name) for name in getattr(options, "resampled", ())]
    if any(value is not None for value in resampled) and not options.intervals:
        raise ParameterError("add --intervals: without it nothing is resampled")
    taken = inspect.signature(verb).parameters.values()
    asked = {
        one.name: value
        for one in taken
        if (value := getattr(options, one.name, None)) is not None
        and (value != [] or one.default is one.empty)
    }
    return asked | ({"workers": os.cpu_count() or 1} if asked.get("workers") == 0 else {})


def answer(
    options: argparse.Namespace, verb: Callable[..., Result], **more: Any
) -> tuple[Result, str]:
    """The result of the verb, and in a line what was written where -o asks for it."""
    with progress_bar() as progress:
        result = verb(**{**keywords(options, verb), **more}, progress=progress)
        written = ""
        if options.output:
            saving = {name: getattr(options, name) for name in options.saving}
            saving = {name: value for name, value in saving.items() if value is not None}
            figures = getattr(options, "figures", "none")
            written = result.save(options.output, figures=figures, progress=progress, **saving)
    return result, written


def show(options: argparse.Namespace, result: Displayed, written: str) -> None:
    """Notes and what was written to stderr, then the result as text or JSON."""
    from boxlens.report.described import describe
    from boxlens.report.readers.terminal import study_text

    print_notices(result.all_notices)
    if written:
        print_note(f"wrote {written}")
    detail = getattr(options, "per_class", None)
    more = "--per-class" if detail is False else "-o DIR"
    show_or_save_json(
        result.to_json,
        options.json,
        lambda: study_text(describe(result), detail=bool(detail), more=more),
    )


def asks(verb: str, keeps: str = "") -> Callable[[argparse.Namespace], None]:
    """How a command runs that asks a verb of boxlens and shows its result.

    `keeps` names what is found on the way, and the folder beside the report where it stays.
    """

    def run(options: argparse.Namespace) -> None:
        import boxlens

        check_report(options)
        if keeps:
            keep_in(options, keeps)
        show(options, *answer(options, getattr(boxlens, verb)))

    return run

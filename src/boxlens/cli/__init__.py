"""The command line: one command a file, each parses, calls and prints."""

from __future__ import annotations

import os
import sys

import typer

from boxlens.cli.convert import convert_command
from boxlens.cli.demo import demo_command
from boxlens.cli.evaluate import evaluate_command
from boxlens.cli.formats import formats_command
from boxlens.errors import BoxlensError

__all__ = ["app", "main"]

app = typer.Typer(
    name="boxlens",
    help="How good is a detector, why does it fail, and what would fixing it bring?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("evaluate")(evaluate_command)
app.command("convert")(convert_command)
app.command("formats")(formats_command)
app.command("demo")(demo_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from boxlens.version import VERSION

        print(f"boxlens {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """How good is a detector, why does it fail, and what would fixing it bring?"""


def main() -> None:
    """Runs a command; what the user can mend is one line on stderr and exit code 2."""
    try:
        app()
    except BoxlensError as problem:
        print(f"boxlens: {problem}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)

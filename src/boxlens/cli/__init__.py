"""The command line: one command per file, each parses, calls and prints."""

from __future__ import annotations

import os
import sys

from boxlens.cli import (
    compare,
    convert,
    demo,
    detect,
    diagnose,
    difficulty,
    disagree,
    evaluate,
    formats,
    gate,
    proposals,
    reconcile,
    report,
    robustness,
    scenes,
    sensitivity,
    serve,
    train,
    upper_bound,
)
from boxlens.cli.options import Parser
from boxlens.cli.stopping import stoppable
from boxlens.cli.terminal import print_message
from boxlens.errors import BoxlensError
from boxlens.version import VERSION

__all__ = ["main", "parser"]

import argparse

COMMANDS = (
    evaluate,
    diagnose,
    sensitivity,
    compare,
    difficulty,
    upper_bound,
    robustness,
    proposals,
    disagree,
    gate,
    reconcile,
    report,
    serve,
    convert,
    detect,
    train,
    scenes,
    formats,
    demo,
)
DESCRIPTION = "Evaluates object detectors exactly and fast, and shows what a score hides."


def parser() -> Parser:
    """The whole command line; each command adds its own part."""
    root = Parser(prog="boxlens", description=DESCRIPTION)
    root.add_argument("--version", action="version", version=f"boxlens {VERSION}")
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add_command(commands)
    return root


def main(arguments: list[str] | None = None) -> None:
    """Runs a command; errors the user can fix are one line on stderr and exit code 2."""
    if not (sys.argv[1:] if arguments is None else arguments):
        parser().print_help()
        sys.exit(2)
    try:
        with stoppable():
            _run(parser().parse_args(arguments))
            sys.stdout.flush()
    except BoxlensError as problem:
        print_message(f"boxlens: {problem}")
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as problem:
        place = f"{problem.filename}: " if problem.filename else ""
        print_message(f"boxlens: {place}{problem.strerror or problem}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)


def _run(options: argparse.Namespace) -> None:
    try:
        options.run(options)
    finally:
        # Of commands that keep their work in the folder of the report.
        claim = getattr(options, "claim", None)
        if claim is not None:
            claim.release()

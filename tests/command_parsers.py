"""Every command and action of the command line, for tests that hold all of them to a law."""

from __future__ import annotations

import argparse
from functools import cache

from boxlens.cli import parser


@cache
def command_parsers() -> dict[tuple[str, ...], argparse.ArgumentParser]:
    """Each parser under its words: () is boxlens itself, ("scenes", "make") an action."""
    found: dict[tuple[str, ...], argparse.ArgumentParser] = {}

    def walk(command: argparse.ArgumentParser, path: tuple[str, ...]) -> None:
        found[path] = command
        for action in command._actions:
            if isinstance(action, argparse._SubParsersAction):
                for name, below in action.choices.items():
                    walk(below, (*path, name))

    walk(parser(), ())
    return found

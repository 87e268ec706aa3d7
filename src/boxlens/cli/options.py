"""Kinds of option values that several commands share, and a parser that errs in one line."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

# What add_subparsers returns; its class is private in the standard library.
Commands = Any


class Parser(argparse.ArgumentParser):
    """argparse, with every mistake told in one line that says where help is."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        hint = _suggestion(message, self)
        print(f"boxlens: {message}{hint}. See {self.prog} --help", file=sys.stderr)
        sys.exit(2)

    def words(self) -> set[str]:
        """Options and commands, those of the commands included."""
        known: set[str] = set()
        for action in self._actions:
            known.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - no public name
                known.update(action.choices)
                for command in action.choices.values():
                    known.update(command.words())
        return known


def _suggestion(message: str, parser: Parser) -> str:
    """What a mistyped option or command may have been meant to be."""
    words = [word.strip("',():") for word in message.replace("=", " ").replace("/", " ").split()]
    known = parser.words()
    for word in words:
        close = get_close_matches(word, known - {word}, n=1, cutoff=0.75)
        if close and word not in known:
            return f" (did you mean {close[0]}?)"
    return ""


def add_json(command: argparse.ArgumentParser) -> None:
    """Every command can speak to machines."""
    command.add_argument(
        "--json", metavar="FILE", help="write JSON to FILE; - prints it instead of the text"
    )


def add_strict_coco(command: argparse.ArgumentParser) -> None:
    """Where a command writes ground truth as COCO."""
    command.add_argument(
        "--strict-coco",
        action="store_true",
        help="write COCO's own fields alone, and report what they cannot hold",
    )


def several(kind: Callable[[str], Any], example: str) -> dict[str, Any]:
    """An option given more than once, or once with commas: --iou 0.5,0.75."""

    def parse(text: str) -> list[Any]:
        values: list[Any] = []
        for part in text.split(","):
            try:
                found = kind(part)
            except ValueError as problem:
                raise argparse.ArgumentTypeError(f"{part!r}: write it like {example}") from problem
            values += found if isinstance(found, list) else [found]
        return values

    return {"type": parse, "action": "extend", "default": []}


def thresholds(text: str) -> list[float]:
    """One threshold, or START:STOP:STEP with both ends."""
    if ":" not in text:
        return [float(text)]
    start, stop, step = map(float, text.split(":"))
    n = round((stop - start) / step) + 1
    if n < 1:
        raise ValueError(text)
    # As numpy.linspace spaces them, so that 0.5:0.95:0.05 are COCO's own ten.
    return [start + row * ((stop - start) / max(n - 1, 1)) for row in range(n - 1)] + [stop]


def area_range(text: str) -> tuple[str, tuple[float, float]]:
    """NAME=LOW:HIGH in square pixels; an empty HIGH has no end."""
    name, _, ends = text.partition("=")
    low, colon, high = ends.partition(":")
    if not name or not colon:
        raise ValueError(text)
    return name, (float(low or 0), float(high or "inf"))

"""Kinds of option values that several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# What add_subparsers returns; its class is private in the standard library.
Commands = Any


def add_json(command: argparse.ArgumentParser) -> None:
    """Every command can speak to machines."""
    command.add_argument(
        "--json", metavar="FILE", help="write JSON to FILE; - prints it instead of the text"
    )


def several(kind: Callable[[str], Any]) -> dict[str, Any]:
    """An option given more than once, or once with commas: --iou 0.5,0.75."""

    def parse(text: str) -> list[Any]:
        try:
            return [kind(part) for part in text.split(",")]
        except ValueError as problem:
            name = getattr(kind, "__name__", "value")
            raise argparse.ArgumentTypeError(f"invalid {name} in {text!r}") from problem

    return {"type": parse, "action": "extend", "default": []}


def area_range(text: str) -> tuple[str, tuple[float, float]]:
    """NAME=LOW:HIGH in square pixels; an empty HIGH has no end."""
    name, _, ends = text.partition("=")
    low, colon, high = ends.partition(":")
    if not name or not colon:
        raise argparse.ArgumentTypeError(f"{text!r}: write NAME=LOW:HIGH, e.g. tiny=0:256")
    return name, (float(low or 0), float(high or "inf"))

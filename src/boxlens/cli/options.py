"""A parser with one-line errors and one-line options, and the types of their values."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

from boxlens.cli.terminal import print_message
from boxlens.limits import MOST_THRESHOLDS, OVERLAP, Real, Whole

# What add_subparsers returns; its class is private in the standard library.
Commands = Any
# -0.26,0.465 and -.5 and -1e-3 are values: no option begins like that.
NEGATIVE = re.compile(r"-(?:[.]?\d|inf|nan)", re.IGNORECASE)
LONGEST_SHOWN = 40
REPEATED = "Options marked * may be repeated, or given once with commas."


class Parser(argparse.ArgumentParser):
    """argparse, with one-line errors that point to the help.

    Options are declared as they are written, "--iou T"; `into` is the keyword of the verb that they
    set, where it has another name. `usual` is the value of an option that is not given, which the
    help shows; without it the verb decides.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)
        # What argparse itself takes for a negative number has no comma and no exponent.
        self._negative_number_matcher = NEGATIVE

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Adds the largest whole number allowed to the help."""
        action = super().add_argument(*names, **settings)
        limits = limits_of(action)
        if isinstance(limits, Whole) and action.help:
            action.help += f"; at most {limits.most:,}"
        return action

    def text(self, words: str, told: str, usual: Any = None, **settings: Any) -> None:
        """An option with a value; without dashes an argument."""
        *names, metavar = words.split()
        if "into" in settings:
            settings["dest"] = settings.pop("into")
        if usual is not None:
            settings["default"] = usual
            told += f" ({usual:g})" if isinstance(usual, float) else f" ({usual})"
        self.add_argument(*names, metavar=metavar, help=told, **settings)

    def number(
        self, words: str, limits: Whole | Real, told: str, usual: Any = None, **settings: Any
    ) -> None:
        self.text(words, told, usual, type=Number(limits), **settings)

    def choice(self, name: str, known: Sequence[str], told: str, usual: str | None = None) -> None:
        """One of a few words."""
        self.add_argument(
            name, choices=known, default=usual, help=f"{told} ({usual})" if usual else told
        )

    def flag(self, name: str, told: str) -> None:
        """An option without a value."""
        self.add_argument(name, action="store_true", help=told)

    def several(
        self,
        words: str,
        told: str,
        kind: Callable[[str], Any] = str,
        example: str = "",
        **settings: Any,
    ) -> None:
        """Given more than once, or once with commas: --iou 0.5,0.75."""
        self.epilog = REPEATED
        settings = {"action": "extend", "default": []} | settings
        self.text(words, f"* {told}", type=Several(kind, example), **settings)

    def numbers(self, words: str, limits: Whole | Real, told: str, **settings: Any) -> None:
        self.several(words, told, Number(limits), **settings)

    def files(self, words: str, told: str, **settings: Any) -> None:
        """One after the other, or option after option."""
        self.text(words, told, nargs="+", action="extend", default=[], **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuses unknown arguments here, so that a command points to its own help."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            one = any(action.dest == "dt" and action.nargs is None for action in self._actions)
            told = "one detector at a time, " * (one and unknown[0][0] != "-")
            self.error(f"{told}unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        hint = _suggestion(message, self)
        print_message(f"boxlens: {message}{hint}. See {self.prog} --help")
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
    """The option or command that was probably meant."""
    words = [word.strip("',():") for word in message.replace("=", " ").replace("/", " ").split()]
    known = parser.words()
    for word in words:
        close = get_close_matches(word, known - {word}, n=1, cutoff=0.75)
        if close and word not in known:
            return f" (did you mean {close[0]}?)"
    return ""


@dataclass(frozen=True, slots=True)
class Number:
    """A number within limits, as an option's type."""

    limits: Whole | Real

    def __call__(self, text: str) -> int | float:
        try:
            return self.limits.read(text)
        except ValueError as problem:
            shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
            message = f"expected {self.limits.words}, got {shown!r}"
            raise argparse.ArgumentTypeError(message) from problem


@dataclass(frozen=True, slots=True)
class Several:
    """Values with commas between, as an option's type."""

    kind: Callable[[str], Any]
    example: str

    def __call__(self, text: str) -> list[Any]:
        values: list[Any] = []
        for part in text.split(","):
            try:
                found = self.kind(part)
            except (ValueError, ArithmeticError) as problem:
                message = f"{part!r}: expected a value like {self.example}"
                raise argparse.ArgumentTypeError(message) from problem
            values += found if isinstance(found, list) else [found]
        return values


class ByName(argparse.Action):
    """NAME=VALUE, collected under the names, each of which is given once."""

    def __call__(self, _parser: Any, namespace: Any, values: Any, _option: Any = None) -> None:
        found = {**(getattr(namespace, self.dest) or {})}
        for name, value in values:
            if name in found:
                raise argparse.ArgumentError(self, f"{name} is given twice")
            found[name] = value
        setattr(namespace, self.dest, found)


def named(kind: Callable[[str], Any]) -> Callable[[str], tuple[str, Any]]:
    """NAME=VALUE as a name and a value."""

    def read(text: str) -> tuple[str, Any]:
        name, equals, value = text.partition("=")
        if not name or not equals or not value:
            raise ValueError(text)
        return name, kind(value)

    return read


def pair(text: str) -> tuple[str, str]:
    """NAME:NAME."""
    first, second = text.split(":")
    if not first or not second:
        raise ValueError(text)
    return first, second


def limits_of(option: argparse.Action) -> Whole | Real | None:
    """Of an option that takes a number, or several."""
    kind = option.type.kind if isinstance(option.type, Several) else option.type
    return kind.limits if isinstance(kind, Number) else None


def thresholds(text: str) -> list[float]:
    """One IoU threshold, or START:STOP:STEP with both ends."""
    try:
        start, stop, step = map(OVERLAP.read, text.split(":") if ":" in text else [text] * 3)
    except ValueError as problem:
        message = f"expected {OVERLAP.words}, or such as 0.5:0.95:0.05, got {text!r}"
        raise argparse.ArgumentTypeError(message) from problem
    n = round((stop - start) / step) + 1
    if not 1 <= n <= MOST_THRESHOLDS:
        message = f"expected 1 to {MOST_THRESHOLDS:,} thresholds, as in 0.5:0.95:0.05, got {text!r}"
        raise argparse.ArgumentTypeError(message)
    # As numpy.linspace spaces them, so that 0.5:0.95:0.05 are COCO's own ten.
    return [start + row * ((stop - start) / max(n - 1, 1)) for row in range(n - 1)] + [stop]


def area_range(text: str) -> tuple[float, float]:
    """LOW:HIGH in square pixels; an empty HIGH has no end."""
    low, colon, high = text.partition(":")
    if not colon:
        raise ValueError(text)
    return float(low or 0), float(high or "inf")


def thresholds_or_order(text: str) -> tuple[float | str, ...]:
    """T:T:T as numbers, WORD:WORD as words."""
    parts = text.split(":")
    try:
        return tuple(map(float, parts))
    except ValueError:
        return tuple(parts)

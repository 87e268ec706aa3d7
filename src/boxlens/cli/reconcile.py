"""`boxlens reconcile`: why do protocols give different numbers for the same files?"""

from __future__ import annotations

import argparse
import math
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boxlens.cli.asking import add_report, answer, check_report, show
from boxlens.cli.options import Commands, named, thresholds
from boxlens.cli.reading import add_files, add_reading
from boxlens.errors import ParameterError
from boxlens.limits import AT_MOST

if TYPE_CHECKING:
    from boxlens.studies.comparison.conventions.values import Limit, Protocol

UNLIMITED_WORD, PER_IMAGE = "unlimited", "/image"


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "reconcile",
        help="explain why protocols give different numbers",
        description="Explain why protocols give different numbers for the same files: a way from "
        "one number to the other, one convention at a time.",
    )
    command.set_defaults(run=run)
    add_files(command, one=True)
    command.text(
        "--from NAME",
        "where the way begins: coco (default), coco50, voc07, voc12, lvis, openimages, tide, "
        "ultralytics, ultralytics50 or ultralytics83",
        default="coco",
        into="start",
    )
    command.text("--to NAME", "where it ends; the farthest one by default", into="end")
    command.several(
        "--with NAME=VALUE",
        "end with a convention of your own, e.g. score_cut=0.05 or max_dets=300/image",
        named(str),
        "score_cut=0.05",
        into="settings",
    )
    add_report(command)
    add_reading(command, one=True, classes_used="all")


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.comparison.conventions.steps import check_ends, reconcile

    _, options.end = check_ends(options.start, _end(options))
    check_report(options)
    show(options, *answer(options, reconcile))


def _end(options: argparse.Namespace) -> str | Protocol | None:
    """The protocol to end at; settings change it, or the first one where no other is named."""
    from boxlens.studies.comparison.conventions.values import (
        TITLES,
        Protocol,
        find_protocol,
        value_text,
    )

    if not options.settings:
        end: str | None = options.end
        return end
    wanted = find_protocol(options.end or options.start)
    settings = {name: _value(name, text) for name, text in options.settings}
    words = ", ".join(
        f"{TITLES[name]} {value_text(name, value)}" for name, value in settings.items()
    )
    return Protocol(
        f"{wanted.name}, {words}",
        f"{wanted.title}, {words}",
        replace(wanted.conventions, **settings),
    )


def _value(name: str, text: str) -> Any:
    """A convention's value as the command line writes it."""
    from boxlens.studies.comparison.conventions.values import STEPS, WORDS

    if name not in STEPS:
        raise ParameterError(f"--with: no convention is called {name!r}: {', '.join(STEPS)}")
    if name in WORDS:
        if text not in WORDS[name]:
            raise ParameterError(f"--with {name}: one of {', '.join(WORDS[name])}, got {text!r}")
        return text
    readers: dict[str, Callable[[str], Any]] = {
        "score_cut": _cut,
        "max_dets": _limit,
        "iou_thresholds": lambda values: tuple(thresholds(values)),
    }
    try:
        return readers[name](text)
    except (ValueError, ArgumentTypeError) as problem:
        raise ParameterError(
            f"--with {name}={text}: write it like score_cut=0.05, max_dets=300/image (or 100, or "
            "unlimited), iou_thresholds=0.5 or iou_thresholds=0.5:0.95:0.05"
        ) from problem


def _cut(text: str) -> float:
    """-inf cuts nothing off."""
    value = float(text)
    if not value < math.inf:
        raise ValueError(text)
    return value


def _limit(text: str) -> Limit:
    from boxlens.studies.comparison.conventions.values import Limit

    if text == UNLIMITED_WORD:
        return Limit()
    count = AT_MOST.read(text.removesuffix(PER_IMAGE))
    return Limit(count, per_class=not text.endswith(PER_IMAGE))

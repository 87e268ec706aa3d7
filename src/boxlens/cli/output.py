"""Results go to stdout, everything else to stderr."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from boxlens.cli.terminal import print_message, print_text
from boxlens.wording import counted

if TYPE_CHECKING:
    from boxlens.data import Notice
    from boxlens.detectors.run_result import Failure


FAILURES_SHOWN = 20
# Exit code: everything was done that could be, and some pictures failed.
SOME_FAILED = 3


def print_note(text: str) -> None:
    print_message(f"note: {text}")


def print_notices(notices: Iterable[Notice]) -> None:
    """What was skipped or filled in."""
    for notice in notices:
        print_note(notice.message)


def print_failures(failed: Sequence[Failure]) -> None:
    """The first pictures that could not be used, and how many; all of them are in the JSON."""
    for failure in failed[:FAILURES_SHOWN]:
        print_note(f"failed: {failure.file}: {failure.reason}")
    if len(failed) > FAILURES_SHOWN:
        print_note(f"failed: and {len(failed) - FAILURES_SHOWN:,} more")
    n_pictures = len({failure.file for failure in failed})
    if n_pictures:
        print_note(f"{counted(n_pictures, 'picture')} failed")


def show_or_save_json(
    to_json: Callable[[], dict[str, Any]], target: str | None, text: Callable[[], str]
) -> None:
    """Prints the text; with a target writes JSON there, with "-" prints JSON instead."""
    if target == "-":
        print_text(json.dumps(to_json(), indent=2, allow_nan=False))
        return
    if target is not None:
        from boxlens.formats.files import write_text

        write_text(target, json.dumps(to_json(), indent=2, allow_nan=False) + "\n")
        print_note(f"wrote {target}")
    print_text(text())

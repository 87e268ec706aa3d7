"""The only place that prints."""

from __future__ import annotations

import sys

from boxlens.safe_text import safe_line, safe_text


def print_text(text: str) -> None:
    """What a command is run for, on stdout."""
    print(safe_text(text))


def print_message(text: str) -> None:
    """Anything else, in one line on stderr."""
    print(safe_line(text), file=sys.stderr)

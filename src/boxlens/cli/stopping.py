"""Ctrl-C and SIGTERM: an orderly end within two seconds, with a line that says how to continue.

Both raise KeyboardInterrupt, so that files half-written are removed and bars taken down. Where that
takes too long, as with a library that answers late, the process ends all the same: whatever
Boxlens keeps survives that at any instant.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from boxlens import _kernel
from boxlens.cli.terminal import print_message
from boxlens.safe_text import safe_line

GRACE_MS = 1000
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class _Stop:
    """Of the command that runs."""

    # The signal that came first: those after it change nothing.
    number: int | None = None
    kept: Path | None = None
    # An option with which something would be kept.
    keeps: str = ""
    # It runs until it is stopped: that is no failure.
    expected: bool = False

    def text(self, *, kept: bool) -> str:
        if kept:
            return safe_line(
                f"boxlens: stopped; finished work is kept in {self.kept}: run the same command to "
                "continue"
            )
        why = f" ({self.keeps} keeps finished work)" if self.keeps else ""
        return f"boxlens: stopped; nothing was kept{why}, the same command starts again"

    def set_last_words(self) -> None:
        path = b"" if self.kept is None else os.fsencode(self.kept)
        if self.expected:
            _kernel.set_last_words(path, "", "", 0)
            return
        if_kept, otherwise = self.text(kept=True), self.text(kept=False)
        _kernel.set_last_words(path, f"{if_kept}\n", f"{otherwise}\n", -1)


_stop = _Stop()


def kept_in(path: Path) -> Path:
    """The same path; reported as where work is kept if the command is stopped."""
    _stop.kept = path
    _stop.set_last_words()
    return path


def kept_nowhere(option: str) -> None:
    """Without this option nothing is kept."""
    _stop.keeps = option
    _stop.set_last_words()


def expect_stop() -> None:
    """The command runs until it is stopped, and has nothing to say then."""
    _stop.expected = True
    _stop.set_last_words()


@contextmanager
def stoppable() -> Iterator[None]:
    """Turns signals into one message and exit code 130 or 143."""
    global _stop  # noqa: PLW0603 - one command runs at a time
    _stop = _Stop()
    try:
        with _heard():
            yield
    except KeyboardInterrupt:
        if _stop.expected:
            sys.exit(0)
        there = _stop.kept is not None and _stop.kept.exists()
        print_message(_stop.text(kept=there))
        code = 128 + (_stop.number or signal.SIGINT)
        # All is said, should threads still hold up the end of the process.
        _kernel.set_last_words(b"", "", "", code)
        sys.exit(code)


@contextmanager
def _heard() -> Iterator[None]:
    """Ignored signals stay ignored; only the main thread receives signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    heard = [number for number in SIGNALS if before[number] is not signal.SIG_IGN]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    _stop.set_last_words()
    _kernel.forget_stop()
    _kernel.end_when_asked(reading, GRACE_MS)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in heard:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        # After a signal the watch goes on: threads may still hold up the end of the process.
        if _stop.number is None:
            for number in heard:
                signal.signal(number, before[number])
            signal.set_wakeup_fd(wakeup)
            os.close(writing)


def _raise(number: int, _frame: FrameType | None) -> None:
    if _stop.number is None:
        _stop.number = number
        raise KeyboardInterrupt

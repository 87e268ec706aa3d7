"""A progress bar on stderr, shown only for work of more than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from boxlens.safe_text import safe_line

if TYPE_CHECKING:
    from boxlens.progress import Progress

PATIENCE_S = 1.0


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Gives the callback that work reports to; nothing is shown unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield _unseen
        return
    bar = _OneBar()
    # A stage may be silent for long: the bar appears in time without waiting for its next report.
    timer = threading.Timer(PATIENCE_S, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.report
    finally:
        timer.cancel()
        bar.close()


def _unseen(_what: str, _done: int, _total: int) -> None:
    pass


class _OneBar:
    """What is being done now, as one bar: a new task takes the place of the one before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: tuple[str, int, int] | None = None
        self._visible = False
        self._closed = False
        self._bar: Any = None
        self._row: Any = None
        self._task = ""

    def report(self, what: str, done: int, total: int) -> None:
        with self._lock:
            self._latest = (what, done, total)
            if self._visible:
                self._draw(what, done, total)

    def show(self) -> None:
        """From now on every report is seen, the latest one first."""
        with self._lock:
            # The timer may fire just as the work ends.
            self._visible = not self._closed
            if self._visible and self._latest is not None:
                self._draw(*self._latest)

    def close(self) -> None:
        """Takes the bar away for good."""
        with self._lock:
            self._visible, self._closed = False, True
            if self._bar is not None:
                self._bar.stop()

    def _draw(self, what: str, done: int, total: int) -> None:
        # "diagnosing: TIDE" and "diagnosing: Hoiem" are steps of one task.
        task = what.partition(":")[0]
        from rich.markup import escape

        # A name may hold brackets, which the bar would take for styles.
        what = escape(safe_line(what))
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True, redirect_stdout=False)
            self._row = self._bar.add_task(what, completed=done, total=total)
            self._bar.start()
        elif task != self._task:
            self._bar.reset(self._row, description=what, completed=done, total=total)
        else:
            self._bar.update(self._row, description=what, completed=done, total=total)
        self._task = task

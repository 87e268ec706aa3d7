"""A progress bar on stderr for work that lasts: it appears only after a second."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.formats.files import Progress

PATIENCE_S = 1.0


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Gives the callback that readers report to."""
    started = time.monotonic()
    bar: Any = None
    tasks: dict[str, Any] = {}

    def report(what: str, done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            if time.monotonic() - started < PATIENCE_S or not sys.stderr.isatty():
                return
            from rich.console import Console
            from rich.progress import Progress as Bar

            bar = Bar(console=Console(stderr=True), transient=True)
            bar.start()
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()

"""Independent readings of the same evidence, on all cores at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from boxlens.progress import Progress

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# More readings than this do not wait for one another.
MOST_WORKERS = 6


class SideBySide:
    """A few threads: the kernel and NumPy work outside the interpreter's lock.

    The kernel's own threads are shared among them; results are the same for any number.
    """

    def __init__(self, threads: int, progress: Progress | None, n_steps: int) -> None:
        cores = threads or os.cpu_count() or 1
        workers = min(cores, MOST_WORKERS)
        self.threads_each = max(cores // workers, 1)
        self._pool = ThreadPoolExecutor(workers)
        self._progress = progress
        self._n_steps = n_steps
        self._n_done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def start(
        self,
        work: Callable[Arguments, Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Result]:
        return self._pool.submit(work, *args, **kwargs)

    def finish(self, what: str, started: Future[Result]) -> Result:
        """Waits for one of them."""
        if self._progress:
            self._progress(f"diagnosing: {what}", self._n_done, self._n_steps)
        self._n_done += 1
        return started.result()

"""Work spread over processes: for Python code, which threads cannot speed up."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from boxlens.errors import WorkerEndedError
from boxlens.limits import THREADS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@contextmanager
def mapping(workers: int, *, chunk: int = 1) -> Iterator[Callable[..., Iterable[Any]]]:
    """`map` here, or on several processes, `chunk` items at a time; answers keep their order.

    With more than one worker the calling script needs the usual `if __name__ == "__main__":`.
    """
    THREADS.check(workers, "workers (--workers)")
    if workers <= 1:
        yield map
        return
    with _pool(workers) as pool:
        yield partial(_told_map, pool, chunk)


def _told_map(
    pool: ProcessPoolExecutor,
    chunk: int,
    function: Callable[[Item], Answer],
    items: Iterable[Item],
) -> Iterator[Answer]:
    try:
        yield from pool.map(function, items, chunksize=chunk)
    except BrokenProcessPool as problem:
        raise WorkerEndedError from problem


def each_in_processes(
    function: Callable[[Item], Answer], items: Sequence[Item], workers: int
) -> Iterator[Answer]:
    """The answers as they come; with one worker here, in the order of the items."""
    THREADS.check(workers, "workers (--workers)")
    n_workers = min(workers, len(items))
    if n_workers <= 1:
        yield from map(function, items)
        return
    with _pool(n_workers) as pool:
        waiting = [pool.submit(function, item) for item in items]
        try:
            for done in as_completed(waiting):
                yield done.result()
        except BrokenProcessPool as problem:
            raise WorkerEndedError from problem
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _pool(workers: int) -> ProcessPoolExecutor:
    """Processes that share nothing: a fork would copy the threads of OpenCV half."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare)


def _prepare() -> None:
    """Processes share the cores already: OpenCV's threads would only get in their way."""
    _end_with_parent()
    try:
        import cv2
    except ImportError:  # the first picture will tell what is missing
        return
    cv2.setNumThreads(1)


def _end_with_parent() -> None:
    """A worker whose parent was killed ends, too: it would race the run that takes over."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()

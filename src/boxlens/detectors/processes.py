"""Work spread over processes: for Python code, which threads cannot speed up."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from boxlens import _kernel
from boxlens.errors import WorkerEndedError
from boxlens.limits import THREADS

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
    pool: ProcessPoolExecutor, chunk: int, function: Callable[[Item], Answer], items: Iterable[Item]
) -> Iterator[Answer]:
    # The pool's own map cancels what waits when it is left, and trips over that when it is killed.
    left = iter(items)
    waiting: deque[Future[list[Answer]]] = deque()
    try:
        with signals_blocked():
            while part := list(islice(left, chunk)):
                waiting.append(pool.submit(_answers, function, part))
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as problem:
        raise WorkerEndedError from problem


def _answers(function: Callable[[Item], Answer], items: list[Item]) -> list[Answer]:
    return [function(item) for item in items]


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
        with signals_blocked():
            waiting = [pool.submit(function, item) for item in items]
        try:
            for done in as_completed(waiting):
                yield done.result()
        except BrokenProcessPool as problem:
            raise WorkerEndedError from problem


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that share nothing: a fork would copy the threads of OpenCV half.

    Where the block fails or is stopped, they end at once: nobody asks for their answers any more.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare) as pool:
        try:
            yield pool
        except BaseException:
            for process in list((pool._processes or {}).values()):  # noqa: SLF001 - nobody else has them
                process.kill()
            raise


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Processes begun in the block never hear of Ctrl-C and SIGTERM, which reach a whole group.

    Their parent hears of them and ends them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare() -> None:
    """Processes share the cores already: OpenCV's threads would only get in their way."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        # One whose parent was killed would race the run that takes over.
        _kernel.end_with(parent.sentinel)
    try:
        import cv2
    except ImportError:  # the first picture will tell what is missing
        return
    cv2.setNumThreads(1)

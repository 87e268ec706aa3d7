"""Work spread over threads, with the same answers for any number of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from boxlens.errors import imported
from boxlens.limits import THREADS

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@contextmanager
def one_thread_a_worker() -> Iterator[None]:
    """Keeps linear algebra from spreading further: many small products are slower on threads.

    Also, the order in which it sums no longer depends on the machine's cores.
    """
    library = imported("threadpoolctl", "a detector", "scikit-learn")
    with library.threadpool_limits(limits=1):
        yield


def in_parallel(
    function: Callable[[Item], Answer],
    items: Sequence[Item],
    *,
    workers: int | None = None,
    done: Callable[[int], None] | None = None,
) -> list[Answer]:
    """The answers in the order of the items; `done` hears how many there are so far.

    Without `workers` as many as there are cores.
    """
    THREADS.check(workers or 0, "workers (--workers)")
    answers: list[Answer] = []
    n_workers = min(workers or os.cpu_count() or 1, max(len(items), 1))
    with one_thread_a_worker(), ThreadPoolExecutor(n_workers) as pool:
        for answer in pool.map(function, items):
            answers.append(answer)
            if done is not None:
                done(len(answers))
    return answers

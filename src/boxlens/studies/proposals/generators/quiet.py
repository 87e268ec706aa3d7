"""Keeps compiled code from printing: standard output is for results."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_STDOUT = 1


class _Turned:
    """How many threads have standard output turned away, and where it went before."""

    lock = Lock()
    n_threads = 0
    before = -1


@contextmanager
def without_output() -> Iterator[None]:
    """Nothing that is printed in the block, or by other threads meanwhile, is shown."""
    with _Turned.lock:
        if _Turned.n_threads == 0:
            _turn_away()
        _Turned.n_threads += 1
    try:
        yield
    finally:
        with _Turned.lock:
            _Turned.n_threads -= 1
            if _Turned.n_threads == 0:
                _turn_back()


def _turn_away() -> None:
    _flush()
    _Turned.before = os.dup(_STDOUT)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STDOUT)
    os.close(nowhere)


def _turn_back() -> None:
    _flush()
    os.dup2(_Turned.before, _STDOUT)
    os.close(_Turned.before)


def _flush() -> None:
    """What waits in Python's buffer and in C's goes where it was meant to go."""
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)

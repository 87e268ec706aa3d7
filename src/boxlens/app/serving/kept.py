"""What was made lately and may be asked for again, up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Values by key; the longest unused go first. Threads may share it."""

    def __init__(self, limit: int, n_bytes: Callable[[Value], int]) -> None:
        self._limit = limit
        self._size = n_bytes
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()
        self._total = 0

    @property
    def n_bytes(self) -> int:
        """What all of it takes, texts of keys among it."""
        return self._total

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        with self._lock:
            before = self._values.pop(key, None)
            self._total += self._cost(key, value)
            self._total -= 0 if before is None else self._cost(key, before)
            self._values[key] = value
            while self._total > self._limit:
                self._total -= self._cost(*self._values.popitem(last=False))

    def _cost(self, key: Hashable, value: Value) -> int:
        """With the key: a stranger's address may be longer than what it brings."""
        return self._size(value) + _length(key)


def _length(key: Hashable) -> int:
    """The texts and bytes in a key; what else it holds has a size that nobody chooses."""
    if isinstance(key, str | bytes):
        return len(key)
    return sum(map(_length, key)) if isinstance(key, tuple) else 0

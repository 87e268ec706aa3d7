"""What was made lately and may be asked for again, up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

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
        """What all of it takes."""
        return self._total

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        with self._lock:
            before = self._values.pop(key, None)
            self._total += self._size(value) - (0 if before is None else self._size(before))
            self._values[key] = value
            while self._total > self._limit:
                _, dropped = self._values.popitem(last=False)
                self._total -= self._size(dropped)

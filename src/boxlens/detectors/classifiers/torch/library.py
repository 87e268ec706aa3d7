"""torch, or the command that installs it; its threads and random numbers are given back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boxlens.errors import imported


def torch_library() -> Any:
    return imported("torch", "a torch classifier", "torch", "torch")


@contextmanager
def torch_threads(threads: int) -> Iterator[None]:
    """So many threads inside the block; 0 leaves them as they are."""
    torch = torch_library()
    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def torch_seeded(seed: int) -> Iterator[None]:
    """Random numbers of torch from a seed; afterwards they continue as before."""
    torch = torch_library()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield

"""Folders that take long to make: the first worker that needs one makes it for all of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """`make` gets an empty folder, which nobody changes afterwards."""
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    folder, done = root / name, root / f"{name}.done"
    with (root / f"{name}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not done.exists():
            folder.mkdir()
            make(folder)
            done.touch()
    return folder

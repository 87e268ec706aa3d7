"""One server over a small run for all tests that change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.run_folders import write_run
from app.served import TOKEN, Served, serving
from pictures import write_pictures


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Six images, three of them with pictures; a secret lies beside the folders."""
    place: Path = tmp_path_factory.mktemp("served")
    (place / "secret.jpg").write_bytes(b"not for everyone")
    write_pictures(place / "images", ["000001.jpg", "000002.jpg", "deep/000003.jpg"])
    (place / "images" / "000004.jpg").symlink_to(place / "secret.jpg")
    folder = write_run(place / "out")
    options = ("--images", str(place / "images"), "--token", TOKEN)
    with serving(folder, *options, state=place / "state") as found:
        yield found

"""One server over a small run for all tests that change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.run_folders import write_run
from app.served import TOKEN, Served, serving
from boxlens.app.serving.vega_script import vega_script
from made_once import made_once
from pictures import write_pictures


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What servers keep from one start to the next: the script that takes seconds is made once."""

    def fill(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(folder))
            vega_script()

    folder = made_once(tmp_path_factory, "cache", fill)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


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

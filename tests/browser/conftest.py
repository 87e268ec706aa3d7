"""One browser and one server a run for all tests; skipped where there is no chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.served import Served, serving
from browser.browsing import Visits
from browser.demo_runs import DemoRun, make_demo_runs


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    # Not above: where there is no Playwright a module that imports this is skipped.
    from browser.browsing import chromium, chromium_path

    path = chromium_path()
    if path is None:
        pytest.skip("browser tests need chromium (Debian: apt-get install chromium)")
    with chromium(path, tmp_path_factory.mktemp("downloads")) as browser:
        yield browser


@pytest.fixture
def visits(window) -> Iterator[Visits]:
    """Pages for one test; what went wrong in them fails it at the end."""
    from browser.browsing import Visits

    made = Visits(window)
    yield made
    made.close()


@pytest.fixture(scope="session")
def demo_folder(window, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_demo_runs(tmp_path_factory)


@pytest.fixture(scope="session")
def run(demo_folder: Path) -> DemoRun:
    """Everything about two detectors."""
    return DemoRun(demo_folder / "both")


@pytest.fixture(scope="session")
def solo_run(demo_folder: Path) -> DemoRun:
    """The diagnosis of one detector."""
    return DemoRun(demo_folder / "solo")


@pytest.fixture(scope="session")
def app(run: DemoRun, demo_folder: Path, tmp_path_factory) -> Iterator[Served]:
    """Two detectors, with pictures."""
    options = ("--images", str(demo_folder / "images"))
    with serving(run.folder, *options, state=tmp_path_factory.mktemp("state")) as served:
        yield served


@pytest.fixture(scope="session")
def blank_app(solo_run: DemoRun, tmp_path_factory) -> Iterator[Served]:
    """One detector, without pictures."""
    with serving(solo_run.folder, state=tmp_path_factory.mktemp("state")) as served:
        yield served

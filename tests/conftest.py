"""Names of cases, the same in every worker; what commands keep; and what a whole run cost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from made_once import made_once

# The same examples in every run: what they find must not depend on chance.
settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.load_profile("fixed")

HERE = Path(__file__).parent
TORCH_FOLDERS = {"classifiers", "upper_bound"}
LONGEST_ID = 60
# What draws, serves, runs commands, needs pictures, learns, or waits for other evaluators.
SLOW_FOLDERS = {"app", "benchmarks", "browser", "cli", "robustness", "detectors", "images"}
SLOW_FOLDERS |= {"parity", "proposals", "upper_bound", "report", "scenes"}


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Long text is cut. Bytes that do not read as text need an id: gzip's hold the time of day."""
    if isinstance(val, bytes) and not (val.isascii() and _plain(val.decode())):
        raise pytest.UsageError(f"give the bytes of {argname!r} an id: pytest.param(..., id=...)")
    if isinstance(val, str) and not _plain(val):
        return val[:LONGEST_ID].encode("unicode_escape").decode()
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`make check` leaves the slow ones to `make test`."""
    for item in items:
        if SLOW_FOLDERS & set(item.path.relative_to(HERE).parts[:-1]):
            item.add_marker(pytest.mark.slow)


def _plain(text: str) -> bool:
    return text.isprintable() and len(text) <= LONGEST_ID


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """CPU seconds, workers and browsers included: on a shared machine the clock says little."""
    used = os.times()
    seconds = used.user + used.system + used.children_user + used.children_system
    terminalreporter.write_line(f"{seconds:,.0f} s of CPU")


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What commands keep from one start to the next: not in the home of whoever runs the tests."""
    folder = made_once(tmp_path_factory, "cache", lambda _: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def _same_weights(request: pytest.FixtureRequest) -> None:
    """Torch begins every process with another seed: new networks would have other weights."""
    if TORCH_FOLDERS & set(request.path.relative_to(HERE).parts):
        with suppress(ImportError):
            import torch

            torch.manual_seed(0)

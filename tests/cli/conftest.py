"""The demo set in a folder, for tests that run commands on it and change nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest

from running import write_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo(tmp_path_factory.mktemp("demo"))

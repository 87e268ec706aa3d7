"""Pictures that several tests of runs look at."""

from __future__ import annotations

import pytest

from boxlens.images import ImageFiles, find_images
from detectors.runs import N
from pictures import write_pictures


@pytest.fixture
def files(tmp_path) -> ImageFiles:
    names = [f"{number:03d}.png" for number in range(1, N + 1)]
    return find_images(write_pictures(tmp_path / "in", names))[0]

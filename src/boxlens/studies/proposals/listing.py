"""One thing or several."""

from __future__ import annotations

from os import PathLike
from typing import Any

from boxlens.data import Dataset, Detections
from boxlens.data.windows import Windows
from boxlens.studies.proposals.generators.protocols import Generator


def listed(given: Any) -> list[Any]:
    """As a list; what is not there is an empty one."""
    if given is None:
        return []
    alone = isinstance(given, (str, PathLike, Dataset, Detections, Windows, Generator))
    return [given] if alone else list(given)

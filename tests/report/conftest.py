"""What verbs leave behind, written once for all tests that read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from made_once import made_once


@pytest.fixture(scope="session")
def written_verb(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, str]]:
    """The folder of a verb, and the line that says what is in it."""
    from report.written_verbs import VERBS

    def written(name: str) -> tuple[Path, str]:
        def write(place: Path) -> None:
            verb = VERBS[name]
            told = verb.write(verb.worlds[verb.written](), place / "out")
            (place / "told.txt").write_text(told, encoding="utf-8")

        place = made_once(tmp_path_factory, f"written {name}", write)
        return place / "out", (place / "told.txt").read_text(encoding="utf-8")

    return written

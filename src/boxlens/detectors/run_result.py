"""What a run over picture files did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from boxlens.data import Notice
from boxlens.errors import InputError


@dataclass(frozen=True, slots=True)
class Failure:
    """A picture that could not be used, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What is unusual about a picture that was used anyway."""

    file: str
    remark: str


class NothingDetectedError(InputError):
    """No picture of a run could be used."""

    def __init__(self, failed: tuple[Failure, ...]) -> None:
        first = f"{failed[0].file}: {failed[0].reason}" if failed else "no picture was given"
        super().__init__(f"none of the {len(failed):,} pictures could be used; {first}")
        self.failed = failed


@dataclass(frozen=True, slots=True)
class RunResult:
    """Counts of a run. `n_resumed` images were taken over from an interrupted run before it."""

    output: Path
    detector: str
    n_images: int
    n_resumed: int
    n_detections: int
    failed: tuple[Failure, ...]
    # What was changed in how many pictures.
    changes: Mapping[str, int]
    notices: tuple[Notice, ...]

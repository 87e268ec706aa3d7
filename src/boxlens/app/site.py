"""What every page is made from: the run, its pictures, its selections, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass

from boxlens.app.opening.run import Run
from boxlens.app.selecting.selection import Selections
from boxlens.app.serving.pictures import Pictures


@dataclass(frozen=True, slots=True)
class Site:
    """One run as it is served. All addresses begin with `root`, "/<token>/"."""

    run: Run
    pictures: Pictures
    selections: Selections
    root: str

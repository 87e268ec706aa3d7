"""A run in its folder: its description, figures and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from boxlens.app.opening.documents import read_about, read_figures
from boxlens.app.opening.table_files import read_tables
from boxlens.app.opening.tables import BoxTable, ImageTable
from boxlens.data.columns import Rows
from boxlens.formats.files import existing_folder

Of = Literal["detections", "objects", "images"]


@dataclass(frozen=True, slots=True)
class Run:
    """Everything the app shows. Tables are read once and never changed."""

    folder: Path
    # The content of run.json.
    about: dict[str, Any]
    # The content of figures/figures.json.
    figures: list[dict[str, Any]]
    images: ImageTable
    detections: BoxTable
    objects: BoxTable
    # Whole tables in the orders that were asked for so far; filled by `selecting.selection`.
    orders: dict[tuple[str, ...], Rows] = field(default_factory=dict, repr=False, compare=False)

    @property
    def detector_names(self) -> tuple[str, ...]:
        return tuple(detector["name"] for detector in self.about["detectors"])

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(one["name"] for one in self.about["dataset"]["classes"])

    @property
    def relative(self) -> bool:
        """Boxes are fractions of their image."""
        return bool(self.about["dataset"]["relative"])

    def boxes(self, of: Of) -> BoxTable:
        """The table that rows of a selection of detections or objects are rows of."""
        return self.objects if of == "objects" else self.detections


def open_run(folder: str | PathLike[str]) -> Run:
    """Reads the folder that `-o` named; refuses what is damaged or does not fit together."""
    home = existing_folder(folder)
    about = read_about(home / "run.json")
    figures = read_figures(home / "figures" / "figures.json")
    images, detections, objects = read_tables(home / "tables", about)
    return Run(home, about, figures, images, detections, objects)

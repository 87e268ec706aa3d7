"""Runs that the real commands wrote about the demo's detectors, once for all test processes."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from made_once import made_once
from running import boxlens_process

COMMANDS = {
    "both": ("report", "ground_truth.json", "window.json", "region.json", "--images", "images"),
    "solo": ("diagnose", "ground_truth.json", "window.json"),
}


@dataclass(frozen=True)
class DemoRun:
    """A run's folder, and its tables as Polars reads them."""

    folder: Path

    @cached_property
    def about(self) -> dict[str, Any]:
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    @cached_property
    def figures(self) -> list[dict[str, Any]]:
        return json.loads((self.folder / "figures" / "figures.json").read_text(encoding="utf-8"))

    @cached_property
    def images(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "tables" / "images.parquet").with_row_index(
            "image_row"
        )

    @cached_property
    def objects(self) -> pl.DataFrame:
        return self._boxes("objects")

    @cached_property
    def detections(self) -> pl.DataFrame:
        """With what is told of the object that each lies on, and the area of the box itself."""
        told = pl.col("^(attribute|characteristic)_.*$")
        below = self.objects.select("detector", told, object_row="gt_row")
        found = self._boxes("detections").with_columns(area=pl.col("w") * pl.col("h"))
        return found.join(below, on=["detector", "object_row"], how="left", maintain_order="left")

    def table(self, of: str) -> pl.DataFrame:
        return getattr(self, of)

    def _boxes(self, name: str) -> pl.DataFrame:
        boxes = pl.read_parquet(self.folder / "tables" / f"{name}.parquet")
        images = self.images.select("file_name", pl.col("image_row").cast(pl.Int32))
        return boxes.join(images, on="image_row", how="left", maintain_order="left")


def make_demo_runs(factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo's files and a run a command."""
    return made_once(factory, "demo_runs", _write)


def _write(folder: Path) -> None:
    _run(folder, "demo", "--files", ".", "--json", "-")
    asked = [
        (*command, "-o", name, "--figures", "none", "--json", "-")
        for name, command in COMMANDS.items()
    ]
    with ThreadPoolExecutor(len(asked)) as pool:
        list(pool.map(lambda one: _run(folder, *one), asked))


def _run(folder: Path, *arguments: str) -> None:
    done = boxlens_process(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr

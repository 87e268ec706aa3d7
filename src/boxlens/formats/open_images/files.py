"""Which file of an Open Images folder plays which part; two for one part are never guessed at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from boxlens.data import Notice
from boxlens.errors import InputError
from boxlens.formats.files import existing, plain_name
from boxlens.formats.sniff_content import csv_file, file_head

_BOXES = ("*bbox*.csv", "*boxes*.csv")
_LABELS = ("*imagelabels*.csv", "*image-labels*.csv", "*human*labels*.csv")
_CLASSES = ("*class*description*.csv",)
_HIERARCHY = ("*hierarchy*.json",)
_SIZES = ("*sizes*.csv", "*metadata*.csv")
_SPLITS = ("train", "validation", "val", "test")


@dataclass(frozen=True, slots=True)
class DatasetFiles:
    boxes: Path
    labels: Path | None = None
    classes: Path | None = None
    hierarchy: Path | None = None
    sizes: Path | None = None
    notices: tuple[Notice, ...] = ()

    def all(self) -> list[Path]:
        parts = (self.boxes, self.labels, self.classes, self.hierarchy, self.sizes)
        return [file for file in parts if file is not None]


def dataset_files(path: Path, split: str | None) -> DatasetFiles:
    """The files of a folder, or a boxes file by itself; `split` is a word in the files' names."""
    found = existing(path)
    if not found.is_dir():
        return DatasetFiles(found)
    names = sorted(item for item in found.iterdir() if item.is_file())
    machine = [item for item in _matching(names, _LABELS) if "machine" in item.name.lower()]
    verified = [item for item in _matching(names, _LABELS) if item not in machine]
    boxes = _one("boxes", _boxes(names), found, split)
    if boxes is None:
        raise InputError(
            "no CSV file of boxes" if split is None else f"no CSV file of boxes for split {split}",
            path=found,
            remedy="Its name must contain 'bbox' or 'boxes', and the split if there are several",
        )
    return DatasetFiles(
        boxes=boxes,
        labels=_one("image labels", verified, found, split),
        classes=_one("class descriptions", _matching(names, _CLASSES), found, None),
        hierarchy=_one("class hierarchies", _matching(names, _HIERARCHY), found, None),
        sizes=_one("image sizes", _matching(names, _SIZES), found, split),
        notices=tuple(
            Notice("machine_labels", 1, f"{item}: unverified labels were not read")
            for item in machine
        ),
    )


def _boxes(names: Sequence[Path]) -> list[Path]:
    named = _matching(names, _BOXES)
    if named:
        return named
    tables = [item for item in names if plain_name(item).lower().endswith(".csv")]
    return [item for item in tables if _holds_boxes(item)]


def _holds_boxes(path: Path) -> bool:
    try:
        return csv_file(path, file_head(path)).ground_truth
    except InputError:
        return False


def _matching(names: Sequence[Path], patterns: Sequence[str]) -> list[Path]:
    return [
        item
        for item in names
        if any(fnmatchcase(plain_name(item).lower(), pattern) for pattern in patterns)
    ]


def _one(what: str, found: Sequence[Path], folder: Path, split: str | None) -> Path | None:
    if split is not None:
        of_split = [item for item in found if split.lower() in item.name.lower()]
        found = of_split or [item for item in found if not _names_a_split(item)]
    if len(found) > 1:
        raise InputError(
            f"several files of {what}: {', '.join(item.name for item in found)}",
            path=folder,
            remedy="Choose with --split, or put the files you want into their own folder",
        )
    return found[0] if found else None


def _names_a_split(path: Path) -> bool:
    return any(word in path.name.lower() for word in _SPLITS)

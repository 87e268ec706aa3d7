"""Where a YOLO data set keeps its parts: what data.yaml or classes.txt and the folders say."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxlens.data import Notice
from boxlens.errors import InputError
from boxlens.formats.files import existing, plain_name, read_text
from boxlens.formats.places import Place
from boxlens.formats.yaml_files import read_yaml
from boxlens.formats.yolo.sizes import IMAGE_ENDINGS, ImageSize, read_sizes, sizes_file

SPLITS = ("val", "test", "train")
# The one set of a folder that has no splits.
UNSPLIT = ""
_OTHER_NAMES = {"validation": "val", "valid": "val"}
_EMPTY = {"", "~", "null", "none"}


@dataclass(frozen=True, slots=True)
class Layout:
    """A data set's description, before any label is read."""

    root: Path
    # data.yaml or classes.txt, for messages.
    file: Path
    names: Mapping[int, str]
    # Split -> folders or lists of images, relative to the root.
    splits: Mapping[str, Sequence[str]]
    # By path below the root without ending, from sizes.csv.
    sizes: Mapping[str, ImageSize]
    # All that this was read from.
    files: tuple[Path, ...]
    # Values after the box in a line of a pose data set.
    n_keypoint_values: int = 0
    notices: tuple[Notice, ...] = ()


def find_layout(path: Path) -> Layout:
    """Reads data.yaml, or what stands for it in a folder of labels with classes.txt."""
    # Without "..", so that names below the root are told by their beginning.
    found = Path(os.path.normpath(existing(path).absolute()))
    if found.is_file():
        return _from_yaml(found)
    described = [found / f"data{ending}" for ending in (".yaml", ".yml", ".yaml.gz", ".yml.gz")]
    others = sorted([*found.glob("*.yaml"), *found.glob("*.yml")])
    for file in [*described, *(others if len(others) == 1 else [])]:
        if file.is_file():
            return _from_yaml(file)
    for file in (found / "classes.txt", found / "labels" / "classes.txt"):
        if file.is_file():
            return _from_classes(file, found)
    raise InputError(
        "found neither data.yaml nor classes.txt",
        path=path,
        remedy="Name the folder that holds data.yaml, or the file itself",
    )


def choose_split(layout: Layout, split: str | None) -> tuple[str, tuple[Notice, ...]]:
    """The split to read; without a wish val, else test, else train, and then a notice says so."""
    if split is not None:
        name = _OTHER_NAMES.get(split, split)
        if name in layout.splits and name != UNSPLIT:
            return name, ()
        known = ", ".join(name for name in layout.splits if name != UNSPLIT)
        raise InputError(
            f"unknown split {split!r}",
            path=layout.file,
            remedy=f"Choose one of: {known}" if known else "Read without a split: it has none",
        )
    for name in (UNSPLIT, *SPLITS, *layout.splits):
        if name in layout.splits:
            if name in {UNSPLIT, "val"}:
                return name, ()
            text = f"{layout.file}: no split 'val'; reading the split '{name}'"
            return name, (Notice("split_chosen", 1, text),)
    raise InputError(
        "no images: it has none of val, test and train",
        path=layout.file,
        remedy="Add for instance val: images/val",
    )


def _from_yaml(file: Path) -> Layout:
    content = _mapping(file)
    root, notices = _root(content, file)
    sizes, read = _sizes(file.parent, root)
    splits = {
        _OTHER_NAMES.get(key, key): _entries(content[key], file, key)
        for key in (*_OTHER_NAMES, *SPLITS)
        if key in content and not _is_empty(content[key])
    }
    return Layout(
        root=root,
        file=file,
        names=_names(content, file),
        splits=splits or _folder_splits(root),
        sizes=sizes,
        files=(file, *read),
        n_keypoint_values=_n_keypoint_values(content, file),
        notices=notices,
    )


def _from_classes(file: Path, root: Path) -> Layout:
    names = [line.strip() for line in read_text(file).splitlines() if line.strip()]
    if not names:
        raise InputError("no class name", path=file, remedy="Write one class name per line")
    sizes, read = _sizes(root, root)
    return Layout(
        root, file, dict(enumerate(names)), _folder_splits(root), sizes, files=(file, *read)
    )


def _sizes(folder: Path, root: Path) -> tuple[dict[str, ImageSize], tuple[Path, ...]]:
    file = sizes_file(folder)
    return ({}, ()) if file is None else (read_sizes(file, _bare_folder(root)), (file,))


def _mapping(file: Path) -> Mapping[str, Any]:
    content = read_yaml(file)
    if not isinstance(content, dict):
        raise InputError(
            "expected keys such as val and names",
            path=file,
            remedy="Name the data.yaml of a YOLO data set",
        )
    return content


def _root(content: Mapping[str, Any], file: Path) -> tuple[Path, tuple[Notice, ...]]:
    folder = file.parent
    told = content.get("path")
    if told is None or _is_empty(told):
        return folder, ()
    if not isinstance(told, str):
        raise Place(file, "path").error("expected a folder", "Name one folder")
    root = Path(os.path.normpath(folder / told))
    if root.is_dir():
        return root, ()
    # Sets are moved and unpacked elsewhere; the file's own folder is then the best guess.
    text = f"{file}: the folder '{told}' of 'path' does not exist; used {folder} instead"
    return folder, (Notice("path_moved", 1, text),)


def _entries(value: Any, file: Path, key: str) -> list[str]:
    entries = [value] if isinstance(value, str) else value
    if isinstance(entries, list) and all(isinstance(entry, str) for entry in entries):
        return entries
    raise Place(file, key).error(
        "expected a folder, a list of folders or a .txt list of images",
        f"Write for instance {key}: images/{key}",
    )


def _names(content: Mapping[str, Any], file: Path) -> dict[int, str]:
    value = content.get("names")
    remedy = "Write names as a list, or as index: name"
    if isinstance(value, list):
        value = {str(index): name for index, name in enumerate(value)}
    if not isinstance(value, dict) or not value:
        raise InputError("missing class names", path=file, remedy=remedy)
    names: dict[int, str] = {}
    for index, name in value.items():
        if not (str(index).isdecimal() and isinstance(name, str)) or int(index) in names:
            raise Place(file, "names").error(
                f"not an index and a name: {index!r}: {name!r}", remedy
            )
        names[int(index)] = name
    n_told = content.get("nc")
    if n_told is not None and n_told != str(len(names)):
        problem = f"nc is {n_told}, but there are {len(names)} names"
        raise Place(file, "nc").error(problem, "Correct nc, or remove it")
    return names


def _n_keypoint_values(content: Mapping[str, Any], file: Path) -> int:
    shape = content.get("kpt_shape")
    if shape is None or _is_empty(shape):
        return 0
    if not isinstance(shape, list) or not all(str(side).isdecimal() for side in shape):
        problem = f"not a number of keypoints and of values each: {shape!r}"
        raise Place(file, "kpt_shape").error(problem, "Write for instance kpt_shape: [17, 3]")
    return math.prod(int(side) for side in shape)


def _is_empty(value: Any) -> bool:
    return value == [] or (isinstance(value, str) and value.lower() in _EMPTY)


def _folder_splits(root: Path) -> dict[str, list[str]]:
    """The layout of a folder without a list of splits: flat, or one folder per split."""
    base = next((root / name for name in ("labels", "images") if (root / name).is_dir()), None)
    if base is None:
        return {UNSPLIT: ["."]}
    inner = sorted(entry.name for entry in base.iterdir() if entry.is_dir())
    if inner and not any(_is_item(entry) for entry in base.iterdir()):
        return {_OTHER_NAMES.get(name, name): [f"images/{name}"] for name in inner}
    return {UNSPLIT: ["images"]}


def _is_item(entry: Path) -> bool:
    if entry.suffix.lower() in IMAGE_ENDINGS:
        return True
    return plain_name(entry).endswith(".txt") and plain_name(entry) != "classes.txt"


def _bare_folder(root: Path) -> str:
    """Where an image lies that sizes.csv names without a folder."""
    flat = (root / "labels").is_dir() and UNSPLIT in _folder_splits(root)
    return "images/" if flat else ""

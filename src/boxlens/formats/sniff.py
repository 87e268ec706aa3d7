"""Which format a file or folder has, recognised by content; says if it plays the wrong role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from boxlens.errors import InputError
from boxlens.formats.files import existing
from boxlens.formats.sniff_content import csv_header, file_head, recognise_file, yolo_numbers

_DT_SECOND = "This looks like ground truth; the detections come second, after the ground truth"
_VOC_RESULT = re.compile(r"comp.*?_det_.+\.txt(\.gz)?")
_TABLES = tuple(
    f"{table}.parquet{packed}"
    for table in ("images", "classes", "objects")
    for packed in ("", ".gz")
)
_TABLE = "a table of a Parquet data set"
# Text files looked into before a folder of empty ones is taken for "nothing detected".
_SAMPLE = 64


def sniff_dataset(path: Path) -> str:
    """The format of ground truth; raises if there is none."""
    found_path = existing(path)
    if found_path.is_dir():
        return _dataset_folder(_Folder(found_path))
    found = recognise_file(found_path)
    if found.ground_truth:
        return found.format
    if found_path.name in _TABLES:
        remedy = "Name the folder that holds images.parquet, classes.parquet and objects.parquet"
        raise InputError(f"{_TABLE}, where ground truth was expected", path=path, remedy=remedy)
    raise DetectionsGivenError(f"{found.what}, where ground truth was expected", found_path)


def sniff_detections(path: Path) -> str:
    """The format of detections; raises if there is none."""
    found_path = existing(path)
    if found_path.is_dir():
        return _detections_folder(_Folder(found_path))
    found = recognise_file(found_path)
    if found.detections and found_path.name not in _TABLES:
        return found.format
    what = _TABLE if found_path.name in _TABLES else found.what
    raise InputError(f"{what}, where detections were expected", path=found_path, remedy=_DT_SECOND)


class DetectionsGivenError(InputError):
    """Detections where ground truth was expected."""

    def __init__(self, problem: str, path: Path) -> None:
        remedy = "This looks like detections; the ground truth comes first, then the detections"
        super().__init__(problem, path=path, remedy=remedy)


class _Folder:
    """A folder's names, listed once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names = sorted(item.name for item in path.iterdir() if not item.name.startswith("."))
        if not self.names:
            raise InputError("the folder is empty", path=path, remedy="Name the right folder")

    def ending(self, *endings: str) -> list[str]:
        packed = tuple(f"{ending}.gz" for ending in endings)
        return [name for name in self.names if name.lower().endswith((*endings, *packed))]

    def has_folder(self, name: str) -> bool:
        return (self.path / name).is_dir()

    def texts(self) -> Iterator[Path]:
        for name in self.ending(".txt"):
            yield self.path / name
        if self.has_folder("labels"):
            yield from sorted((self.path / "labels").rglob("*.txt"))


def _dataset_folder(folder: _Folder) -> str:
    found = _dataset_candidates(folder)
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"contains data sets of several formats: {', '.join(found)}",
            path=folder.path,
            remedy="Say which one: --gt-format, --dt-format, or --from with convert",
        )
    if any(_VOC_RESULT.fullmatch(name) for name in folder.names):
        raise DetectionsGivenError("a folder of VOC results", folder.path)
    numbers = _yolo_numbers(folder)
    if numbers == 5:
        return "yolo"
    if numbers == 6:
        raise DetectionsGivenError("a folder of YOLO predictions", folder.path)
    raise _unknown_folder(folder)


def _dataset_candidates(folder: _Folder) -> list[str]:
    tables = [name for name in _TABLES if name in folder.names]
    if tables:
        return ["parquet"]
    years = any(re.fullmatch(r"VOC20\d\d", name) for name in folder.names)
    found = []
    if folder.has_folder("Annotations") or years or folder.ending(".xml"):
        found.append("voc")
    if any(_is_open_images(folder.path / name) for name in folder.ending(".csv")):
        found.append("openimages")
    listed = "classes.txt" in folder.names or bool(folder.ending(".yaml", ".yml"))
    if listed or (folder.has_folder("labels") and _yolo_numbers(folder) != 6):
        found.append("yolo")
    return found


def _detections_folder(folder: _Folder) -> str:
    if any(_VOC_RESULT.fullmatch(name) for name in folder.names):
        return "voc"
    numbers = _yolo_numbers(folder)
    if numbers in (0, 6):
        return "yolo"
    if numbers == 5:
        raise InputError(
            "YOLO labels with 5 numbers per line, without confidence",
            path=folder.path,
            remedy=f"{_DT_SECOND}. Predictions need a 6th number (in Ultralytics: save_conf=True)",
        )
    found = _dataset_candidates(folder)
    if found:
        raise InputError(
            f"a {found[0]} data set, where detections were expected",
            path=folder.path,
            remedy=_DT_SECOND,
        )
    raise _unknown_folder(folder)


def _yolo_numbers(folder: _Folder) -> int | None:
    """Numbers per line of the first text file that is not empty; 0: all empty; None: not YOLO."""
    seen = False
    for number, path in enumerate(folder.texts()):
        if number == _SAMPLE:
            break
        if path.name.removesuffix(".gz") in ("classes.txt", "train.txt", "val.txt", "test.txt"):
            continue
        text = file_head(path).decode("utf-8", errors="replace")
        seen = True
        if text.strip():
            return yolo_numbers(text)
    return 0 if seen else None


def _is_open_images(path: Path) -> bool:
    columns = {name.lower() for name in csv_header(file_head(path))}
    return {"imageid", "labelname"} <= columns


def _unknown_folder(folder: _Folder) -> InputError:
    inside = folder.ending(".json", ".csv", ".parquet")
    if not inside and folder.has_folder("annotations"):
        inside = [f"annotations/{p.name}" for p in (folder.path / "annotations").glob("*.json")]
    if inside:
        shown = ", ".join(sorted(inside)[:5])
        return InputError(
            f"not a data set folder; it contains {shown}",
            path=folder.path,
            remedy="Name the file itself",
        )
    shown = ", ".join(folder.names[:5])
    return InputError(
        f"unknown format; the folder contains {shown}",
        path=folder.path,
        remedy="Name the folder of the annotations or results",
    )

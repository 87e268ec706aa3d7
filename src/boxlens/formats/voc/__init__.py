"""PASCAL VOC data sets: folders of XML annotations, alone or in a devkit with its splits."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boxlens.data import Classes, Dataset, GroundTruth, Images, Notice, Source, file_notices
from boxlens.data.columns import Attribute, attribute_column
from boxlens.errors import InputError
from boxlens.formats.files import existing_folder, read_text, stem
from boxlens.formats.places import Place
from boxlens.formats.voc.results import read_detections, write_detections
from boxlens.formats.voc.write import write_dataset
from boxlens.formats.voc.xml import FLAGS, Annotation, VocObject, parse_annotation
from boxlens.progress import Progress, reported
from boxlens.wording import counted

__all__ = ["read_dataset", "read_detections", "write_dataset", "write_detections"]

# Leading zeros tell a code such as 007 from a number.
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_EXACT_INTEGER = 2**53


def read_dataset(
    path: Path,
    *,
    split: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Reads a folder of XML files or a devkit; `split` names a list in ImageSets/Main.

    Image ids are file stems, class ids are class names.
    """
    devkit = _devkit(existing_folder(path))
    files = _annotation_files(devkit.annotations)
    notices: tuple[Notice, ...] = ()
    listing: list[Path] = []
    if split is None:
        ids = sorted(files)
    else:
        listing = [_split_file(devkit, split)]
        ids, notices = _split_ids(devkit, listing[0], files)
    chosen = [files[image_id] for image_id in ids]
    annotations = [
        parse_annotation(file) for file in reported(chosen, "reading annotations", progress)
    ]
    source = Source.of(path, "voc", [*listing, *chosen])
    return _assembled(devkit, ids, annotations, source, notices)


def _assembled(
    devkit: _Devkit,
    ids: Sequence[str],
    annotations: Sequence[Annotation],
    source: Source,
    notices: tuple[Notice, ...],
) -> Dataset:
    objects = [item for annotation in annotations for item in annotation.objects]
    names = sorted({item.name for item in objects})
    class_row_of = {name: row for row, name in enumerate(names)}
    images, _ = Images.of(
        ids,
        [annotation.width_px for annotation in annotations],
        [annotation.height_px for annotation in annotations],
        [
            annotation.file_name or f"{image_id}.jpg"
            for image_id, annotation in zip(ids, annotations, strict=True)
        ],
    )
    gt = GroundTruth.of(
        len(ids),
        image_row=[row for row, a in enumerate(annotations) for _ in a.objects],
        class_row=[class_row_of[item.name] for item in objects],
        box=[item.box for item in objects],
        difficult=[item.difficult for item in objects],
        attributes=_attributes(objects),
    )
    found = (*notices, *_gaps(devkit.annotations, annotations))
    return Dataset(devkit.name, images, Classes.of(names, names), gt, source, found)


def _attributes(objects: Sequence[VocObject]) -> dict[str, Attribute]:
    columns: dict[str, list[str | None]] = {}
    for row, item in enumerate(objects):
        for tag, text in item.fields.items():
            if tag not in columns:
                columns[tag] = [None] * len(objects)
            columns[tag][row] = text
    attributes = {tag: _typed(tag, texts) for tag, texts in columns.items()}
    if any(item.parts for item in objects):
        attributes["parts"] = attribute_column([item.parts for item in objects])
    return attributes


def _typed(tag: str, texts: Sequence[str | None]) -> Attribute:
    """Numbers where every value present is one, text otherwise; a pose is always text."""
    numeric = tag in FLAGS or (
        tag != "pose" and all(_is_number(text) for text in texts if text is not None)
    )
    if not numeric:
        return attribute_column(texts)
    return attribute_column([None if text is None else float(text) for text in texts])


def _is_number(text: str) -> bool:
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return False
    return not text.lstrip("-").isdigit() or abs(int(text)) <= _EXACT_INTEGER


def _gaps(folder: Path, annotations: Sequence[Annotation]) -> tuple[Notice, ...]:
    """What the files left open or held beyond what a table can."""
    n_unsized = sum(math.isnan(a.width_px) or math.isnan(a.height_px) for a in annotations)
    n_unnamed = sum(annotation.file_name is None for annotation in annotations)
    unsized, unnamed = (counted(n, "annotation") for n in (n_unsized, n_unnamed))
    skipped = Counter(tag for annotation in annotations for tag in annotation.skipped)
    tags = ", ".join(f"{tag} ({count:,})" for tag, count in skipped.most_common(5))
    nested = f"skipped fields of objects that are nested or repeated: {tags}"
    return file_notices(
        folder,
        ("size_missing", n_unsized, f"{unsized} without image size"),
        ("file_name_missing", n_unnamed, f"{unnamed} without file name; STEM.jpg is assumed"),
        ("skipped_field", skipped.total(), nested),
    )


@dataclass(frozen=True, slots=True)
class _Devkit:
    name: str
    annotations: Path
    # ImageSets/Main, which need not exist.
    splits: Path


def _devkit(folder: Path) -> _Devkit:
    name = folder.resolve().name
    inner = folder / "Annotations"
    if inner.is_dir():
        return _Devkit(name, inner, folder / "ImageSets" / "Main")
    years = [year for year in folder.glob("VOC20[0-9][0-9]") if (year / "Annotations").is_dir()]
    if len(years) == 1:
        return _devkit(years[0])
    if years:
        raise InputError(
            f"contains several data sets: {', '.join(sorted(year.name for year in years))}",
            path=folder,
            remedy="Name one of them",
        )
    beside = folder.resolve().parent if name == "Annotations" else folder
    return _Devkit(name, folder, beside / "ImageSets" / "Main")


def _annotation_files(folder: Path) -> dict[str, Path]:
    """Stem -> file. Names that begin with a dot are what operating systems leave behind."""
    files: dict[str, Path] = {}
    for file in folder.iterdir():
        name = file.name
        if name.startswith(".") or not name.lower().endswith((".xml", ".xml.gz")):
            continue
        other = files.setdefault(stem(file), file)
        if other != file:
            raise InputError(
                f"{other.name} and {name} are annotations of the same image",
                path=folder,
                remedy="Remove one of them",
            )
    if not files:
        raise InputError(
            "no XML annotations found",
            path=folder,
            remedy="Name a folder of .xml files, or a devkit folder that holds Annotations",
        )
    return files


def _split_ids(
    devkit: _Devkit,
    path: Path,
    files: Mapping[str, Path],
) -> tuple[list[str], tuple[Notice, ...]]:
    ids: set[str] = set()
    n_entries = 0
    for number, line in enumerate(read_text(path).splitlines(), 1):
        entry = line.strip()
        if not entry:
            continue
        if entry not in files:
            raise _unusable_entry(entry, path, number, devkit)
        ids.add(entry)
        n_entries += 1
    if not ids:
        raise InputError("no images listed", path=path, remedy="Choose another split")
    n_again = n_entries - len(ids)
    again = counted(n_again, "duplicate entry", "duplicate entries")
    return sorted(ids), file_notices(path, ("repeated_image", n_again, f"skipped {again}"))


def _unusable_entry(entry: str, path: Path, number: int, devkit: _Devkit) -> InputError:
    line = Place(path, f"line {number}")
    if _is_class_entry(entry):
        return line.error(
            "a list for one class (its second column says whether an image contains it), not a "
            "split",
            f"Choose one of: {_listed(devkit.splits)}",
        )
    return line.error(
        f"image {entry!r} has no annotation",
        f"Add {entry}.xml to {devkit.annotations}, or choose another split",
    )


def _split_file(devkit: _Devkit, split: str) -> Path:
    for ending in (".txt", ".txt.gz"):
        path = devkit.splits / f"{split}{ending}"
        if path.is_file():
            return path
    if not devkit.splits.is_dir():
        raise InputError(
            f"unknown split {split!r}: the folder ImageSets/Main is missing",
            path=devkit.annotations,
            remedy="Read without a split to take all annotations",
        )
    raise InputError(
        f"unknown split {split!r}",
        path=devkit.splits,
        remedy=f"Choose one of: {_listed(devkit.splits)}",
    )


def _listed(splits: Path) -> str:
    """Names of splits, without lists of one class such as dog_test beside test."""
    files = {stem(file): file for file in splits.iterdir() if ".txt" in file.suffixes}
    names = [
        name
        for name, file in files.items()
        if not (
            any(name.endswith(f"_{other}") for other in files)
            and _is_class_entry(read_text(file).lstrip().partition("\n")[0])
        )
    ]
    return ", ".join(sorted(names)) or "none"


def _is_class_entry(entry: str) -> bool:
    columns = entry.split()
    return len(columns) == 2 and columns[1] in {"-1", "0", "1"}

"""A data set as a VOC devkit folder: one XML file per image, and the list of its split."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from boxlens.data import Dataset, Images, Notice
from boxlens.data.columns import Bools
from boxlens.errors import InputError
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.losses import loss, losses
from boxlens.formats.voc.numbers import corner_texts, number_text
from boxlens.formats.voc.xml import RESERVED, Annotation, VocObject, annotation_text, parts_of

_TAG = re.compile(r"(?!xml)[a-z_][a-z0-9_.-]*", re.IGNORECASE)


def write_dataset(dataset: Dataset, path: Path, *, split: str = "all") -> tuple[Notice, ...]:
    """Writes Annotations/*.xml and ImageSets/Main/SPLIT.txt into a new folder.

    Returns what VOC cannot hold. Boxes read back exactly.
    """
    names = class_names(dataset)
    stems = image_stems(dataset.images)
    tags = [tag for tag in dataset.gt.attributes if tag not in RESERVED and _TAG.fullmatch(tag)]
    objects, lost = _objects(dataset, names, tags, path)
    with folder_written_whole(path) as folder:
        annotations = folder / "Annotations"
        annotations.mkdir()
        for row, image_stem in enumerate(stems):
            span = slice(*dataset.gt.offsets[row : row + 2])
            annotation = Annotation(
                file_name=dataset.images.file_name[row],
                width_px=float(dataset.images.width_px[row]),
                height_px=float(dataset.images.height_px[row]),
                objects=[item for item in objects[span] if item is not None],
            )
            text = annotation_text(annotation)
            (annotations / f"{image_stem}.xml").write_text(text, encoding="utf-8", newline="\n")
        lists = folder / "ImageSets" / "Main"
        lists.mkdir(parents=True)
        listing = "".join(f"{image_stem}\n" for image_stem in stems)
        name = f"{file_stem(split, 'split')}.txt"
        (lists / name).write_text(listing, encoding="utf-8", newline="\n")
    return _notices(dataset, Path(path), objects, tags, lost)


def class_names(dataset: Dataset) -> tuple[str, ...]:
    """Names that can stand for the classes: VOC identifies a class by its name."""
    names = dataset.classes.name
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"the class name {twice[0]!r} is not unique, and VOC identifies a class only by its "
            "name",
            remedy="Give every class a unique name",
        )
    unfit = [name for name in names if not name or name != name.strip()]
    if unfit:
        raise InputError(
            f"VOC cannot hold the class name {unfit[0]!r}",
            remedy="Names must not be empty or have spaces around them",
        )
    return names


def image_stems(images: Images) -> list[str]:
    """What VOC calls an image: its file's stem; the id where that is text or no stem will do."""
    ids = [str(image_id) for image_id in images.id.tolist()]
    stems = [PurePosixPath(name).stem for name in images.file_name]
    told_apart = all(stems) and len(set(stems)) == len(stems)
    chosen = stems if told_apart and images.id.dtype != object else ids
    return [file_stem(name, "image id") for name in chosen]


def file_stem(value: object, what: str) -> str:
    """The value as a file name without its ending."""
    text = str(value)
    if not text or text != text.strip() or text.startswith(".") or set(text) & set("/\\\0\r\n"):
        raise InputError(
            f"the {what} {text!r} cannot be a file name, which VOC needs",
            remedy=f"Rename the {what} before writing VOC",
        )
    return text


def _objects(
    dataset: Dataset,
    names: Sequence[str],
    tags: Sequence[str],
    path: Path,
) -> tuple[list[VocObject | None], int]:
    """One per row, None where the box is empty; and how many "parts" values are not VOC's."""
    gt = dataset.gt
    columns = {tag: gt.attributes[tag].tolist() for tag in tags}
    parts: list[Any] = [None] * len(gt)
    if "parts" in gt.attributes:
        parts = gt.attributes["parts"].tolist()
    n_odd_parts = 0
    objects: list[VocObject | None] = []
    # Inclusive pixels cannot say "nothing": the reader refuses xmax = xmin - 1.
    empty: Bools = np.any(gt.box[:, 2:] <= 0, axis=1)
    texts = corner_texts(gt.box, lambda row: f"object {gt.id[row]}", path)
    for row, corners in enumerate(texts):
        part_text = parts[row]
        if not isinstance(part_text, str) or not parts_of(part_text):
            n_odd_parts += _present(part_text)
            part_text = None
        if empty[row]:
            objects.append(None)
            continue
        values = {tag: column[row] for tag, column in columns.items() if _present(column[row])}
        item = VocObject(
            name=names[gt.class_row[row]],
            corners=corners,
            box=tuple(gt.box[row].tolist()),
            difficult=bool(gt.difficult[row] or gt.crowd[row] or gt.group_of[row]),
            fields={tag: _value_text(value) for tag, value in values.items()},
            parts=part_text,
        )
        objects.append(item)
    return objects, n_odd_parts


def _present(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _value_text(value: float | str) -> str:
    return number_text(value) if isinstance(value, float) else value


def _notices(
    dataset: Dataset,
    path: Path,
    objects: Sequence[VocObject | None],
    tags: Sequence[str],
    n_odd_parts: int,
) -> tuple[Notice, ...]:
    n_renamed = sum(
        class_id != name
        for class_id, name in zip(dataset.classes.id.tolist(), dataset.classes.name, strict=True)
    )
    written = {item.name for item in objects if item is not None}
    n_unseen = len(set(dataset.classes.name) - written)
    n_empty = sum(item is None for item in objects)
    further = (
        ("class_id", n_renamed, "class ids other than names"),
        ("class", n_unseen, "classes without objects"),
        ("empty_box", n_empty, "boxes without width or height, skipped"),
        ("parts", n_odd_parts, "'parts' that are not a list of names and boxes"),
    )
    return (
        *losses(
            dataset,
            path,
            "VOC",
            keeps={"difficult"},
            # The nearest thing that is not counted either.
            instead=dict.fromkeys(("crowd", "group_of"), "written as difficult"),
            keeps_attributes={*tags, "parts"},
        ),
        *(loss(path, "VOC", code, n, what) for code, n, what in further if n),
    )

"""A data set or detections as COCO JSON text; floats are spelled so that they read back equal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Dataset, Detections, Images, Links, Notice
from boxlens.data.columns import Attribute, Ids, frozen
from boxlens.errors import InputError
from boxlens.formats.coco.kept_columns import LISTS, field_names, kept_of, written_flags
from boxlens.formats.coco.scanned import raw_spans
from boxlens.formats.files import written_whole
from boxlens.formats.losses import losses

# Records turned into text and joined before each write.
_CHUNK = 20_000

# What annotations and categories of COCO's own files have, beside what every data set has.
_COCO_ATTRIBUTES = ("num_keypoints", "ignore")
_COCO_CLASS_FACTS = ("keypoints", "skeleton")


def write_dataset(
    dataset: Dataset, path: str | PathLike[str], *, strict: bool = False
) -> tuple[Notice, ...]:
    """Images, annotations with all their attributes, masks and keypoints, and categories.

    What COCO does not know goes into further fields, which "boxlens" names, so that reading gives
    the same columns. `strict` writes the fields of COCO's own files alone, and says what is lost.
    """
    lost: tuple[Notice, ...] = ()
    kept: dict[str, Any] = {}
    if strict:
        lost, dataset = _losses(dataset, Path(path)), _plain_dataset(dataset)
    else:
        kept = kept_of(dataset).to_json()
    write_arrays(
        path,
        {
            "images": _images(dataset.images, dataset.classes.id),
            "annotations": _annotations(dataset),
            "categories": _categories(dataset),
        },
        {"boxlens": kept} if kept else {},
    )
    return (*lost, *_notices(dataset, path))


def _losses(dataset: Dataset, path: Path) -> tuple[Notice, ...]:
    kept = ("crowd", "area", "segmentation", "keypoints", "object_id", "supercategory")
    return losses(
        dataset,
        path,
        "COCO",
        keeps={*kept, *(f"class_{name}" for name in _COCO_CLASS_FACTS)},
        keeps_attributes=_COCO_ATTRIBUTES,
        instead={"difficult": "written as objects that count", "group_of": "written as crowds"},
    )


def _plain_dataset(dataset: Dataset) -> Dataset:
    """With nothing but what COCO's own files hold."""
    gt, classes = dataset.gt, dataset.classes
    none = frozen(np.zeros(len(gt)), np.bool_)
    return replace(
        dataset,
        images=replace(dataset.images, negative=None, positive=None, not_exhaustive=None),
        classes=replace(
            classes,
            frequency=None,
            tree=None,
            extra={key: classes.extra[key] for key in _COCO_CLASS_FACTS if key in classes.extra},
        ),
        gt=replace(
            gt,
            crowd=frozen(gt.crowd | gt.group_of, np.bool_),
            difficult=none,
            group_of=none,
            attributes={
                key: gt.attributes[key] for key in _COCO_ATTRIBUTES if key in gt.attributes
            },
        ),
    )


def _notices(dataset: Dataset, path: str | PathLike[str]) -> Iterator[Notice]:
    """What Boxlens reads back and other tools read differently."""
    marks = (
        ("difficult", "difficult objects", "other COCO tools count them as ordinary objects"),
        ("group_of", "group-of boxes", "to other COCO tools they are crowds"),
    )
    for name, what, others in marks:
        count = int(getattr(dataset.gt, name).sum())
        if count:
            message = (
                f"{path}: {what} have the field '{name}' ({count:,}), which Boxlens reads back"
            )
            yield Notice(f"{name}_field", count, f"{message}; {others}")
    if dataset.relative:
        message = f"{path}: boxes are fractions of their images; other COCO tools expect pixels"
        yield Notice("relative_boxes", len(dataset.images), message)
    for what, ids in (("image", dataset.images.id), ("category", dataset.classes.id)):
        if ids.dtype == object and len(ids):
            message = f"{path}: {what} ids are text, as in the source; other tools expect numbers"
            yield Notice(f"text_{what}_ids", len(ids), message)


def write_detections(detections: Detections, dataset: Dataset, path: str | PathLike[str]) -> None:
    """An array of results, grouped by image."""
    write_detection_parts([detections], dataset, path)


def write_detection_parts(
    tables: Iterable[Detections], dataset: Dataset, path: str | PathLike[str]
) -> None:
    """The same of tables that are made one after another, each of other images of the data set."""
    image_fields = [f'"image_id":{json.dumps(key)}' for key in dataset.images.id.tolist()]
    write_results(tables, dataset, path, image_fields)


def write_results(
    tables: Iterable[Detections],
    dataset: Dataset,
    path: str | PathLike[str],
    image_fields: Sequence[str],
) -> None:
    """The same with the fields of each image given as JSON text."""
    class_text = [json.dumps(key) for key in dataset.classes.id.tolist()]
    _write_records(
        path,
        (
            f'{{{image_fields[image]},"category_id":{class_text[label]},'
            f'"bbox":[{x!r},{y!r},{w!r},{h!r}],"score":{score!r}}}'
            for detections in tables
            for image, label, (x, y, w, h), score in _plain_rows(detections)
        ),
    )


def _plain_rows(detections: Detections) -> Iterator[tuple[int, int, list[float], float]]:
    """Row by row, a slice at a time: plain numbers take ten times the room of columns."""
    columns = (detections.image_row, detections.class_row, detections.box, detections.score)
    for begin in range(0, len(detections), _CHUNK):
        yield from zip(
            *(column[begin : begin + _CHUNK].tolist() for column in columns), strict=True
        )


def _write_records(path: str | PathLike[str], records: Iterable[str]) -> None:
    """An array of records that are JSON text already."""
    with written_whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for text in array_text(records):
            file.write(text)
        file.write("\n")


def write_arrays(
    path: str | PathLike[str],
    arrays: Mapping[str, Iterable[str]],
    further: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """An object of arrays of records that are JSON text already, and of further values."""
    with written_whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for number, (name, records) in enumerate(arrays.items()):
            file.write(f"{',' if number else '{'}{json.dumps(name)}:")
            for text in array_text(records):
                file.write(text)
        for name, value in (further or {}).items():
            file.write(f",{json.dumps(name)}:{record_text(value)}")
        file.write("}\n")


def array_text(records: Iterable[str], n_at_once: int = _CHUNK) -> Iterator[str]:
    """An array of records that are JSON text already, joined some at a time."""
    yield "["
    waiting = iter(records)
    between = ""
    while chunk := list(islice(waiting, n_at_once)):
        yield between + ",\n".join(chunk)
        between = ",\n"
    yield "]"


def _images(images: Images, class_ids: Ids) -> Iterator[str]:
    lists = {field: _id_lists(getattr(images, name), class_ids) for name, field in LISTS.items()}
    sizes = zip(images.width_px.tolist(), images.height_px.tolist(), strict=True)
    for row, (key, (width, height)) in enumerate(zip(images.id.tolist(), sizes, strict=True)):
        record: dict[str, Any] = {"id": key, "file_name": images.file_name[row]}
        if width == width:  # noqa: PLR0124 - NaN: the size is not known
            record["width"] = plain_number(width)
        if height == height:  # noqa: PLR0124
            record["height"] = plain_number(height)
        record.update({name: values[row] for name, values in lists.items() if values is not None})
        yield record_text(record)


def _id_lists(links: Links | None, class_ids: Ids) -> list[list[int | str]] | None:
    if links is None:
        return None
    keys = class_ids.tolist()
    return [[keys[right] for right in links[row].tolist()] for row in range(len(links))]


def _categories(dataset: Dataset) -> Iterator[str]:
    classes = dataset.classes
    further = {"supercategory": classes.supercategory, "frequency": classes.frequency}
    columns = {name: values for name, values in further.items() if values is not None}
    columns.update(classes.extra)
    for row, key in enumerate(classes.id.tolist()):
        record: dict[str, Any] = {"id": key, "name": classes.name[row]}
        for name, values in columns.items():
            if values[row] is not None:
                record[name] = values[row]
        yield record_text(record)


def _annotations(dataset: Dataset) -> Iterator[str]:
    gt = dataset.gt
    image_ids = dataset.images.id[gt.image_row].tolist()
    class_ids = dataset.classes.id[gt.class_row].tolist()
    keys, boxes = gt.id.tolist(), gt.box.tolist()
    areas, regions = gt.area_px.tolist(), (gt.crowd | gt.group_of).tolist()
    flags = written_flags(gt)
    field_of = field_names(gt.attributes, flags)
    fields = {field_of[name]: _values(column) for name, column in gt.attributes.items()}
    fields.update({name: flag.astype(int).tolist() for name, flag in flags.items()})
    spans = {name: raw_spans(one) for name, one in gt.spans.items()}
    for row in range(len(gt)):
        record: dict[str, Any] = {
            "id": keys[row],
            "image_id": image_ids[row],
            "category_id": class_ids[row],
            "bbox": boxes[row],
            "area": areas[row],
            "iscrowd": int(regions[row]),
        }
        for name, values in fields.items():
            if values[row] is not None:
                record[name] = values[row]
        text = record_text(record)
        for name, raw in spans.items():
            value = raw[row]
            if value is not None:
                text = f"{text[:-1]},{json.dumps(name)}:{value.decode()}}}"
        yield text


def _values(column: Attribute) -> list[Any]:
    """Values as JSON knows them, None where one is missing."""
    if column.dtype == object:
        return list(column)
    missing = np.isnan(column).tolist()
    return [
        None if none else plain_number(value)
        for value, none in zip(column.tolist(), missing, strict=True)
    ]


def plain_number(value: float) -> int | float:
    """Whole numbers without a point, as long as they read back equal."""
    whole = int(value) if abs(value) < 2**53 else None
    return whole if whole is not None and repr(float(whole)) == repr(value) else value


def record_text(record: Mapping[str, Any]) -> str:
    """One line of JSON; numbers that it cannot hold are refused."""
    try:
        return json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError as problem:
        raise InputError(
            "JSON can hold only finite numbers",
            where=f"the record with the id {record.get('id')!r}",
            remedy="Correct its box, area, size or attributes before writing",
        ) from problem

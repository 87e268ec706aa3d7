"""A selection as COCO JSON: detections as results, objects and images as a data set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from boxlens.app.opening.run import Run
from boxlens.app.opening.tables import BoxTable
from boxlens.app.selecting.selection import Selection
from boxlens.app.selecting.terms import QueryError
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.formats.coco.kept_columns import FLAGS, Kept, KeptAttribute, field_names
from boxlens.formats.coco.writing import array_text, plain_number, record_text

CHUNK = 2_000


def coco_json(run: Run, selection: Selection) -> Iterator[bytes]:
    """Results of the detections; or the objects, or the images with all their objects.

    Raises at once, before anything is written, where boxes are not known in pixels, or where
    detections of several detectors would pass for those of one.
    """
    if selection.of == "detections":
        rows, table = selection.rows, run.detections
        if len(np.unique(table.detector_row[rows])) > 1:
            raise QueryError(
                "COCO results hold one detector, and these are of several. Choose one "
                "(detector=0), or export CSV, which names the detector of each row"
            )
    else:
        rows, table = _objects(run, selection), run.objects
    scale = _pixels(run, table, rows)
    _refuse_infinite(table, rows, scale)
    if selection.of == "detections":
        return _array(_results(run, rows, scale))
    image_rows = np.sort(selection.image_rows)
    flags = _flags(run, rows)
    return _dataset(run, image_rows, _annotations(run, rows, scale, flags), tuple(flags))


def _objects(run: Run, selection: Selection) -> Rows:
    """Each object once, though every detector has a row of it; in the order of the data set."""
    n_objects = run.about["dataset"]["n_objects"]
    if selection.of == "objects":
        return np.unique(selection.rows % n_objects) if n_objects else selection.rows
    parts = [run.objects.of_image(row, 0) for row in np.sort(selection.image_rows).tolist()]
    return np.concatenate([*parts, selection.rows[:0]])


def _pixels(run: Run, table: BoxTable, rows: Rows) -> Floats | None:
    """What boxes and areas are to be multiplied by, image by image; None where they are pixels."""
    if not run.relative:
        return None
    width, height = run.images.width, run.images.height
    unknown = np.unique(table.image_row[rows])
    unknown = unknown[np.isnan(width[unknown]) | np.isnan(height[unknown])]
    if len(unknown):
        raise QueryError(
            f"COCO has boxes in pixels; these are fractions, and {len(unknown):,} images are of "
            f"unknown size, the first of them {run.images.id[unknown[0]]!r}. Export CSV instead"
        )
    return np.stack([width, height, width, height], axis=1)


def _refuse_infinite(table: BoxTable, rows: Rows, scale: Floats | None) -> None:
    """Before the first byte: JSON can hold only finite numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(_boxes(table, rows, scale)).all(axis=1)
    if "area" in table.numbers:
        finite &= np.isfinite(table.numbers["area"][rows])
    if not finite.all():
        raise QueryError(
            f"COCO holds only finite numbers, and {int((~finite).sum()):,} boxes or areas are not "
            "finite. Export CSV instead"
        )


def _results(run: Run, rows: Rows, scale: Floats | None) -> Iterator[str]:
    table = run.detections
    images = [json.dumps(key) for key in run.images.id]
    classes = [json.dumps(one["id"]) for one in run.about["dataset"]["classes"]]
    for some in _chunks(rows):
        columns = zip(
            table.image_row[some].tolist(),
            table.class_row[some].tolist(),
            _boxes(table, some, scale).tolist(),
            table.score[some].tolist(),
            strict=True,
        )
        for image, label, (x, y, w, h), score in columns:
            yield (
                f'{{"image_id":{images[image]},"category_id":{classes[label]},'
                f'"bbox":[{x!r},{y!r},{w!r},{h!r}],"score":{score!r}}}'
            )


def _dataset(
    run: Run, image_rows: Rows, annotations: Iterable[str], flags: tuple[str, ...]
) -> Iterator[bytes]:
    info = {"description": f"{run.about['title']}: a selection"}
    yield f'{{"info":{record_text(info)},"licenses":[],"images":'.encode()
    yield from _array(record_text(_image(run, row)) for row in image_rows.tolist())
    yield b',"annotations":'
    yield from _array(annotations)
    yield b',"categories":'
    yield from _array(record_text(_category(one)) for one in run.about["dataset"]["classes"])
    kept = _kept(run, flags).to_json()
    yield (f',"boxlens":{record_text(kept)}}}\n' if kept else "}\n").encode()


def _kept(run: Run, flags: tuple[str, ...]) -> Kept:
    """Which fields are flags, and which attributes could not keep their names."""
    kinds = {one["name"]: one["kind"] for one in run.about["attributes"]}
    renamed = [
        KeptAttribute(name, field, "text" if kinds[name] == "text" else "number")
        for name, field in field_names(kinds, flags).items()
        if field != name
    ]
    return Kept(flags=flags, attributes=tuple(renamed))


def _image(run: Run, row: int) -> dict[str, Any]:
    images = run.images
    sizes = {"width": float(images.width[row]), "height": float(images.height[row])}
    known = {name: plain_number(side) for name, side in sizes.items() if not np.isnan(side)}
    return {"id": images.id[row], "file_name": images.file_name[row], **known}


def _category(one: dict[str, Any]) -> dict[str, Any]:
    known = {key: one.get(key) for key in ("id", "name", "supercategory")}
    return {key: value for key, value in known.items() if value is not None}


def _annotations(
    run: Run, rows: Rows, scale: Floats | None, flags: Mapping[str, Bools]
) -> Iterator[str]:
    classes = [one["id"] for one in run.about["dataset"]["classes"]]
    table = run.objects
    regions = _flag(table, "crowd") | _flag(table, "group_of")
    fields = field_names([one["name"] for one in run.about["attributes"]], flags)
    for some in _chunks(rows):
        boxes, areas = _boxes(table, some, scale), table.numbers["area"][some]
        if scale is not None:
            areas = areas * scale[table.image_row[some], :2].prod(axis=1)
        for at, row in enumerate(some.tolist()):
            record: dict[str, Any] = {
                "id": table.keys["object_id"].at(row),
                "image_id": run.images.id[table.image_row[row]],
                "category_id": classes[table.class_row[row]],
                "bbox": boxes[at].tolist(),
                "area": float(areas[at]),
                "iscrowd": int(regions[row]),
            }
            record.update({name: int(flag[row]) for name, flag in flags.items()})
            for name, field in fields.items():
                value = _attribute(table, name, row)
                if value is not None:
                    record[field] = value
            yield record_text(record)


def _flags(run: Run, rows: Rows) -> dict[str, Bools]:
    """What COCO has no field for, of objects of which one at least has it."""
    crowd, group, difficult = (
        _flag(run.objects, name) for name in ("crowd", "group_of", "difficult")
    )
    columns = dict(zip(FLAGS, (difficult, group, crowd & group), strict=True))
    return {name: column for name, column in columns.items() if column[rows].any()}


def _flag(table: BoxTable, name: str) -> Bools:
    values = table.numbers.get(name)
    n = len(table.image_row)
    return np.zeros(n, dtype=np.bool_) if values is None else np.asarray(values == 1)


def _attribute(table: BoxTable, name: str, row: int) -> Any:
    """None where it is missing."""
    column = f"attribute_{name}"
    if column in table.codes:
        return table.codes[column].at(row)
    number = float(table.numbers[column][row])
    return plain_number(number) if np.isfinite(number) else None


def _boxes(table: BoxTable, rows: Rows, scale: Floats | None) -> Floats:
    return table.box[rows] if scale is None else table.box[rows] * scale[table.image_row[rows]]


def _chunks(rows: Rows) -> Iterator[Rows]:
    for begin in range(0, len(rows), CHUNK):
        yield rows[begin : begin + CHUNK]


def _array(records: Iterable[str]) -> Iterator[bytes]:
    return (text.encode() for text in array_text(records, CHUNK))

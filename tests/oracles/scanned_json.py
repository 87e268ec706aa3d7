"""What the scanner should find in a COCO file, from orjson and plain loops."""

from __future__ import annotations

import math

import orjson

FIELDS = {"id", "image_id", "category_id", "bbox", "area", "iscrowd", "segmentation", "keypoints"}


class RefusedError(Exception):
    """The scanner should refuse this text."""


def results(text: bytes) -> dict[str, list]:
    records = _list(_loaded(text))
    return {
        "image_id": _ids([_id(_required(record, "image_id")) for record in records]),
        "category_id": _ids([_id(_required(record, "category_id")) for record in records]),
        "bbox": [_box(_required(record, "bbox")) for record in records],
        "score": [_number(_required(record, "score")) for record in records],
    }


def dataset(text: bytes) -> dict[str, dict]:
    whole = _loaded(text)
    if not isinstance(whole, dict):
        raise RefusedError
    arrays = {
        name: _list(_required(whole, name)) for name in ("images", "annotations", "categories")
    }
    objects = arrays["annotations"]
    return {
        "images": {
            "id": _ids([_id(_required(one, "id")) for one in arrays["images"]]),
            "width": [_optional(one, "width", _number) for one in arrays["images"]],
            "height": [_optional(one, "height", _number) for one in arrays["images"]],
            "file_name": [_optional(one, "file_name", _text) for one in arrays["images"]],
            "coco_url": [_optional(one, "coco_url", _text) for one in arrays["images"]],
            "neg_category_ids": _id_lists(arrays["images"], "neg_category_ids"),
            "not_exhaustive_category_ids": _id_lists(
                arrays["images"], "not_exhaustive_category_ids"
            ),
        },
        "annotations": {
            "id": _ids([_optional(one, "id", _id) for one in objects]),
            "image_id": _ids([_id(_required(one, "image_id")) for one in objects]),
            "category_id": _ids([_id(_required(one, "category_id")) for one in objects]),
            "bbox": [_box(_required(one, "bbox")) for one in objects],
            "area": [_optional(one, "area", _number) for one in objects],
            "iscrowd": [_optional(one, "iscrowd", _flag) for one in objects],
            "segmentation": [one.get("segmentation") for one in objects],
            "keypoints": [one.get("keypoints") for one in objects],
            "attributes": _attributes(objects),
        },
        "categories": {
            "id": _ids([_id(_required(one, "id")) for one in arrays["categories"]]),
            "name": [_text(_required(one, "name")) for one in arrays["categories"]],
            "supercategory": [
                _optional(one, "supercategory", _text) for one in arrays["categories"]
            ],
            "frequency": [_optional(one, "frequency", _text) for one in arrays["categories"]],
        },
    }


def _loaded(text):
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise RefusedError from None


def _list(value):
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise RefusedError
    return value


def _required(record, name):
    if name not in record:
        raise RefusedError
    return record[name]


def _optional(record, name, read):
    value = record.get(name)
    return None if value is None else read(value)


def _id(value):
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RefusedError
    if value != math.floor(value) or not -(2**63) < int(value) < 2**63:
        raise RefusedError
    return int(value)


def _ids(values):
    if any(isinstance(value, str) for value in values):
        return [None if value is None else str(value) for value in values]
    return values


def _number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RefusedError
    return float(value)


def _text(value):
    if not isinstance(value, str):
        raise RefusedError
    return value


def _flag(value):
    if not isinstance(value, (int, float)) or value not in (0, 1):
        raise RefusedError
    return int(value)


def _box(value):
    if not isinstance(value, list) or len(value) != 4:
        raise RefusedError
    box = [_number(one) for one in value]
    if box[2] < 0 or box[3] < 0:
        raise RefusedError
    return box


def _id_lists(records, name):
    lists = []
    for record in records:
        value = record.get(name)
        if value is not None and not isinstance(value, list):
            raise RefusedError
        lists.append([_id(one) for one in value or []])
    text = any(isinstance(one, str) for members in lists for one in members)
    return [[str(one) if text else one for one in members] for members in lists]


def _attributes(records):
    rows = []
    for record in records:
        row = {}
        for key, value in record.items():
            if key == "attributes" and isinstance(value, dict):
                for inner, one in value.items():
                    name = f"attributes.{inner}" if inner in {*FIELDS, "attributes"} else inner
                    row[name] = one
            elif key not in FIELDS:
                row[key] = value
        rows.append({key: one for key, one in row.items() if _is_scalar(one)})
    names = {name: None for row in rows for name in row}
    return {name: _attribute([row.get(name) for row in rows]) for name in names}


def _is_scalar(value):
    return isinstance(value, (int, float, str))


def _attribute(values):
    if not any(isinstance(value, str) for value in values):
        return [None if value is None else float(value) for value in values]
    return [
        value if value is None or isinstance(value, str) else _spelled(value) for value in values
    ]


def _spelled(value):
    """A number among texts, as the shortest text that reads back equal."""
    return float(value)

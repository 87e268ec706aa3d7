"""Which class a model's column or label means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Classes
from boxlens.data.columns import Rows, owned
from boxlens.detectors.onnx.spec_fields import Fields
from boxlens.errors import InputError
from boxlens.formats.files import existing_file, read_text
from boxlens.formats.yaml_files import read_yaml

COCO80 = Path(__file__).with_name("coco80.yaml")
# Labels that are ids index a table; a larger one is a slip of the pen.
_LARGEST_ID = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ClassList:
    """Classes, and the row of each by the number a model gives it (-1: none)."""

    classes: Classes
    row_of_label: Rows
    # Where the names stand, if not in the spec itself.
    file: Path | None = None

    @property
    def n_labels(self) -> int:
        return len(self.row_of_label)


def take_classes(fields: Fields) -> ClassList:
    """From the fields `classes` and `labels`."""
    by_id = fields.choice("labels", ("position", "id"), "position") == "id"
    names, file = _names(fields)
    ids = np.array(list(names), dtype=np.int64)
    # Rows of `Classes` ascend by id; labels count positions in the order written.
    rows = np.argsort(np.argsort(ids)).astype(np.int32)
    row_of_label = rows
    if by_id:
        row_of_label = np.full(int(ids.max()) + 1, -1, dtype=np.int32)
        row_of_label[ids] = rows
    return ClassList(Classes.of(ids, list(names.values()), sort=True), owned(row_of_label), file)


def _names(fields: Fields) -> tuple[Mapping[int, str], Path | None]:
    """Names by id, in the order written, and the file that holds them."""
    value = fields.raw("classes")
    file: Path | None = None
    if isinstance(value, str) and value:
        file = COCO80 if value == "coco80" else fields.path.parent / value
        value = _file_content(file, fields)
    if isinstance(value, list):
        value = {str(number): name for number, name in enumerate(value, 1)}
    if not isinstance(value, dict) or not value:
        raise fields.wrong("classes", "coco80, a list of names, id: name, or a file of them")
    return _checked(value, file or fields.path), file


def _file_content(path: Path, fields: Fields) -> Any:
    try:
        existing_file(path)
    except InputError as problem:
        raise InputError(
            f"unknown class list or file '{path}'",
            path=fields.path,
            where=fields.where("classes"),
            remedy="Write coco80, a list of names, or a file beside the spec",
        ) from problem
    if path.suffix in {".yaml", ".yml"}:
        return read_yaml(path)
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def _checked(names: Mapping[str, Any], path: Path) -> Mapping[int, str]:
    checked: dict[int, str] = {}
    for number, name in names.items():
        if not (str(number).isdecimal() and isinstance(name, str) and name):
            raise InputError(
                f"not an id and a name: {number!r}: {name!r}",
                path=path,
                where="classes",
                remedy="Write for instance 1: person",
            )
        if int(number) > _LARGEST_ID or int(number) in checked:
            raise InputError(
                f"class id {number} is too large or occurs twice",
                path=path,
                where="classes",
                remedy=f"Give every class a unique id up to {_LARGEST_ID:,}",
            )
        checked[int(number)] = name
    twice = {name for name in checked.values() if list(checked.values()).count(name) > 1}
    if twice:
        raise InputError(
            f"the class name {min(twice)!r} occurs more than once",
            path=path,
            where="classes",
            remedy="Give every class a unique name",
        )
    return checked

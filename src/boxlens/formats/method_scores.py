"""What detectors reach with the proposals of methods, from a CSV file: method, mAP, and perhaps
detector and class. AP are fractions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from boxlens.data import Notice, Source, file_notices
from boxlens.errors import InputError
from boxlens.formats.csv_tables import CsvTable, read_csv, refuse_json
from boxlens.formats.files import existing_file
from boxlens.formats.places import Place
from boxlens.wording import counted

REMEDY = (
    "Start with a header such as method,mAP or method,detector,class,ap, followed by one line each"
)
AP_COLUMNS = ("mAP", "ap")


class Setting(NamedTuple):
    """A detector that looks where a method proposes; the empty name where none is given."""

    detector: str
    method: str


@dataclass(frozen=True, slots=True)
class MethodScores:
    """AP of detectors with the proposals of methods: over all classes, and class by class."""

    # What the numbers are: "mAP" of a file, "AP50" or "AP".
    metric: str
    # NaN where it is not known.
    overall: Mapping[Setting, float]
    # By name of the class.
    by_class: Mapping[Setting, Mapping[str, float]] = field(default_factory=dict)
    # What the numbers depend on besides.
    parameters: Mapping[str, float] = field(default_factory=dict)
    # The file, or the detections that were evaluated.
    source: Source | None = None
    detections: tuple[Source | None, ...] = ()
    notices: tuple[Notice, ...] = ()


def read_method_scores(path: str | PathLike[str]) -> MethodScores:
    """Lines without a class are of all classes; where there is none, it is the mean of classes."""
    file = existing_file(path)
    refuse_json(file, "method scores", REMEDY)
    table = read_csv(
        file, text=("method",), optional_text=("detector", "class"), optional_numbers=AP_COLUMNS
    )
    overall: dict[Setting, float] = {}
    by_class: dict[Setting, dict[str, float]] = {}
    line_of_entry: dict[tuple[Setting, str], str] = {}
    for where, setting, class_name, ap in _entries(table):
        first = line_of_entry.setdefault((setting, class_name), where)
        if first != where:
            raise Place(file, where).error(
                f"{_named(setting, class_name)} already has a line ({first})", "Keep one of them"
            )
        if class_name:
            by_class.setdefault(setting, {})[class_name] = ap
        else:
            overall[setting] = ap
    if not line_of_entry:
        raise InputError("no scores", path=file, where="line 2", remedy=REMEDY)
    averaged = [setting for setting in by_class if setting not in overall]
    overall |= {setting: float(np.mean([*by_class[setting].values()])) for setting in averaged}
    return MethodScores(
        metric="mAP",
        overall=overall,
        by_class=by_class,
        source=Source.of(file, "method scores"),
        notices=_averaged(file, len(averaged)),
    )


def _entries(table: CsvTable) -> Iterator[tuple[str, Setting, str, float]]:
    """Place, setting, class (empty: all) and AP of every line."""
    columns = [name for name in AP_COLUMNS if name in table]
    if len(columns) != 1:
        problem = "both columns mAP and ap" if columns else "missing column mAP or ap"
        raise InputError(problem, path=table.path, where="line 1", remedy=REMEDY)
    values = table.finite(columns[0])
    text = {
        name: [(cell or "").strip() for cell in table[name].to_list()]
        for name in ("method", "detector", "class")
        if name in table
    }
    table.refuse(np.array([not name for name in text["method"]]), "no method name", REMEDY)
    table.refuse(
        (values < 0) | (values > 1),
        lambda row: f"{columns[0]} {values[row]:g} is not between 0 and 1",
        "Write fractions, not percent: 0.678 for 67.8%",
    )
    blank = [""] * len(values)
    rows = zip(text["method"], text.get("detector", blank), text.get("class", blank), strict=True)
    for row, (method, detector, class_name) in enumerate(rows):
        yield table.line(row), Setting(detector, method), class_name, float(values[row])


def _named(setting: Setting, class_name: str) -> str:
    parts = [f"method {setting.method!r}"]
    parts += [f"detector {setting.detector!r}"] if setting.detector else []
    parts += [f"class {class_name!r}"] if class_name else []
    return ", ".join(parts)


def _averaged(path: Path, count: int) -> tuple[Notice, ...]:
    words = (
        f"{counted(count, 'mAP', 'mAP')} computed as the mean over the classes listed, because "
        "there is no line without a class"
    )
    return file_notices(path, ("mean_of_classes", count, words))

"""The Parquet tables of a run, read into memory and held against each other and run.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.app.opening.column_files import BOX, TableFile
from boxlens.app.opening.tables import BoxTable, ImageTable
from boxlens.data.columns import Floats, Offsets, Rows, offsets_of, owned

# What the app cannot do without; further columns are there if the verb computed them.
IMAGE_COLUMNS = ("image_id", "file_name", "width", "height", "n_objects")
BOX_COLUMNS = ("detector", "image_row", "image_id", "class", *BOX, "iou")
KEYS = ("object_id", "hoiem_object_id", "tide_object_id")
# Columns that become fields of their own, or that the row of the image tells.
OWN_FIELDS = frozenset({"detector", "image_row", "image_id", "class", "score", *BOX, *KEYS})


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a table of boxes must be like: its rows by detector, and those of its partners."""

    own_row: str
    partner_row: str
    counts: Sequence[int]
    partner_counts: Sequence[int]
    detectors: Sequence[str]
    classes: Sequence[str]

    def starts(self, counts: Sequence[int]) -> npt.NDArray[np.int64]:
        """Where the rows of each detector begin."""
        return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def read_tables(folder: Path, about: Mapping[str, Any]) -> tuple[ImageTable, BoxTable, BoxTable]:
    """Images, detections and objects; counts, rows and ids agree afterwards."""
    images = _images(folder / "images.parquet", about["dataset"]["n_images"])
    n_dets = [one["n_detections"] for one in about["detectors"]]
    n_objects = [about["dataset"]["n_objects"]] * len(n_dets)
    names = (
        [one["name"] for one in about["detectors"]],
        [one["name"] for one in about["dataset"]["classes"]],
    )
    schemes = tuple(about["schemes"])
    det_columns = (*BOX_COLUMNS, "det_row", "score", *schemes)
    det_file = TableFile.read(folder / "detections.parquet", det_columns, sum(n_dets), "detections")
    det_file.expect_texts(schemes)
    det_file.expect_numbers(("iou",))
    detections = _boxes(det_file, images, _Plan("det_row", "object_row", n_dets, n_objects, *names))
    det_file.require(np.isfinite(detections.score), "score is not a number")
    gt_columns = ("gt_row", "object_id", "area", "crowd", *schemes, *_described(about))
    gt_file = TableFile.read(
        folder / "objects.parquet",
        (*BOX_COLUMNS, *gt_columns),
        sum(n_objects),
        "objects, each once for a detector",
    )
    gt_file.expect_texts(schemes)
    gt_file.expect_numbers(("iou", "area"))
    objects = _boxes(gt_file, images, _Plan("gt_row", "det_row", n_objects, n_dets, *names))
    gt_file.require(objects.keys["object_id"].known, "object_id is empty")
    gt_file.require(np.isfinite(objects.numbers["area"]), "area is not a number")
    _check_partners(det_file, detections, objects)
    _check_partners(gt_file, objects, detections)
    return images, detections, objects


def _described(about: Mapping[str, Any]) -> list[str]:
    """The columns of objects that run.json names."""
    attributes = [f"attribute_{one['name']}" for one in about["attributes"]]
    return [*attributes, *(f"characteristic_{one['name']}" for one in about["characteristics"])]


def _images(path: Path, n_images: int) -> ImageTable:
    file = TableFile.read(path, IMAGE_COLUMNS, n_images, "images")
    file.expect_numbers(("width", "height", "n_objects"))
    keys = file.keys("image_id")
    file.require(keys.known, "image_id is empty")
    numbers, _ = file.further({"image_id", "file_name"})
    ids, names = tuple(keys.ids.tolist()), file.texts("file_name")
    found_by = tuple(
        (str(key).casefold(), name.casefold()) for key, name in zip(ids, names, strict=True)
    )
    width, height = (_size(numbers.pop(name)) for name in ("width", "height"))
    return ImageTable(ids, names, width, height, numbers, found_by)


def _size(values: Floats) -> Floats:
    """Invalid sizes (0, negative, infinite) are unknown."""
    return owned(np.where(np.isfinite(values) & (values > 0), values, np.nan))


def _boxes(file: TableFile, images: ImageTable, plan: _Plan) -> BoxTable:
    counts = plan.counts
    detector_row = file.rows_of_texts("detector", plan.detectors)
    grouped = detector_row == np.repeat(np.arange(len(counts)), counts)
    file.require(grouped, "the rows of a detector are not contiguous")
    within = np.concatenate([np.arange(count) for count in counts])
    own = file.rows(plan.own_row, max(counts))
    file.require(own == within, f"{plan.own_row} is out of order")
    image_row = file.rows("image_row", len(images))
    file.require(image_row >= 0, "image_row is empty")
    file.require(
        file.ids_equal("image_id", images.id, image_row), "image_id belongs to another image"
    )
    numbers, codes = file.further(OWN_FIELDS)
    box = file.boxes()
    numbers.setdefault("area", owned(box[:, 2] * box[:, 3]))
    unknown = owned(np.full(len(file), np.nan))
    return BoxTable(
        names=tuple(file.frame.columns),
        detector_row=owned(detector_row.astype(np.int16)),
        image_row=image_row,
        class_row=file.rows_of_texts("class", plan.classes),
        box=box,
        score=file.floats("score") if "score" in file else unknown,
        partner=_partners(file, plan, detector_row),
        codes=codes,
        numbers=numbers,
        keys={name: file.keys(name) for name in KEYS if name in file},
        offsets=_offsets(file, image_row, plan, len(images)),
    )


def _partners(file: TableFile, plan: _Plan, detector_row: Rows) -> Rows:
    """Rows of the other table, from rows among those of the detector."""
    if plan.partner_row not in file:
        return owned(np.full(len(file), -1, dtype=np.int32))
    within = file.rows(plan.partner_row, max(plan.partner_counts))
    there = within < np.asarray(plan.partner_counts)[detector_row]
    file.require(there, f"{plan.partner_row} is not a row of its detector")
    start = plan.starts(plan.partner_counts)[detector_row]
    return owned(np.where(within < 0, -1, within + start).astype(np.int32))


def _offsets(file: TableFile, image_row: Rows, plan: _Plan, n_images: int) -> Offsets:
    """Where the rows of each image begin, detector by detector."""
    offsets = []
    for begin, end in pairwise(plan.starts(plan.counts).tolist()):
        part = image_row[begin:end]
        ascends = np.append(True, part[1:] >= part[:-1])
        file.require(ascends, "the rows of an image are not contiguous")
        offsets.append(begin + offsets_of(part, n_images))
    return owned(np.stack(offsets))


def _check_partners(file: TableFile, table: BoxTable, others: BoxTable) -> None:
    """A detection and its object lie in one image."""
    paired = table.partner >= 0
    together = np.ones(len(table), dtype=np.bool_)
    together[paired] = others.image_row[table.partner[paired]] == table.image_row[paired]
    file.require(together, "the box and its partner are in different images")

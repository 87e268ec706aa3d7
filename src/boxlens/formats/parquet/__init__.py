"""Boxlens's own columns: detections in one Parquet file, ground truth in a folder of tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Rows
from boxlens.errors import InputError
from boxlens.formats.border import RawDetections, detections_from
from boxlens.formats.parquet.columns import (
    BOX,
    boxes,
    floats,
    id_series,
    metadata_of,
    read_table,
    rows_of_ids,
    write_table,
)
from boxlens.formats.parquet.dataset import read_dataset, write_dataset

__all__ = ["read_dataset", "read_detections", "write_dataset", "write_detections"]

# In the metadata: ids of the classes the detector knows, as a JSON list.
KNOWN_CLASSES = "known_classes"
DETECTION_COLUMNS = ("image_id", "class_id", *BOX, "score")


def read_detections(
    path: Path,
    dataset: Dataset,
    *,
    name: str | None = None,
    strict: bool = False,
) -> Detections:
    """Detections of one file; rows of an image need not stand together, but read faster so."""
    frame = read_table(path, DETECTION_COLUMNS)
    image_row = rows_of_ids(frame["image_id"], dataset.images.id, path, in_runs=True)
    class_row = rows_of_ids(frame["class_id"], dataset.classes.id, path)
    box = boxes(frame, path)
    score = floats(frame, "score", path)

    def describe(row: int) -> str:
        return f"row {row} (image {frame['image_id'][row]}, class {frame['class_id'][row]})"

    raw = RawDetections(image_row, class_row, box, score, describe)
    return detections_from(
        raw,
        dataset,
        name=name,
        path=path,
        format_name="parquet",
        strict=strict,
        known_classes=_known_classes(path, dataset),
    )


def _known_classes(path: Path, dataset: Dataset) -> Rows | None:
    text = metadata_of(path).get(KNOWN_CLASSES)
    if text is None:
        return None
    try:
        ids = json.loads(text)
        rows = [dataset.classes.row_of_id().get(one, -1) for one in ids]
    except (ValueError, TypeError, RecursionError) as problem:
        raise InputError(
            f"{KNOWN_CLASSES} in the metadata is not a list of class ids",
            path=path,
            remedy="Write it as a JSON list, or remove it",
        ) from problem
    return np.array([row for row in rows if row >= 0], dtype=np.int32)


def write_detections(detections: Detections, dataset: Dataset, path: Path) -> tuple[Notice, ...]:
    """One row per detection, an image's rows together."""
    import polars as pl

    frame = pl.DataFrame(
        {
            "image_id": id_series(dataset.images.id[detections.image_row]),
            "class_id": id_series(dataset.classes.id[detections.class_row]),
            **{key: detections.box[:, column] for column, key in enumerate(BOX)},
            "score": detections.score,
        }
    )
    metadata = {"name": detections.name}
    if detections.known_classes is not None:
        ids = dataset.classes.id[detections.known_classes].tolist()
        metadata[KNOWN_CLASSES] = json.dumps(ids)
    write_table(frame, path, metadata)
    return ()

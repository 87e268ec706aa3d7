"""Writes an Open Images folder: boxes, class descriptions, sizes, image labels, hierarchy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Links, Notice
from boxlens.data.columns import Attribute
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.losses import losses
from boxlens.formats.open_images.hierarchy import write_hierarchy
from boxlens.formats.open_images.space import id_texts, relative_corners
from boxlens.formats.open_images.table import FLAGS

if TYPE_CHECKING:
    import polars as pl


def write_dataset(dataset: Dataset, path: Path) -> tuple[Notice, ...]:
    """A new folder; sizes.csv also keeps the images that have no box."""
    import polars as pl

    images = dataset.images
    labels = id_texts(dataset.classes.id)
    with folder_written_whole(path) as folder:
        _boxes_frame(dataset, path).write_csv(folder / "annotations-bbox.csv")
        described = {"LabelName": labels, "DisplayName": dataset.classes.name}
        pl.DataFrame(described, schema=dict.fromkeys(described, pl.String)).write_csv(
            folder / "class-descriptions.csv"
        )
        sizes = pl.DataFrame(
            {
                "ImageID": pl.Series(id_texts(images.id), dtype=pl.String),
                "file_name": pl.Series(images.file_name, dtype=pl.String),
                "Width": images.width_px,
                "Height": images.height_px,
            }
        )
        sizes.fill_nan(None).write_csv(folder / "sizes.csv")
        if images.positive is not None or images.negative is not None:
            _labels_frame(dataset, labels).write_csv(folder / "annotations-human-imagelabels.csv")
        if dataset.classes.tree is not None:
            write_hierarchy(dataset.classes.tree, folder / "class-hierarchy.json")
    return (*_lost(dataset, path), *_text_ids(dataset, path))


def _boxes_frame(dataset: Dataset, path: Path) -> pl.DataFrame:
    import polars as pl

    gt = dataset.gt
    corners = relative_corners(
        gt.box, gt.image_row, dataset, path, lambda row: f"object {gt.id[row]}", drawn=True
    )
    frame = pl.DataFrame(
        {
            "ImageID": _named(id_texts(dataset.images.id), gt.image_row),
            "Source": pl.Series(["boxlens"] * len(gt), dtype=pl.String),
            "LabelName": _named(id_texts(dataset.classes.id), gt.class_row),
            "Confidence": np.ones(len(gt), dtype=np.int64),
            **corners,
        }
    )
    flags = {column: _flag(gt.attributes.get(name), len(gt)) for column, name in FLAGS.items()}
    flags["IsGroupOf"] = (gt.group_of | gt.crowd).astype(np.int64)
    return frame.with_columns(pl.Series(column, values) for column, values in flags.items())


def _labels_frame(dataset: Dataset, labels: list[str]) -> pl.DataFrame:
    import polars as pl

    ids = id_texts(dataset.images.id)

    def part(links: Links | None, confidence: int) -> pl.DataFrame:
        left = np.zeros(0, dtype=np.int32) if links is None else links.left()
        right = left if links is None else links.right
        return pl.DataFrame(
            {
                "ImageID": _named(ids, left),
                "Source": pl.Series(["verification"] * len(left), dtype=pl.String),
                "LabelName": _named(labels, right),
                "Confidence": np.full(len(left), confidence, dtype=np.int64),
            }
        )

    return pl.concat([part(dataset.images.positive, 1), part(dataset.images.negative, 0)])


def _named(names: list[str], rows: npt.NDArray[np.int32]) -> pl.Series:
    import polars as pl

    return pl.Series(names, dtype=pl.String).gather(rows)


def _flag(values: Attribute | None, n: int) -> npt.NDArray[np.int64]:
    """-1 where it is unknown."""
    if values is None or not _is_flag(values):
        return np.full(n, -1, dtype=np.int64)
    return np.nan_to_num(values, nan=-1.0).astype(np.int64)


def _is_flag(values: Attribute) -> bool:
    if values.dtype != np.float64:
        return False
    return bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())


def _lost(dataset: Dataset, path: Path) -> tuple[Notice, ...]:
    attributes = dataset.gt.attributes
    kept = [name for name in FLAGS.values() if name in attributes and _is_flag(attributes[name])]
    return losses(
        dataset,
        path,
        "Open Images",
        keeps=("group_of", "positive", "negative", "tree"),
        instead={"crowd": "written as group-of"},
        keeps_attributes=kept,
    )


def _text_ids(dataset: Dataset, path: Path) -> tuple[Notice, ...]:
    return tuple(
        Notice(
            f"{what}_ids_as_text",
            len(ids),
            f"{path}: Open Images ids are text, so {what} ids are no longer in order of number",
        )
        for what, ids in (("image", dataset.images.id), ("class", dataset.classes.id))
        if ids.dtype == np.int64
    )

"""LVIS v0.5 and v1: COCO's layout with frequencies and lists of verified classes (METHODS 9.5)."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from boxlens.data import Classes, Dataset, Links, Notice
from boxlens.formats import coco
from boxlens.formats.coco import read_detections, write_detections
from boxlens.formats.coco.kept_columns import links_to_classes, read_kept
from boxlens.formats.coco.scanned import Records, texts_of
from boxlens.formats.places import Place

# LVIS results have COCO's form.
__all__ = ["read_dataset", "read_detections", "write_dataset", "write_detections"]

OWN_LISTS = ("negative", "not_exhaustive")


def read_dataset(path: Path, *, threads: int = 0) -> Dataset:
    """Ground truth with the classes verified absent, or not marked exhaustively, in each image."""
    tables = coco.scan_dataset(path, threads)
    kept = read_kept(tables, path)
    classes = coco.classes_of(tables, path, kept)
    _check_frequencies(classes, path)
    records = Records(**tables["images"])
    lists = OWN_LISTS if kept.lists is None else kept.lists
    links, notices = links_to_classes(records, lists, classes.id, path)
    images = coco.images_of(records, file_names(records), path, links)
    return coco.dataset_of(
        tables, images, classes, kept, path=path, format_name="lvis", notices=notices
    )


def write_dataset(dataset: Dataset, path: str | PathLike[str]) -> tuple[Notice, ...]:
    """COCO's fields and LVIS's; an image without lists gets empty ones."""
    images = dataset.images
    none = Links.empty(len(images))
    whole = replace(
        images,
        negative=none if images.negative is None else images.negative,
        not_exhaustive=none if images.not_exhaustive is None else images.not_exhaustive,
    )
    return coco.write_dataset(replace(dataset, images=whole), path)


def file_names(records: Records) -> list[str]:
    """The file name, or the last part of coco_url: v1 has no file names."""
    names = texts_of(records.columns["file_name"], records.rows)
    addresses = texts_of(records.columns["coco_url"], records.rows)
    return [
        name if name is not None else (address or "").rpartition("/")[2]
        for name, address in zip(names, addresses, strict=True)
    ]


def _check_frequencies(classes: Classes, path: Path) -> None:
    for row, frequency in enumerate(classes.frequency or ()):
        if frequency not in {"r", "c", "f", None}:
            raise Place(path, "categories").error(
                f"invalid frequency {frequency!r} of class {classes.name[row]!r}",
                "LVIS knows r (rare), c (common) and f (frequent)",
            )

"""Open Images data sets: CSV boxes with image labels, class descriptions, hierarchy and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import (
    Classes,
    ClassTree,
    Dataset,
    GroundTruth,
    Images,
    Links,
    Notice,
    Source,
    file_notices,
)
from boxlens.data.columns import Bools, Boxes, Floats, Rows, frozen, id_column
from boxlens.errors import InputError
from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.csv_tables import CsvTable, read_csv
from boxlens.formats.exact_sides import CORNERS as CORNER_SPACE
from boxlens.formats.exact_sides import with_exact
from boxlens.formats.files import read_text, stem
from boxlens.formats.open_images.detections import read_detections, write_detections
from boxlens.formats.open_images.files import dataset_files
from boxlens.formats.open_images.hierarchy import read_hierarchy
from boxlens.formats.open_images.table import CORNERS, FLAGS, SIDES, relative_boxes
from boxlens.formats.open_images.write import write_dataset
from boxlens.formats.places import Place
from boxlens.formats.text_ids import rows_of_text
from boxlens.wording import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_dataset", "read_detections", "write_dataset", "write_detections"]


def read_dataset(path: Path, *, split: str | None = None) -> Dataset:
    """A folder, or one CSV file of boxes. Class ids are label names; nothing is expanded here.

    The tree of classes is kept for the metrics, which expand by it (METHODS 9.4).
    """
    files = dataset_files(path, split)
    notices = list(files.notices)
    boxes = read_csv(
        files.boxes,
        text=("ImageID", "LabelName"),
        numbers=CORNERS,
        optional_numbers=("IsGroupOf", *FLAGS),
        exact=CORNERS,
    )
    labels = None if files.labels is None else _read_labels(files.labels)
    sizes = None if files.sizes is None else _read_sizes(files.sizes)
    names = None if files.classes is None else _read_names(files.classes)
    tree = None if files.hierarchy is None else read_hierarchy(files.hierarchy)
    classes = _classes(boxes, labels, names, tree, notices)
    images = _images(boxes, labels, sizes, classes, path, notices)
    gt = _objects(boxes, images, classes, notices)
    name = path.resolve().name if path.is_dir() else stem(path)
    source = Source.of(path, "openimages", files.all())
    relative = bool(np.isnan(images.known_sizes()).all())
    return Dataset(name, images, classes, gt, source, tuple(notices), relative)


def _read_labels(path: Path) -> pl.DataFrame:
    table = read_csv(path, text=("ImageID", "LabelName"), numbers=("Confidence",))
    verified = table["Confidence"]
    table.refuse(
        (~verified.is_in([0.0, 1.0])).to_numpy(),
        lambda row: f"Confidence {verified[row]} is neither 1 (present) nor 0 (absent)",
        "Use the labels that people verified, not the machine-generated ones",
    )
    return table.frame


def _read_sizes(path: Path) -> pl.DataFrame:
    """ImageID, file_name, Width, Height; the id is the file's stem where there is none."""
    import polars as pl

    table = read_csv(
        path,
        optional_text=("ImageID", "file_name"),
        numbers=("Width", "Height"),
        may_be_empty=("Width", "Height"),
    )
    named = [name for name in ("ImageID", "file_name") if name in table]
    if not named:
        raise Place(path, "line 1").error(
            "missing column ImageID or file_name", "Add a column ImageID or file_name"
        )
    table.refuse_empty(named)
    frame = table.frame
    if "ImageID" not in named:
        stems = [Path(name).stem for name in frame["file_name"].to_list()]
        frame = frame.with_columns(pl.Series("ImageID", stems, dtype=pl.String))
    if "file_name" not in named:
        frame = frame.with_columns((pl.col("ImageID") + ".jpg").alias("file_name"))
    keys = frame["ImageID"]
    sizes = frame.select("Width", "Height").cast(pl.Float64).fill_null(1.0).to_numpy()
    small = ~((sizes > 0) & np.isfinite(sizes)).all(axis=1)
    remedy = "Keep one line with width and height in pixels"
    again = keys.is_duplicated().to_numpy()
    table.refuse(again, lambda row: f"image {keys[row]} occurs more than once", remedy)
    table.refuse(small, lambda row: f"image {keys[row]} has no positive size", remedy)
    return frame


def _read_names(path: Path) -> dict[str, str]:
    """LabelName -> DisplayName; the classic file has no header."""
    names: dict[str, str] = {}
    for line, row in csv_rows(read_text(path), path):
        if not row or (line == 1 and row[0].strip().lower() == "labelname"):
            continue
        if len(row) < 2 or not row[0].strip() or row[0].strip() in names:
            problem = (
                "repeats a label"
                if len(row) >= 2 and row[0].strip()
                else "expected a label and a name"
            )
            raise Place(path, f"line {line}").error(
                f"{','.join(row)!r}: {problem}", "Write one line per class: LabelName,DisplayName"
            )
        names[row[0].strip()] = row[1].strip()
    return names


def _classes(
    boxes: CsvTable,
    labels: pl.DataFrame | None,
    names: Mapping[str, str] | None,
    tree: ClassTree | None,
    notices: list[Notice],
) -> Classes:
    """The described classes; without descriptions, every label that occurs or has a parent."""
    boxed = set(boxes["LabelName"].unique().to_list())
    if names is None:
        labelled = set() if labels is None else set(labels["LabelName"].unique().to_list())
        # A root such as Entity stands for everything: no detector is asked for it.
        below = {str(node) for node, above in tree.parents.items() if above} if tree else set()
        known = sorted(boxed | labelled | below)
        return Classes.of(known, known, tree=tree)
    undescribed = sorted(boxed - names.keys())
    n = len(undescribed)
    words = f"{counted(n, 'class', 'classes')} with boxes but no description"
    first = "".join(f" (first: {key})" for key in undescribed[:1])
    notices += file_notices(boxes.path, ("undescribed_class", n, words + first))
    ids = [*names, *undescribed]
    return Classes.of(ids, [names.get(key) or key for key in ids], tree=tree, sort=True)


def _images(
    boxes: CsvTable,
    labels: pl.DataFrame | None,
    sizes: pl.DataFrame | None,
    classes: Classes,
    path: Path,
    notices: list[Notice],
) -> Images:
    """Every image that any of the files names, ids ascending."""
    import polars as pl

    frames = (boxes.frame, labels, sizes)
    named = [frame["ImageID"] for frame in frames if frame is not None]
    ids = pl.concat(named).unique().sort().to_list()
    width = np.full(len(ids), np.nan)
    height = np.full(len(ids), np.nan)
    file_names = [f"{key}.jpg" for key in ids]
    if sizes is not None:
        rows = rows_of_text(sizes["ImageID"], ids)
        width[rows] = sizes["Width"].to_numpy()
        height[rows] = sizes["Height"].to_numpy()
        for row, name in zip(rows.tolist(), sizes["file_name"].to_list(), strict=True):
            file_names[row] = name
    _check_sizes(ids, np.isnan(width) | np.isnan(height), path, notices)
    positive = negative = None
    if labels is not None:
        positive, negative = _label_links(labels, ids, classes, path, notices)
    # Built directly, since the ids ascend already.
    return Images(
        id=id_column(ids),
        width_px=frozen(width, np.float64),
        height_px=frozen(height, np.float64),
        file_name=tuple(file_names),
        negative=negative,
        positive=positive,
    )


def _check_sizes(ids: Sequence[str], unsized: Bools, path: Path, notices: list[Notice]) -> None:
    count = int(unsized.sum())
    if count == len(ids):
        text = (
            f"{path}: no image sizes, so boxes stay fractions of a 1 x 1 image: overlaps are the "
            "same, areas in pixels are unknown"
        )
        notices.append(Notice("relative_boxes", count, text))
    elif count:
        first = ids[int(np.argmax(unsized))]
        raise InputError(
            f"{count:,} of {len(ids):,} images have no size (first: {first})",
            path=path,
            remedy="Give the sizes of all images, or of no image",
        )


def _label_links(
    labels: pl.DataFrame,
    ids: Sequence[str],
    classes: Classes,
    path: Path,
    notices: list[Notice],
) -> tuple[Links, Links]:
    image_row = rows_of_text(labels["ImageID"], ids)
    class_row = rows_of_text(labels["LabelName"], classes.id.tolist())
    present = labels["Confidence"].to_numpy() == 1
    unknown = int(np.count_nonzero(class_row < 0))
    skipped = f"skipped {counted(unknown, 'image label')} of classes without a description"
    pair = image_row.astype(np.int64) * len(classes) + class_row
    yes = np.unique(pair[present & (class_row >= 0)])
    no = np.unique(pair[~present & (class_row >= 0)])
    both = len(np.intersect1d(yes, no, assume_unique=True))
    kept = f"{counted(both, 'image label')} both present and absent; both are kept"
    notices += file_notices(
        path, ("unknown_class_label", unknown, skipped), ("contradicting_label", both, kept)
    )
    return _links(yes, len(ids), len(classes)), _links(no, len(ids), len(classes))


def _links(pair: np.ndarray[tuple[int], np.dtype[np.int64]], n_left: int, n_right: int) -> Links:
    left, right = np.divmod(pair, max(n_right, 1))
    offsets = np.searchsorted(left, np.arange(n_left + 1))
    return Links(frozen(offsets, np.int64), frozen(right, np.int32))


def _objects(
    boxes: CsvTable,
    images: Images,
    classes: Classes,
    notices: list[Notice],
) -> GroundTruth:
    image_row = rows_of_text(boxes["ImageID"], images.id.tolist())
    group_of = _flag(boxes, "IsGroupOf")
    unknown = int(np.isnan(group_of).sum()) if "IsGroupOf" in boxes else 0
    words = f"{counted(unknown, 'box', 'boxes')} without IsGroupOf; read as single objects"
    notices += file_notices(boxes.path, ("unknown_group_of", unknown, words))
    return GroundTruth.of(
        len(images),
        image_row=image_row,
        class_row=rows_of_text(boxes["LabelName"], classes.id.tolist()),
        box=_pixels(boxes, image_row, images),
        group_of=group_of == 1,
        attributes={
            name: frozen(_flag(boxes, column), np.float64)
            for column, name in FLAGS.items()
            if column in boxes
        },
    )


def _pixels(boxes: CsvTable, image_row: Rows, images: Images) -> Boxes:
    box, exact = relative_boxes(boxes), boxes.exact(SIDES)
    if np.isnan(images.width_px).any():
        return with_exact(box, exact, CORNER_SPACE)
    width, height = images.width_px[image_row], images.height_px[image_row]
    pixels = box * np.stack([width, height, width, height], axis=1)
    return with_exact(pixels, exact, CORNER_SPACE, (width, height))


def _flag(boxes: CsvTable, column: str) -> Floats:
    """1 and 0, NaN where the file says -1, nothing, or has no such column."""
    if column not in boxes:
        return np.full(len(boxes), np.nan)
    values = boxes[column].fill_null(-1.0).to_numpy()
    boxes.refuse(
        ~np.isin(values, (-1.0, 0.0, 1.0)),
        lambda row: f"{values[row]} is neither 1, 0 nor -1 (unknown)",
        "Correct the flag",
        cell=f"column {column}",
    )
    flags: Floats = np.where(values < 0, np.nan, values)
    return flags

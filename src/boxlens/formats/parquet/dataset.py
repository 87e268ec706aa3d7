"""Ground truth as a folder of tables: images.parquet, classes.parquet, objects.parquet.

tree.parquet joins them where the classes have a hierarchy. Masks and keypoints are not kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
)
from boxlens.data.columns import Attribute, Bools, Floats, Ids, Rows, attribute_column, frozen
from boxlens.errors import InputError, ParameterError
from boxlens.formats import files
from boxlens.formats.border import check_boxes
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.losses import loss
from boxlens.formats.parquet.columns import (
    BOX,
    boxes,
    floats,
    id_series,
    ids_of,
    metadata_of,
    read_table,
    rows_of_ids,
    table_file,
    texts,
    write_table,
)
from boxlens.formats.places import Place

if TYPE_CHECKING:
    import polars as pl

TABLES = ("images", "classes", "objects", "tree")
OBJECT_COLUMNS = ("image_id", "class_id", *BOX)
FLAGS = ("crowd", "difficult", "group_of")
LINKS = ("negative", "positive", "not_exhaustive")
ATTRIBUTE = "attr_"
EXTRA = "extra_"


def read_dataset(path: Path) -> Dataset:
    """The tables of a folder."""
    folder = files.existing_folder(path)
    classes = _read_classes(folder)
    images = _read_images(folder, classes)
    name = metadata_of(table_file(folder, "images.parquet")).get("name", folder.resolve().name)
    gt = _read_objects(table_file(folder, "objects.parquet"), images, classes)
    tables = [table_file(folder, f"{table}.parquet") for table in TABLES]
    source = Source.of(folder, "parquet", [table for table in tables if table.exists()])
    return Dataset(name, images, classes, gt, source)


def write_dataset(dataset: Dataset, path: Path) -> tuple[Notice, ...]:
    """A folder of tables; masks and keypoints stay behind."""
    with folder_written_whole(path) as folder:
        write_table(_images_frame(dataset), folder / "images.parquet", {"name": dataset.name})
        write_table(_classes_frame(dataset.classes), folder / "classes.parquet")
        write_table(_objects_frame(dataset), folder / "objects.parquet")
        if dataset.classes.tree is not None:
            write_table(_tree_frame(dataset.classes.tree), folder / "tree.parquet")
    return tuple(
        loss(path, "parquet", name, int(np.count_nonzero(spans.end > spans.begin)), f"'{name}'")
        for name, spans in dataset.gt.spans.items()
    )


def _images_frame(dataset: Dataset) -> pl.DataFrame:
    import polars as pl

    images = dataset.images
    columns: dict[str, Any] = {
        "id": id_series(images.id),
        "width_px": images.width_px,
        "height_px": images.height_px,
        "file_name": pl.Series(images.file_name, dtype=pl.String),
    }
    class_id = dataset.classes.id
    inner = pl.Int64() if class_id.dtype == np.int64 else pl.String()
    for name in LINKS:
        links: Links | None = getattr(images, name)
        if links is not None:
            lists = [class_id[links[row]].tolist() for row in range(len(links))]
            columns[name] = pl.Series(lists, dtype=pl.List(inner))
    return pl.DataFrame(columns)


def _read_images(folder: Path, classes: Classes) -> Images:
    path = table_file(folder, "images.parquet")
    frame = read_table(path, ("id", "file_name"), others=True)
    unknown = np.full(len(frame), np.nan)

    def size(name: str) -> Any:
        return floats(frame, name, path) if name in frame.columns else unknown

    try:
        images, _ = Images.of(
            ids_of(frame["id"], path),
            size("width_px"),
            size("height_px"),
            [name or "" for name in texts(frame, "file_name", path)],
            **{name: _links(frame[name], classes, path) for name in LINKS if name in frame.columns},
            sort=True,
        )
    except ParameterError as error:
        remedy = "Leave unknown sizes null"
        raise InputError(str(error), path=path, remedy=remedy) from None
    return images


def _links(column: pl.Series, classes: Classes, path: Path) -> Links:
    import polars as pl

    if not isinstance(column.dtype, pl.List):
        problem = f"column {column.name} holds {column.dtype}, not lists of classes"
        raise InputError(problem, path=path, remedy="Store lists of the ids of classes")
    named = column.list.drop_nulls()
    listed = named.explode().drop_nulls()
    rows = rows_of_ids(listed, classes.id, path)
    if len(rows) and rows.min() < 0:
        problem = f"class {listed[int(rows.argmin())]!r} is not in classes.parquet"
        place = Place(path, f"column {column.name}")
        raise place.error(problem, "Add the class, or remove it from the list")
    counts = named.list.len().fill_null(0).to_numpy()
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return Links(frozen(offsets, np.int64), frozen(rows, np.int32))


def _classes_frame(classes: Classes) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, Any] = {
        "id": id_series(classes.id),
        "name": pl.Series(classes.name, dtype=pl.String),
    }
    for name in ("supercategory", "frequency"):
        values = getattr(classes, name)
        if values is not None:
            columns[name] = pl.Series(values, dtype=pl.String)
    for name, values in classes.extra.items():
        columns[EXTRA + name] = pl.Series([json.dumps(value) for value in values], dtype=pl.String)
    return pl.DataFrame(columns)


def _read_classes(folder: Path) -> Classes:
    path = table_file(folder, "classes.parquet")
    frame = read_table(path, ("id", "name"), others=True)
    extra = {
        name.removeprefix(EXTRA): [
            None if value is None else _json(value, path, name)
            for value in texts(frame, name, path)
        ]
        for name in frame.columns
        if name.startswith(EXTRA)
    }
    return Classes.of(
        ids_of(frame["id"], path),
        [name or "" for name in texts(frame, "name", path)],
        supercategory=_optional(frame, "supercategory", path),
        frequency=_optional(frame, "frequency", path),
        tree=_read_tree(table_file(folder, "tree.parquet")),
        extra=extra,
        sort=True,
    )


def _tree_frame(tree: ClassTree) -> pl.DataFrame:
    """As JSON text, since a tree may mix integer classes with named inner nodes."""
    import polars as pl

    nodes = [json.dumps(node) for node in tree.parents]
    parents = [json.dumps(list(above)) for above in tree.parents.values()]
    return pl.DataFrame(
        {"node": nodes, "parents": parents},
        schema={"node": pl.String, "parents": pl.String},
    )


def _read_tree(path: Path) -> ClassTree | None:
    if not path.exists():
        return None
    frame = read_table(path, ("node", "parents"))
    nodes, parents = (
        [_json(text or "", path, name) for text in texts(frame, name, path)]
        for name in ("node", "parents")
    )
    for row, (node, above) in enumerate(zip(nodes, parents, strict=True)):
        if not (isinstance(above, list) and all(map(_is_key, [node, *above]))):
            raise Place(path, f"row {row}").error(
                "expected the key of a node, and a list of keys",
                'Write for instance "cat" and ["animal"] as JSON',
            )
    return ClassTree(dict(zip(nodes, map(tuple, parents), strict=True)))


def _is_key(value: Any) -> bool:
    return isinstance(value, str) or type(value) is int


def _json(text: str, path: Path, column: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        place = Place(path, f"column {column}")
        raise place.error(f"{text[:60]!r} is not JSON text", "Write the value as JSON") from problem


def _optional(frame: pl.DataFrame, name: str, path: Path) -> list[str | None] | None:
    return texts(frame, name, path) if name in frame.columns else None


def _objects_frame(dataset: Dataset) -> pl.DataFrame:
    import polars as pl

    gt = dataset.gt
    columns: dict[str, Any] = {
        "id": id_series(gt.id),
        "image_id": id_series(dataset.images.id[gt.image_row]),
        "class_id": id_series(dataset.classes.id[gt.class_row]),
        **{key: gt.box[:, column] for column, key in enumerate(BOX)},
        "area_px": gt.area_px,
        **{name: getattr(gt, name) for name in FLAGS},
    }
    for name, values in gt.attributes.items():
        columns[ATTRIBUTE + name] = _attribute_series(values)
    return pl.DataFrame(columns)


def _attribute_series(values: Attribute) -> pl.Series:
    import polars as pl

    if values.dtype == np.float64:
        return pl.Series(values)
    return pl.Series(values.tolist(), dtype=pl.String)


def _read_objects(path: Path, images: Images, classes: Classes) -> GroundTruth:
    frame = read_table(path, OBJECT_COLUMNS, others=True)
    image_row = _known_rows(frame["image_id"], images.id, path)
    class_row = _known_rows(frame["class_id"], classes.id, path)
    box = boxes(frame, path)
    check_boxes(box, path, lambda row: f"row {row}")
    given = set(frame.columns)
    return GroundTruth.of(
        len(images),
        image_row=image_row,
        class_row=class_row,
        box=box,
        area_px=_areas(frame, path) if "area_px" in given else None,
        crowd=_flag(frame, "crowd", path),
        difficult=_flag(frame, "difficult", path),
        group_of=_flag(frame, "group_of", path),
        ids=ids_of(frame["id"], path) if "id" in given else None,
        attributes={
            name.removeprefix(ATTRIBUTE): attribute_column(frame[name].to_list())
            for name in frame.columns
            if name.startswith(ATTRIBUTE)
        },
    )


def _areas(frame: pl.DataFrame, path: Path) -> Floats:
    area = floats(frame, "area_px", path)
    bad = np.flatnonzero(~(area >= 0))
    if len(bad):
        raise Place(path, f"row {bad[0]}").error(
            f"area_px {area[bad[0]]} is not an area",
            "Areas are 0 or more, in square pixels; remove the column to use w times h",
        )
    return area


def _flag(frame: pl.DataFrame, name: str, path: Path) -> Bools | None:
    if name not in frame.columns:
        return None
    import polars as pl

    column = frame[name]
    if column.dtype not in (pl.Boolean, pl.Null) and not column.dtype.is_integer():
        raise InputError(
            f"column {name} holds {column.dtype}, not true and false",
            path=path,
            remedy="Store it as Boolean",
        )
    flags: Bools = column.cast(pl.Boolean).fill_null(value=False).to_numpy()
    return flags


def _known_rows(column: pl.Series, ids: Ids, path: Path) -> Rows:
    rows = rows_of_ids(column, ids, path)
    if len(rows) and rows.min() < 0:
        row = int(rows.argmin())
        place, problem = Place(path, f"row {row}"), f"unknown {column.name} {column[row]!r}"
        raise place.error(problem, "Add it to images.parquet or classes.parquet")
    return rows

"""Parquet keeps every table but masks, and reads what others wrote."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images, Spans
from boxlens.data.columns import frozen
from boxlens.errors import InputError
from boxlens.formats import parquet
from small_world import assert_same_tables, small_dataset, small_detections


def detections_frame(**changes) -> pl.DataFrame:
    columns = {
        "image_id": [1, 1, 2],
        "class_id": [0, 1, 1],
        "x": [1.0, 2.0, 3.0],
        "y": [1.0, 2.0, 3.0],
        "w": [5.0, 6.0, 7.0],
        "h": [5.0, 6.0, 7.0],
        "score": [0.9, 0.8, 0.7],
    }
    return pl.DataFrame({**columns, **changes})


@pytest.mark.parametrize("text_ids", [False, True])
@pytest.mark.parametrize("rich", [False, True])
def test_a_data_set_comes_back_whole(tmp_path: Path, text_ids: bool, rich: bool) -> None:
    dataset = small_dataset(text_ids=text_ids, rich=rich)
    assert parquet.write_dataset(dataset, tmp_path / "d") == ()
    again = parquet.read_dataset(tmp_path / "d")
    assert again.name == dataset.name
    assert_same_tables(dataset.images, again.images)
    assert_same_tables(dataset.classes, again.classes)
    assert_same_tables(dataset.gt, again.gt)


def test_a_data_set_without_objects_comes_back(tmp_path: Path) -> None:
    dataset = small_dataset(rich=True)
    dataset = dataset.where(np.zeros(len(dataset.gt), dtype=bool))
    parquet.write_dataset(dataset, tmp_path / "d")
    assert_same_tables(dataset.images, parquet.read_dataset(tmp_path / "d").images)


def test_masks_are_named_as_lost(tmp_path: Path) -> None:
    dataset = small_dataset()
    spans = Spans(
        (tmp_path / "x.json",),
        frozen([0, 0, 0, 0], np.int32),
        frozen([0, 5, 9, 9], np.int64),
        frozen([5, 9, 9, 9], np.int64),
    )
    dataset = replace(dataset, gt=replace(dataset.gt, spans={"segmentation": spans}))
    (notice,) = parquet.write_dataset(dataset, tmp_path / "d")
    assert notice.code == "lost_segmentation"
    assert notice.count == 2


def test_files_of_others_may_be_unsorted_narrow_and_compressed(tmp_path: Path) -> None:
    path = tmp_path / "theirs.parquet"
    frame = detections_frame(
        image_id=pl.Series([2, 1, 2], dtype=pl.Int32),
        class_id=pl.Series([1, 0, 0], dtype=pl.UInt8),
        x=pl.Series([1, 2, 3], dtype=pl.Int16),
        score=pl.Series([0.5, 0.25, 0.75], dtype=pl.Float32),
    ).with_columns(more=pl.lit("whatever"))
    frame.write_parquet(path, compression="zstd", row_group_size=2)
    found = parquet.read_detections(path, small_dataset())
    assert found.image_row.tolist() == [0, 1, 1]
    assert found.class_row.tolist() == [0, 1, 0]
    assert found.box[:, 0].tolist() == [2, 1, 3]
    assert found.score.tolist() == [0.25, 0.5, 0.75]


@pytest.mark.parametrize("factor", [1, 10**12])
def test_many_rows_in_chunks_find_their_images_and_classes(tmp_path: Path, factor: int) -> None:
    rng = np.random.default_rng(3)
    n, n_images = 300_000, 500
    ids = (np.arange(n_images, dtype=np.int64) * 7 - 900) * factor
    size = np.full(n_images, 100.0)
    images, _ = Images.of(ids, size, size, [f"{key}.jpg" for key in ids])
    none = np.zeros(0)
    dataset = Dataset(
        "many",
        images,
        Classes.of([3, 5, 9], ["a", "b", "c"]),
        GroundTruth.of(n_images, image_row=none, class_row=none, box=none),
    )
    detections = Detections.of(
        "d",
        n_images,
        image_row=rng.integers(0, n_images, n),
        class_row=rng.integers(0, 3, n),
        box=rng.uniform(0, 100, (n, 4)),
        score=rng.uniform(size=n),
    )
    path = tmp_path / "d.parquet"
    parquet.write_detections(detections, dataset, path)
    again = parquet.read_detections(path, dataset, name="d")
    assert_same_tables(replace(detections, source=again.source), again)
    shuffled = pl.read_parquet(path).sample(fraction=1.0, shuffle=True, seed=1)
    shuffled.write_parquet(tmp_path / "s.parquet")
    mixed = parquet.read_detections(tmp_path / "s.parquet", dataset)
    np.testing.assert_array_equal(mixed.image_row, detections.image_row)
    np.testing.assert_array_equal(np.sort(mixed.score), np.sort(detections.score))


def test_unknown_images_and_classes_are_counted_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    detections_frame(image_id=[1, 99, -5], class_id=[7, 1, 1]).write_parquet(path)
    found = parquet.read_detections(path, small_dataset())
    assert len(found) == 0
    assert {notice.code: notice.count for notice in found.notices} == {
        "unknown_image": 2,
        "unknown_class": 1,
        "nothing_fits": 3,
    }
    with pytest.raises(InputError, match=r"row 1 \(image 99, class 1\): image not in"):
        parquet.read_detections(path, small_dataset(), strict=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"w": [5.0, -1.0, 7.0]}, r"row 1 \(image 1, class 1\): box .* negative width"),
        ({"y": [1.0, 2.0, float("nan")]}, r"row 2 .*not a finite number"),
        ({"score": [0.9, float("inf"), 0.1]}, r"row 1 .*score inf is not a finite"),
        ({"score": [0.9, None, 0.1]}, r"row 1: score is empty"),
        ({"x": ["1", "2", "3"]}, r"column x holds String, not numbers"),
        ({"image_id": ["1", "1", "2"]}, r"column image_id holds String, but .* are integers"),
    ],
)
def test_bad_values_are_named_with_file_and_row(tmp_path: Path, changes, message) -> None:
    path = tmp_path / "d.parquet"
    detections_frame(**changes).write_parquet(path)
    with pytest.raises(InputError, match=message) as caught:
        parquet.read_detections(path, small_dataset())
    assert caught.value.path == str(path)


def test_image_sizes_below_zero_are_refused_with_the_file(tmp_path: Path) -> None:
    parquet.write_dataset(small_dataset(), tmp_path / "set")
    file = tmp_path / "set" / "images.parquet"
    pl.read_parquet(file).with_columns(width_px=pl.lit(-1.0)).write_parquet(file)
    with pytest.raises(InputError, match=r"images\.parquet: column width_px: .* got -1 in row 0"):
        parquet.read_dataset(tmp_path / "set")


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    detections_frame().drop("score", "h").write_parquet(path)
    with pytest.raises(InputError, match=r"missing column h, score; found image_id"):
        parquet.read_detections(path, small_dataset())


def test_rubbish_and_newer_schemas_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    path.write_bytes(b"PAR1 and then nothing of the kind")
    with pytest.raises(InputError, match="not a readable Parquet file"):
        parquet.read_detections(path, small_dataset())
    detections_frame().write_parquet(path, metadata={"boxlens_schema": "99"})
    with pytest.raises(InputError, match="written with schema 99"):
        parquet.read_detections(path, small_dataset())


def test_objects_of_unknown_images_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    parquet.write_dataset(small_dataset(), folder)
    objects = pl.read_parquet(folder / "objects.parquet")
    objects.with_columns(image_id=pl.lit(77)).write_parquet(folder / "objects.parquet")
    with pytest.raises(InputError, match=r"objects\.parquet, row 0: unknown image_id 77"):
        parquet.read_dataset(folder)


def test_objects_need_only_ids_and_boxes(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    parquet.write_dataset(small_dataset(), folder)
    for table, columns in (
        ("objects", ("image_id", "class_id", "x", "y", "w", "h")),
        ("images", ("id", "file_name")),
    ):
        file = folder / f"{table}.parquet"
        pl.read_parquet(file).select(columns).write_parquet(file)
    again = parquet.read_dataset(folder)
    np.testing.assert_array_equal(again.gt.area_px, small_dataset().gt.area_px)
    assert np.isnan(again.images.width_px).all()


def test_a_folder_in_use_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(InputError, match="not empty"):
        parquet.write_dataset(small_dataset(), tmp_path)


def test_paths_with_brackets_are_names_and_not_patterns(tmp_path: Path) -> None:
    path = tmp_path / "run[1]=x.parquet"
    parquet.write_detections(small_detections(), small_dataset(), path)
    assert len(parquet.read_detections(path, small_dataset())) == 5


def test_the_classes_a_detector_knows_come_back(tmp_path: Path) -> None:
    dataset = small_dataset()
    found = small_detections()
    for known in (None, np.unique(found.class_row)):
        told = replace(found, known_classes=known)
        parquet.write_detections(told, dataset, tmp_path / "d.parquet")
        again = parquet.read_detections(tmp_path / "d.parquet", dataset)
        np.testing.assert_array_equal(again.known_classes, known)
    # Ids that this data set does not have are of another one.
    detections_frame().write_parquet(tmp_path / "d.parquet", metadata={"known_classes": '[7, "x"]'})
    assert parquet.read_detections(tmp_path / "d.parquet", dataset).known_classes is not None


@pytest.mark.parametrize(
    "text", ["", "7", "[[1]]", "[" * 9999], ids=["none", "one", "list", "deep"]
)
def test_damaged_lists_of_known_classes_are_refused(tmp_path: Path, text: str) -> None:
    detections_frame().write_parquet(tmp_path / "d.parquet", metadata={"known_classes": text})
    with pytest.raises(InputError, match="known_classes in the metadata is not a list of class"):
        parquet.read_detections(tmp_path / "d.parquet", small_dataset())

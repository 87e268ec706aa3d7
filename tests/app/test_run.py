from __future__ import annotations

import gzip
import json
import os
import random
import shutil

import numpy as np
import polars as pl
import pytest

from app.toy_run import frame, random_content, save_run, write_run
from boxlens.app.opening.documents import MOST_BYTES, read_about
from boxlens.app.opening.run import open_run
from boxlens.errors import InputError

TABLES = ("images", "detections", "objects")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    return folder, write_run(folder, seed=2)


@pytest.fixture
def folder(good, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(good[0], tmp_path / "out")


def refused(folder, *parts: str) -> str:
    with pytest.raises(InputError) as caught:
        open_run(folder)
    message = str(caught.value)
    for part in parts:
        assert part in message
    assert "Run the verb again with -o" in message
    return message


def rewrite(folder, name: str, *changes: pl.Expr) -> None:
    path = folder / "tables" / f"{name}.parquet"
    pl.read_parquet(path).with_columns(*changes).write_parquet(path)


@pytest.mark.parametrize("wishes", [{}, {"text_ids": True}, {"relative": True}])
def test_the_tables_say_what_the_files_say(tmp_path, wishes):
    content = write_run(tmp_path, seed=5, **wishes)
    run = open_run(tmp_path)
    assert run.images.id == tuple(row["image_id"] for row in content["images"])
    assert run.images.file_name == tuple(row["file_name"] for row in content["images"])
    known = [np.nan if row["width"] is None else row["width"] for row in content["images"]]
    np.testing.assert_array_equal(run.images.width, known)
    names = run.detector_names
    for of in ("detections", "objects"):
        table, rows = run.boxes(of), content[of]
        assert [names[row] for row in table.detector_row] == [row["detector"] for row in rows]
        assert [run.class_names[row] for row in table.class_row] == [row["class"] for row in rows]
        assert table.image_row.tolist() == [row["image_row"] for row in rows]
        assert table.box.tolist() == [[row[side] for side in "xywh"] for row in rows]
        for name, codes in table.codes.items():
            assert [codes.at(at) for at in range(len(rows))] == [row[name] for row in rows]
        for name, keys in table.keys.items():
            assert [keys.at(at) for at in range(len(rows))] == [row[name] for row in rows]
        for name in table.numbers.keys() & rows[0].keys():
            numbers = [np.nan if row[name] is None else float(row[name]) for row in rows]
            np.testing.assert_array_equal(table.numbers[name], numbers)
        scores = [np.nan if row["score"] is None else row["score"] for row in rows]
        np.testing.assert_array_equal(table.score, scores)


def test_partners_are_rows_of_the_other_table(good):
    folder, content = good
    run = open_run(folder)
    for det, at in zip(content["detections"], run.detections.partner.tolist(), strict=True):
        assert (at < 0) == (det["object_row"] is None)
        if at >= 0:
            met = content["objects"][at]
            assert (met["detector"], met["gt_row"]) == (det["detector"], det["object_row"])
    for gt, at in zip(content["objects"], run.objects.partner.tolist(), strict=True):
        assert (at < 0) == (gt["det_row"] is None)
        if at >= 0:
            hit = content["detections"][at]
            assert (hit["detector"], hit["det_row"]) == (gt["detector"], gt["det_row"])


def test_rows_of_an_image_are_found_for_one_detector_and_for_all(good):
    run = open_run(good[0])
    for table in (run.detections, run.objects):
        for image in range(len(run.images)):
            inside = table.image_row == image
            assert table.of_image(image).tolist() == np.flatnonzero(inside).tolist()
            for detector in range(2):
                of_both = np.flatnonzero(inside & (table.detector_row == detector))
                assert table.of_image(image, detector).tolist() == of_both.tolist()


@pytest.mark.parametrize(
    "wishes",
    [
        {"n_detections": (0, 0)},
        {"n_objects": 0, "n_detections": (0, 9)},
        {"n_images": 1, "n_objects": 0, "n_detections": (0,)},
    ],
)
def test_runs_with_hardly_anything_in_them_open(tmp_path, wishes):
    write_run(tmp_path, seed=3, **wishes)
    run = open_run(tmp_path)
    assert len(run.detections) == sum(wishes["n_detections"])


def test_texts_may_be_plain_strings_or_categories(folder, good):
    whole = open_run(good[0])
    text = pl.selectors.by_dtype(pl.Enum(["XS", "S", "M", "L", "XL"])).cast(pl.String)
    rewrite(folder, "objects", text, pl.col("class").cast(pl.Categorical))
    run = open_run(folder)
    np.testing.assert_array_equal(run.objects.class_row, whole.objects.class_row)
    codes, before = (one.objects.codes["characteristic_size"] for one in (run, whole))
    assert [codes.at(row) for row in range(40)] == [before.at(row) for row in range(40)]


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    refused(tmp_path, str(tmp_path), "not a run, or written by an older Boxlens")
    with pytest.raises(InputError, match="no such file or folder"):
        open_run(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="expected a folder"):
        open_run(tmp_path / "file")


def test_a_run_of_another_schema_is_refused(folder):
    about = json.loads((folder / "run.json").read_text())
    for schema in ("boxlens/run/2", None, 7):
        (folder / "run.json").write_text(json.dumps({**about, "schema": schema}))
        refused(folder, "run.json", "expected the schema boxlens/run/1")


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[1, 2]", "null", '{"schema": NaN}', "[" * 100_000, '{"a": ' + "9" * 9999 + "}"),
        *('{"schema": "boxlens/run/1"}', "\ufeff", '{"schema": "\\ud800"}'),
    ],
)
def test_damaged_json_is_refused(folder, text):
    (folder / "run.json").write_text(text, encoding="utf-8")
    refused(folder, "run.json")
    write_run(folder, seed=2)
    (folder / "figures" / "figures.json").write_text(text, encoding="utf-8")
    refused(folder, "figures.json")


def test_a_text_with_half_a_character_is_refused(folder):
    text = (folder / "run.json").read_text()
    (folder / "run.json").write_text(text.replace('"toy"', '"toy \\uD800"'))
    refused(folder, "run.json", "damaged JSON")


def test_json_that_is_not_utf8_is_refused(folder):
    (folder / "run.json").write_bytes(b'{"schema": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        open_run(folder)


def test_a_field_of_another_kind_or_none_is_refused(folder):
    """Every field in turn is dropped, or becomes something else."""
    whole = json.loads((folder / "run.json").read_text())
    path = folder / "run.json"
    for place in _places(whole):
        for value in (None, "text", -1, 1.5, [], {}, [[]], True):
            path.write_text(json.dumps(_changed(whole, place, value)))
            try:
                read_about(path)
            except InputError as problem:
                assert str(path) in str(problem)  # noqa: PT017 - some values are good ones


@pytest.mark.parametrize(
    "numbers",
    [
        *("text", {"AP": 0.5}, [0.5], ["AP"], [["AP"]], [["AP", 0.5, 1]], [[1, 0.5]]),
        *([["AP", "0.5"]], [["AP", [1]]], [["AP", True]], [["AP", 10**400]], [None]),
    ],
)
def test_a_verdict_whose_numbers_are_none_is_refused(folder, numbers):
    change_about(folder, verdict={"lead": "", "sentences": [], "numbers": numbers})
    refused(folder, "run.json", "verdict", "'numbers'")


@pytest.mark.parametrize("tiles", ["text", {"AP": "1"}, ["AP"], [["AP"]], [["AP", 1]], [None]])
def test_a_verdict_whose_tiles_are_no_texts_is_refused(folder, tiles):
    change_about(folder, verdict={"lead": "", "sentences": [], "tiles": tiles})
    refused(folder, "run.json", "verdict", "'tiles'")


def test_a_verdict_may_have_numbers_that_are_not_known_and_there_may_be_none(folder):
    numbers = [["AP", None], ["AP50", 0.5], ["images", 12]]
    for verdict in ({"numbers": numbers}, {}, None):
        change_about(folder, verdict=verdict)
        assert open_run(folder).about["verdict"] == verdict


@pytest.mark.parametrize("value", [10**400, -(10**400), "0.5", [0.5], True])
def test_a_number_that_is_none_is_refused(folder, value):
    about = change_about(folder, iou=value)
    refused(folder, "run.json", "'iou'")
    change_about(folder, iou=0.5, detectors=[{**about["detectors"][0], "min_score": value}])
    refused(folder, "run.json", "detectors", "'min_score'")


def test_a_number_beyond_all_floats_is_refused_wherever_it_stands(folder):
    for path in (folder / "figures" / "figures.json", folder / "run.json"):
        path.write_text(path.read_text().replace("{", '{"huge": -1e400, ', 1))
        refused(folder, path.name, "-1e400 is too large")


def test_a_scheme_that_nobody_knows_is_refused(folder):
    labels = {"title": "Mine", "detections": ["right"], "objects": ["right"]}
    change_about(folder, schemes={"mine": labels})
    refused(folder, "run.json", "'schemes'", "hoiem, tide, coco_analyze, borji", '"mine"')


def change_about(folder, **fields):
    path = folder / "run.json"
    about = {**json.loads(path.read_text()), **fields}
    path.write_text(json.dumps(about))
    return about


@pytest.mark.parametrize(
    "name", ["run.json", "figures/figures.json", *(f"tables/{name}.parquet" for name in TABLES)]
)
def test_packed_files_are_refused_unread(folder, name):
    path = folder / name
    path.write_bytes(gzip.compress(path.read_bytes()))
    refused(folder, path.name, "is packed with gzip")


@pytest.mark.parametrize("name", ["run.json", "figures/figures.json"])
def test_documents_beyond_all_bounds_are_refused_unread(folder, name):
    # No byte of it is on the disk.
    os.truncate(folder / name, MOST_BYTES + 1)
    refused(folder, name.rpartition("/")[2], "has 268,435,457 bytes")


def test_figures_that_are_no_file_are_refused(folder):
    path = folder / "figures" / "figures.json"
    path.unlink()
    path.mkdir()
    refused(folder, "figures.json", "expected a file")
    path.rmdir()
    os.mkfifo(path)
    refused(folder, "figures.json", "expected a file")


@pytest.mark.parametrize("name", TABLES)
def test_rows_beyond_number_are_refused_before_they_are_unpacked(folder, name):
    path = folder / "tables" / f"{name}.parquet"
    pl.select(image_id=pl.repeat(7, 5_000_000)).write_parquet(path)
    content = bytearray(path.read_bytes())
    assert len(content) < 100_000
    # Damaged data that nobody looks at: the count stands in the footer.
    content[4:60] = bytes(56)
    path.write_bytes(content)
    refused(folder, f"{name}.parquet", "has 5,000,000 rows, but run.json has")


def _places(document, before=()):
    if isinstance(document, dict):
        for key, value in document.items():
            yield (*before, key)
            yield from _places(value, (*before, key))
    elif isinstance(document, list) and document:
        yield (*before, 0)
        yield from _places(document[0], (*before, 0))


def _changed(document, place, value):
    if not place:
        return value
    copy = document.copy()
    copy[place[0]] = _changed(document[place[0]], place[1:], value)
    return copy


def test_a_run_without_figures_has_none(folder):
    shutil.rmtree(folder / "figures")
    assert open_run(folder).figures == []


@pytest.mark.parametrize("name", TABLES)
def test_a_missing_table_is_refused(folder, name):
    (folder / "tables" / f"{name}.parquet").unlink()
    refused(folder, f"{name}.parquet", "no such table")


@pytest.mark.parametrize("name", TABLES)
def test_a_missing_column_is_refused_if_it_is_needed(folder, good, name):
    path = folder / "tables" / f"{name}.parquet"
    whole = pl.read_parquet(path)
    needed = []
    for column in whole.columns:
        whole.drop(column).write_parquet(path)
        try:
            open_run(folder)
        except InputError as problem:
            assert f"missing column {column}" in str(problem)  # noqa: PT017 - others may be absent
            needed.append(column)
    assert len(needed) >= (5 if name == "images" else 13)
    assert name == "images" or "iou" in needed


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_another_run_are_refused(folder, name):
    other = random_content(random.Random(9), n_images=15, n_objects=41, n_detections=(71, 55))
    frame(name, other).write_parquet(folder / "tables" / f"{name}.parquet")
    refused(folder, f"{name}.parquet", "rows, but run.json has", "belong to different runs")


def test_tables_of_another_run_with_the_same_counts_are_refused(folder, tmp_path):
    save_run(tmp_path / "other", random_content(random.Random(9), text_ids=True))
    shutil.copy(tmp_path / "other" / "tables" / "images.parquet", folder / "tables")
    refused(folder, "image_id belongs to another image")


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("detections", pl.col("det_row").reverse(), "det_row is out of order"),
        ("detections", pl.col("detector").reverse(), "are not contiguous"),
        ("detections", pl.col("image_row") + 1, "image_row is not a row below 14"),
        ("detections", pl.col("image_row") - 1, "image_row is not a row below 14"),
        ("detections", pl.col("image_row").cast(pl.Float64), "column image_row holds Float64"),
        ("detections", pl.lit(None, pl.Int32).alias("image_row"), "image_row is empty"),
        ("detections", pl.col("image_id") + 1, "image_id belongs to another image"),
        ("detections", pl.lit("x").alias("class"), "class is not in run.json"),
        ("detections", pl.lit(None, pl.String).alias("class"), "class is not in run.json"),
        ("detections", pl.lit(3).alias("class"), "not text"),
        ("detections", pl.lit(float("nan")).alias("score"), "score is not a number"),
        ("detections", pl.lit(None, pl.Float64).alias("score"), "score is not a number"),
        ("detections", pl.lit(float("inf")).alias("x"), "invalid box"),
        ("detections", -pl.col("w"), "invalid box"),
        ("detections", pl.lit("1").alias("w"), "column w holds String, not numbers"),
        ("detections", pl.col("object_row") + 40, "object_row is not a row below 40"),
        ("detections", pl.lit(0).alias("object_row"), "are in different images"),
        ("objects", pl.col("gt_row") * 2, "gt_row is not a row below 40"),
        ("objects", pl.lit(69).alias("det_row"), "det_row is not a row of its detector"),
        ("objects", pl.lit(None, pl.Int64).alias("object_id"), "object_id is empty"),
        ("objects", pl.lit(1.5).alias("object_id"), "not ids"),
        ("objects", pl.lit(float("inf")).alias("area"), "area is not a number"),
        ("objects", pl.lit("1").alias("area"), "column area holds String, not numbers"),
        ("objects", pl.lit("1").alias("iou"), "column iou holds String, not numbers"),
        ("objects", pl.lit(1).alias("tide"), "column tide holds Int32, not text"),
        ("detections", pl.lit("1").alias("iou"), "column iou holds String, not numbers"),
        ("detections", pl.lit(0.5).alias("hoiem"), "column hoiem holds Float64, not text"),
        ("images", pl.lit("1").alias("width"), "column width holds String, not numbers"),
        ("images", pl.lit(None, pl.Int64).alias("image_id"), "image_id is empty"),
        ("images", pl.lit(5).alias("file_name"), "column file_name holds Int32, not text"),
        ("images", pl.lit([1]).alias("width"), "not numbers"),
    ],
)
def test_values_that_cannot_be_are_refused(folder, name, change, problem):
    rewrite(folder, name, change)
    refused(folder, f"{name}.parquet", problem)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_cut_short_is_refused(folder, name):
    path = folder / "tables" / f"{name}.parquet"
    content = path.read_bytes()
    for length in (0, 3, 4, 11, 12, len(content) // 2, len(content) - 9, len(content) - 1):
        path.write_bytes(content[:length])
        refused(folder, f"{name}.parquet", "not a readable Parquet file")


@pytest.mark.parametrize("name", TABLES)
def test_flipped_bits_are_refused_or_leave_a_run_that_fits_together(folder, name):
    path = folder / "tables" / f"{name}.parquet"
    content = path.read_bytes()
    rng = random.Random(11)
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(rng.choice((1, 1, 8))):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            run = open_run(folder)
        except InputError as problem:
            assert f"{path}" in str(problem) or "parquet" in str(problem)  # noqa: PT017
        else:
            assert len(run.detections) == 125


def test_a_pickle_in_place_of_a_table_is_not_run(folder):
    bomb = b"cos\nsystem\n(S'exit 1'\ntR."
    (folder / "tables" / "images.parquet").write_bytes(bomb)
    refused(folder, "not a readable Parquet file")

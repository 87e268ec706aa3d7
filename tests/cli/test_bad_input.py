"""Whatever is wrong with the input: one clear line, exit code 2, no traceback, nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from running import boxlens_here, boxlens_process, refused, write_demo


@pytest.fixture
def demo(tmp_path) -> Path:
    return write_demo(tmp_path)


def evaluate_with(folder: Path, detections: bytes) -> str:
    (folder / "dt.json").write_bytes(detections)
    # What may bring a process down gets one of its own.
    run = boxlens_process if len(detections) > 10**6 else boxlens_here
    return refused("evaluate", "ground_truth.json", "dt.json", cwd=folder, how=run)


RECORD = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", ["dt.json", "empty"]),
        (b'[{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3', ["dt.json", "unexpected end", "byte"]),
        (b'[{"image_id": 1,, "category_id"', ["dt.json", "byte 16"]),
        (b'[{"image_id": 1} {"image_id"', ["dt.json", "byte"]),
        (json.dumps([RECORD, {**RECORD, "bbox": [1, 2, 3]}]).encode(), ["dt.json", "record 1", "bbox", "4 numbers"]),
        (json.dumps([{**RECORD, "bbox": [1, 2, -3, 4]}]).encode(), ["dt.json", "record 0", "negative"]),
        (json.dumps([{**RECORD, "score": "high"}]).encode(), ["dt.json", "record 0", "score"]),
        (json.dumps([{**RECORD, "score": float("nan")}]).encode(), ["dt.json", "byte"]),
        (json.dumps([{**RECORD, "score": float("inf")}]).encode(), ["dt.json", "byte"]),
        (b'[{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1e999}]', ["dt.json", "too large"]),
        (json.dumps([{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}]).encode(), ["dt.json", "score"]),
        (json.dumps([{**RECORD, "image_id": None}]).encode(), ["dt.json", "image_id"]),
        (b"[" * 10**7, ["dt.json", "nested"]),
        (b'[{"image_id": ' + b"[" * 10**7, ["dt.json", "nested"]),
        (b"<annotation></annotation>", ["dt.json"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\0", ["dt.json"]),
        (b"\x1f\x8b\x08\x00broken", ["dt.json", "gzip"]),
    ],
    ids=[
        "empty", "truncated", "two-commas", "no-comma", "short-box", "negative", "text-score", "nan", "inf",
        "overflow", "no-score", "null-id", "deep", "deep-value", "xml", "png", "bad-gzip",
    ],
)  # fmt: skip
def test_bad_detections(demo, content, told):
    line = evaluate_with(demo, content)
    for part in told:
        assert part in line, line


def test_missing_file(demo):
    arguments = ("evaluate", "ground_truth.json", "nothing.json")
    line = refused(*arguments, cwd=demo, how=boxlens_process)
    assert "nothing.json" in line
    assert line == refused(*arguments, cwd=demo)


def test_a_folder_where_a_file_was_meant(demo):
    (demo / "folder").mkdir()
    assert "folder" in refused("evaluate", "ground_truth.json", "folder", cwd=demo)
    assert "folder" in refused("evaluate", "folder", "window.json", cwd=demo)


def test_ground_truth_and_detections_the_wrong_way_round(demo):
    line = refused("evaluate", "window.json", "ground_truth.json", cwd=demo)
    assert "window.json" in line
    assert "the ground truth comes first" in line


def test_ground_truth_given_as_detections(demo):
    line = refused("evaluate", "ground_truth.json", "ground_truth.json", cwd=demo)
    assert "ground truth" in line


def test_xml_bomb(tmp_path):
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE a [<!ENTITY l0 "ha">{levels}]><annotation><folder>&l9;</folder></annotation>'
    (tmp_path / "voc").mkdir()
    (tmp_path / "voc" / "1.xml").write_text(bomb)
    (tmp_path / "dets").mkdir()
    assert "1.xml" in refused("evaluate", "voc", "dets", cwd=tmp_path, how=boxlens_process)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--protocol", "cocoo"], ["cocoo", "coco, voc07"]),
        (["--iou", "1.5"], ["1.5"]),
        (["--iou", "0"], ["0"]),
        (["--area", "tiny=5:1"], ["tiny"]),
        (["--also", "everything"], ["everything", "confusion"]),
        (["--name", "a,b"], ["names"]),
        (["--gt-format", "cocco"], ["cocco", "coco"]),
        (["--split", "test"], ["split"]),
        (["--protocol", "voc07", "--max-dets", "3"], ["voc07"]),
        (["--json", "."], ["folder"]),
    ],
)
def test_options_that_cannot_be_meant(demo, options, told):
    line = refused("evaluate", "ground_truth.json", "window.json", *options, cwd=demo)
    for part in told:
        assert part in line, line


def test_detections_of_another_data_set_are_told_loudly_and_refused_if_strict(demo):
    (demo / "dt.json").write_text(json.dumps([{**RECORD, "image_id": 999_999}] * 3))
    done = boxlens_here("evaluate", "ground_truth.json", "dt.json", cwd=demo)
    assert done.returncode == 0
    assert (
        "none of the 3 detections matches this ground truth, whose image ids are 1, 2, 3"
        in done.stderr
    )
    line = refused("evaluate", "ground_truth.json", "dt.json", "--strict", cwd=demo)
    assert "999999" in line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["evaluate", "ground_truth.json"], "DT"),
        (["evalute", "ground_truth.json", "window.json"], "did you mean evaluate?"),
        (["evaluate", "ground_truth.json", "window.json", "--protcol", "voc07"], "--protocol?"),
        (["evaluate", "ground_truth.json", "window.json", "--per-clas"], "--per-class?"),
        (["evaluate", "ground_truth.json", "window.json", "--iou", "half"], "0.5:0.95:0.05"),
        (["evaluate", "ground_truth.json", "window.json", "--area", "tiny"], "tiny=0:256"),
        (["evaluate", "ground_truth.json", "window.json", "--area", "all=0:9"], "all"),
        (["convert", "ground_truth.json", "out"], "--to"),
    ],
)
def test_mistyped_commands_are_told_in_one_line(demo, arguments, told):
    assert told in refused(*arguments, cwd=demo)


@pytest.mark.parametrize("command", [("evaluate", "a", "b"), ("scenes", "make", "-o", "out")])
def test_an_unknown_option_points_to_the_help_of_its_command(demo, command):
    words = " ".join(word for word in command if word.isalpha() and len(word) > 3)
    assert f"--bogus. See boxlens {words} --help" in refused(*command, "--bogus", cwd=demo)


def test_convert_refuses_what_it_cannot_do(demo):
    assert "--gt" in refused("convert", "window.json", "out.parquet", "--to", "parquet", cwd=demo)
    assert "target" in refused(
        *("convert", "ground_truth.json", "ground_truth.json", "--to", "coco"), cwd=demo
    )
    (demo / "mine.json").write_text("keep me")
    mine = ("convert", "ground_truth.json", "mine.json", "--to", "coco")
    assert "--force" in refused(*mine, cwd=demo)
    assert boxlens_here(*mine, "--force", cwd=demo).returncode == 0
    assert "cocco" in refused("convert", "ground_truth.json", "x.json", "--to", "cocco", cwd=demo)


def test_yaml_bomb(tmp_path):
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
    (tmp_path / "data.yaml").write_text(f"a0: &a0 [lol]\n{levels}val: images\nnames: *a9\n")
    (tmp_path / "dets").mkdir()
    line = refused("evaluate", "data.yaml", "dets", cwd=tmp_path, how=boxlens_process)
    assert "data.yaml" in line
    assert len(line) < 500


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line_not_a_traceback(demo):
    arguments = ("evaluate", "ground_truth.json", "window.json", "--json", "/dev/full")
    line = refused(*arguments, cwd=demo, how=boxlens_process)
    assert "No space left" in line
    assert Path("/dev/full").is_char_device()


def test_a_link_is_followed_and_not_replaced(demo):
    (demo / "real.json").write_text("")
    (demo / "link.json").symlink_to("real.json")
    done = boxlens_process(
        "evaluate", "ground_truth.json", "window.json", "--json", "link.json", cwd=demo
    )
    assert done.returncode == 0
    assert (demo / "link.json").is_symlink()
    assert json.loads((demo / "real.json").read_text())["parameters"]["protocol"] == "coco"


def test_packed_parquet_is_read(demo):
    for source, target, more in (
        ("window.json", "dt.parquet.gz", ["--gt", "ground_truth.json"]),
        ("ground_truth.json", "gt", []),
    ):
        done = boxlens_here("convert", source, target, "--to", "parquet", *more, cwd=demo)
        assert done.returncode == 0, done.stderr
    import gzip

    for table in (demo / "gt").iterdir():
        table.with_name(f"{table.name}.gz").write_bytes(gzip.compress(table.read_bytes()))
        table.unlink()
    done = boxlens_here("evaluate", "gt", "dt.parquet.gz", cwd=demo)
    assert done.returncode == 0, done.stderr
    plain = boxlens_here("evaluate", "ground_truth.json", "window.json", cwd=demo)
    numbers = [line.split()[-1] for line in done.stdout.splitlines()[7:11]]
    assert numbers == [line.split()[-1] for line in plain.stdout.splitlines()[7:11]]


def test_parquet_with_wrong_types(demo):
    import polars as pl

    boxlens_here("convert", "ground_truth.json", "gt", "--to", "parquet", cwd=demo)
    path = demo / "gt" / "objects.parquet"
    pl.read_parquet(path).with_columns(pl.lit("no").alias("crowd")).write_parquet(path)
    assert "objects.parquet" in refused("evaluate", "gt", "window.json", cwd=demo)

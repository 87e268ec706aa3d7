"""`boxlens disagree`: images by how much detectors differ, with no ground truth looked at."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from boxlens.cli import main
from shared_data import ROOT

DEMO = ROOT / "src" / "boxlens" / "demo"


@pytest.fixture
def files(tmp_path):
    for packed in DEMO.glob("*.json.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    truth = json.loads((tmp_path / "ground_truth.json").read_text())
    bare = {"images": truth["images"], "categories": truth["categories"]}
    (tmp_path / "image_info.json").write_text(json.dumps(bare))
    return tmp_path


def run(files, images, *options):
    named = [str(files / name) for name in (images, "window.json", "region.json")]
    main(["disagree", *named, "--min-score", "0.2", *options])


def test_objects_are_not_looked_at_and_may_be_absent(files, capsys):
    run(files, "ground_truth.json", "--json", "-")
    with_objects = json.loads(capsys.readouterr().out)
    run(files, "image_info.json", "--json", "-")
    assert json.loads(capsys.readouterr().out) == with_objects
    assert with_objects["schema"] == "boxlens/disagree/1"
    shares = [row["share"] for row in with_objects["results"]["top"]]
    assert len(shares) == 20
    assert shares == sorted(shares, reverse=True)


def test_a_csv_holds_all_images_in_order(files, capsys):
    target = files / "next.csv"
    run(files, "ground_truth.json", "--by", "boxes", "-o", str(target))
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert len(rows) == 200
    boxes = [float(row["boxes"]) for row in rows]
    assert boxes == sorted(boxes, reverse=True)
    assert {"image_id", "file_name", "share", "n_boxes_window", "n_boxes_region"} <= set(rows[0])
    said = capsys.readouterr()
    assert "200 images" in said.err
    assert rows[0]["image_id"] in said.out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--min-score", "0.3,0.4"], "one for each of 2, got 3"),
        (["--top", "0"], "--top: 1 or more"),
    ],
)
def test_mistakes_are_named_in_a_line(files, capsys, options, problem):
    with pytest.raises(SystemExit) as stopped:
        run(files, "ground_truth.json", *options)
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert problem in said
    assert said.count("\n") == 1


def test_a_score_cut_is_needed(files, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["disagree", str(files / "ground_truth.json"), str(files / "window.json")])
    assert stopped.value.code == 2
    assert "--min-score" in capsys.readouterr().err


def test_one_detector_cannot_disagree(files, capsys):
    arguments = [str(files / "ground_truth.json"), str(files / "window.json"), "--min-score", "0.2"]
    with pytest.raises(SystemExit):
        main(["disagree", *arguments])
    assert "two detectors" in capsys.readouterr().err

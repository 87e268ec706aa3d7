"""`boxlens disagree`: images by how much detectors differ, with no ground truth looked at."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

import boxlens
from boxlens.cli import main
from boxlens.errors import ParameterError
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
    assert json.loads(capsys.readouterr().out)["results"] == with_objects["results"]


def test_the_most_disputed_boxes_come_first(files, capsys):
    run(files, "ground_truth.json", "--json", "-")
    top = json.loads(capsys.readouterr().out)["results"]["top"]
    boxes = [row["boxes"] for row in top]
    assert len(boxes) == 20
    assert boxes == sorted(boxes, reverse=True)
    run(files, "ground_truth.json", "--by", "share", "--json", "-")
    shares = [row["share"] for row in json.loads(capsys.readouterr().out)["results"]["top"]]
    assert shares == sorted(shares, reverse=True)


def test_the_json_has_the_frame_of_every_command(files, capsys):
    run(files, "ground_truth.json", "--class-agnostic", "--json", "-")
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["schema", "provenance", "parameters", "dataset", "notices", "results"]
    assert told["schema"] == "boxlens/disagree/1"
    assert told["provenance"]["ground_truth"]["path"] == str(files / "ground_truth.json")
    assert [len(row["sha256"]) for row in told["provenance"]["detections"]] == [64, 64]
    assert told["parameters"] == {
        "min_score": [0.2, 0.2],
        "class_agnostic": True,
        "by": "boxes",
        "images_used": "check",
        "classes_used": "check",
        "top": 20,
    }
    assert told["dataset"] == {
        "name": "ground_truth",
        "n_images": 200,
        "n_objects": None,
        "n_classes": 16,
    }
    assert told["notices"] == []


def test_the_python_verb_says_what_the_command_says(files, capsys):
    run(files, "ground_truth.json", "--json", "-")
    told = json.loads(capsys.readouterr().out)
    names = [files / "window.json", files / "region.json"]
    result = boxlens.disagree(files / "image_info.json", names, min_score=0.2)
    found = result.to_json()
    assert found["results"] == told["results"]
    assert found["parameters"] == told["parameters"]
    assert repr(result) == "DisagreementResult(window, region: 200 images by boxes)"
    dataset = boxlens.read_dataset(files / "ground_truth.json")
    tables = [boxlens.read_detections(name, dataset) for name in names]
    of_tables = boxlens.disagree(dataset, tables, min_score=[0.2, 0.2])
    assert of_tables.order.tolist() == result.order.tolist()


@pytest.mark.parametrize("few", ["window.json", [], ["window.json"]])
def test_the_python_verb_asks_for_two_detectors(files, few, monkeypatch):
    monkeypatch.chdir(files)
    with pytest.raises(ParameterError, match="needs two or more detectors"):
        boxlens.disagree("ground_truth.json", few, min_score=0.2)


def cut_to(files, last_id):
    """The second detector's output on the first images alone."""
    found = json.loads((files / "region.json").read_text())
    kept = [row for row in found if row["image_id"] <= last_id]
    (files / "region.json").write_text(json.dumps(kept))


def test_a_few_silent_images_are_told(files, capsys):
    cut_to(files, 160)
    run(files, "ground_truth.json")
    assert "region: no detections on 40 images where another" in capsys.readouterr().err


def test_plainly_different_images_stop_it_unless_it_is_said_what_to_take(files, capsys):
    cut_to(files, 60)
    with pytest.raises(SystemExit) as stopped:
        run(files, "ground_truth.json")
    assert stopped.value.code == 2
    assert "region has detections on 60 images, the others on 200" in capsys.readouterr().err
    target = files / "next.csv"
    for choice, n_images in (("all", 200), ("common", 60)):
        run(files, "ground_truth.json", "--images-used", choice, "-o", str(target))
        said = capsys.readouterr()
        assert f" | {n_images} images | " in said.out
        ids = [int(row["image_id"]) for row in csv.DictReader(target.read_text().splitlines())]
        assert len(ids) == n_images
        assert (max(ids) <= 60) == (choice == "common")


def test_a_file_of_other_images_is_named_as_such(files, capsys):
    found = json.loads((files / "region.json").read_text())
    strange = [{**row, "image_id": row["image_id"] + 1_000_000} for row in found]
    (files / "region.json").write_text(json.dumps(strange))
    with pytest.raises(SystemExit):
        run(files, "ground_truth.json")
    said = capsys.readouterr().err
    assert "region.json: none of the" in said
    assert "--images-used" not in said


def test_a_cut_above_all_scores_is_told(files, capsys):
    named = [str(files / name) for name in ("ground_truth.json", "window.json", "region.json")]
    main(["disagree", *named, "--min-score", "0.2,7"])
    said = capsys.readouterr().err
    assert "no detection of region scores 7 or more" in said
    assert "no detection of window" not in said


def test_images_without_classes_are_not_asked_for_annotations(files, capsys):
    bare = json.loads((files / "image_info.json").read_text())
    del bare["categories"]
    (files / "image_info.json").write_text(json.dumps(bare))
    with pytest.raises(SystemExit):
        run(files, "image_info.json")
    said = capsys.readouterr().err
    assert "categories" in said
    assert "annotations" not in said


def test_detectors_of_one_name_stay_apart(files):
    (files / "other").mkdir()
    (files / "other" / "window.json").write_bytes((files / "region.json").read_bytes())
    named = [str(files / name) for name in ("ground_truth.json", "window.json")]
    target = files / "next.csv"
    other = str(files / "other" / "window.json")
    main(["disagree", *named, other, "--min-score", "0.2", "-o", str(target)])
    columns = next(csv.reader(target.read_text().splitlines()))
    assert len([name for name in columns if name.startswith("n_boxes_")]) == 2


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
        (["--min-score", "0.3,0.4"], "one for each of 2 detectors, got 3"),
        (["--top", "0"], "--top: expected a whole number from 1"),
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
    assert "two or more detectors" in capsys.readouterr().err

"""`boxlens disagree`: images by how much detectors differ, with no ground truth looked at."""

from __future__ import annotations

import csv
import json

import pytest

import boxlens
from boxlens.errors import ParameterError
from running import boxlens_here, refused, write_demo

TRUTH, BOTH = "ground_truth.json", ("window.json", "region.json")
CUT = ("--min-score", "0.2")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(write_demo(tmp_path))
    truth = json.loads((tmp_path / TRUTH).read_text())
    bare = {"images": truth["images"], "categories": truth["categories"]}
    (tmp_path / "image_info.json").write_text(json.dumps(bare))
    return tmp_path


def run(files, *options, images=TRUTH):
    done = boxlens_here("disagree", images, *BOTH, *CUT, *options, cwd=files)
    assert done.returncode == 0, done.stderr
    return done


def document(files, *options, images=TRUTH):
    return json.loads(run(files, *options, "--json", "-", images=images).stdout)


def test_objects_are_not_looked_at_and_may_be_absent(files):
    without = document(files, images="image_info.json")
    assert without["results"] == document(files)["results"]


def test_the_most_disputed_boxes_come_first(files):
    boxes = [row["boxes"] for row in document(files)["results"]["top"]]
    assert len(boxes) == 20
    assert boxes == sorted(boxes, reverse=True)
    shares = [row["share"] for row in document(files, "--by", "share")["results"]["top"]]
    assert shares == sorted(shares, reverse=True)


def test_a_result_says_what_it_is_of(files):
    result = boxlens.disagree("image_info.json", BOTH, min_score=0.2)
    assert repr(result) == "DisagreementResult(window, region: 200 images by boxes)"


@pytest.mark.parametrize("few", ["window.json", [], ["window.json"]])
def test_the_python_verb_asks_for_two_detectors(files, few):
    with pytest.raises(ParameterError, match="needs two or more detectors"):
        boxlens.disagree(TRUTH, few, min_score=0.2)


def cut_to(files, last_id):
    """The second detector's output on the first images alone."""
    found = json.loads((files / "region.json").read_text())
    kept = [row for row in found if row["image_id"] <= last_id]
    (files / "region.json").write_text(json.dumps(kept))


def test_a_few_silent_images_are_told(files):
    cut_to(files, 160)
    assert "region: no detections on 40 images where another" in run(files).stderr


def test_plainly_different_images_stop_it_unless_it_is_said_what_to_take(files):
    cut_to(files, 60)
    line = refused("disagree", TRUTH, *BOTH, *CUT, cwd=files)
    assert "region has detections on 60 images, the others on 200" in line
    target = files / "next.csv"
    for choice, n_images in (("all", 200), ("common", 60)):
        done = run(files, "--images-used", choice, "-o", target)
        assert f" | {n_images} images | " in done.stdout
        ids = [int(row["image_id"]) for row in csv.DictReader(target.read_text().splitlines())]
        assert len(ids) == n_images
        assert (max(ids) <= 60) == (choice == "common")


def test_a_file_of_other_images_is_named_as_such(files):
    found = json.loads((files / "region.json").read_text())
    strange = [{**row, "image_id": row["image_id"] + 1_000_000} for row in found]
    (files / "region.json").write_text(json.dumps(strange))
    line = refused("disagree", TRUTH, *BOTH, *CUT, cwd=files)
    assert "region.json: none of the" in line
    assert "--images-used" not in line


def test_a_cut_above_all_scores_is_told(files):
    done = boxlens_here("disagree", TRUTH, *BOTH, "--min-score", "0.2,7", cwd=files)
    assert "no detection of region scores 7 or more" in done.stderr
    assert "no detection of window" not in done.stderr


def test_images_without_classes_are_not_asked_for_annotations(files):
    bare = json.loads((files / "image_info.json").read_text())
    del bare["categories"]
    (files / "image_info.json").write_text(json.dumps(bare))
    line = refused("disagree", "image_info.json", *BOTH, *CUT, cwd=files)
    assert "categories" in line
    assert "annotations" not in line


def test_detectors_of_one_name_stay_apart(files):
    (files / "other").mkdir()
    (files / "other" / "window.json").write_bytes((files / "region.json").read_bytes())
    twice = ("window.json", "other/window.json")
    boxlens_here("disagree", TRUTH, *twice, *CUT, "-o", "next.csv", cwd=files)
    columns = next(csv.reader((files / "next.csv").read_text().splitlines()))
    assert len([name for name in columns if name.startswith("n_boxes_")]) == 2


def test_a_csv_holds_all_images_in_order(files):
    done = run(files, "--by", "boxes", "-o", "next.csv")
    rows = list(csv.DictReader((files / "next.csv").read_text().splitlines()))
    assert len(rows) == 200
    boxes = [float(row["boxes"]) for row in rows]
    assert boxes == sorted(boxes, reverse=True)
    assert {"image_id", "file_name", "share", "n_boxes_window", "n_boxes_region"} <= set(rows[0])
    assert "200 images" in done.stderr
    assert rows[0]["image_id"] in done.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((*BOTH, *CUT, "--min-score", "0.3,0.4"), "one for each of 2 detectors, got 3"),
        (BOTH, "--min-score"),
        ((*BOTH[:1], *CUT), "two or more detectors"),
    ],
)
def test_mistakes_are_named_in_a_line(files, arguments, problem):
    assert problem in refused("disagree", TRUTH, *arguments, cwd=files)

"""`boxlens robustness` as a user runs it: changed scenes, a detector, sets that go out and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rendered_set import rendered_set
from report.bound_results import bound_of
from running import boxlens_here

TRANSFORMS = "vertical_flip,white_background,gaussian_noise:2"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    rendered_set(folder)
    return folder


def robustness(world, *arguments):
    return boxlens_here("robustness", *arguments, cwd=world)


def run(world, *arguments):
    known = ("ground_truth.json", "--images", "images", "--model", "region")
    return robustness(world, *known, "--transform", TRANSFORMS, *arguments)


def test_every_transform_has_a_row_with_its_numbers(world):
    done = run(world, "--json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    rows = document["results"]["transforms"]
    assert [(row["name"], row["severity"]) for row in rows] == [
        ("vertical_flip", None),
        ("white_background", None),
        ("gaussian_noise", 2),
    ]
    clean = document["results"]["detectors"][0]["clean"]["AP"]
    for row in rows:
        assert {"AP", "AP50", "AP75", "APs", "APm", "APl", "relative", "detector"} <= set(row)
        assert row["relative"] == pytest.approx(row["AP"] / clean)


def test_a_severity_of_nothing_leaves_everything_as_it_was(world):
    done = robustness(
        world,
        *("ground_truth.json", "--images", "images", "--model", "region"),
        *("--transform", "fog:0,gaussian_noise:0,graded_scale:1", "--json", "-"),
    )
    rows = json.loads(done.stdout)["results"]["transforms"]
    assert [row["relative"] for row in rows] == [1, 1, 1]


def test_sets_that_went_out_come_back_with_the_same_numbers(world, tmp_path):
    direct = json.loads(run(world, "--json", "-").stdout)
    known = ("ground_truth.json", "--images", "images", "--transform", TRANSFORMS)
    out = robustness(world, *known, "--export", str(tmp_path / "sets"))
    assert out.returncode == 0, out.stderr
    assert "boxlens robustness --sets" in out.stdout
    for slug in ("clean", "vertical_flip", "white_background", "gaussian_noise-2"):
        place = tmp_path / "sets" / slug
        done = boxlens_here(
            *("detect", str(place / "images"), "--gt", str(place / "ground_truth.json")),
            *("--model", "region", "-o", str(tmp_path / "region" / f"{slug}.json")),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
    back = robustness(
        world,
        "--sets",
        str(tmp_path / "sets"),
        "--results",
        str(tmp_path / "region"),
        "--json",
        "-",
    )
    assert back.returncode == 0, back.stderr
    found = json.loads(back.stdout)
    assert found["results"]["transforms"] == direct["results"]["transforms"]
    assert found["dataset"] == direct["dataset"]


def test_a_second_run_takes_over_what_the_first_has_kept(world, tmp_path):
    keep = ("--keep", str(tmp_path / "kept"))
    first = run(world, *keep, "--json", "-")
    results = sorted((tmp_path / "kept" / "region").glob("*.json"))
    before = [path.stat().st_mtime_ns for path in results]
    again = run(world, *keep, "--json", "-")
    assert json.loads(again.stdout)["results"] == json.loads(first.stdout)["results"]
    assert [path.stat().st_mtime_ns for path in results] == before
    other = run(world, *keep, "--seed", "3")
    assert other.returncode == 2
    assert "--restart" in other.stderr


def test_a_report_is_written_with_pictures_of_what_was_lost(world, tmp_path):
    done = run(world, "-o", str(tmp_path / "out"), "--figures", "svg")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "report.html").read_text()
    assert "data:image/jpeg" in page
    assert (tmp_path / "out" / "results.json").exists()
    assert (tmp_path / "out" / "figures" / "robustness_study.svg").exists()
    assert (tmp_path / "out" / "tables" / "robustness_steps.parquet").exists()
    assert (tmp_path / "out" / "detections" / "region" / "clean.json").exists()


def test_rotations_bring_their_crop_and_a_bound_stands_beside(world, tmp_path):
    names = [
        one["name"] for one in json.loads((world / "ground_truth.json").read_text())["categories"]
    ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(bound_of(names, {}).to_json()))
    known = ("ground_truth.json", "--images", "images", "--model", "region", "--json", "-")
    turned = (*known, "--transform", "graded_rotation:10", "--bound")
    found = json.loads(robustness(world, *turned, str(path)).stdout)["results"]
    crop, ten = found["transforms"]
    assert (crop["reference"], ten["reference"]) == ("clean", "graded_rotation-0")
    assert ten["relative"] == pytest.approx(ten["AP"] / crop["AP"])
    assert found["bound"]["uap"] == json.loads(path.read_text())["results"]["uap"]
    refused = robustness(world, *turned, "ground_truth.json")
    assert refused.returncode == 2
    assert "boxlens upper-bound -o" in refused.stderr


MOODY = """
import numpy as np

classes = CLASSES

def moody(image):
    if image[:20].mean() < 100:
        raise RuntimeError("too dark for me")
    return np.array([[0, 0, 10, 10.0]]), np.array([0.5]), [classes[0]]

moody.classes = classes
"""


def test_a_detector_that_raises_on_a_picture_costs_that_picture_alone(world, tmp_path):
    from PIL import Image

    folder = tmp_path / "dark"
    rendered = rendered_set(folder)
    dark = np.asarray(Image.open(folder / "images" / "000002.png")) // 8
    Image.fromarray(dark).save(folder / "images" / "000002.png")
    names = list(rendered.dataset.classes.name)
    (folder / "moods_of_9.py").write_text(MOODY.replace("CLASSES", repr(names)))
    done = robustness(
        folder,
        *("ground_truth.json", "--images", "images", "--model", "moods_of_9:moody"),
        *("--transform", "brightness:1", "--json", "-"),
    )
    assert done.returncode == 3
    *_, told, count = done.stderr.splitlines()
    assert told.startswith("note: failed: 000002.png: moods_of_9:moody: the detector failed")
    assert told.endswith("too dark for me (in 2 sets)")
    assert count == "note: 1 picture failed"
    failed = json.loads(done.stdout)["results"]["failed"]
    assert {one["file"] for one in failed} == {"clean/000002.png", "brightness-1/000002.png"}


def test_masks_that_are_not_there_cannot_be_kept(tmp_path):
    rendered_set(tmp_path / "bare")
    path = tmp_path / "bare" / "ground_truth.json"
    document = json.loads(path.read_text())
    for one in document["annotations"]:
        del one["segmentation"]
    path.write_text(json.dumps(document))
    done = run(tmp_path / "bare", "--cut", "mask")
    assert done.returncode == 2
    assert "the ground truth has none" in done.stderr


def test_results_of_another_set_are_refused(world, tmp_path):
    known = ("ground_truth.json", "--images", "images", "--transform", "white_background")
    assert robustness(world, *known, "--export", str(tmp_path / "sets")).returncode == 0
    (tmp_path / "mine").mkdir()
    clean = [{"image_id": 1, "category_id": 1, "bbox": [1, 1, 9, 9], "score": 0.5}]
    (tmp_path / "mine" / "clean.json").write_text(json.dumps(clean))
    (tmp_path / "mine" / "whitebackground.json").write_text("[]")
    asked = ("--sets", str(tmp_path / "sets"), "--results", str(tmp_path / "mine"))
    misnamed = robustness(world, *asked)
    assert misnamed.returncode == 2
    assert "whitebackground is not a set" in misnamed.stderr
    strange = [{**clean[0], "image_id": 9999}]
    (tmp_path / "mine" / "white_background.json").write_text(json.dumps(strange))
    (tmp_path / "mine" / "whitebackground.json").unlink()
    done = robustness(world, *asked)
    assert done.returncode == 2
    assert "white_background" in done.stderr


def test_a_picture_that_cannot_be_read_is_listed_and_the_run_goes_on(tmp_path):
    rendered_set(tmp_path / "torn")
    path = tmp_path / "torn" / "images" / "000003.png"
    path.write_bytes(path.read_bytes()[:900])
    done = run(tmp_path / "torn", "--json", "-")
    assert done.returncode == 3
    assert done.stderr.count("failed: 000003.png") == 1
    assert done.stderr.endswith("note: 1 picture failed\n")
    found = json.loads(done.stdout)["results"]
    assert [one["file"] for one in found["failed"]] == ["000003.png"]
    assert len(found["transforms"]) == 3
    assert {one["n_images"] for one in found["sets"] if one["name"] != "white_background"} == {2}
    known = ("ground_truth.json", "--images", "images", "--transform", "vertical_flip")
    out = robustness(tmp_path / "torn", *known, "--export", "sets", "--json", "-")
    assert out.returncode == 3
    exported = json.loads(out.stdout)
    assert [one["file"] for one in exported["failed"]] == ["000003.png"]
    assert [one["n_images"] for one in exported["sets"]] == [2, 2]


RUN = ("ground_truth.json", "--images", "images", "--model", "region")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ground_truth.json", "--images", "images"), "--model"),
        (("ground_truth.json", "--model", "region"), "--images"),
        (("--sets", "sets"), "--results"),
        (("ground_truth.json", "found.json", "--images", "images"), "--model"),
        (("--results", "mine"), "--sets"),
        ((*RUN, "--transform", "fogg"), "did you mean fog"),
        ((*RUN, "--replicates", "200"), "--intervals"),
        ((*RUN, "region"), "given twice"),
        (
            ("--sets", "s", "--results", "r", "--cut", "mask", "--n-images", "3"),
            "--n-images, --cut",
        ),
        (("ground_truth.json", "--images", "images", "--export", "s", "-o", "out"), "--output"),
        (
            ("ground_truth.json", "--images", "images", "--export", "s", "--model", "m"),
            "one of the",
        ),
        ((*RUN, "--transform", "crop", "--severity", "3"), "--severity is of corruptions"),
        ((*RUN, "--transform", "crop", "--scenes", "images"), "--scenes is used by incongruent"),
        ((*RUN, "--restart"), "--restart is for results that were kept"),
        ((*RUN, "--partial"), "--partial is for results"),
        ((*RUN, "--transform", "clean"), "always run"),
    ],
)
def test_what_cannot_be_meant_is_told_in_a_line(world, arguments, told):
    done = robustness(world, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1

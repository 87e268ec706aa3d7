"""`boxlens scenes make` as a user runs it: what it prints, writes and returns."""

from __future__ import annotations

import json

import pytest

from running import boxlens_here, boxlens_process, refused

QUICK = ("scenes", "make", "--images", "2", "--size", "64x48", "--workers", "1", "-o", "out")


def test_it_says_what_it_made_and_where(tmp_path):
    done = boxlens_process(*QUICK, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    records = json.loads((tmp_path / "out" / "ground_truth.json").read_text())["annotations"]
    objects = [record for record in records if not record["iscrowd"]]
    difficult = sum(record["difficult"] for record in objects)
    first, *files = done.stdout.splitlines()
    assert first == (
        f"2 scenes in out: {len(objects)} objects ({difficult} difficult), "
        f"{len(records) - len(objects)} crowds"
    )
    named = [line.split()[0] for line in files]
    assert named == ["out/images", "out/ground_truth.json", "out/voc", "out/class_tree.json"]
    assert all((tmp_path / name).exists() for name in named)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_json_on_stdout_is_the_same_in_numbers(tmp_path):
    done = boxlens_process(*QUICK, "--json", "-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["folder"] == "out"
    assert document["n_images"] == 2
    records = json.loads((tmp_path / "out" / "ground_truth.json").read_text())["annotations"]
    assert document["n_objects"] + document["n_crowds"] == len(records)


def test_json_in_a_file_leaves_the_text_on_stdout(tmp_path):
    done = boxlens_here(*QUICK, "--json", "made.json", cwd=tmp_path)
    assert done.stdout.startswith("2 scenes in out")
    assert json.loads((tmp_path / "made.json").read_text())["n_images"] == 2


def test_seed_and_size_are_those_asked_for(tmp_path):
    done = boxlens_process(
        "scenes", "make", "--seed", "3", "--images", "1", "--size", "96x64", "-o", "out", cwd=tmp_path
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "out" / "ground_truth.json").read_text())
    assert document["info"]["seed"] == 3
    assert [(image["width"], image["height"]) for image in document["images"]] == [(96, 64)]


def test_the_folder_can_be_evaluated_at_once(tmp_path):
    boxlens_here(*QUICK, cwd=tmp_path)
    (tmp_path / "dt.json").write_text("[]")
    done = boxlens_here("evaluate", "out/ground_truth.json", "dt.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--size", "1x1"), "size 1x1"),
        (("--size", "480"), "480x360"),
        (("--sed", "4"), "did you mean --seed?"),
    ],
)
def test_options_that_cannot_be_meant_are_one_line(tmp_path, arguments, told):
    assert told in refused(*QUICK, *arguments, cwd=tmp_path)


def test_an_action_and_a_folder_are_needed(tmp_path):
    assert "make" in refused("scenes", cwd=tmp_path)
    assert "did you mean make?" in refused("scenes", "mak", cwd=tmp_path)
    assert "--output" in refused("scenes", "make", cwd=tmp_path)


def test_an_occupied_folder_is_one_line(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    line = refused(*QUICK, cwd=tmp_path, how=boxlens_process)
    assert "out" in line
    assert "Name a new folder" in line


def test_the_folder_one_stands_in_is_filled_or_refused_in_one_line(tmp_path):
    (tmp_path / "here").mkdir()
    done = boxlens_process(*QUICK[:-1], ".", cwd=tmp_path / "here")
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 2}

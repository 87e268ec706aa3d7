"""The report command, and `-o` of commands that write a page, as a user runs them."""

from __future__ import annotations

import json
from functools import partial

import pytest

from running import boxlens_here, boxlens_process, refused

TRUTH, WINDOW, REGION = "ground_truth.json", "window.json", "region.json"
FAST = ("--replicates", "100", "--figures", "none")


@pytest.fixture
def run(demo):
    return partial(boxlens_here, cwd=demo)


def test_the_report_says_the_verdict_and_where_it_is(demo, tmp_path):
    target = tmp_path / "out"
    done = boxlens_process(
        "report", TRUTH, WINDOW, "-o", str(target), "--ask", "scores,errors",
        "--replicates", "100", cwd=demo,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("window on ground_truth | 7,176 detections")
    assert f"note: wrote {target}/: report.html, results.json" in done.stderr
    assert "figures (svg)" in done.stderr
    figures = {path.suffix for path in (target / "figures").iterdir()}
    assert figures == {".svg", ".json"}
    stored = json.loads((target / "results.json").read_text())
    assert stored["parameters"]["ask"] == ["scores", "errors"]
    assert [path.name for path in demo.iterdir() if path.suffix != ".json"] == []


def test_json_is_what_the_folder_holds(run, tmp_path):
    said = run(
        "report", TRUTH, WINDOW, "-o", tmp_path / "out", "--ask", "sensitivity", *FAST,
        "--by", "area", "--iou", "0.6", "--name", "mine", "--json", "-",
    )  # fmt: skip
    told = json.loads(said.stdout)
    assert told == json.loads((tmp_path / "out" / "results.json").read_text())
    assert told["parameters"]["iou"] == 0.6
    (sensitivity,) = told["results"]["sensitivity"]
    assert sensitivity["parameters"]["characteristics"] == ["area"]
    assert sensitivity["results"]["detector"] == "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TRUTH, WINDOW), "-o/--output"),
        ((TRUTH, WINDOW, "-o", "out", "--ask", "colour"), "questions are scores, errors"),
        ((TRUTH, WINDOW, "-o", "out", "--ask", "comparison"), "takes two detectors"),
        ((TRUTH, WINDOW, "-o", TRUTH), "found a file"),
        ((TRUTH, WINDOW, "-o", "out", "--figures", "gif"), "svg, pdf, png or none"),
        ((TRUTH, WINDOW, "-o", "out", "--images", "."), "--images-mb"),
    ],
)
def test_misuse_is_told_in_a_line(demo, arguments, message, tmp_path):
    if message == "--images-mb":
        arguments = (*arguments, "--images-mb", "-1")
    arguments = [str(tmp_path / one) if one == "out" else one for one in arguments]
    assert message in refused("report", *arguments, cwd=demo)
    assert not (tmp_path / "out").exists()


def test_evaluate_writes_a_page_and_what_the_app_needs(run, tmp_path):
    said = run("evaluate", TRUTH, WINDOW, REGION, "--also", "confusion", "-o", tmp_path)
    assert f"note: wrote {tmp_path}/: report.html, results.json, 4 tables, 3 figures (svg)" in (
        said.stderr
    )
    assert "window" in said.stdout
    assert {path.name for path in tmp_path.iterdir()} == {
        ".boxlens", "figures", "report.html", "results.json", "run.json", "tables",
    }  # fmt: skip


def test_a_gate_writes_a_page_whether_it_passes_or_not(run, tmp_path):
    files = ("--baseline", WINDOW, "--candidate", REGION, "--replicates", "100", "-o", tmp_path)
    assert run("gate", TRUTH, *files, "--rule", "AP >= 0.9").returncode == 1
    page = (tmp_path / "report.html").read_text()
    assert "The gate FAILED: 0 of 1 rule holds" in page


def test_disagree_writes_a_file_or_a_folder(run, tmp_path):
    files = (TRUTH, WINDOW, REGION, "--min-score", "0.2")
    said = run("disagree", *files, "-o", tmp_path / "next.CSV")
    assert f"note: wrote {tmp_path / 'next.CSV'}: 200 images" in said.stderr
    said = run("disagree", *files, "-o", tmp_path / "out")
    assert f"note: wrote {tmp_path / 'out'}/: report.html, results.json, 1 table" in said.stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("keep")
    assert run("disagree", *files, "-o", tmp_path / "other").returncode == 2

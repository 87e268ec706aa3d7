"""The evaluate command as a user runs it: a real process, real files, what it prints and returns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import boxlens
from boxlens.cli import main
from running import boxlens_here, boxlens_process
from shared_data import shared

NUMBERS = ["AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"]


def test_table_has_one_column_a_detector(demo):
    done = boxlens_process("evaluate", "ground_truth.json", "window.json", "region.json", cwd=demo)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "window and region on ground_truth | COCO | 200 images | 1,456 objects"
    start = lines.index("Every number of the protocol") + 1
    assert lines[start].split() == ["metric", "window", "region"]
    rows = {line.split()[0]: line.split()[1:] for line in lines[start + 2 :]}
    assert list(rows)[:12] == NUMBERS
    result = boxlens.evaluate(
        demo / "ground_truth.json", [demo / "window.json", demo / "region.json"]
    )
    assert rows["AP50"] == [f"{d.metrics['AP50']:.3f}" for d in result.detectors]


def test_undefined_is_null_in_json_and_a_dash_in_the_table(tmp_path):
    write_tiny(tmp_path, detections=[])
    done = boxlens_here(
        "evaluate", "gt.json", "dt.json", "--json", "-", "--per-class", cwd=tmp_path
    )
    (detector,) = json.loads(done.stdout)["results"]["detectors"]
    assert detector["metrics"]["AP"] == 0
    assert detector["metrics"]["APl"] is None
    assert detector["classes"][1]["AP"] is None
    done = boxlens_here("evaluate", "gt.json", "dt.json", "--per-class", cwd=tmp_path)
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("APl")] == ["-"]


def test_lvis_reports_frequency_groups():
    done = boxlens_process(
        "evaluate", str(shared("lvis_100", "gt.json")), str(shared("lvis_100", "yolox_nano.json")),
        "--protocol", "lvis", "--json", "-",
    )  # fmt: skip
    (detector,) = json.loads(done.stdout)["results"]["detectors"]
    assert {"APr", "APc", "APf", "AR300"} <= set(detector["metrics"])
    assert round(detector["metrics"]["APf"], 3) == 0.137


def test_custom_thresholds_areas_and_limits(demo):
    done = boxlens_here(
        "evaluate", "ground_truth.json", "region.json", "--json", "-", "--iou", "0.9,0.5",
        "--area", "tiny=0:256", "--area", "rest=256:", "--max-dets", "5", cwd=demo,
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert document["parameters"]["iou_thresholds"] == [0.5, 0.9]
    metrics = document["results"]["detectors"][0]["metrics"]
    assert list(metrics) == ["AP", "AP50", "AP90", "APtiny", "APrest", "AR5", "ARtiny", "ARrest"]
    assert document["parameters"]["area_ranges"]["rest"] == [256.0, None]


def test_detectors_get_names_of_their_own(demo):
    done = boxlens_here("evaluate", "ground_truth.json", "region.json", "region.json", cwd=demo)
    assert re.search("^metric  region  region \\(2\\)$", done.stdout, re.MULTILINE)
    done = boxlens_here(
        "evaluate", "ground_truth.json", "region.json", "window.json", "--name", "A,B", cwd=demo
    )
    assert re.search("^metric +A +B$", done.stdout, re.MULTILINE)


def test_skipped_detections_are_told_on_stderr_and_strict_refuses_them(tmp_path):
    write_tiny(tmp_path, detections=[(1, 1, 0.9), (99, 1, 0.8), (1, 77, 0.7)])
    done = boxlens_here("evaluate", "gt.json", "dt.json", cwd=tmp_path)
    assert done.returncode == 0
    assert "1 of 3 detections, whose image" in done.stderr
    assert "1 of 3 detections, whose class" in done.stderr
    done = boxlens_process("evaluate", "gt.json", "dt.json", "--strict", cwd=tmp_path)
    assert done.returncode == 2
    assert "dt.json" in done.stderr
    assert "record 1" in done.stderr


def test_main_without_arguments_shows_help(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
    assert "evaluate" in capsys.readouterr().out


def test_output_into_a_closed_pipe_is_no_error(demo):
    import subprocess
    import sys

    command = f"{sys.executable} -m boxlens evaluate ground_truth.json region.json --per-class | head -n 1"
    done = subprocess.run(
        command, shell=True, cwd=demo, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr


def write_tiny(folder: Path, detections: list[tuple[int, int, float]]) -> None:
    ground_truth = {
        "images": [{"id": 1, "width": 100, "height": 100, "file_name": "a.jpg"}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
            {
                "id": 1,
                "image_id": 1,
                "category_id": 1,
                "bbox": [0, 0, 10, 10],
                "area": 100,
                "iscrowd": 0,
            }
        ],
    }
    results = [
        {"image_id": image, "category_id": cls, "bbox": [0, 0, 10, 10], "score": score}
        for image, cls, score in detections
    ]
    (folder / "gt.json").write_text(json.dumps(ground_truth))
    (folder / "dt.json").write_text(json.dumps(results))

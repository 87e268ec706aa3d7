"""What a mark of a figure counts is what the app shows when it is clicked."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

import boxlens
from boxlens.app.opening.run import open_run
from boxlens.app.selecting.query import parse_query
from boxlens.app.selecting.selection import select
from boxlens.studies.diagnosis import DiagnosisChoice, diagnose_tables
from shared_data import shared
from studies.diagnosis.worlds import demo_dataset, demo_detections

LINKED = {
    "false_positives",
    "fp_by_class",
    "tide_errors",
    "confusion_matrix",
    "misses",
    "pr_areas",
    "waterfall",
    "repair_orders",
}


def records_of(spec):
    """Every record inside a figure that leads somewhere."""
    if isinstance(spec, dict):
        if "select" in spec and "picked" in spec:
            yield spec
        for value in spec.values():
            yield from records_of(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from records_of(value)


def check_all(result, folder):
    result.save(folder, figures="none")
    run = open_run(folder)
    figures = json.loads((folder / "figures" / "figures.json").read_text(encoding="utf-8"))
    linked, n_checked = set(), 0
    for figure in figures:
        for record in records_of(figure["spec"]):
            linked.add(figure["name"])
            query = parse_query([*parse_qsl(record["select"]), ("detector", "0")], run)
            found = select(run, query)
            label, _, told = record["picked"].rpartition(": ")
            if label and told.replace(",", "").isdigit():
                assert found.n_rows == int(told.replace(",", "")), (figure["name"], record)
                n_checked += 1
    return linked, n_checked


def test_every_mark_of_the_demo_leads_to_what_it_counts(tmp_path):
    choice = DiagnosisChoice(interactions=(("area", "aspect"), ("occlusion", "truncation")))
    result = diagnose_tables(demo_dataset(), demo_detections(), choice)
    linked, n_checked = check_all(result, tmp_path / "run")
    assert linked >= LINKED
    assert any(name.startswith("by_parts") for name in linked)
    assert any(name.startswith("cross_") for name in linked)
    assert any(name.startswith("crosswalk") for name in linked)
    assert n_checked > 500


def test_every_mark_of_real_data_leads_to_what_it_counts(tmp_path):
    truth, found = (
        shared("coco_val2017", name) for name in ("instances_boxes.json.gz", "yolox_nano.json.gz")
    )
    _, n_checked = check_all(boxlens.diagnose(truth, found), tmp_path / "run")
    assert n_checked > 500

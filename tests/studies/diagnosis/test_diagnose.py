"""The whole diagnosis: what its JSON holds, and the laws it keeps."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import boxlens
from boxlens.data import select_images
from boxlens.studies.diagnosis.analysis import DiagnosisChoice, diagnose, diagnose_tables
from running import write_demo
from studies.diagnosis.worlds import (
    codes,
    demo_dataset,
    demo_detections,
    random_world,
    told,
)


@cache
def demo_diagnosis():
    return diagnose(demo_dataset(), demo_detections())


# --- What it holds


def test_json_has_the_documented_keys(tmp_path):
    folder = write_demo(tmp_path)
    result = diagnose(folder / "ground_truth.json", folder / "window.json")
    whole = told(result)
    results = whole["results"]
    assert set(results["schemes"]) == {"hoiem", "tide", "coco_analyze", "borji"}
    assert {"sensitivity", "misses", "verdict", "crosswalk"} <= set(results)
    tide = results["schemes"]["tide"]
    assert set(tide["dAP"]) == {"cls", "loc", "both", "dupe", "bkg", "miss", "fp", "fn"}
    assert tide["AP50"] == result.tide.ap
    for row in results["schemes"]["hoiem"]["classes"]:
        assert {"class", "n_objects", "AP", "AP_N", "AP_N_se"} <= set(row)
        assert set(row["top_fp"]) == {"loc", "sim", "oth", "bg"}
        assert set(row["impact"]) == {"loc_removed", "loc_corrected", "sim_removed", "bg_removed"}
    sequence = results["schemes"]["borji"]
    assert len(sequence) == 5
    assert sequence == sorted(sequence)
    assert sequence[-1] == 1
    overall = results["schemes"]["coco_analyze"]["overall"]["all"]
    assert list(overall) == ["C75", "C50", "Loc", "Sim", "Oth", "BG", "FN"]
    assert whole["provenance"]["ground_truth"]["path"].endswith("ground_truth.json")


@pytest.mark.parametrize("detector", ["window", "region"])
def test_every_scheme_starts_from_the_ap_of_evaluate(detector):
    result = diagnose(demo_dataset(), demo_detections(detector))
    evaluated = boxlens.evaluate(demo_dataset(), demo_detections(detector)).detectors[0].metrics
    assert result.metrics["AP"] == evaluated["AP"]
    assert result.metrics["AP50"] == evaluated["AP50"]
    assert result.borji.ap[0] == evaluated["AP50"]
    assert result.coco_analyze.mean_ap[1, 0] == evaluated["AP50"]
    # All classes of the demo have objects and no image has more than 100 detections.
    assert result.tide.ap == pytest.approx(evaluated["AP50"], abs=1e-12)


def test_at_another_iou_the_metric_is_that_of_evaluate():
    result = diagnose(demo_dataset(), demo_detections(), iou=0.75)
    evaluated = boxlens.evaluate(demo_dataset(), demo_detections()).detectors[0].metrics
    assert set(result.metrics) == {"AP", "AP75"}
    assert result.metrics["AP75"] == evaluated["AP75"]
    assert "AP50" not in told(result)["results"]["schemes"]["tide"]


def test_tidecvs_numbers_and_the_range_come_when_asked_for():
    dataset, detections, _ = random_world(5)
    result = diagnose(dataset, detections, tidecv=True, tide_range=True)
    tide = told(result)["results"]["schemes"]["tide"]
    assert tide["tidecv"]["quirks"]
    assert len(tide["range"]["thresholds"]) == 10
    assert not {"tidecv", "range"} & set(
        told(diagnose(dataset, detections))["results"]["schemes"]["tide"]
    )


def test_similar_classes_come_from_supercategories_groups_or_a_file(tmp_path):
    path = tmp_path / "alike.json"
    path.write_text(json.dumps({"wheels": ["car", "bus"]}), encoding="utf-8")
    by_file = diagnose(demo_dataset(), demo_detections(), similar=path)
    by_group = diagnose(demo_dataset(), demo_detections(), similar=[("car", "bus")])
    by_supercategory = diagnose(demo_dataset(), demo_detections(), similar="supercategory")
    assert told(by_file) == told(by_group)
    assert told(by_supercategory)["results"] == told(demo_diagnosis())["results"]
    assert told(by_file)["results"] != told(demo_diagnosis())["results"]
    assert "some_without_similar_class" in codes(by_file)


def test_progress_is_reported_step_by_step():
    steps = []
    dataset, detections, _ = random_world(5)
    diagnose_tables(
        dataset,
        detections,
        DiagnosisChoice(),
        progress=lambda what, done, total: steps.append((what, done, total)),
    )
    assert [done for _, done, _ in steps] == list(range(steps[0][2]))


# --- Laws


def assert_alike(first, second, where="results"):
    """Equal but for the last digits of sums taken in another order."""
    if isinstance(first, dict):
        assert first.keys() == second.keys(), where
        for key in first:
            assert_alike(first[key], second[key], f"{where}.{key}")
    elif isinstance(first, list):
        assert len(first) == len(second), where
        for at, pair in enumerate(zip(first, second, strict=True)):
            assert_alike(*pair, f"{where}[{at}]")
    elif isinstance(first, float):
        assert second == pytest.approx(first, abs=1e-9), where
    else:
        assert first == second, where


def test_images_without_objects_and_detections_change_only_what_counts_images():
    dataset, detections, _ = random_world(5)
    whole = diagnose(dataset, detections)
    used = np.union1d(dataset.gt.image_row, detections.image_row)
    part = diagnose(*select_images(dataset, detections, used))
    for scheme in ("tide", "coco_analyze", "borji"):
        assert_alike(
            told(part)["results"]["schemes"][scheme], told(whole)["results"]["schemes"][scheme]
        )


@pytest.mark.parametrize(
    ("iou", "background"), [(0.05, 0.025), (0.1, 0.05), (0.11, 0.1), (0.5, 0.1)], ids=str
)
def test_the_background_overlap_stays_below_what_is_right(iou, background):
    """.1 as long as that is looser, then half; the same as if it were asked for, but for a note."""
    dataset, detections = demo_dataset(), demo_detections()
    usual = diagnose(dataset, detections, iou=iou)
    asked = diagnose(dataset, detections, iou=iou, background_iou=background)
    assert usual.to_json()["results"] == asked.to_json()["results"]
    assert usual.to_json()["parameters"] == asked.to_json()["parameters"]
    assert usual.to_json()["parameters"]["background_iou"] == background
    notices = [one.message for one in usual.notices if one.code == "background_iou"]
    assert len(notices) == (background != 0.1)
    assert all(f"below IoU {background:g} count as background" in text for text in notices)
    assert not any(one.code == "background_iou" for one in asked.notices)
    of_misses = [text for text in usual.verdict.objects if "would count as found" in text]
    assert all(text.endswith(f"at IoU {background:g}.") for text in of_misses)

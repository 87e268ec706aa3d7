"""Real detectors through everything: the laws hold, the numbers of schemes meet where they must."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import boxlens
from boxlens.studies.diagnosis import diagnose
from running import write_demo
from shared_data import shared

COCO = ("yolox_nano", "fastestdet")
SCENES = ("window", "region")


@cache
def diagnosed(name, demo):
    if name in SCENES:
        return diagnose(demo / "ground_truth.json", demo / f"{name}.json", tidecv=True)
    truth = shared("coco_val2017", "instances_boxes.json.gz")
    return diagnose(truth, shared("coco_val2017", f"{name}.json.gz"), tidecv=True)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(params=[*COCO, *SCENES])
def result(request, demo):
    return diagnosed(request.param, demo)


@pytest.mark.slow
def test_ap_is_the_evaluators(result):
    [told] = boxlens.evaluate(result.dataset, result.detections).detectors
    assert result.metrics == {name: told.metrics[name] for name in ("AP", "AP50")}
    assert result.coco_analyze.mean_ap[:2, 0].tolist() == pytest.approx(
        [told.metrics["AP75"], told.metrics["AP50"]], abs=1e-12
    )


def test_repairs_end_where_they_must(result):
    assert all(before <= after for before, after in pairwise(result.borji.ap))
    assert result.borji.ap[-1] == 1
    for orders, start in (
        (result.tide.orders, result.tide.ap),  # every class of these sets has objects
        (result.borji.orders, result.borji.ap[0]),
    ):
        assert start + sum(row.mean for row in orders) == pytest.approx(1)
        assert all(row.lowest <= row.mean <= row.highest for row in orders)


def test_counts_add_up(result):
    counts = result.crosswalk.counts()
    tide = counts["tide"]["detections"]
    assert sum(tide[name] for name in ("cls", "loc", "both", "dupe", "bkg")) == result.tide.n["fp"]
    objects = counts["tide"]["objects"]
    assert objects["repairable"] + objects["miss"] == result.tide.n["fn"]
    hoiem = counts["hoiem"]["detections"]
    whole = [
        sum(row.whole[kind] for row in result.hoiem.classes) for kind in ("loc", "sim", "oth", "bg")
    ]
    assert [hoiem[kind] for kind in ("loc", "sim", "oth", "bg")] == whole
    analyze = counts["coco_analyze"]["objects"]
    borji = counts["borji"]["objects"]
    assert analyze["loc"] + analyze["fn"] == borji["localization"] + borji["miss"]


def test_curves_are_nested(result):
    ap = result.coco_analyze.mean_ap[:, 0]
    assert np.all(np.diff(ap[~np.isnan(ap)]) >= -1e-12)


def test_the_verdict_ranks_what_tide_counts(result):
    gains = [row.gain for row in result.verdict.findings]
    assert gains == sorted(gains, reverse=True)
    assert 3 <= len(gains) <= 4
    assert gains[0] == max(row.first for row in result.tide.orders)


def test_json_is_json(result):
    json.dumps(result.to_json(), allow_nan=False)


def test_size_is_what_coco_detectors_are_most_sensitive_to(demo):
    for name in COCO:
        rows = diagnosed(name, demo).sensitivity.characteristics
        assert max(rows, key=lambda row: row.sensitivity).name == "area"

"""Pages of a gate and of disagreement: the verdict, every rule, every image."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

import boxlens
from boxlens.report.writing.write_disagreement import write_disagreement, write_images
from boxlens.report.writing.write_gate import write_gate
from comparison.compared import NASTY
from diagnosis.worlds import demo_dataset, demo_detections, nothing_of
from report.test_page import Reader

RULES = ("AP >= baseline - 0.002", "AP of each class >= baseline - 0.2", "AP50 >= 0.99")


def pair(names=("window", "region")):
    found = (demo_detections("window"), demo_detections("region"))
    return [replace(one, name=name) for one, name in zip(found, names, strict=True)]


@pytest.fixture(scope="module", params=[("window", "region"), NASTY])
def gated(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate")
    result = boxlens.gate(demo_dataset(), *pair(request.param), rules=RULES, replicates=100)
    return result, folder, write_gate(result, folder)


def test_a_gate_says_its_verdict_and_every_rule(gated):
    result, folder, told = gated
    assert told == f"{folder}/: report.html, results.json, 1 table"
    reader = Reader((folder / "report.html").read_text(encoding="utf-8"))
    assert reader.open == []
    assert reader.linked == [a["id"] for tag, a in reader.tags if tag == "section"]
    shown = " ".join(reader.text)
    assert f"The gate {result.headline}." in shown
    for outcome in result.outcomes:
        assert outcome.text in shown
        assert outcome.reason in shown
    assert not {"nan", "None", "NaN"} & set(shown.split())
    assert "<script>alert" not in (folder / "report.html").read_text()


def test_a_gate_leaves_a_table_of_its_rules(gated):
    result, folder, _ = gated
    rules = pl.read_parquet(folder / "tables" / "rules.parquet")
    stored = json.loads((folder / "results.json").read_text())
    assert stored == json.loads(json.dumps(result.to_json()))
    told = stored["results"]["rules"]
    assert rules["verdict"].to_list() == [one["verdict"] for one in told]
    assert rules["difference_low"].to_list() == [one["difference"]["ci"][0] for one in told]


def test_disagreement_says_which_images_and_leaves_all_of_them(tmp_path):
    result = boxlens.disagree(demo_dataset(), pair(NASTY), min_score=0.2)
    told = write_disagreement(result, tmp_path / "out", n_top=7)
    assert told == f"{tmp_path / 'out'}/: report.html, results.json, 1 table"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    reader = Reader(page)
    assert reader.open == []
    assert "<script>alert" not in page
    shown = " ".join(reader.text)
    assert f"most on image {result.image_id[result.order[0]]}." in shown
    images = pl.read_parquet(tmp_path / "out" / "tables" / "images.parquet")
    assert images["image_id"].to_list() == result.image_id[result.order].tolist()
    assert len(json.loads((tmp_path / "out" / "results.json").read_text())["results"]["top"]) == 7
    assert write_images(result, tmp_path / "all.csv") == f"{tmp_path / 'all.csv'}: 200 images"
    assert pl.read_csv(tmp_path / "all.csv")["image_id"].to_list() == images["image_id"].to_list()


def test_detectors_that_agree_leave_nothing_to_annotate(tmp_path):
    silent = [replace(nothing_of(one)) for one in pair()]
    result = boxlens.disagree(demo_dataset(), silent, min_score=0.2, images_used="all")
    write_disagreement(result, tmp_path, n_top=7)
    shown = " ".join(Reader((tmp_path / "report.html").read_text()).text)
    assert "The detectors differ on 0 of 200 images." in shown
    assert "none is worth more than another" in shown

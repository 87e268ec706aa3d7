"""Pages of a gate and of disagreement: the verdict, every rule, every image."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

import boxlens
from boxlens.report.described import describe
from boxlens.report.study import Note
from report.test_page import Reader
from studies.comparison.compared import NASTY, disagreed
from studies.diagnosis.worlds import demo_dataset, demo_detections

RULES = ("AP >= baseline - 0.002", "AP of each class >= baseline - 0.2", "AP50 >= 0.99")


def pair(names=("window", "region")):
    found = (demo_detections("window"), demo_detections("region"))
    return [replace(one, name=name) for one, name in zip(found, names, strict=True)]


@pytest.fixture(scope="module", params=[("window", "region"), NASTY])
def gated(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate")
    result = boxlens.gate(demo_dataset(), *pair(request.param), rules=RULES, replicates=100)
    return result, folder, result.save(folder, figures="none")


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


def test_disagreement_shows_as_many_images_as_asked(tmp_path):
    result = boxlens.disagree(demo_dataset(), pair(), min_score=0.2, top=7)
    result.save(tmp_path)
    reader = Reader((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert f"most on image {result.image_id[result.order[0]]}." in " ".join(reader.text)
    rows = [text for text in reader.text if text.endswith(".jpg")]
    assert len(rows) == 7
    assert len(json.loads((tmp_path / "results.json").read_text())["results"]["top"]) == 7
    images = pl.read_parquet(tmp_path / "tables" / "images.parquet")
    assert images["image_id"].to_list() == result.image_id[result.order].tolist()


def test_detectors_that_agree_leave_nothing_to_annotate():
    study = describe(disagreed("silent"))
    assert study.sentences == ("The detectors disagree on 0 of 200 images.",)
    (note,) = [part.text for _, part in study.walk() if isinstance(part, Note)]
    assert note.startswith("The detectors agree on every image")

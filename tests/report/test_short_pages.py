"""Pages of a gate and of disagreement: the verdict, every rule, every image."""

from __future__ import annotations

import json

import polars as pl
import pytest

import boxlens
from boxlens.report.described import describe
from boxlens.report.readers.page import study_page
from boxlens.report.study import Note
from report.test_page import Reader
from report.written_verbs import gated
from studies.comparison.compared import disagreed
from studies.diagnosis.worlds import demo_dataset, demo_detections


@pytest.mark.parametrize("names", ["both", "nasty"])
def test_a_gate_says_its_verdict_and_every_rule(names):
    result = gated(names)
    shown = " ".join(Reader(study_page(describe(result), result.to_json())).text)
    assert f"The gate {result.headline}." in shown
    for outcome in result.outcomes:
        assert outcome.text in shown
        assert outcome.reason in shown


def test_a_gate_leaves_a_table_of_its_rules(written_verb):
    folder, _ = written_verb("gate")
    rules = pl.read_parquet(folder / "tables" / "rules.parquet")
    told = json.loads((folder / "results.json").read_text())["results"]["rules"]
    assert rules["verdict"].to_list() == [one["verdict"] for one in told]
    assert rules["difference_low"].to_list() == [one["difference"]["ci"][0] for one in told]


def test_disagreement_shows_as_many_images_as_asked(tmp_path):
    result = boxlens.disagree(
        demo_dataset(), [demo_detections("window"), demo_detections("region")], min_score=0.2, top=7
    )
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

"""What an evaluation leaves behind: scores with intervals, every class, and further readings."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest

import boxlens
from boxlens.report.charts.colours import SERIES
from boxlens.report.described import describe
from boxlens.wording import score
from report.drawn import colours, records, svg_of, words
from report.test_page import Reader
from report.written_verbs import evaluated
from studies.diagnosis.worlds import demo_dataset, demo_detections


@pytest.fixture
def written(written_verb):
    return written_verb("evaluate")[0]


def test_what_the_app_needs_is_written_with_what_was_evaluated(written):
    assert {path.stem for path in (written / "tables").iterdir()} == {
        "scores", "images", "detections", "objects",
    }  # fmt: skip
    assert json.loads((written / "run.json").read_text())["verb"] == "evaluate"


def test_the_page_shows_every_number_with_its_interval_and_every_notice(written):
    shown = " ".join(Reader((written / "report.html").read_text(encoding="utf-8")).text)
    for one in evaluated("both").detectors:
        for name, value in one.metrics.items():
            assert score(value) in shown, name
            assert score(one.intervals[name].low) in shown
    for notice in (n for one in evaluated("both").detectors for n in one.notices):
        assert notice.message in shown


def test_the_table_holds_every_number_with_its_interval(written):
    scores = pl.read_parquet(written / "tables" / "scores.parquet")
    for one in evaluated("both").detectors:
        whole = scores.filter(pl.col("detector") == one.name, pl.col("class").is_null())
        assert whole["metric"].to_list() == list(one.metrics)
        assert whole["value"].to_list() == list(one.metrics.values())
        assert whole["low"].to_list() == [one.intervals[name].low for name in one.metrics]
        by_class = scores.filter(
            pl.col("detector") == one.name, pl.col("class").is_not_null(), metric="AP"
        )
        assert by_class["n_objects"].to_list() == [row.n_gt for row in one.classes]
    unsure = evaluated("plain").tables()["scores"]
    assert unsure["low"].is_null().all()


def test_figures_are_those_that_were_asked_for():
    assert list(evaluated("both").figures()) == [
        "main_numbers", "class_scores", "mean_curves",
        "confusion_matrix_window", "confusion_matrix_region",
    ]  # fmt: skip
    plots = [plot for _, plot in describe(evaluated("plain")).plots()]
    assert [one.name for one in plots if not one.absent] == ["class_scores"]
    reasons = [one.absent for one in plots if one.absent]
    assert reasons == ["intervals were not asked for (--intervals)"]


def test_the_main_numbers_are_drawn_for_one_detector_and_for_several():
    both = svg_of(evaluated("both").figures()["main_numbers"])
    assert set(SERIES[:2]) <= colours(both)
    for name in ("AP50", "window", "region", "95% interval"):
        assert name in words(both)
    first = evaluated("both").detectors[0]
    alone = svg_of(replace(evaluated("both"), detectors=(first,)).figures()["main_numbers"])
    assert score(first.metrics["AP"]) in words(alone)


def test_mean_curves_start_high_and_end_where_nothing_is_found():
    chart = evaluated("both").figures()["mean_curves"]
    assert "recall" in words(svg_of(chart))
    rows = records(chart, "y")
    for one in evaluated("both").detectors:
        line = [row["y"] for row in rows if row.get("series") == one.name]
        assert len(line) == 101
        assert all(a >= b for a, b in pairwise(line))


def test_the_best_detector_is_named_first():
    study = describe(evaluated("both"))
    values = {one.name: one.metrics["AP"] for one in evaluated("both").detectors}
    best = max(values, key=values.get)
    assert study.sentences[0].startswith(f"{best} has AP {score(values[best])} (0.")
    assert next(name for name, _, _ in study.tiles) == f"AP of {best}"
    assert "compare" in study.sentences[-1]


def test_nothing_there_is_said():
    (sentence,) = describe(evaluated("nothing")).sentences
    assert sentence == "AP of window is undefined: no object counts."


def test_two_detectors_of_one_name_are_kept_apart(tmp_path):
    twice = [replace(demo_detections(name), name="same") for name in ("window", "region")]
    boxlens.evaluate(demo_dataset(), twice).save(tmp_path, figures="none")
    found = pl.read_parquet(tmp_path / "tables" / "detections.parquet")
    assert found["detector"].unique(maintain_order=True).to_list() == ["same", "same (2)"]

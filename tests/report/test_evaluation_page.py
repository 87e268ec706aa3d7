"""What an evaluation leaves behind: scores with intervals, every class, and further readings."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise

import polars as pl
import pytest

import boxlens
from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.evaluation import EXTRAS
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.report.charts.colours import SERIES
from boxlens.report.charts.main_numbers import main_numbers_chart
from boxlens.report.charts.mean_curves import mean_curves_chart
from boxlens.report.described import describe
from boxlens.wording import score
from report.drawn import colours, records, svg_of, words
from report.test_page import Reader
from studies.comparison.compared import NASTY
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of

SURE = ResamplingChoice(n_replicates=100)


def tables(names=("window", "region")):
    found = (demo_detections("window"), demo_detections("region"))
    return [replace(one, name=name) for one, name in zip(found, names, strict=True)]


@cache
def evaluation(names=("window", "region"), *, also=EXTRAS, sure=True):
    choice = choose(also=also, intervals=SURE if sure else False)
    return evaluate_tables(demo_dataset(), tables(names), choice)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "out"
    return folder, evaluation().save(folder, dataset=demo_dataset(), detections=tables())


@pytest.fixture(scope="module")
def reader(written):
    return Reader((written[0] / "report.html").read_text(encoding="utf-8"))


def test_every_file_is_there_and_named_in_the_line(written):
    folder, told = written
    assert told == f"{folder}/: report.html, results.json, 4 tables, 5 figures (svg)"
    listed = (folder / ".boxlens").read_text().splitlines()
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".boxlens"]
    assert sorted(listed) == sorted(path.relative_to(folder).as_posix() for path in files)
    assert {path.stem for path in (folder / "tables").iterdir()} == {
        "scores", "images", "detections", "objects",
    }  # fmt: skip
    stored = json.loads((folder / "results.json").read_text())
    assert stored == json.loads(json.dumps(evaluation().to_json()))
    assert json.loads((folder / "run.json").read_text())["verb"] == "evaluate"


def test_the_page_has_a_section_a_question(reader):
    assert reader.open == []
    sections = [a["id"] for tag, a in reader.tags if tag == "section"]
    assert sections == reader.linked
    assert sections == [
        "summary", "scores", "readings", "classes", "method", "provenance",
    ]  # fmt: skip
    ids = [a["id"] for _, a in reader.tags if "id" in a]
    assert len(ids) == len(set(ids))
    shown = " ".join(reader.text)
    for one in evaluation().detectors:
        for name, value in one.metrics.items():
            assert score(value) in shown, name
            assert score(one.intervals[name].low) in shown
    for notice in (n for one in evaluation().detectors for n in one.notices):
        assert notice.message in shown


def test_the_table_holds_every_number_with_its_interval(written):
    scores = pl.read_parquet(written[0] / "tables" / "scores.parquet")
    for one in evaluation().detectors:
        whole = scores.filter(pl.col("detector") == one.name, pl.col("class").is_null())
        assert whole["metric"].to_list() == list(one.metrics)
        assert whole["value"].to_list() == list(one.metrics.values())
        assert whole["low"].to_list() == [one.intervals[name].low for name in one.metrics]
        by_class = scores.filter(
            pl.col("detector") == one.name, pl.col("class").is_not_null(), metric="AP"
        )
        assert by_class["n_objects"].to_list() == [row.n_gt for row in one.classes]
    unsure = evaluation(also=(), sure=False).tables()["scores"]
    assert unsure["low"].is_null().all()


def test_figures_are_those_that_were_asked_for():
    assert list(evaluation().figures()) == [
        "main_numbers", "class_scores", "mean_curves",
        "confusion_matrix_window", "confusion_matrix_region",
    ]  # fmt: skip
    plots = [plot for _, plot in describe(evaluation(also=(), sure=False)).plots()]
    assert [one.name for one in plots if not one.absent] == ["class_scores"]
    reasons = [one.absent for one in plots if one.absent]
    assert reasons == ["intervals were not asked for (--intervals)"]


def test_the_main_numbers_are_drawn_for_one_detector_and_for_several():
    both = svg_of(evaluation().figures()["main_numbers"])
    assert set(SERIES[:2]) <= colours(both)
    for name in ("AP50", "window", "region", "95% interval"):
        assert name in words(both)
    alone = svg_of(main_numbers_chart(evaluation().detectors[:1]))
    assert score(evaluation().detectors[0].metrics["AP"]) in words(alone)


def test_mean_curves_start_high_and_end_where_nothing_is_found():
    curves = {one.name: one.extras.curves for one in evaluation().detectors}
    chart = mean_curves_chart(curves)
    assert "recall" in words(svg_of(chart))
    rows = records(chart, "y")
    for name in curves:
        line = [row["y"] for row in rows if row.get("series") == name]
        assert len(line) == 101
        assert all(a >= b for a, b in pairwise(line))


def test_the_best_detector_is_named_first():
    study = describe(evaluation())
    values = {one.name: one.metrics["AP"] for one in evaluation().detectors}
    best = max(values, key=values.get)
    assert study.sentences[0].startswith(f"{best} has AP {score(values[best])} (0.")
    assert next(name for name, _, _ in study.tiles) == f"AP of {best}"
    assert "compare" in study.sentences[-1]


def test_names_from_outside_are_text(tmp_path):
    result = evaluation(NASTY, also=("confusion",))
    result.save(tmp_path, figures="none")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert all(name in " ".join(Reader(page).text) for name in NASTY)


def test_nothing_there_is_said(tmp_path):
    dataset = nothing_of(demo_dataset())
    found = nothing_of(demo_detections("window"))
    result = boxlens.evaluate(dataset, found)
    result.save(tmp_path, figures="none", dataset=dataset, detections=[found])
    shown = " ".join(Reader((tmp_path / "report.html").read_text()).text)
    assert "AP of window is undefined: no object counts." in shown
    assert not {"nan", "None", "NaN"} & set(shown.split())


def test_two_detectors_of_one_name_are_kept_apart(tmp_path):
    twice = tables(("same", "same"))
    result = evaluate_tables(demo_dataset(), twice, choose())
    result.save(tmp_path, figures="none", dataset=demo_dataset(), detections=twice)
    found = pl.read_parquet(tmp_path / "tables" / "detections.parquet")
    assert found["detector"].unique(maintain_order=True).to_list() == ["same", "same (2)"]

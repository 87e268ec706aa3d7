"""Figures, page and table of a search for settings show what the result holds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from altair.utils.schemapi import debug_mode

from boxlens.proposals.tuning.verdict import tuning_sentences
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.tuning_trials import tuning_settings_chart, tuning_trials_chart
from boxlens.report.frames.tuning_tables import tuning_frames
from boxlens.report.notebook import html_of
from boxlens.report.pages.page import DrawnPlan
from boxlens.report.pages.tuning_page import tuning_page
from boxlens.report.planning.tuning_figures import tuning_figures
from boxlens.report.writing.write_proposals import write_tuning
from report.detection_use_results import TUNING_WORLDS, tuned
from report.drawn import records, size, svg_of, words
from report.test_page import Reader


@pytest.fixture(autouse=True)
def _unchecked():
    with debug_mode(False):
        yield


def test_figures_compile_and_write_nothing_undefined():
    for figure in tuning_figures(tuned()).figures:
        with debug_mode(True):
            svg = svg_of(figure.draw())
        assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", words(svg)), figure.name
        width, height = size(svg)
        assert width <= 720, figure.name
        assert height <= 720, figure.name


def test_every_trial_is_a_point_and_the_line_is_the_best_so_far():
    result = tuned(better=True)
    rows = records(tuning_trials_chart(result), "number")
    points = [row for row in rows if "kind" in row]
    # Once as a point, and the first once more as the line it is compared with.
    assert {row["number"]: row["ar"] for row in points} == {
        one.number: one.ar for one in result.trials
    }
    assert {row["number"] for row in points if row["kind"] == "best"} == {result.best}
    line = [row["ar"] for row in rows if "kind" not in row]
    assert line == [max(one.ar for one in result.trials[: at + 1]) for at in range(12)]


def test_only_settings_that_were_varied_have_a_panel():
    spec = json.dumps(chart_json(tuning_settings_chart(tuned())))
    assert '"setting beta:Q"' in spec or '"field": "setting beta"' in spec
    assert '"field": "setting kappa"' not in spec
    assert '"type": "log"' in spec


@pytest.mark.parametrize(
    ("low", "high"), [(0.9993, 0.99995), (0.5, 0.95), (-3, 4), (50, 2000), (1e-4, 2e3), (7, 7)]
)
def test_every_tick_of_a_setting_has_room_for_its_label(low, high):
    values = [low, high, low]
    trials = [
        replace(one, settings={"eta": value, "other": row})
        for row, (one, value) in enumerate(zip(tuned(3).trials, values, strict=True))
    ]
    panels = chart_json(tuning_settings_chart(replace(tuned(3), trials=tuple(trials))))
    shown = [one["layer"][0]["encoding"]["x"] for one in panels["vconcat"][-1]["concat"]]
    for axis in (one["axis"] for one in shown if one["field"] == "setting eta"):
        assert low == high or 2 <= len(axis["values"]) <= 8
        assert low <= min(axis["values"])
        assert max(axis["values"]) <= high
        assert axis["labelOverlap"] is False


def test_pictures_that_were_held_out_are_told():
    told = chart_json(tuning_trials_chart(tuned()))["usermeta"]["reading"]
    assert "On 30 pictures held out: AR .280 before, .310 after." in told
    told = chart_json(tuning_trials_chart(tuned(held_out=False)))["usermeta"]["reading"]
    assert "No pictures were held out." in told


@pytest.mark.parametrize("world", TUNING_WORLDS)
def test_every_result_has_a_page_and_a_table(world):
    result = TUNING_WORLDS[world]()
    plan = tuning_figures(result)
    reader = Reader(tuning_page(result, result.to_json(), DrawnPlan((), plan.left_out)))
    assert reader.open == []
    for figure in plan.figures:
        assert "nan" not in str(chart_json(figure.draw())["datasets"])
    (frame,) = tuning_frames(result).values()
    assert frame.schema == tuning_frames(tuned())["trials"].schema
    assert frame["best"].sum() == 1
    for column in frame.select(pl.col(pl.Float64)):
        assert not column.is_nan().any()


def test_every_file_is_there_and_the_page_says_what_the_verdict_does(tmp_path):
    result = tuned()
    told = write_tuning(result, tmp_path, formats=())
    assert told == f"{tmp_path}/: report.html, results.json, 1 table"
    stored = json.loads((tmp_path / "results.json").read_text())
    assert stored == json.loads(json.dumps(result.to_json()))
    shown = " ".join(Reader((tmp_path / "report.html").read_text(encoding="utf-8")).text)
    for text in tuning_sentences(result):
        assert text in shown
    trials = pl.read_parquet(tmp_path / "tables" / "trials.parquet")
    assert trials["AR"].to_list() == [one.ar for one in result.trials]
    assert trials["setting_beta"].to_list() == [one.settings["beta"] for one in result.trials]


def test_the_guide_names_every_column():
    guide = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")
    (frame,) = tuning_frames(tuned()).values()
    columns = [one for one in frame.columns if not one.startswith("setting_")]
    assert not [one for one in ("trials", *columns) if f"`{one}`" not in guide]


def test_a_notebook_shows_the_best_trials_and_a_figure():
    html = html_of(tuned())
    assert "min_box_area" in html
    assert "data:image/svg+xml" in html

"""Figures, page and tables of oracles and scores show what the results hold."""

from __future__ import annotations

import re

import numpy as np
import pytest
from altair.utils.schemapi import debug_mode

from boxlens.report.charts.export import chart_json
from boxlens.report.charts.oracle_scores import oracle_scores_chart
from boxlens.report.charts.score_map import highest_score, score_map_chart
from boxlens.report.charts.scores_by_iou import scores_by_iou_chart
from boxlens.report.frames.oracle_tables import oracle_frames
from boxlens.report.pages.oracle_page import oracle_page
from boxlens.report.pages.page import DrawnPlan
from boxlens.report.planning.oracle_figures import oracle_figures
from report.detection_use_results import ORACLE_WORLDS, shape_of
from report.drawn import records, size, svg_of, words

two_detectors = ORACLE_WORLDS["two detectors"]


@pytest.fixture(autouse=True)
def _unchecked():
    with debug_mode(False):
        yield


def test_figures_compile_and_write_nothing_undefined():
    figures = oracle_figures(two_detectors()).figures
    assert [one.name for one in figures] == [
        "oracles_window",
        "oracles_region",
        "scores_by_iou",
        "score_map_window",
        "score_map_region",
    ]
    for figure in (*figures[1:4], *oracle_figures(ORACLE_WORLDS["no proposals"]()).figures[:1]):
        with debug_mode(True):
            svg = svg_of(figure.draw())
        assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", words(svg)), figure.name
        width, height = size(svg)
        assert width <= 480, figure.name
        assert height <= 660, figure.name


def test_bars_are_the_scores_and_gains_are_counted_from_the_proposals():
    mine = [one for one in two_detectors().oracles if one.detector == "window"]
    rows = records(oracle_scores_chart(mine), "oracle")
    assert len(rows) == 3 * 4
    best = mine[-1]
    told = {row["oracle"]: row["text"] for row in rows if row["name"] == best.method}
    assert told == {
        "none": ".400",
        "gt": ".600  (+.200)",
        "nms": ".420  (+.020)",
        "gt+nms": ".610  (+.210)",
    }
    assert rows[0]["name"] == best.method


def test_numbers_stand_in_a_column_beyond_the_bars():
    mine = [one for one in two_detectors().oracles if one.detector == "window"]
    whole = chart_json(oracle_scores_chart(mine))["vconcat"][-1]
    assert whole["layer"][-1]["encoding"]["x"]["value"] > whole["width"]


def test_tiles_name_the_best_method_of_each_detector():
    result = two_detectors()
    page = oracle_page(result, result.to_json(), DrawnPlan((), ()))
    tiles = page[page.index('<dl class="tiles">') :].split("</dl>")[0]
    assert re.findall("<dt>([^<]+)</dt><dd>([^<]+)</dd>", tiles) == [
        ("AP50, window on bing (best of 3)", ".400"),
        ("AP50 with both oracles, window", ".610"),
        ("AP50, region on bing (best of 3)", ".300"),
        ("AP50 with both oracles, region", ".510"),
    ]


def test_a_figure_without_a_neighbour_has_the_line_to_itself():
    wide = {one.name: one.wide for one in oracle_figures(two_detectors()).figures}
    assert [name for name, alone in wide.items() if alone] == ["scores_by_iou"]
    lone = oracle_figures(ORACLE_WORLDS["many methods"]()).figures
    assert [one.wide for one in lone] == [True, False, False]


def test_without_proposals_a_detector_is_a_group():
    rows = records(oracle_scores_chart(ORACLE_WORLDS["no proposals"]().oracles), "oracle")
    assert [(row["name"], row["oracle"]) for row in rows] == [
        ("window", "raw"),
        ("window", "nms"),
        ("region", "raw"),
        ("region", "nms"),
    ]


def test_of_many_methods_the_best_are_shown_and_that_is_told():
    chart = oracle_scores_chart(ORACLE_WORLDS["many methods"]().oracles)
    assert "The best 10 of 14 methods." in chart_json(chart)["usermeta"]["reading"]


def test_scores_stand_in_the_middle_of_their_bins_and_empty_bins_are_left_out():
    rows = records(scores_by_iou_chart(two_detectors().scores), "iou")
    mine = [row for row in rows if row["detector"] == "window"]
    assert len(mine) == 15
    assert mine[0]["iou"] == 0.225
    assert mine[0]["low"] == 0
    assert mine[-1]["high"] == 1


def test_cells_without_detections_are_blank_and_both_maps_share_their_colours():
    scores = shape_of("net", 3)
    chart = score_map_chart(scores, highest=highest_score([scores]))
    n_filled = int((scores.maps[0].n_detections > 0).sum())
    rows = records(chart, "score")
    assert len(rows) == 2 * n_filled
    assert "faint: fewer than 5" in chart_json(chart)["usermeta"]["reading"]
    assert all(one["height"] == one["width"] for one in chart_json(chart)["hconcat"])
    # A cell of one detection does not make all others pale.
    sure = [one.mean[one.n_detections >= 5].max() for one in scores.maps]
    assert highest_score([scores]) == max(sure)
    assert np.isnan(highest_score([shape_of("net", 3, empty=True)]))


def test_without_objects_figures_say_why_they_are_not_there():
    plan = oracle_figures(ORACLE_WORLDS["no objects"]())
    assert plan.figures == ()
    assert {one.why for one in plan.left_out} == {
        "no class has objects",
        "no detection overlaps an object",
    }


def test_tables_hold_the_numbers():
    result = ORACLE_WORLDS["no proposals"]()
    tables = oracle_frames(result)
    expected = [score.ap50 for one in result.oracles for score in one.scores]
    assert tables["oracles"]["AP50"].to_list() == expected
    assert len(tables["score_maps"]) == 2 * 2 * 21 * 21

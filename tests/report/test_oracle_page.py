"""Figures, page and tables of oracles and scores show what the results hold."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from report.detection_use_results import ORACLE_WORLDS, oracles_of, shape_of
from report.drawn import page_without_figures, plan_of, reading_of, records, spec_of

two_detectors = ORACLE_WORLDS["two detectors"]


def drawn(result, name):
    return result.figures()[name]


def test_figures_come_by_detector_and_then_show_scores():
    assert [one.name for one in plan_of(two_detectors()).figures] == [
        "oracles_window",
        "oracles_region",
        "scores_by_iou",
        "score_map_window",
        "score_map_region",
    ]


def test_bars_are_the_scores_and_gains_are_counted_from_the_proposals():
    mine = [one for one in two_detectors().oracles if one.detector == "window"]
    rows = records(drawn(two_detectors(), "oracles_window"), "series")
    assert len(rows) == 3 * 4
    best = mine[-1]
    told = {row["series"]: row["text"] for row in rows if row["row"] == best.method}
    assert told == {
        "none": "0.400",
        "gt": "0.600  (+0.200)",
        "nms": "0.420  (+0.020)",
        "gt+nms": "0.610  (+0.210)",
    }
    assert rows[0]["row"] == best.method


def test_numbers_stand_in_a_column_beyond_the_bars():
    whole = spec_of(drawn(two_detectors(), "oracles_window"))["vconcat"][-1]
    texts = [one for one in whole["layer"] if one["mark"]["type"] == "text"]
    assert texts[-1]["encoding"]["x"]["value"] > whole["width"]


def test_tiles_name_the_best_method_of_each_detector():
    page = page_without_figures(two_detectors())
    tiles = page[page.index('<dl class="tiles">') :].split("</dl>")[0]
    assert re.findall("<dt>([^<]+)</dt><dd>([^<]+)</dd>", tiles) == [
        ("AP50, window on bing (best of 3)", "0.400"),
        ("AP50 with both oracles, window", "0.610"),
        ("AP50, region on bing (best of 3)", "0.300"),
        ("AP50 with both oracles, region", "0.510"),
    ]


def test_a_figure_without_a_neighbour_has_the_line_to_itself():
    wide = {one.name: one.wide for one in plan_of(two_detectors()).figures}
    assert [name for name, alone in wide.items() if alone] == ["scores_by_iou"]
    lone = plan_of(ORACLE_WORLDS["many methods"]()).figures
    assert [one.wide for one in lone] == [True, False, False]


def test_without_proposals_a_detector_is_a_group():
    rows = records(drawn(ORACLE_WORLDS["no proposals"](), "oracles"), "series")
    assert [(row["tip"]["detector"], row["series"]) for row in rows] == [
        ("window", "raw"),
        ("window", "nms"),
        ("region", "raw"),
        ("region", "nms"),
    ]


def test_of_many_methods_the_best_are_shown_and_that_is_told():
    chart = drawn(ORACLE_WORLDS["many methods"](), "oracles_net")
    assert "The best 10 of 14 methods." in reading_of(chart)


def test_scores_stand_in_the_middle_of_their_bins_and_empty_bins_are_left_out():
    rows = records(drawn(two_detectors(), "scores_by_iou"), "series")
    mine = [row for row in rows if row["series"] == "window"]
    assert len(mine) == 15
    assert mine[0]["x"] == 0.225
    assert mine[0]["low"] == 0
    assert mine[-1]["high"] == 1


def test_cells_without_detections_are_blank_and_both_maps_share_their_colours():
    scores = shape_of("net", 3)
    empty = shape_of("other", 3, empty=True)
    chart = drawn(replace(oracles_of(("net", "other")), scores=(scores, empty)), "score_map_net")
    n_filled = int((scores.maps[0].n_detections > 0).sum())
    rows = records(chart, "score")
    assert len(rows) == 2 * n_filled
    assert "faint: fewer than 5" in reading_of(chart)
    panels = spec_of(chart)["hconcat"]
    assert all(one["height"] == one["width"] for one in panels)
    # A cell of one detection does not make all others pale.
    sure = max(one.mean[one.n_detections >= 5].max() for one in scores.maps)
    ends = [one["layer"][0]["encoding"]["color"]["scale"]["domain"] for one in panels]
    assert ends == [[0, sure], [0, sure]]


def test_where_every_cell_is_of_few_detections_the_highest_of_them_is_darkest():
    scores = shape_of("net", 3)
    maps = tuple(replace(one, n_detections=np.minimum(one.n_detections, 1)) for one in scores.maps)
    result = replace(oracles_of(("net",)), scores=(replace(scores, maps=maps),))
    panel = spec_of(drawn(result, "score_map_net"))["hconcat"][0]
    highest = max(np.nanmax(one.mean) for one in maps)
    assert panel["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, highest]


def test_without_objects_figures_say_why_they_are_not_there():
    plan = plan_of(ORACLE_WORLDS["no objects"]())
    assert plan.figures == ()
    assert {one.why for one in plan.left_out} == {
        "no class has objects",
        "no detection overlaps an object",
    }


def test_tables_hold_the_numbers():
    result = ORACLE_WORLDS["no proposals"]()
    tables = result.tables()
    expected = [score.ap50 for one in result.oracles for score in one.scores]
    assert tables["oracles"]["AP50"].to_list() == expected
    assert len(tables["score_maps"]) == 2 * 2 * 21 * 21

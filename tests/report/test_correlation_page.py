"""Figures, page and tables of recall against mAP show what the results hold."""

from __future__ import annotations

import math

import polars as pl

from boxlens.report.charts.point_labels import place_labels
from report.detection_use_results import CORRELATION_WORLDS
from report.drawn import plan_of, reading_of, records
from report.proposal_results import NASTY

two_detectors = CORRELATION_WORLDS["two detectors"]


def test_lines_are_the_correlations_at_every_overlap_and_with_average_recall():
    result = two_detectors()
    chart = result.figures()["recall_correlation"]
    averages = {row["tip"]["detector"]: row["with_ar"] for row in records(chart, "with_ar")}
    for one in result.correlations:
        if not one.class_name:
            mine = [row for row in records(chart, "series") if row["series"] == one.detector]
            assert [row["y"] for row in mine] == one.at_iou.tolist()
            assert averages[one.detector] == one.with_ar


def test_every_method_is_a_named_point_for_each_detector():
    result = two_detectors()
    rows = records(result.figures()["recall_against_map"], "tip")
    assert {(row["name"], row["x"], row["y"]) for row in rows} == {
        (one.method, one.ar, one.map) for one in result.scores
    }


def test_names_stand_apart_and_inside_where_there_is_room():
    points = [(10.0, 50.0), (14.0, 52.0), (290.0, 5.0), (150.0, 95.0), (152.0, 60.0)]
    texts = ["uniform", "gaussian", "sliding-window", "bing", "edge-boxes"]
    places = place_labels(points, texts, width=300, height=100)
    boxes = [
        (x - 2.3 * len(text), y - 5, x + 2.3 * len(text), y + 5)
        for ((x, y), _), text in zip(places, texts, strict=True)
    ]
    for at, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= 300
        assert bottom <= 100
        for other in boxes[:at]:
            apart = right <= other[0] or left >= other[2] or bottom <= other[1] or top >= other[3]
            assert apart


def test_a_name_keeps_off_the_line_and_is_nearest_to_its_own_point():
    points = [(60.0, 140.0), (66.0, 128.0), (240.0, 60.0), (252.0, 50.0), (150.0, 100.0)]
    texts = ["uniform", "gaussian", "edge-boxes", "geodesic", "bing"]
    line = [(40.0, 155.0), (270.0, 40.0)]
    places = place_labels(points, texts, width=300, height=200, line=line)
    for at, (((x, y), _), text) in enumerate(zip(places, texts, strict=True)):
        half = 2.3 * len(text)
        on_line = [155 - (end - 40) / 2 for end in (x - half, x + half)]
        above, below = y + 5 <= min(on_line), y - 5 >= max(on_line)
        assert above or below, text

        def away(point, x=x, y=y, half=half):
            across = max(abs(point[0] - x) - half, 0)
            return math.hypot(across, max(abs(point[1] - y) - 5, 0))

        assert min(range(len(points)), key=lambda row: away(points[row])) == at


def test_a_stroke_leads_to_a_name_that_stands_away():
    ((_, lead),) = place_labels([(50.0, 50.0)], ["alone"], width=300, height=100)
    assert lead == (50, 50)
    crowd = [(50.0 + 3 * at, 50.0 + 2 * at) for at in range(7)]
    placed = place_labels(crowd, ["a name"] * 7, width=300, height=100)
    led = [lead != point for (_, lead), point in zip(placed, crowd, strict=True)]
    assert any(led)


def test_detectors_that_agree_on_a_class_stand_below_one_another():
    chart = two_detectors().figures()["class_correlations"].to_dict()
    points = chart["vconcat"][-1]["layer"][-1]["encoding"]
    assert points["yOffset"]["field"] == "series"


def test_classes_stand_from_the_best_on_and_what_is_cut_is_told():
    result = two_detectors()
    chart = result.figures()["class_correlations"]
    assert "The first and last 15 of 80 classes." in reading_of(chart)
    rows = [row for row in records(chart, "tip") if "class" in row["tip"]]
    assert len(rows) == 2 * 30
    known = {(one.class_name, one.detector): one.with_ar for one in result.correlations}
    assert all(known[row["tip"]["class"], row["series"]] == row["value"] for row in rows)
    means = [
        sum(row["value"] for row in rows if row["row"] == place)
        for place in dict.fromkeys(row["row"] for row in rows)
    ]
    assert means == sorted(means, reverse=True)


def test_detectors_beyond_the_colours_are_told():
    result = CORRELATION_WORLDS["more detectors than colours"]()
    assert "The first 8 of 10 detectors." in reading_of(result.figures()["recall_correlation"])
    assert "The first 4 of 10 detectors." in reading_of(result.figures()["recall_against_map"])


def test_figures_that_cannot_be_drawn_say_why():
    assert {one.section for one in plan_of(CORRELATION_WORLDS["no methods"]()).left_out}
    few = plan_of(CORRELATION_WORLDS["two methods"]())
    assert [one.name for one in few.figures] == ["recall_against_map"]


def test_tables_hold_the_numbers():
    result = CORRELATION_WORLDS["nasty names"]()
    tables = result.tables()
    assert tables["methods"]["mAP"].to_list() == [one.map for one in result.scores]
    by_iou = tables["correlations_by_iou"]
    overall = by_iou.filter(pl.col("class").is_null(), pl.col("detector") == NASTY[0])
    assert overall["r"].to_list() == result.correlations[0].at_iou.tolist()

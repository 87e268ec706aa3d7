"""Figures compile for every result, say what they show, and need nothing from outside."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from boxlens.diagnosis.coco_analyze import CURVES
from boxlens.errors import ParameterError
from boxlens.metrics.confusion import ConfusionResult
from boxlens.report.charts.characteristic import characteristic_chart
from boxlens.report.charts.confusion_matrix import confusion_matrix_chart
from boxlens.report.charts.export import chart_html, chart_json, save_chart
from boxlens.report.charts.false_positives import false_positives_chart
from boxlens.report.charts.fp_trends import fp_trends_chart
from boxlens.report.charts.interaction import interaction_chart
from boxlens.report.charts.kinds import KINDS, SAME_KIND, kind_of
from boxlens.report.charts.pr_areas import pr_areas_chart
from boxlens.report.charts.repair_orders import repair_orders_chart
from boxlens.report.charts.theme import decimal, percent, threshold
from boxlens.report.charts.waterfall import waterfall_chart
from report.drawn import (
    FIGURES,
    WORLDS,
    chart,
    colours,
    drawn,
    many_classes,
    size,
    svg_of,
    texts,
    words,
    world,
)

# What must be legible in each figure of the demo set.
LABELS = {
    "quarter_page": ["badly placed", "+.0", "occlusion", "sensitivity (chance)", "impact"],
    "false_positives": ["badly placed", "similar class", "other, background", "AP gained"],
    "fp_trends": ["correct", "badly placed", "background", "1/8", "recall at IoU .5"],
    "fp_trends_of_a_class": ["van", "badly placed"],
    "characteristic": ["area", "AP_N", "XS", "XL", "car", "ball"],
    "characteristic_of_flags": ["parts", "hidden", "visible", "of 16 classes"],
    "sensitivity_summary": ["area", "occlusion", "pose", "sensitivity (chance)", "impact"],
    "interaction": ["area", "aspect", "XS", "XW", "too few objects"],
    "tide_errors": ["wrong class", "duplicate", "false positives", "missed objects"],
    "repair_orders": ["class and place", "brings most", "AP gained"],
    "repair_orders_of_borji": ["background", "leftovers", "missed", "100%"],
    "fp_by_class": ["sheep", "badly placed", "errors", "share of the top false positives"],
    "pr_areas": [*CURVES, "precision", "recall"],
    "pr_areas_of_a_class": ["car, small objects"],
    "waterfall": ["AP now", "bad places", "leftovers", "misses", "found"],
    "confusion_matrix": ["detected as", "sheep", "background"],
    "crosswalk_of_detections": ["Hoiem", "TIDE", "dupe", "oth"],
    "crosswalk_of_objects": ["COCO analyze", "Borji", "miss"],
    "misses": ["undetected", "truncated", "hidden", "explained (chance)", "IoU .1"],
}
KINDS_IN = {
    "quarter_page": ("loc", "sim", "oth", "bg"),
    "false_positives": ("loc", "sim", "oth", "bg"),
    "fp_trends": ("correct", "loc", "sim", "oth", "bg"),
    "tide_errors": ("cls", "loc", "both", "dupe", "bkg", "miss"),
    "repair_orders": ("cls", "loc", "both", "dupe", "bkg", "miss"),
    "pr_areas": ("correct", "loc", "sim", "oth", "bg", "miss"),
    "waterfall": ("background", "localization", "duplicate", "miss"),
}


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_compiles_and_writes_nothing_undefined(figure, name):
    svg = drawn(figure, name)
    assert svg.startswith("<svg")
    assert texts(svg)
    # A message may say that something is undefined; a number may not read so.
    assert not re.search(r"NaN|\bnan\b|\bnull\b|(?<!is )(?<!are )undefined", words(svg))


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_says_what_it_shows(figure):
    read = words(drawn(figure, "demo"))
    assert not [label for label in LABELS[figure] if label not in read]


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("name", WORLDS)
def test_a_figure_is_as_wide_as_a_column(figure, name):
    width, height = size(drawn(figure, name))
    assert width <= 375
    assert height <= 420


@pytest.mark.parametrize("figure", KINDS_IN)
def test_kinds_of_errors_have_their_colours(figure):
    painted = colours(drawn(figure, "demo"))
    assert {kind_of(kind).colour for kind in KINDS_IN[figure]} <= painted


def test_no_two_kinds_share_a_colour_or_a_label():
    assert len({kind.colour for kind in KINDS.values()}) == len(KINDS)
    assert len({kind.label for kind in KINDS.values()}) == len(KINDS)
    assert set(SAME_KIND.values()) <= set(KINDS)


def test_without_similar_classes_nothing_is_drawn_for_them():
    name = "no similar classes, no attributes"
    assert "no similar classes known" in words(drawn("false_positives", name))
    assert "Sim: no similar classes known" in words(drawn("pr_areas", name))
    assert KINDS["sim"].colour not in colours(drawn("pr_areas", name))


def test_without_objects_every_figure_says_why_it_is_empty():
    name = "no objects, no detections"
    said = {
        "quarter_page": "AP is undefined",
        "false_positives": "AP is undefined",
        "tide_errors": "AP is undefined",
        "repair_orders": "AP is undefined",
        "repair_orders_of_borji": "AP is undefined",
        "fp_by_class": "no false positives",
        "waterfall": "AP is undefined",
        "pr_areas": "the curves are undefined",
        "characteristic": world(name).sensitivity.characteristics[0].reason,
        "sensitivity_summary": "no characteristic has subsets",
        "interaction": "no pair of subsets",
        "confusion_matrix": "no objects and no detections",
        "crosswalk_of_detections": "neither scheme finds an error",
        "misses": "no objects",
        "fp_trends": "too few detections",
    }
    for figure, message in said.items():
        assert message in words(drawn(figure, name)), figure


def test_without_detections_there_are_no_false_positives():
    assert "no false positives" in words(drawn("false_positives", "no detections"))
    assert "too few detections" in words(drawn("fp_trends", "no detections"))
    orders = [
        replace(row, first=0, last=0, lowest=0, highest=0, mean=0)
        for row in world("demo").tide.orders
    ]
    assert "no repair brings anything" in words(svg_of(repair_orders_chart(orders)))


def test_numbers_of_the_result_are_in_the_figure():
    of = world("demo")
    assert f"AP now {decimal(of.hoiem.sets[0].ap)}" in words(drawn("false_positives", "demo"))
    read = words(drawn("tide_errors", "demo"))
    assert all(decimal(gain) in read for gain in of.tide.gain.values())
    read = words(drawn("sensitivity_summary", "demo"))
    for row in of.sensitivity.characteristics:
        assert decimal(row.sensitivity) in read
        assert decimal(row.impact) in read
    read = words(drawn("pr_areas", "demo"))
    assert all(decimal(value) in read for value in of.analyze.mean_ap[:, 0].tolist())


def test_a_supercategory_and_a_single_class_have_false_positives_of_their_own():
    sets = world("demo").hoiem.sets
    read = words(svg_of(false_positives_chart(sets[1], about="window on demo")))
    assert f"window on demo: {sets[1].name} ({len(sets[1].classes)})" in read
    alone = replace(sets[1], classes=("bus",))
    assert "bus" in words(svg_of(false_positives_chart(alone)))


def test_of_many_classes_the_most_spread_are_shown():
    result = world("demo").sensitivity.characteristics[0]
    read = words(svg_of(characteristic_chart(result, most_classes=3)))
    spread = sorted(result.classes, key=lambda row: row.lowest - row.highest)
    assert "The 3 of 16 classes with the largest spread" in read
    assert "fewer than 5 objects" in read
    for row in spread[:3]:
        assert row.name in read
    for row in spread[3:]:
        assert row.name not in read.split()


def test_subsets_of_few_objects_are_drawn_faintly():
    of = world("demo").sensitivity.characteristics
    for name in ("occlusion", "parts"):
        result = next(row for row in of if row.name == name)
        figure = characteristic_chart(result)
        # Flags have a panel a class, and each its own rows.
        records = [row for rows in chart_json(figure)["datasets"].values() for row in rows]
        assert {record["few"] for record in records} == {True, False}
        assert all(record["few"] == (record["n"] < 5) for record in records)
        # A point and its error bar each.
        n_faint = len(re.findall(r'opacity="0\.4"', svg_of(figure)))
        assert n_faint == 2 * sum(record["few"] for record in records)


def test_the_widest_spread_stands_first_beside_what_chance_would_give():
    rows = sorted(world("demo").sensitivity.characteristics, key=lambda row: -row.sensitivity)
    read = texts(drawn("sensitivity_summary", "demo"))
    places = [read.index(f"{decimal(row.sensitivity)} ({decimal(row.chance, 2)})") for row in rows]
    assert places == sorted(places)
    fewest, most = (pick(row.n_classes for row in rows) for pick in (min, max))
    assert f"Means over the {fewest} to {most} classes" in " ".join(read)


def test_what_explains_undetected_objects_stands_beside_chance():
    read = words(drawn("misses", "demo"))
    for row in world("demo").sensitivity.characteristics:
        assert f"{percent(row.entropy_share)} ({percent(row.entropy_chance)})" in read
    row = world("demo").sensitivity.characteristics[0]
    for n_missed, n in zip(row.subset_n_missed, row.subset_n_objects, strict=True):
        assert percent(n_missed / n) in read


def test_trends_tell_how_many_classes_reach_their_end():
    result = world("demo").hoiem
    read = words(drawn("fp_trends", "demo"))
    last = max(at for at, n in enumerate(result.fp_trend.n_classes) if n)
    n, count = result.fp_trend.n_classes[last], result.fp_trend.counts[last]
    assert f"Of 16 classes {n} have {count:,} false positives" in read
    assert f"{result.detection_trend.n_classes[-1]} have 8 x their objects" in read or (
        result.detection_trend.n_classes[-1] == 0
    )
    assert "Of 16 classes" not in words(drawn("fp_trends_of_a_class", "demo"))


def test_rare_confusions_read_as_less_than_one_percent():
    matrix = np.array([[995, 5, 0], [0, 100, 0], [0, 0, 0]])
    result = ConfusionResult(0.5, 0.25, ("a", "b"), matrix)
    read = texts(svg_of(confusion_matrix_chart(result)))
    assert read.count("<1") == 1
    assert read.count("99") == 1
    assert read.count("100") == 1


def test_curves_are_named_by_their_overlaps():
    result = replace(world("demo").analyze, ious=(0.75, 0.6, 0.1))
    read = words(svg_of(pr_areas_chart(result)))
    assert "C60" in read
    assert "C50" not in read
    same = texts(svg_of(pr_areas_chart(replace(result, ious=(0.8, 0.8, 0.1)))))
    assert len([text for text in same if text.startswith("C80")]) == 2


def test_of_many_classes_the_most_frequent_confusions_are_shown():
    read = words(svg_of(confusion_matrix_chart(many_classes(80))))
    assert "16 of 80 classes" in read
    assert "class 79" in read
    assert "class 63" not in read


def test_classes_without_confusions_are_shown_by_their_objects():
    matrix = np.diag([*range(1, 31), 0]).astype(np.int64)
    result = ConfusionResult(0.5, 0.25, tuple(f"<{row}>" for row in range(30)), matrix)
    read = words(svg_of(confusion_matrix_chart(result)))
    assert "<29>" in read
    assert "<3>" not in read


def test_names_of_classes_are_text_and_not_code():
    name = """</script><b>"it's" \\ é"""
    result = ConfusionResult(0.5, 0.25, (name, "b"), np.eye(3, dtype=np.int64))
    figure = confusion_matrix_chart(result)
    svg_of(figure)
    assert "</script><b>" not in chart_html(figure)


def test_a_group_has_the_mean_curves_of_its_classes():
    result = world("demo").analyze
    for row, (name, _) in enumerate(result.groups):
        spec = chart_json(pr_areas_chart(result, group=name))
        (records,) = spec["datasets"].values()
        top = {record["curve"].split()[0]: [] for record in records}
        for record in records:
            top[record["curve"].split()[0]].append(record["to"])
        for curve, values in top.items():
            expected = result.group_ap[CURVES.index(curve), row, 0]
            assert np.mean(values) == pytest.approx(expected, abs=1e-5)


def test_unknown_names_are_refused():
    of = world("demo")
    with pytest.raises(ParameterError, match="no class 'unicorn'"):
        fp_trends_chart(of.hoiem, class_name="unicorn")
    with pytest.raises(ParameterError, match="no class 'unicorn'"):
        pr_areas_chart(of.analyze, class_name="unicorn")
    with pytest.raises(ParameterError, match="no group 'unicorn'"):
        pr_areas_chart(of.analyze, group="unicorn")
    with pytest.raises(ParameterError, match="no area range 'huge'"):
        pr_areas_chart(of.analyze, area="huge")
    with pytest.raises(ParameterError, match="not of both"):
        pr_areas_chart(of.analyze, class_name="car", group="vehicle")


def test_orders_that_were_not_computed_are_named():
    assert "orders were not computed" in words(svg_of(repair_orders_chart(())))


def test_undefined_cells_of_an_interaction_are_counted_not_drawn():
    result = world("demo").sensitivity.interactions[0]
    values = np.full(result.ap_n.shape, np.nan)
    values[0, 0] = 0.5
    read = words(svg_of(interaction_chart(replace(result, ap_n=values))))
    assert f"too few objects ({values.size - 1} cells)" in read
    assert ".50" in read


def test_the_waterfall_ends_at_one():
    result = replace(world("demo").borji, ap=(0.4, 0.5, 0.7, 0.75, 1.0))
    read = texts(svg_of(waterfall_chart(result)))
    assert [text for text in read if text.startswith("+")] == ["+.100", "+.200", "+.050", "+.250"]


def test_a_step_of_the_waterfall_that_lowers_ap_has_its_sign():
    result = replace(world("demo").borji, ap=(0.4, 0.7, 0.6, 0.75, 1.0))
    read = texts(svg_of(waterfall_chart(result)))
    assert [text for text in read if text[0] in "+-"] == ["+.300", "-.100", "+.150", "+.250"]


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_the_same_each_time(figure):
    first, again = chart(figure, "demo"), FIGURES[figure](world("demo"))
    assert json.dumps(chart_json(first), allow_nan=False) == json.dumps(chart_json(again))
    # Valid by Vega-Lite's schema as a whole.
    assert json.loads(json.dumps(first.to_dict(validate=True))) == chart_json(first)


def test_files_are_what_their_names_say(tmp_path):
    paths = save_chart(chart("waterfall", "demo"), tmp_path / "figures" / "borji.window")
    assert [path.name for path in paths] == [
        "borji.window.svg",
        "borji.window.pdf",
        "borji.window.png",
    ]
    svg, pdf, png = (path.read_bytes() for path in paths)
    assert svg.startswith(b"<svg")
    assert pdf.startswith(b"%PDF-")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    # Twice as many pixels a side.
    width = int.from_bytes(png[16:20], "big")
    assert width == pytest.approx(2 * size(svg.decode())[0], abs=2)


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ParameterError, match="got 'gif'"):
        save_chart(chart("waterfall", "demo"), tmp_path / "figure", ("svg", "gif"))
    assert not list(tmp_path.iterdir())


def test_a_page_with_a_figure_fetches_nothing():
    page = chart_html(chart("false_positives", "demo"))
    assert "<title>What is wrong with the top false positives</title>" in page
    assert not re.findall(r"<script[^>]*\ssrc=|<link\b", page)
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?https?:""", page)
    assert page.count("</script>") == 2


def test_numbers_read_as_in_papers():
    assert decimal(0.1234) == ".123"
    assert decimal(-0.05, 2) == "-.05"
    assert decimal(1) == "1.000"
    assert decimal(math.nan) == "n/a"
    assert threshold(0.5) == ".5"
    assert threshold(0.75) == ".75"
    assert threshold(0.34721) == ".347"
    assert [threshold(x) for x in (0, 1)] == ["0", "1"]
    assert [percent(x) for x in (0, 0.001, 0.614, 0.999, 1)] == ["0%", "<1%", "61%", ">99%", "100%"]
    assert percent(math.nan) == "n/a"


def test_of_many_subsets_an_interaction_shows_the_most_frequent():
    result = world("demo").sensitivity.interactions[0]
    shape = (len(result.first_names), 30)
    wide = replace(
        result,
        second="pose",
        second_names=tuple(f"pose {place}" for place in range(30)),
        ap_n=np.full(shape, 0.5),
        n_objects=np.tile(np.arange(30, dtype=np.int32), (shape[0], 1)),
    )
    svg = svg_of(interaction_chart(wide))
    assert "The 10 most frequent of 30 pose" in words(svg)
    assert "pose 29" in words(svg)
    assert "pose 19" not in words(svg)
    assert size(svg)[0] <= 375

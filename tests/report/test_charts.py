"""Figures compile for every result, say what they show, and need nothing from outside."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from altair.vegalite.v6.schema.core import Root

from boxlens.metrics.confusion import ConfusionResult
from boxlens.report.charts.export import chart_json, save_spec, script_json
from boxlens.report.charts.kinds import KINDS, SAME_KIND, kind_of
from boxlens.report.described.confusion import confusion_plot
from boxlens.report.described.diagnosis.class_sets import false_positives
from boxlens.report.described.diagnosis.errors import NO_OBJECTS
from boxlens.report.described.sensitivity import subsets
from boxlens.studies.diagnosis.coco_analyze import CURVES
from boxlens.wording import score, share
from report.drawn import (
    FIGURES,
    WORLDS,
    chart_of,
    colours,
    drawn,
    many_classes,
    plots,
    plots_in,
    records,
    size,
    svg_of,
    texts,
    words,
    world,
)

# What must be legible in each figure of the demo set.
LABELS = {
    "quarter_page": ["poorly placed", "+0.0", "occlusion", "sensitivity (chance)", "impact"],
    "false_positives": ["poorly placed", "similar class", "other, background", "AP gained"],
    "fp_trends": ["correct", "poorly placed", "background", "1/8", "recall at IoU 0.5"],
    "by_area": ["area", "AP_N", "XS", "XL", "car", "ball"],
    "by_parts": ["parts", "hidden", "visible", "of 16 classes"],
    "sensitivity": ["area", "occlusion", "pose", "sensitivity (chance)", "impact"],
    "cross_area_aspect": ["area", "aspect", "XS", "XW", "too few objects"],
    "tide_errors": ["wrong class", "duplicate", "false positives", "missed objects"],
    "repair_orders": ["class and location", "adds most", "AP gained"],
    "repair_orders_borji": ["background", "leftovers", "missed", "100%"],
    "fp_by_class": ["sheep", "poorly placed", "errors", "share of the top false positives"],
    "pr_areas": [*CURVES, "precision", "recall"],
    "waterfall": ["AP now", "placement", "leftovers", "missed", "found"],
    "confusion_matrix": ["detected as", "sheep", "background"],
    "crosswalk_detections_hoiem_tide": ["Hoiem", "TIDE", "dupe", "oth"],
    "crosswalk_objects_coco_analyze_borji": ["COCO analyze", "Borji", "miss"],
    "misses": ["undetected", "truncated", "hidden", "explained (chance)", "IoU 0.1"],
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
def test_every_figure_is_as_wide_as_a_column_and_writes_nothing_undefined(figure, name):
    plot = plots(name).get(figure)
    if plot is None or plot.absent:
        assert name != "demo"
        return
    svg = drawn(figure, name)
    assert svg.startswith("<svg")
    assert texts(svg)
    # A message may say that something is undefined; a number may not read so.
    assert not re.search(r"NaN|\bnan\b|\bnull\b|(?<!is )(?<!are )undefined", words(svg))
    width, height = size(svg)
    assert width <= 375
    assert height <= 420


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_says_what_it_shows(figure):
    read = words(drawn(figure, "demo"))
    assert not [label for label in LABELS[figure] if label not in read]


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


def test_without_objects_every_figure_says_why_it_is_absent():
    result = world("no objects, no detections")
    (errors,), (orders,) = plots_in(result, "errors"), plots_in(result, "repairs")
    assert errors.absent == NO_OBJECTS
    assert orders.absent == "AP is undefined without objects"
    spread, undetected, *others = plots_in(result, "objects")
    assert spread.absent.startswith("no property of the objects has two kinds")
    assert undetected.absent == "there are no objects"
    assert [one.absent for one in others] == [
        row.reason for row in result.sensitivity.characteristics
    ]


def test_without_detections_there_are_no_false_positives():
    result = world("no detections")
    found = {one.name: one.absent for one in plots_in(result, "errors")}
    assert found["fp_trends"] == "there are no detections"
    assert found["fp_by_class"] == "there are no false positives among the top detections"
    assert "no false positives" in words(drawn("false_positives", "no detections"))
    nothing = {"first": 0, "last": 0, "lowest": 0, "highest": 0, "mean": 0}
    demo = world("demo")
    orders = tuple(replace(row, **nothing) for row in demo.tide.orders)
    first, *_ = plots_in(replace(demo, tide=replace(demo.tide, orders=orders)), "repairs")
    assert first.absent == "no fix adds anything"


def test_numbers_of_the_result_are_in_the_figure():
    of = world("demo")
    assert f"AP now {score(of.hoiem.sets[0].ap)}" in words(drawn("false_positives", "demo"))
    read = words(drawn("tide_errors", "demo"))
    assert all(score(gain) in read for gain in of.tide.gain.values())
    read = words(drawn("sensitivity", "demo"))
    for row in of.sensitivity.characteristics:
        assert score(row.sensitivity) in read
        assert score(row.impact) in read
    read = words(drawn("pr_areas", "demo"))
    assert all(score(value) in read for value in of.coco_analyze.mean_ap[:, 0].tolist())


def test_a_supercategory_and_a_single_class_have_false_positives_of_their_own():
    sets = world("demo").hoiem.sets
    read = words(svg_of(chart_of(false_positives(sets[1], "window on demo"))))
    assert f"window on demo: {sets[1].name} ({len(sets[1].classes)})" in read
    alone = replace(sets[1], classes=("bus",))
    assert "bus" in words(svg_of(chart_of(false_positives(alone, "window on demo"))))


def test_of_many_classes_the_most_spread_are_shown(monkeypatch):
    monkeypatch.setattr(subsets, "MOST_CLASSES", 3)
    result = world("demo").sensitivity.characteristics[0]
    read = words(svg_of(chart_of(subsets.characteristic_plot(result, ""))))
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
        figure = chart_of(subsets.characteristic_plot(result, ""))
        found = records(figure, "opacity")
        few = [int(record["tip"]["objects"]) < 5 for record in found]
        assert {True, False} == set(few)
        assert [record["opacity"] for record in found] == [0.4 if one else 1 for one in few]
        # A point and its error bar each.
        assert len(re.findall(r'opacity="0\.4"', svg_of(figure))) == 2 * sum(few)


def test_the_widest_spread_stands_first_beside_what_chance_would_give():
    rows = sorted(world("demo").sensitivity.characteristics, key=lambda row: -row.sensitivity)
    read = texts(drawn("sensitivity", "demo"))
    places = [read.index(f"{score(row.sensitivity)} ({score(row.chance)})") for row in rows]
    assert places == sorted(places)
    fewest, most = (pick(row.n_classes for row in rows) for pick in (min, max))
    assert f"Means over the {fewest} to {most} classes" in " ".join(read)


def test_what_explains_undetected_objects_stands_beside_chance():
    read = words(drawn("misses", "demo"))
    for row in world("demo").sensitivity.characteristics:
        assert f"{share(row.entropy_share)} ({share(row.entropy_chance)})" in read
    row = world("demo").sensitivity.characteristics[0]
    for n_missed, n in zip(row.subset_n_missed, row.subset_n_objects, strict=True):
        assert share(n_missed / n) in read


def test_trends_tell_how_many_classes_reach_their_end():
    result = world("demo").hoiem
    read = words(drawn("fp_trends", "demo"))
    last = max(at for at, n in enumerate(result.fp_trend.n_classes) if n)
    n, count = result.fp_trend.n_classes[last], result.fp_trend.counts[last]
    assert f"Of 16 classes, {n} reach {count:,} false positives" in read
    assert f"{result.detection_trend.n_classes[-1]} reach 8 detections per object" in read or (
        result.detection_trend.n_classes[-1] == 0
    )


def test_rare_confusions_read_as_less_than_one_percent():
    matrix = np.array([[995, 5, 0], [0, 100, 0], [0, 0, 0]])
    result = ConfusionResult(0.5, 0.25, ("a", "b"), matrix)
    read = texts(svg_of(chart_of(confusion_plot(result, "", ""))))
    assert read.count("<1") == 1
    assert read.count("99") == 1
    assert read.count("100") == 1


def test_curves_are_named_by_their_overlaps():
    def curves(*ious: float) -> str:
        demo = world("demo")
        changed = replace(demo, coco_analyze=replace(demo.coco_analyze, ious=ious))
        found = plots_in(changed, "errors")
        return svg_of(chart_of(next(one for one in found if one.name == "pr_areas")))

    read = words(curves(0.75, 0.6, 0.1))
    assert "C60" in read
    assert "C50" not in read
    same = texts(curves(0.8, 0.8, 0.1))
    assert len([text for text in same if text.startswith("C80")]) == 2


def test_of_many_classes_the_most_frequent_confusions_are_shown():
    read = words(svg_of(chart_of(confusion_plot(many_classes(80), "", ""))))
    assert "16 of 80 classes" in read
    assert "class 79" in read
    assert "class 63" not in read


def test_classes_without_confusions_are_shown_by_their_objects():
    matrix = np.diag([*range(1, 31), 0]).astype(np.int64)
    result = ConfusionResult(0.5, 0.25, tuple(f"<{row}>" for row in range(30)), matrix)
    read = words(svg_of(chart_of(confusion_plot(result, "", ""))))
    assert "<29>" in read
    assert "<3>" not in read


def test_names_of_classes_are_text_and_not_code():
    name = """</script><b>"it's" \\ é"""
    result = ConfusionResult(0.5, 0.25, (name, "b"), np.eye(3, dtype=np.int64))
    figure = chart_of(confusion_plot(result, "", ""))
    svg_of(figure)
    assert "</script><b>" not in script_json(chart_json(figure))


def test_undefined_cells_of_an_interaction_are_counted_not_drawn():
    result = world("demo").sensitivity.interactions[0]
    values = np.full(result.ap_n.shape, np.nan)
    values[0, 0] = 0.5
    read = words(svg_of(chart_of(subsets.interaction_plot(replace(result, ap_n=values), ""))))
    assert f"too few objects ({values.size - 1} cells)" in read
    assert "0.500" in read


@pytest.mark.parametrize(
    ("ap", "steps"),
    [
        ((0.4, 0.5, 0.7, 0.75, 1.0), ["+0.100", "+0.200", "+0.050", "+0.250"]),
        ((0.4, 0.7, 0.6, 0.75, 1.0), ["+0.300", "-0.100", "+0.150", "+0.250"]),
    ],
)
def test_the_waterfall_ends_at_one_and_every_step_has_its_sign(ap, steps):
    demo = world("demo")
    found = plots_in(replace(demo, borji=replace(demo.borji, ap=ap)), "repairs")
    read = texts(svg_of(chart_of(next(one for one in found if one.name == "waterfall"))))
    assert [text for text in read if text[0] in "+-"] == steps


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_the_same_each_time(figure):
    first, again = (chart_of(plots("demo")[figure]) for _ in range(2))
    assert json.dumps(chart_json(first), allow_nan=False) == json.dumps(chart_json(again))
    # Valid by Vega-Lite's schema as a whole.
    Root.validate(chart_json(first))


def test_files_are_what_their_names_say(tmp_path):
    spec = chart_json(chart_of(plots("demo")["waterfall"]))
    paths = save_spec(spec, tmp_path / "figures" / "borji.window", ("svg", "pdf", "png"))
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
    svg = svg_of(chart_of(subsets.interaction_plot(wide, "")))
    assert "The 10 most frequent of 30 pose" in words(svg)
    assert "pose 29" in words(svg)
    assert "pose 19" not in words(svg)
    assert size(svg)[0] <= 375

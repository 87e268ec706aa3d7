"""Figures of an upper bound hold its numbers, whatever is there and whatever is not."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
import vl_convert
from altair.utils.schemapi import debug_mode

from boxlens.report.charts.bound_accuracy import Span
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.method_lines import METHOD_COLOURS
from boxlens.report.described import describe
from boxlens.report.described.upper_bound_plots import MOST_CLASSES, MOST_DETECTORS, MOST_NAMED
from boxlens.report.described.upper_bound_tables import share_of_uap
from boxlens.studies.upper_bound.result import BOUND, CROP_TITLES, STRATEGY_TITLES
from report.bound_results import BOUND_WORLDS, IOUS, bound_of, numbered
from report.drawn import records, size, study_figures, svg_of, texts, words

CHARTS = (
    *("bound_by_size", "bound_by_iou", "bound_by_class"),
    *("bound_strategies", "bound_accuracy", "bound_context"),
)
whole = BOUND_WORLDS["detectors and context"]
many = BOUND_WORLDS["many of all"]


@pytest.fixture(autouse=True)
def _unchecked():
    with debug_mode(False):
        yield


def bound_figures(result):
    return study_figures(describe(result))


def chart(name, result):
    return next(one for one in bound_figures(result).figures if one.name == name).draw()


def reading(chart) -> str:
    return chart_json(chart)["usermeta"]["reading"]


def test_a_result_has_all_figures_and_each_is_valid_and_fits_the_page():
    figures = bound_figures(whole()).figures
    assert tuple(one.name for one in figures) == CHARTS
    for figure in figures:
        with debug_mode(True):
            svg = svg_of(figure.draw())
        assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", words(svg)), figure.name
        assert size(svg)[0] <= 680, figure.name
        assert vl_convert.svg_to_png(svg).startswith(b"\x89PNG")


@pytest.mark.parametrize("world", ["no detectors", "half undefined", "many of all"])
def test_every_figure_compiles_whatever_is_missing_or_many(world):
    for figure in bound_figures(BOUND_WORLDS[world]()).figures:
        svg = svg_of(figure.draw())
        assert not re.search(r"NaN|\bnan\b|\bnull\b", words(svg)), figure.name
        width, height = size(svg)
        assert width <= 700, figure.name
        assert height <= 760, figure.name


def test_only_what_was_asked_for_is_planned():
    planned = {name: bound_figures(make()) for name, make in BOUND_WORLDS.items()}
    names = {name: {one.name for one in plan.figures} for name, plan in planned.items()}
    assert names["no detectors"] == set(CHARTS)
    assert names["no context, one way"] == set(CHARTS) - {"bound_context", "bound_strategies"}
    assert names["one class"] == set(CHARTS) - {"bound_accuracy"}
    assert names["undefined"] == set()
    assert {one.why for one in planned["undefined"].left_out} == {"no object has a label"}


def test_a_class_has_a_tick_for_its_uap_and_a_point_a_detector():
    result = whole()
    rows = [row for row in records(chart("bound_by_class", result), "who") if "best" not in row]
    ordered = sorted(result.bound.classes, key=lambda one: -one.uap)
    ticks = [row for row in rows if row["who"] == BOUND]
    assert [(row["class"], row["value"]) for row in ticks] == [(o.name, o.uap) for o in ordered]
    for one in result.detectors:
        mine = {row["class"]: row["value"] for row in rows if row["who"] == one.name}
        assert mine == {
            of.name: ap for of, ap in zip(result.bound.classes, one.by_class, strict=True)
        }


def test_of_many_classes_those_with_the_widest_gap_are_shown_and_that_is_told():
    result = many()
    drawn = chart("bound_by_class", result)
    shown = {row["class"] for row in records(drawn, "who")}
    best = result.detectors[0].by_class
    gaps = {one.name: one.uap - ap for one, ap in zip(result.bound.classes, best, strict=True)}
    assert shown == set(sorted(gaps, key=lambda name: -gaps[name])[:MOST_CLASSES])
    assert "The 60 of 80 classes with the largest gap." in reading(drawn)
    # All names can be read.
    assert shown <= set(texts(svg_of(drawn)))
    lowest = chart("bound_by_class", bound_of(numbered(80), {}))
    assert "The 60 of 80 classes with the lowest UAP." in reading(lowest)


def test_pale_lines_begin_at_the_best_detector_which_is_always_shown():
    """Of ten detectors seven have a colour; the last of all is ahead in every class."""
    result = many()
    *others, last = result.detectors
    ahead = replace(last, by_class=(0.99,) * 80)
    drawn = chart("bound_by_class", replace(result, detectors=(*others, ahead)))
    lines = [row for row in records(drawn, "who") if "best" in row]
    best = dict(zip((one.name for one in result.bound.classes), others[0].by_class, strict=True))
    assert lines
    assert all(row["best"] == best[row["class"]] for row in lines)
    pale = "Pale: from the best detector, net 0, to UAP; right of the tick it exceeds the bound."
    assert pale in reading(drawn)


def test_long_names_of_a_key_stand_apart():
    result = whole()
    renamed = [
        replace(one, name=f"a_detector_with_a_long_name_{one.name}") for one in result.detectors
    ]
    drawn = chart("bound_by_iou", replace(result, detectors=tuple(renamed)))
    places = [row["x"] for row in records(drawn, "text") if "x" in row]
    assert places
    assert set(places) == {0}


def test_classes_without_objects_are_counted():
    assert "Not shown: 2 classes without objects." in reading(
        chart("bound_by_class", BOUND_WORLDS["half undefined"]())
    )


def test_as_many_detectors_are_shown_as_there_are_colours_and_that_is_told():
    assert len(METHOD_COLOURS) - 1 == MOST_DETECTORS
    for name in ("bound_by_class", "bound_by_iou", "bound_by_size"):
        drawn = chart(name, many())
        assert f"The first {MOST_DETECTORS} of 10 detectors." in reading(drawn)
        assert len({row["who"] for row in records(drawn, "who")}) == MOST_DETECTORS + 1


def test_bars_by_size_say_what_part_of_the_bound_they_are():
    result = whole()
    rows = records(chart("bound_by_size", result), "share")
    mine = {row["size"]: row for row in rows if row["who"] == "window"}
    assert list(mine) == ["all", "small", "medium", "large"]
    assert mine["all"]["ap"] == result.detectors[0].ap
    assert mine["small"]["ap"] == result.detectors[0].by_size["small"]
    assert {row["share"] for row in mine.values()} == {"60%"}
    ends = {row["size"]: row["ap"] for row in rows if row["who"] == BOUND}
    assert ends == {"all": result.bound.uap, **result.bound.by_size}


def test_nothing_is_a_share_of_a_bound_that_reads_nothing():
    assert math.isnan(share_of_uap(0.3, 0.0004))
    assert math.isnan(share_of_uap(0.3, 0.0))
    assert share_of_uap(0.3, 0.5) == pytest.approx(0.6)


def test_sizes_without_objects_are_left_out_and_that_is_told():
    drawn = chart("bound_by_size", BOUND_WORLDS["half undefined"]())
    assert {row["size"] for row in records(drawn, "share")} == {"all", "small", "medium"}
    assert "There are no large objects." in reading(drawn)


def test_lines_over_the_overlap_are_the_numbers():
    result = whole()
    rows = records(chart("bound_by_iou", result), "iou")
    found = {name: [row["ap"] for row in rows if row["who"] == name] for name in (BOUND, "window")}
    assert [row["iou"] for row in rows if row["who"] == BOUND] == IOUS
    assert found[BOUND] == list(result.bound.by_iou.values())
    assert found["window"] == list(result.detectors[0].by_iou.values())


def test_points_are_classes_and_those_far_from_the_line_have_names():
    result = many()
    drawn = chart("bound_accuracy", result)
    points = records(drawn, "uap50")
    assert {(row["class"], row["accuracy"], row["uap"]) for row in points} == {
        (one.name, one.accuracy, one.uap) for one in result.bound.classes
    }
    assert len(records(drawn, "name")) == MOST_NAMED
    r_squared = f"{result.bound.correlation.r_squared:.3f}"
    assert f"r squared {r_squared} over 80 classes" in reading(drawn)
    named = {row["name"] for row in records(drawn, "name")}
    for key in ("uap", "accuracy"):
        ordered = sorted(result.bound.classes, key=lambda one, key=key: getattr(one, key))
        assert {ordered[0].name, ordered[-1].name} <= named
    assert "Named: the extremes and the classes furthest from the line." in reading(drawn)
    # Of a few classes all have names.
    assert len(records(chart("bound_accuracy", whole()), "name")) == 5


def test_axes_of_accuracy_end_at_the_tenths_around_the_classes():
    assert Span.around([0.21, 0.58]) == Span(0.2, 0.6)
    assert Span.around([0.6, 0.6]) == Span(0.6, 0.7)
    assert Span.around([1.0]) == Span(0.9, 1.0)
    assert Span.around([0.0, 1.0]).ticks() == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert Span.around([0.31, 0.5]).ticks() == [0.3, 0.4, 0.5]
    assert len(Span.around([0.31, 0.89]).ticks()) == 7


def test_what_the_whole_picture_gives_is_written_beside_and_not_one_over_the_other():
    result = whole()
    alike = tuple(
        replace(one, accuracy=0.3) if math.isnan(one.scale) else one for one in result.context
    )
    drawn = chart("bound_context", replace(result, context=alike))
    labels = records(drawn, "label")
    assert [row["label"] for row in labels] == [
        "0.300 whole picture",
        "0.300 picture without object",
    ]
    assert labels[1]["label_px"] - labels[0]["label_px"] >= 12
    assert "Share of 400 objects with the right label" in reading(drawn)


def test_context_lines_meet_where_the_crop_is_the_box():
    result = whole()
    rows = records(chart("bound_context", result), "accuracy")
    own = next(one for one in result.context if one.kind == "object" and one.scale == 1)
    at_one = {(row["kind"], row["accuracy"]) for row in rows if row["scale"] == 1}
    assert at_one == {
        (CROP_TITLES["object"], own.accuracy),
        (CROP_TITLES["object_and_context"], own.accuracy),
    }
    whole_picture = {row["kind"]: row["accuracy"] for row in rows if row["scale"] is None}
    assert whole_picture == {
        CROP_TITLES[one.kind]: one.accuracy for one in result.context if math.isnan(one.scale)
    }


def test_strategies_have_intervals_where_there_are_any():
    rows = records(chart("bound_strategies", whole()), "interval")
    assert [row["strategy"] for row in rows] == list(STRATEGY_TITLES.values())
    assert rows[0]["interval"] == "0.480 to 0.520"
    assert [row["change"] for row in rows] == ["", "-0.020", "-0.030"]
    assert "95% interval" in reading(chart("bound_strategies", whole()))
    unsure = chart("bound_strategies", BOUND_WORLDS["no detectors"]())
    assert "interval" not in reading(unsure)
    assert {row["interval"] for row in records(unsure, "interval")} == {"-"}


def test_two_classes_of_one_name_are_two_rows():
    result = whole()
    first, second, *others = result.bound.classes
    bound = replace(result.bound, classes=(first, replace(second, name=first.name), *others))
    rows = records(chart("bound_by_class", replace(result, strategies=(bound,))), "who")
    assert len({row["place"] for row in rows}) == 5


def test_without_detectors_no_title_speaks_of_any():
    for figure in bound_figures(BOUND_WORLDS["no detectors"]()).figures:
        spec = chart_json(figure.draw())
        heading = " ".join(spec["title"]["text"])
        assert heading == figure.title
        assert "detectors" not in heading
        assert "AP of" not in spec["usermeta"]["reading"]

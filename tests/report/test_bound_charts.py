"""Figures of an upper bound hold its numbers, whatever is there and whatever is not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import vl_convert
from altair.vegalite.v6.schema.core import Root

from boxlens.report.charts.colours import MANY_SERIES
from boxlens.report.charts.export import chart_json
from boxlens.report.described.upper_bound.classes import MOST_DRAWN, MOST_NAMED, tenths_axis
from boxlens.report.described.upper_bound.detectors import MOST_DETECTORS, share_of_uap
from boxlens.studies.upper_bound.result import BOUND, CROP_TITLES, STRATEGY_TITLES
from report.bound_results import BOUND_WORLDS, IOUS, bound_of, numbered
from report.drawn import colours, plan_of, reading_of, records, svg_of, texts, whole_svg

CHARTS = (
    *("bound_by_size", "bound_by_iou", "bound_by_class"),
    *("bound_strategies", "bound_accuracy", "bound_context"),
)
whole = BOUND_WORLDS["detectors and context"]
many = BOUND_WORLDS["many of all"]
half = BOUND_WORLDS["half undefined"]


def chart(name, result):
    return next(one for one in plan_of(result).figures if one.name == name).draw()


def names_in(chart) -> set[str]:
    return {row["name"] for row in records(chart, "label_x")}


def test_a_result_has_all_figures_and_each_is_valid_and_fits_the_page():
    figures = plan_of(whole()).figures
    assert tuple(one.name for one in figures) == CHARTS
    for figure in figures:
        Root.validate(chart_json(figure.draw()))
        svg = whole_svg(figure, 680, 760)
        assert vl_convert.svg_to_png(svg).startswith(b"\x89PNG")


@pytest.mark.parametrize("world", ["no detectors", "half undefined", "many of all"])
def test_every_figure_compiles_whatever_is_missing_or_many(world):
    for figure in plan_of(BOUND_WORLDS[world]()).figures:
        whole_svg(figure, 700, 760)


def test_only_what_was_asked_for_is_planned():
    planned = {name: plan_of(make()) for name, make in BOUND_WORLDS.items()}
    names = {name: {one.name for one in plan.figures} for name, plan in planned.items()}
    assert names["no detectors"] == set(CHARTS)
    assert names["no context, one way"] == set(CHARTS) - {"bound_context", "bound_strategies"}
    assert names["one class"] == set(CHARTS) - {"bound_accuracy"}
    assert names["undefined"] == set()
    assert {one.why for one in planned["undefined"].left_out} == {"no object has a label"}


def test_a_class_has_a_tick_for_its_uap_and_a_point_a_detector():
    result = whole()
    drawn = chart("bound_by_class", result)
    rows = records(drawn, "uap")
    ordered = sorted(result.bound.classes, key=lambda one: -one.uap)
    found = [(row["tip"]["class"], row["uap"]) for row in rows]
    assert found[: len(ordered)] == [(one.name, one.uap) for one in ordered]
    for at, one in enumerate(result.detectors):
        mine = {row["tip"]["class"]: row[f"of_{at}"] for row in rows}
        assert mine == {
            of.name: ap for of, ap in zip(result.bound.classes, one.by_class, strict=True)
        }
    assert set(MANY_SERIES[: len(result.detectors)]) <= colours(svg_of(drawn))


def test_of_many_classes_those_with_the_widest_gap_are_shown():
    result = many()
    drawn = chart("bound_by_class", result)
    shown = {row["tip"]["class"] for row in records(drawn, "uap")}
    best = result.detectors[0].by_class
    gaps = {one.name: one.uap - ap for one, ap in zip(result.bound.classes, best, strict=True)}
    assert shown == set(sorted(gaps, key=lambda name: -gaps[name])[:MOST_DRAWN])
    # All names can be read.
    assert shown <= set(texts(svg_of(drawn)))


def test_pale_lines_begin_at_the_best_detector_which_is_always_shown():
    """Of ten detectors seven have a colour; the last of all is ahead in every class."""
    result = many()
    *others, last = result.detectors
    ahead = replace(last, by_class=(0.99,) * 80)
    drawn = chart("bound_by_class", replace(result, detectors=(*others, ahead)))
    lines = records(drawn, "best")
    best = dict(zip((one.name for one in result.bound.classes), others[0].by_class, strict=True))
    assert lines
    assert all(row["best"] == best[row["tip"]["class"]] for row in lines)
    pale = "Pale: from the best detector, net 0, to UAP; right of the tick it exceeds the bound."
    assert pale in reading_of(drawn)


@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        ("by_class", many, "The 60 of 80 classes with the largest gap."),
        (
            "by_class",
            lambda: bound_of(numbered(80), {}),
            "The 60 of 80 classes with the lowest UAP.",
        ),
        ("by_class", half, "Not shown: 2 classes without objects."),
        ("by_size", half, "There are no large objects."),
        ("accuracy", many, "Named: the extremes and the classes furthest from the line."),
        ("context", whole, "Share of 400 objects with the right label"),
        ("strategies", whole, "95% interval"),
    ],
)
def test_what_is_not_seen_in_a_figure_is_told(name, make, told):
    assert told in reading_of(chart(f"bound_{name}", make()))


def test_sizes_without_objects_are_left_out():
    rows = records(chart("bound_by_size", half()), "share")
    assert {row["row"] for row in rows} == {"all", "small", "medium"}


def test_long_names_of_a_key_stand_apart():
    result = whole()
    renamed = [
        replace(one, name=f"a_detector_with_a_long_name_{one.name}") for one in result.detectors
    ]
    drawn = chart("bound_by_iou", replace(result, detectors=tuple(renamed)))
    places = [row["x"] for row in records(drawn, "text") if "x" in row]
    assert places
    assert set(places) == {0}


def test_as_many_detectors_are_shown_as_there_are_colours_and_that_is_told():
    assert len(MANY_SERIES) - 1 == MOST_DETECTORS
    for name in ("bound_by_class", "bound_by_iou", "bound_by_size"):
        drawn = chart(name, many())
        assert f"The first {MOST_DETECTORS} of 10 detectors." in reading_of(drawn)
        rows = records(drawn, "tip")
        if name == "bound_by_class":
            told = {heading for row in rows for heading in row["tip"] if "AP, " in heading}
            assert len(told) == MOST_DETECTORS
        else:
            assert len({row["tip"]["of"] for row in rows}) == MOST_DETECTORS + 1


def test_bars_by_size_say_what_part_of_the_bound_they_are():
    result = whole()
    rows = records(chart("bound_by_size", result), "share")
    mine = {row["row"]: row for row in rows if row["series"] == "window"}
    assert list(mine) == ["all", "small", "medium", "large"]
    assert mine["all"]["value"] == result.detectors[0].ap
    assert mine["small"]["value"] == result.detectors[0].by_size["small"]
    assert {row["share"] for row in mine.values()} == {"60%"}
    ends = {row["row"]: row["value"] for row in rows if row["series"] == BOUND}
    assert ends == {"all": result.bound.uap, **result.bound.by_size}


def test_nothing_is_a_share_of_a_bound_that_reads_nothing():
    assert math.isnan(share_of_uap(0.3, 0.0004))
    assert math.isnan(share_of_uap(0.3, 0.0))
    assert share_of_uap(0.3, 0.5) == pytest.approx(0.6)


def test_lines_over_the_overlap_are_the_numbers():
    result = whole()
    rows = records(chart("bound_by_iou", result), "tip")
    found = {
        name: [row["y"] for row in rows if row["series"] == name] for name in (BOUND, "window")
    }
    assert [row["x"] for row in rows if row["series"] == BOUND] == IOUS
    assert found[BOUND] == list(result.bound.by_iou.values())
    assert found["window"] == list(result.detectors[0].by_iou.values())


def test_points_are_classes_and_those_far_from_the_line_have_names():
    result = many()
    drawn = chart("bound_accuracy", result)
    points = records(drawn, "tip")
    assert {(row["tip"]["class"], row["x"], row["y"]) for row in points} == {
        (one.name, one.accuracy, one.uap) for one in result.bound.classes
    }
    r_squared = f"{result.bound.correlation.r_squared:.3f}"
    assert f"r squared {r_squared} over 80 classes" in reading_of(drawn)
    named = names_in(drawn)
    assert len(named) == MOST_NAMED
    for key in ("uap", "accuracy"):
        ordered = sorted(result.bound.classes, key=lambda one, key=key: getattr(one, key))
        assert {ordered[0].name, ordered[-1].name} <= named
    # Of a few classes all have names.
    assert len(names_in(chart("bound_accuracy", whole()))) == 5


@pytest.mark.parametrize(
    ("values", "marked"),
    [
        ([0.21, 0.58], [0.2, 0.3, 0.4, 0.5, 0.6]),
        ([0.6, 0.6], [0.6, 0.7]),
        ([1.0], [0.9, 1.0]),
        ([0.0, 1.0], [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ([0.31, 0.5], [0.3, 0.4, 0.5]),
        ([0.31, 0.89], [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
    ],
)
def test_axes_of_accuracy_end_at_the_tenths_around_the_classes(values, marked):
    axis = tenths_axis("accuracy", values)
    assert axis.values == marked
    room = 0.03 * (marked[-1] - marked[0])
    assert axis.ends == pytest.approx((marked[0] - room, marked[-1] + room))


def test_what_the_whole_picture_gives_is_written_beside_and_not_one_over_the_other():
    result = whole()
    alike = tuple(
        replace(one, accuracy=0.3) if math.isnan(one.scale) else one for one in result.context
    )
    drawn = chart("bound_context", replace(result, context=alike))
    labels = records(drawn, "ink")
    assert [row["text"] for row in labels] == [
        "0.300 whole picture",
        "0.300 picture without object",
    ]
    # Of 220 pixels from 0 to 0.8.
    assert (labels[0]["y"] - labels[1]["y"]) * 220 / 0.8 >= 12


def test_context_lines_meet_where_the_crop_is_the_box():
    result = whole()
    rows = records(chart("bound_context", result), "tip")
    own = next(one for one in result.context if one.kind == "object" and one.scale == 1)
    at_one = {(row["series"], row["y"]) for row in rows if row["x"] == 1}
    assert at_one == {
        (CROP_TITLES["object"], own.accuracy),
        (CROP_TITLES["object_and_context"], own.accuracy),
    }
    whole_picture = {row["series"]: row["y"] for row in rows if row["x"] is None}
    assert whole_picture == {
        CROP_TITLES[one.kind]: one.accuracy for one in result.context if math.isnan(one.scale)
    }


def test_strategies_have_intervals_where_there_are_any():
    drawn = chart("bound_strategies", whole())
    rows = records(drawn, "high")
    assert [row["row"] for row in rows] == list(STRATEGY_TITLES.values())
    assert rows[0]["tip"]["interval"] == "0.480 to 0.520"
    assert (rows[0]["low"], rows[0]["high"]) == (0.48, 0.52)
    written = [row["text"] for row in records(drawn, "text")]
    assert [text for text in written if text.startswith("-")] == ["-0.020", "-0.030"]
    unsure = chart("bound_strategies", BOUND_WORLDS["no detectors"]())
    assert "interval" not in reading_of(unsure)
    assert all(
        row["high"] is None and "interval" not in row["tip"] for row in records(unsure, "high")
    )


def test_two_classes_of_one_name_are_two_rows():
    result = whole()
    first, second, *others = result.bound.classes
    bound = replace(result.bound, classes=(first, replace(second, name=first.name), *others))
    rows = records(chart("bound_by_class", replace(result, strategies=(bound,))), "uap")
    assert len({row["row"] for row in rows}) == 5


def test_without_detectors_no_title_speaks_of_any():
    for figure in plan_of(BOUND_WORLDS["no detectors"]()).figures:
        spec = chart_json(figure.draw())
        heading = " ".join(spec["title"]["text"])
        assert heading == figure.title
        assert "detectors" not in heading
        assert "AP of" not in spec["usermeta"]["reading"]

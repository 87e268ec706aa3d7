"""Figures of recall show what the results hold, and say what they leave out."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from altair.utils.schemapi import debug_mode

from boxlens.proposals.recall.average_recall import CURVE_IOUS
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.method_lines import (
    METHOD_COLOURS,
    MOST_METHODS,
    count_text,
    method_key,
    method_styles,
    recall_limit,
)
from boxlens.report.charts.proposal_sizes import proposal_sizes_chart
from boxlens.report.charts.recall_by_iou import recall_by_iou_chart
from boxlens.report.charts.recall_by_number import recall_by_number_chart
from boxlens.report.charts.recall_datasets import recall_datasets_chart
from boxlens.report.charts.recall_groups import recall_groups_chart
from boxlens.report.charts.recall_order import best_first, styles_by_recall
from boxlens.report.planning.recall_figures import recall_figures
from report.drawn import records, size, svg_of, words
from report.proposal_results import (
    METHODS,
    every_method,
    method_of,
    nasty,
    no_objects,
    no_proposals,
    one_method,
)

FIGURES = ("recall_by_iou", "recall_by_number", "proposal_sizes", "by_class", "by_size")


@pytest.fixture(autouse=True)
def _unchecked():
    """Altair checks every part where all figures are drawn: of each chart it would take seconds."""
    with debug_mode(False):
        yield


def many_methods(n):
    """Of one data set, half of them baselines."""
    first = one_method().datasets[0]
    made = [replace(first.methods[0], name=f"method {at}", baseline=at % 2 == 0) for at in range(n)]
    return replace(first, methods=tuple(made))


def test_a_figure_compiles_and_writes_nothing_undefined():
    figures = recall_figures(nasty()).figures
    for figure in (*figures[:4], figures[-1]):
        with debug_mode(True):
            svg = svg_of(figure.draw())
        assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", words(svg)), figure.name
        assert "<script" not in svg, figure.name
        width, height = size(svg)
        assert width <= 720, figure.name
        assert height <= 720, figure.name


def test_specifications_hold_no_undefined_number():
    for figure in recall_figures(every_method()).figures[3:5]:
        assert "nan" not in str(chart_json(figure.draw())["datasets"]), figure.name


def test_figures_come_by_data_set_and_then_compare_them():
    names = [one.name for one in recall_figures(one_method()).figures]
    assert tuple(names) == FIGURES
    names = [one.name for one in recall_figures(every_method()).figures]
    assert names[0] == "coco_177_recall_by_iou"
    assert "voc2007_test_by_truncated" in names
    assert names[-1] == "datasets"


def test_what_cannot_be_drawn_is_told_with_its_reason():
    for world, why in (
        (no_objects, "there are no objects to find"),
        (no_proposals, "there are no proposals"),
    ):
        plan = recall_figures(world())
        assert not plan.figures
        reasons = [one.why for one in plan.left_out]
        assert reasons == [why] * 4


def test_charts_of_nothing_say_so():
    empty, silent = no_objects(), no_proposals()
    for chart in (
        recall_by_iou_chart(empty.datasets[0], empty.choice),
        recall_by_number_chart(empty.datasets[0], empty.choice),
        recall_by_number_chart(silent.datasets[0], silent.choice),
        proposal_sizes_chart(silent.datasets[0], budget=1000),
        recall_groups_chart(empty.datasets[0], empty.choice, "class"),
        recall_datasets_chart(empty),
    ):
        assert len(records(chart, "text")) == 1


def test_curves_are_those_of_the_result_with_ar_and_number_beside_them():
    result = every_method()
    first = result.datasets[0]
    chart = recall_by_iou_chart(first, result.choice)
    method = first.methods[4]
    lines = [row for row in records(chart, "iou") if row["method"] == method.name]
    assert len(lines) == len(CURVE_IOUS) * len(result.choice.budgets)
    assert [row["recall"] for row in lines[:51]] == [round(v, 4) for v in method.chosen[0].curve]
    lists = [row for row in records(chart, "ar") if row["method"] == method.name]
    told = {(row["ar"], row["count"]) for row in lists}
    assert told == {(f"{one.ar:.3f}".lstrip("0"), f"({one.n_mean:,.0f})") for one in method.chosen}
    best = [row["ar"] for row in records(chart, "ar")][: len(METHODS)]
    assert best == sorted(best, reverse=True)


def test_numbers_along_x_are_those_really_produced():
    result = one_method()
    scant = method_of("scant", False, 0.5, result.choice, reach=40)
    dataset = replace(result.datasets[0], methods=(scant,))
    rows = records(recall_by_number_chart(dataset, result.choice), "n")
    assert max(row["n"] for row in rows) < 40
    assert {row["budget"] for row in rows} == set(result.choice.curve_budgets())
    assert {row["value"] for row in rows} >= {one.ar for one in scant.by_budget}
    assert {row["value"] for row in rows} >= {one.recall[0.75] for one in scant.by_budget}


def test_bands_are_drawn_where_they_do_not_cover_each_other():
    few, many = one_method(), many_methods(5)
    told = "Bands: 95 % intervals"
    spec = chart_json(recall_by_number_chart(few.datasets[0], few.choice))
    assert told in spec["usermeta"]["reading"]
    spec = chart_json(recall_by_number_chart(many, few.choice))
    assert told not in spec["usermeta"]["reading"]
    without = replace(few.datasets[0].methods[0].by_budget[0], ar_low=float("nan"))
    method = replace(few.datasets[0].methods[0], by_budget=(without,))
    dataset = replace(few.datasets[0], methods=(method,))
    assert (
        told not in chart_json(recall_by_number_chart(dataset, few.choice))["usermeta"]["reading"]
    )


def test_sizes_stand_beside_those_of_the_objects():
    first = one_method().datasets[0]
    chart = proposal_sizes_chart(first, budget=1000)
    assert len(records(chart, "proposals")) == 10 * len(first.methods)
    steps = [row["share"] for row in records(chart, "share")]
    assert set(first.methods[0].sizes) <= set(steps)
    assert set(first.sizes) <= set(steps)


def test_classes_stand_from_the_hardest_on_and_many_are_cut():
    result = every_method()
    chart = recall_groups_chart(result.datasets[0], result.choice, "class")
    assert "The 12 first and last of 80." in chart_json(chart)["usermeta"]["reading"]
    rows = records(chart, "level")
    assert len(rows) == 24 * len(METHODS)
    order = list(dict.fromkeys(row["group"] for row in rows))
    means = {
        name: sum(
            one.ar
            for method in result.datasets[0].methods
            for one in method.groups
            if (one.by, one.value) == ("class", name)
        )
        for name in order
    }
    assert order == sorted(order, key=means.__getitem__)


def test_sizes_of_objects_stand_in_their_own_order():
    result = every_method()
    turned = [
        replace(one, groups=tuple(reversed(one.groups))) for one in result.datasets[0].methods
    ]
    dataset = replace(result.datasets[0], methods=tuple(turned))
    rows = records(recall_groups_chart(dataset, result.choice, "size"), "level")
    assert list(dict.fromkeys(row["group"] for row in rows)) == ["small", "medium", "large"]


def test_every_data_set_has_a_dot_for_each_of_its_methods():
    rows = records(recall_datasets_chart(every_method()), "dataset")
    assert len(rows) == 12 + 8
    found = every_method().datasets[1].methods[0].chosen[-1]
    row = next(r for r in rows if (r["dataset"], r["method"]) == ("VOC2007_test", "uniform"))
    assert (row["ar"], row["low"], row["high"]) == (found.ar, found.ar_low, found.ar_high)


def test_methods_look_different_and_only_baselines_are_dashed():
    styles = method_styles(every_method().datasets[0].methods)
    assert len(set(styles.values())) == len(METHODS)
    solid = {
        one.dash for name, one in styles.items() if name in {m[0] for m in METHODS if not m[1]}
    }
    assert solid == {(1, 0)}
    # As long as there are colours, nobody shares one.
    few = method_styles(every_method().datasets[0].methods[: len(METHOD_COLOURS)])
    assert {one.colour for one in few.values()} == set(METHOD_COLOURS)
    many = method_styles(many_methods(20).methods)
    assert len(set(many.values())) == len(many) == MOST_METHODS == 2 * len(METHOD_COLOURS)


def test_more_methods_than_can_be_told_apart_are_cut_and_that_is_said():
    dataset, choice = many_methods(20), one_method().choice
    for chart in (
        recall_by_iou_chart(dataset, choice),
        recall_groups_chart(dataset, choice, "size"),
    ):
        assert "The first 16 of 20 methods." in chart_json(chart)["usermeta"]["reading"]


def test_one_method_alone_has_no_key():
    assert method_key(method_styles(one_method().datasets[0].methods)) == []
    assert len(method_key(method_styles(many_methods(5).methods))) == 1


def test_other_overlaps_are_named_with_average_recall():
    result = nasty()
    chart = recall_by_iou_chart(result.datasets[0], result.choice)
    assert "AR .5 to .7" in [row["text"] for row in records(chart, "text")]


def test_counts_keep_a_digit_where_they_are_small():
    assert [count_text(n) for n in (1.0, 4.25, 991.4, 9800.0, float("nan"))] == [
        "1",
        "4.2",
        "991",
        "9,800",
        "n/a",
    ]


def test_an_axis_of_recall_ends_at_the_next_round_number():
    found = ((0.0,), (0.12,), (0.37, math.nan), (0.6,), (0.97,), ())
    assert [recall_limit(values) for values in found] == [0.05, 0.15, 0.4, 0.6, 1.0, 1.0]


def test_every_overlap_has_an_axis_of_its_own():
    result = every_method()
    first = result.datasets[0]
    panels = chart_json(recall_by_number_chart(first, result.choice))["vconcat"][-1]["concat"]
    ends = [panel["layer"][0]["encoding"]["y"]["scale"]["domain"][1] for panel in panels]
    highest = [
        max(one.recall[iou] for method in first.methods for one in method.by_budget)
        for iou in result.choice.ious
    ]
    assert ends[1:] == [recall_limit([value]) for value in highest]


def test_keys_panels_and_columns_begin_with_the_best_method():
    result = every_method()
    first = result.datasets[0]
    best = [one.name for one in best_first(first.methods)]
    assert [one.chosen[-1].ar for one in best_first(first.methods)] == sorted(
        (one.chosen[-1].ar for one in first.methods), reverse=True
    )
    panels = records(proposal_sizes_chart(first, budget=1000), "proposals")
    assert list(dict.fromkeys(row["method"] for row in panels)) == best
    assert list(styles_by_recall(first.methods)) == best
    cells = chart_json(recall_groups_chart(first, result.choice, "size"))["hconcat"][0]
    assert cells["layer"][0]["encoding"]["x"]["sort"] == best
    # Looks stay, whichever is best.
    assert styles_by_recall(first.methods) == method_styles(first.methods)

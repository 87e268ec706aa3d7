"""Figures of groups of classes and of matched subsets: who is drawn, where, and what is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boxlens.data.class_properties import ClassProperties
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.forms.marks import SMALL_PX
from boxlens.report.described.difficulty.classes import PANEL_PX, PLOT_PX, chosen_text
from boxlens.report.described.difficulty.systems import By, control_plots
from boxlens.report.readers.figures import titled
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.matched_subset import matched_subset
from report.difficulty_results import (
    KINDS,
    SIZES,
    dataset_of,
    everything,
    nasty,
    properties_of,
    result_of,
    system_of,
)
from report.drawn import plan_of, records, size, svg_of, texts, words


def drawn(result, name):
    return next(one.draw() for one in plan_of(result).figures if one.name == name)


def test_bars_are_means_and_groups_of_one_class_have_no_interval():
    result = nasty()
    chart = drawn(result, "ap_by_real_world_size_within_kind")
    found = records(chart, "mean")
    assert all(row["low"] is None and row["tip"]["95%"] == "-" for row in found)
    told = {
        group.mean
        for one in result.properties
        if one.score == "ap" and one.within_property
        for group in one.groups
    }
    assert {row["mean"] for row in found} == told


def test_many_groups_are_cut_to_the_largest_and_that_is_said():
    result = everything()
    one = next(row for row in result.properties if row.score == "ap" and row.property == "kind")
    groups = tuple(
        replace(one.groups[0], value=f"group {at}", classes=("a",) * (30 - at)) for at in range(30)
    )
    shown = replace(result, properties=(replace(one, groups=groups),))
    read = words(svg_of(drawn(shown, "ap_by_kind")))
    assert "The 12 largest of 30 groups." in read
    assert "group 11" in read
    assert "group 12" not in read


def test_bars_are_drawn_for_the_main_score_and_for_accuracy():
    names = [one.name for one in plan_of(everything()).figures]
    for of in ("kind", "real_world_size", "real_world_size_within_kind"):
        assert f"ap_by_{of}" in names
        assert f"cls_loc_by_{of}" in names
        assert f"cls_by_{of}" not in names
    assert not [name for name in names if name.startswith("cls_loc_controlled")]


@pytest.mark.parametrize("boxes", [True, False])
def test_systems_without_ap_have_bars_of_what_they_have(boxes):
    first = everything().datasets[0]
    systems = (system_of("finder", first), system_of("guesser", first, boxes=boxes, ap=False))
    result = result_of([first], systems, properties_of(80))
    plan = {one.name: one for one in plan_of(result).figures}
    assert {"ap_by_kind", "cls_loc_by_kind"} <= plan.keys()
    assert ("cls_by_kind" in plan) == (not boxes)
    assert ("cls_loc_controlled_kind" in plan) == boxes
    own = "cls_loc_by_kind" if boxes else "cls_by_kind"
    assert "guesser" in {row["series"] for row in records(plan[own].draw(), "mean")}
    read = texts(svg_of(plan["ap_by_kind"].draw()))
    assert "Without AP50: guesser." in " ".join(read)
    assert "guesser" not in read, "the key names only those who have bars"


def test_classes_told_without_boxes_have_bars_and_no_control():
    first = everything().datasets[0]
    systems = (system_of("classifier", first, boxes=False, ap=False),)
    plan = plan_of(result_of([first], systems, properties_of(80)))
    names = [one.name for one in plan.figures]
    assert "cls_by_kind" in names
    assert not [name for name in names if "controlled" in name]
    why = {one.why for one in plan.left_out if one.section == "properties"}
    assert why == {"the difficulty of localization does not matter to classification"}


def test_a_property_called_as_a_figure_keeps_a_name_of_its_own():
    result = everything()
    renamed = {"kind": "measure", "real-world size": "measure 2"}
    properties = tuple(
        replace(one, property=renamed[one.property])
        for one in result.properties
        if not one.within_property
    )
    names = [one.name for one in plan_of(replace(result, properties=properties)).figures]
    assert len(names) == len(set(names))
    assert {"ap_by_measure", "ap_by_measure_2", "ap_by_measure_2_2"} <= set(names)


def test_controls_are_curves_of_the_groups_within_each_value():
    result = everything()
    chart = drawn(result, "ap_controlled_real_world_size_within_kind_cpl")
    drawn_ends = {(row["series"], row["x"], row["y"]) for row in records(chart, "series")}
    wanted = [
        one
        for one in result.cumulative
        if (one.score, one.measure, one.within_property) == ("ap", "cpl", "kind")
    ]
    assert len(wanted) == len(SIZES) * len(KINDS) * len(result.systems)
    assert {(one.group, one.x[-1], one.mean[-1]) for one in wanted} <= drawn_ends
    plain = records(drawn(result, "ap_controlled_real_world_size"), "series")
    assert not {(row["series"], row["x"], row["y"]) for row in plain} >= drawn_ends


@pytest.mark.parametrize("n_systems", [1, 3, 5])
def test_nested_controls_keep_their_size_and_say_what_they_leave_out(n_systems):
    first = dataset_of("many kinds", 90)
    systems = [system_of(f"system {at}", first, seed=at) for at in range(n_systems)]
    values = [f"kind {at}" for at in range(9)]
    columns = {
        "kind": tuple(values[row % 9] for row in range(90)),
        "size": tuple(SIZES[row // 9 % 3] for row in range(90)),
    }
    table = ClassProperties(columns, {"kind": tuple(values), "size": SIZES}, {})
    choice = DifficultyChoice(nest=(("kind", "size"),))
    result = result_of([first], systems, table, choice=choice)
    # The last system has no curve within the second kind.
    lost = (systems[-1].name, values[1])
    kept = [one for one in result.cumulative if (one.system, one.within_value) != lost]
    result = replace(result, cumulative=tuple(kept))
    plots = control_plots(result, By("size", "kind"), "ap")
    svg = svg_of(next(titled(one) for one in plots if one.name.endswith("_clutter")))
    width, height = size(svg)
    assert width <= 420
    assert height <= 660
    n_shown = 6 if n_systems == 1 else 3
    n_values = 8 if n_systems == 1 else 9
    assert f"The first {n_shown} of {n_values} values of kind." in words(svg)
    assert ("The first 3 of 5 systems." in words(svg)) == (n_systems == 5)
    assert (texts(svg).count("no group has") > 0) == (n_systems == 3)


@pytest.mark.parametrize("measure", ["cpl", "clutter"])
@pytest.mark.parametrize("place", [-0.2, 0.0, 0.05, 0.3, 0.7, 0.97, 1.0, 1.05, 1.6])
def test_the_label_of_a_subset_stands_clear_of_the_target_and_of_the_curve(measure, place):
    first = everything().datasets[0]
    means = matched_subset(first, measure, 0.0).means
    subset = matched_subset(first, measure, float(means[0] + place * (means[-1] - means[0])))
    chart = drawn(replace(everything(), subsets=(subset,)), "subsets")
    panel = chart_json(chart)["concat"][0]["layer"][0]["encoding"]
    low, high = panel["y"]["scale"]["domain"]
    end = panel["x"]["scale"]["domain"][1]
    label = records(chart, "label_x")[0]

    def px(mean):
        return (high - mean) / (high - low) * PLOT_PX

    middle, half = px(label["label_y"]), SMALL_PX / 2
    assert abs(middle - px(subset.target)) >= half + 1.5
    assert -8 <= middle <= PLOT_PX + 2
    across, width = label["label_x"] / end * PANEL_PX, 4.6 * len(chosen_text(subset))
    assert across - width / 2 > -2
    ks_px = (k / end * PANEL_PX for k in range(1, len(means) + 1))
    beside = [
        px(mean) for mean, k_px in zip(means, ks_px, strict=True) if abs(k_px - across) <= width / 2
    ]
    assert beside
    assert min(abs(middle - y) for y in beside) >= half


def test_a_target_that_all_classes_miss_is_told():
    first = everything().datasets[0]
    assert chosen_text(matched_subset(first, "cpl", 0.9)) == "all 79, still harder"
    assert chosen_text(matched_subset(first, "cpl", -1.0)) == "none is as hard"
    whole = matched_subset(first, "cpl", 0.9)
    assert chosen_text(replace(whole, target=whole.mean)) == "79 of 79"


def test_a_subset_is_marked_where_it_ends_or_said_to_be_empty():
    first = everything().datasets[0]
    found = matched_subset(first, "cpl", 0.05)
    chart = drawn(replace(everything(), subsets=(found,)), "subsets")
    (marked,) = [row for row in records(chart, "size") if row["size"] == 40]
    assert (marked["x"], marked["y"], marked["opacity"]) == (len(found.classes), found.mean, 1)
    assert f"{len(found.classes)} of 79" in texts(svg_of(chart))
    missed = replace(everything(), subsets=(matched_subset(first, "cpl", -1),))
    assert "none is as hard" in words(svg_of(drawn(missed, "subsets")))
    many = [matched_subset(first, "scale", 0.01 * at) for at in range(1, 9)]
    read = words(svg_of(drawn(replace(everything(), subsets=tuple(many)), "subsets")))
    assert "The first 6 of 8 subsets." in read

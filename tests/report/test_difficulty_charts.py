"""Figures of difficulty compile for every result, and say what they show and leave out."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boxlens.report.charts.colours import SERIES
from boxlens.report.charts.export import chart_json
from boxlens.report.described.difficulty.datasets import _density
from boxlens.studies.difficulty.measures import MEASURE_NAMES
from boxlens.wording import score
from report.difficulty_results import (
    WORLDS,
    dataset_of,
    everything,
    nodes_of,
    result_of,
    system_of,
)
from report.drawn import colours, plan_of, records, svg_of, texts, whole_svg, words

EVERY_FIGURE = {
    "measures": ["coco_val2017", "VOC2007_test", "instances per image", "ILSVRC", "PASCAL"],
    "classes_by_cpl": ["CPL", "objects", "15 hardest and easiest of 79", "Undefined for 1 more"],
    "classes_by_clutter": ["clutter (log2 windows)", "…"],
    "ap_by_measure": ["yolox_nano", "fastestdet", "neighbours", "scale", "CPL", "clutter", "r "],
    "cls_by_measure": ["cls (class right) of classes against"],
    "cumulative_ap": ["At x: mean over all classes", "AP"],
    "cumulative_cls_loc": ["upper bound", "cls+loc (class and box right)"],
    "levels": ["cls", "cls+loc", "level, classes accepted", "80"],
    "nodes": ["any vehicle", "any dog", "Hollow", "Filled"],
    "ap_by_kind": ["man-made", "natural", "n = 40", "2 classes have no value"],
    "ap_by_real_world_size_within_kind": ["within kind: man-made", "within kind: natural", "large"],
    "ap_controlled_kind": ["yolox_nano, CPL", "fastestdet, clutter", "natural"],
    "cls_loc_by_kind": ["cls+loc by kind", "yolox_nano", "n = 40"],
    "ap_controlled_real_world_size_within_kind_cpl": [
        "within man-made",
        "fastestdet",
        "CPL has a square-root",
    ],
    "ap_controlled_real_world_size_within_kind_clutter": ["within natural", "middle", "clutter"],
    "subsets": ["51 of 79", "target 0.0500", "as VOC2007_test", "all 79, still harder"],
}


@cache
def charts(world):
    return {one.name: one.draw() for one in plan_of(WORLDS[world]()).figures}


@cache
def drawn(world):
    return {one.name: whole_svg(one, 420, 660) for one in plan_of(WORLDS[world]()).figures}


@pytest.mark.parametrize("world", [name for name in WORLDS if name != "many classes"])
def test_every_figure_compiles_and_writes_nothing_undefined(world):
    assert all(svg.startswith("<svg") for svg in drawn(world).values())


@pytest.mark.parametrize("figure", EVERY_FIGURE)
def test_a_figure_says_what_it_shows(figure):
    read = words(drawn("everything")[figure])
    assert not [label for label in EVERY_FIGURE[figure] if label not in read]


def test_figures_come_in_the_order_of_the_page_with_the_main_score_first():
    names = [one.name for one in plan_of(everything()).figures]
    assert len(names) == len(set(names))
    assert names[:2] == ["measures", "ap_by_measure"]
    assert names[-3:] == ["subsets", "classes_by_cpl", "classes_by_clutter"]
    assert plan_of(everything()).left_out == ()


def test_what_cannot_be_drawn_is_told_with_its_reason():
    left_out = {
        name: {one.section: one.why for one in plan_of(world()).left_out}
        for name, world in WORLDS.items()
    }
    no_systems = "no detections and no guesses were given"
    assert left_out["alone"] == {
        "correlations": no_systems,
        "hierarchy": no_systems,
        "properties": no_systems,
        "subsets": "no target was given",
    }
    assert left_out["guesses"]["properties"] == "no table of class properties was given"
    few = "fewer than 3 classes have a score and a measure"
    assert left_out["one class"]["correlations"] == few
    assert left_out["one class"]["hierarchy"] == "no class tree was given"
    assert left_out["nothing"]["datasets"] == "no class has objects that count"
    assert plan_of(WORLDS["nothing"]()).figures == ()


def test_a_tree_that_joins_nothing_and_nodes_that_were_not_named_are_told():
    found = [one.why for one in plan_of(WORLDS["guesses"]()).left_out]
    assert "the tree joins no classes" in found
    assert "no node was named" in found


def test_a_classifier_has_only_figures_of_classes_told():
    names = [one.name for one in plan_of(WORLDS["guesses"]()).figures]
    assert [name for name in names if name.endswith("_by_measure")] == ["cls_by_measure"]
    assert not [name for name in names if name.startswith("cumulative")]


def test_a_dot_is_a_class_of_a_system_and_leads_to_its_objects():
    result = everything()
    found = records(charts("everything")["ap_by_measure"], "score")
    n_known = sum(one.n_objects > 0 for one in result.datasets[0].classes)
    assert len(found) == n_known * len(result.systems)
    row = next(
        row for row in found if (row["tip"]["class"], row["series"]) == ("class 7", "fastestdet")
    )
    assert row["score"] == result.systems[1].classes[7].scores["ap"]
    for measure in MEASURE_NAMES:
        assert row[measure] == result.datasets[0].classes[7].value(measure)
    assert row["select"] == "of=objects&class=class+7"


def test_dots_are_linked_only_where_there_are_detectors():
    for world, linked in (("everything", True), ("guesses", False), ("alone", False)):
        for figure in {"classes_by_cpl", "cls_by_measure"} & charts(world).keys():
            assert bool(records(charts(world)[figure], "select")) == linked, (world, figure)


def test_every_system_has_its_colour_its_line_and_its_r():
    svg = drawn("everything")["ap_by_measure"]
    assert set(SERIES[:2]) <= colours(svg)
    for one in everything().correlations:
        if one.score == "ap":
            assert f"r {score(one.pearson)}" in texts(svg)


def test_lines_are_those_of_the_correlations():
    result = everything()
    chart = charts("everything")["ap_by_measure"]
    of = next(
        one
        for one in result.correlations
        if (one.system, one.score, one.measure) == ("yolox_nano", "ap", "cpl")
    )
    known = [one.cpl for one in result.datasets[0].classes if one.n_objects]
    ends = [of.intercept + of.slope * x for x in (min(known), max(known))]
    drawn_ends = [row["y"] for row in records(chart, "y") if "cpl" in row]
    assert set(ends) <= set(drawn_ends)


def test_the_hardest_and_the_easiest_classes_stand_in_their_order():
    first = everything().datasets[0]
    for measure, rising in (("cpl", True), ("clutter", False)):
        shown = records(charts("everything")[f"classes_by_{measure}"], "value")
        values = [row["value"] for row in shown]
        known = sorted(
            (one.value(measure) for one in first.classes if one.n_objects), reverse=not rising
        )
        assert values == known[:15] + known[-15:]


def test_few_classes_are_all_shown_and_equal_names_keep_their_rows():
    read = texts(drawn("nasty")["classes_by_cpl"])
    assert read.count("the same") == 2
    assert not any("hardest and easiest of" in text for text in read)


def test_densities_count_every_class_once():
    rng = np.random.default_rng(0)
    for values in (rng.exponential(1, 300), rng.random(50) ** 4):
        grid = np.linspace(0, 12, 20_001)
        bounds = (0.0, 1.0) if values.max() < 1 else (0.0, np.inf)
        inside = grid[(grid >= bounds[0]) & (grid <= bounds[1])]
        area = np.trapezoid(_density(values, inside, bounds), inside)
        assert area == pytest.approx(1, abs=2e-3)


def test_data_sets_of_few_or_equal_classes_are_dots():
    few = dataset_of("few", 4)
    same = replace(few, classes=(few.classes[0],) * 30)
    found, equal, curves = (
        records(result_of([of]).figures()["measures"], "tip")
        for of in (few, same, dataset_of("many", 30))
    )
    assert {row["tip"]["class"] for row in found} == {one.name for one in few.classes}
    assert equal
    assert not curves


def test_more_data_sets_and_systems_than_colours_are_cut_and_that_is_said():
    sets = [dataset_of(f"set {at}", 12, seed=at, clutter=False) for at in range(8)]
    measures = result_of(sets).figures()["measures"]
    assert "The first 6 of 8 data sets." in words(svg_of(measures))
    systems = [system_of(f"system {at}", sets[0], seed=at) for at in range(8)]
    result = result_of(sets[:1], systems)
    plan = {one.name: one for one in plan_of(result).figures}
    for name in ("ap_by_measure", "cumulative_ap"):
        assert "The first 6 of 8 systems." in words(svg_of(plan[name].draw())), name


def test_level_curves_are_the_scores_and_say_how_many_classes_are_accepted():
    result = everything()
    found = records(charts("everything")["levels"], "tip")
    for one in result.levels:
        of_it = [row["y"] for row in found if (row["series"], row["x"]) == (one.system, one.level)]
        assert {one.scores[name] for name in ("cls", "cls_loc", "ap")} == set(of_it)
    read = texts(drawn("everything")["levels"])
    assert {"0", "1", "2", "20.8", "80"} <= set(read)


def test_nodes_without_objects_are_counted_and_not_drawn():
    read = words(drawn("nasty")["nodes"])
    assert "any vehicle" in read
    assert "any dog" not in read
    assert "Undefined for 2 more." in read


def test_many_nodes_are_cut_and_that_is_said():
    result = everything()
    known = nodes_of(result.systems, result.datasets[0])
    many = [replace(one, node=f"{one.node} {copy}") for copy in range(7) for one in known]
    read = words(svg_of(replace(result, nodes=tuple(many)).figures()["nodes"]))
    assert "The first 15 of 21 nodes." in read


def test_a_thousand_classes_stay_a_figure_of_a_sane_size():
    plan = {one.name: one for one in plan_of(WORLDS["many classes"]()).figures}
    for name, most in (("measures", 200_000), ("cumulative_ap", 300_000), ("levels", 100_000)):
        assert len(json.dumps(chart_json(plan[name].draw()))) < most, name
    spec = chart_json(plan["ap_by_measure"].draw())
    rows = [row for rows in spec["datasets"].values() for row in rows if "score" in row]
    n_known = sum(one.n_objects > 0 for one in WORLDS["many classes"]().datasets[0].classes)
    assert len(rows) == 2 * n_known, "panels share their records"


def test_names_that_look_like_code_stay_names():
    read = texts(drawn("nasty")["ap_by_measure"])
    assert any("version 1" in text and "..." in text for text in read)

"""Figures of comparisons compile for every result, and say what they show and leave out."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boxlens.comparison.cases.discriminative import discriminate
from boxlens.report.charts.class_differences import class_differences_chart
from boxlens.report.charts.detector_pair import (
    FIRST,
    SECOND,
    UNDECIDED,
    p_text,
    short,
    signed,
)
from boxlens.report.charts.differences import differences_chart
from boxlens.report.charts.image_scores import image_scores_chart
from boxlens.report.charts.joint import joint_chart
from boxlens.report.charts.league import league_chart
from boxlens.report.charts.p_curve import p_curve_chart
from boxlens.report.planning.comparison_figures import comparison_figures
from comparison.compared import NASTY, WORLDS, compared
from report.drawn import colours, size, svg_of, texts, words

EVERY_FIGURE = {
    "league": ["group", "region", "window", ".204", ".201", "cannot be told apart"],
    "differences": ["AP50", "AR100", "← region better", "window better →", "Grey band"],
    "class_differences": ["vase", "sofa", "objects", "after Holm's adjustment"],
    "image_scores": ["by falling difference", "window is better on 88, region on 108"],
    "p_curve": ["α = .05", "threshold t", "images", "They do not"],
    "joint": ["better in each image", "region + hits", "together, at most", "only region"],
    "strengths": ["all objects", "size: small", "difference in recall", "Of 87 groups the 30"],
    "annotation_gain": ["by share disputed", "best possible", "errors of all detectors", "random"],
}


@cache
def drawn(world):
    """By name; of three detectors one pair and what is of all."""
    figures = comparison_figures(compared(world)).figures
    others = ("window_region", "window_window_half")
    return {one.name: svg_of(one.draw()) for one in figures if not one.name.endswith(others)}


@pytest.mark.parametrize("world", WORLDS)
def test_every_figure_compiles_and_writes_nothing_undefined(world):
    for name, svg in drawn(world).items():
        assert svg.startswith("<svg"), name
        assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", words(svg)), name
        width, height = size(svg)
        assert width <= 400, name
        assert height <= 640, name


@pytest.mark.parametrize("figure", EVERY_FIGURE)
def test_a_figure_says_what_it_shows(figure):
    read = words(drawn("alike")[figure])
    assert not [label for label in EVERY_FIGURE[figure] if label not in read]


def test_what_cannot_be_drawn_is_told_with_its_reason():
    left_out = {world: comparison_figures(compared(world)).left_out for world in WORLDS}
    assert left_out["alike"] == ()
    (ten,) = left_out["ten images"]
    assert ten.why == "too few cases: 10, and at least 20 are needed"
    (same,) = left_out["same"]
    assert same.why == "the scores agree on every image: the test set is too easy to tell"


def test_three_detectors_have_figures_of_every_pair_and_of_all_together():
    names = [one.name for one in comparison_figures(compared("three")).figures]
    assert len(names) == len(set(names)) == 1 + 3 * 5 + 3
    assert "p_curve_together" in names
    assert "differences_window_region" in names


def test_only_decided_differences_are_coloured():
    result = compared("alike")
    decided = [row for row in result.pairs if row.p_holm < 0.05]
    painted = colours(drawn("alike")["differences"])
    assert (FIRST in painted) == any(row.difference.value > 0 for row in decided)
    none = [replace(row, p_holm=1.0) for row in result.pairs]
    svg = svg_of(differences_chart(none, alpha=0.05))
    marks = re.findall(r'<path[^>]*aria-roledescription="point"[^>]*>', svg)
    assert marks
    assert not any(FIRST in mark or SECOND in mark for mark in marks)
    assert any(UNDECIDED in mark for mark in marks)


def test_many_classes_are_cut_to_the_clearest_and_that_is_said():
    known = compared("alike").classes
    many = [
        replace(row, name=f"{row.name} {copy}", difference=replace(row.difference, se=0.01 + copy))
        for copy in range(5)
        for row in known
    ]
    svg = svg_of(class_differences_chart(many, alpha=0.05))
    shown = [text for text in texts(svg) if re.fullmatch(r"[a-z]+ \d", text)]
    assert len(shown) == 30
    assert {f"{row.name} 0" for row in known} <= set(shown)
    assert "the 30 with the largest differences in standard errors" in words(svg)
    # In the order of the difference, from the first detector's best down.
    of_name = {row.name: row.difference.value for row in many}
    assert [of_name[name] for name in shown] == sorted(map(of_name.get, shown), reverse=True)


def test_the_p_curve_marks_t0_and_what_lies_below_the_edge():
    read = words(drawn("apart")["p_curve"])
    assert "t0 = .000" in read
    assert "They do: t0 = .000, 200 of 200 kept" in read
    assert "below a millionth are drawn at the lower edge" in read


def test_a_late_t0_is_marked_where_it_lies():
    rng = np.random.default_rng(4)
    first = rng.random(60)
    second = first + rng.normal(0, 0.01, 60)
    second[:25] -= 0.3
    second[25:45] += 0.05 + rng.random(20) / 5
    result = discriminate(("a", "b"), (first, second))
    svg = svg_of(p_curve_chart(result))
    assert ("t0 = " in words(svg)) == (not np.isnan(result.t0))


def test_a_curve_that_is_undefined_says_why():
    same = compared("same").discriminative[0]
    assert "the scores agree on every image" in words(svg_of(p_curve_chart(same)))


def test_thousands_of_images_become_cells_and_means():
    rng = np.random.default_rng(0)
    scores = rng.random(5000), rng.random(5000)
    svg = svg_of(image_scores_chart(scores, ("a", "b")))
    assert "dark: many images" in words(svg)
    assert "means of up to 34 neighbours" in words(svg)
    assert len(svg) < 300_000


def test_images_without_a_score_are_counted():
    scores = np.array([0.5, np.nan, 0.25]), np.array([0.25, 0.5, 0.25])
    read = words(svg_of(image_scores_chart(scores, ("a", "b"))))
    assert "Of 2 images a is better on 1, b on 0; they are equal on 1." in read
    assert "1 images without a score are left out" in read
    nothing = np.full(3, np.nan)
    assert "no image has a score" in words(svg_of(image_scores_chart((nothing, nothing), NASTY)))


def test_a_league_shows_twenty_and_says_so():
    league = compared("alike").league
    rows = tuple(
        replace(league.rows[0], name=f"a detector with a long name, version {at}")
        for at in range(25)
    )
    svg = svg_of(league_chart(replace(league, rows=rows)))
    labels = [text for text in texts(svg) if "..." in text]
    assert len(labels) == len(set(labels)) == 20
    assert "The best 20 of 25." in words(svg)
    unknown = replace(league.rows[0], score=replace(league.rows[0].score, value=np.nan))
    assert "Undefined for 1 more." in words(
        svg_of(league_chart(replace(league, rows=(league.rows[0], unknown))))
    )
    assert "AP is undefined" in words(svg_of(league_chart(replace(league, rows=(unknown,)))))


def test_detectors_with_names_that_are_cut_alike_keep_their_own_bars():
    joint = compared("alike").joint
    names = tuple(f"the same long beginning {at} the same long end" for at in range(2))
    single = tuple(
        replace(row, name=name) for row, name in zip(joint.rankings.single, names, strict=True)
    )
    rankings = replace(joint.rankings, single=single)
    svg = svg_of(joint_chart(replace(joint, detectors=names, rankings=rankings)))
    read = texts(svg)
    assert sum(text.startswith("the same lo") and "..." in text for text in read) == 3
    for row in single:
        assert f"{row.metrics['AP']:.3f}"[1:] in read


def test_names_that_look_like_code_stay_names():
    plan = {figure.name: figure for figure in comparison_figures(compared("nasty")).figures}
    read = words(svg_of(plan["joint"].draw()))
    assert short(f"only {NASTY[0]}", 25) in read
    assert short(NASTY[1]) in words(svg_of(plan["image_scores"].draw()))


def test_nothing_to_compare_is_said():
    result = compared("alike")
    nan = replace(result.pairs[0].difference, value=np.nan, low=np.nan, high=np.nan)
    pairs = [replace(row, difference=nan) for row in result.pairs]
    assert "every number is undefined" in words(svg_of(differences_chart(pairs, alpha=0.05)))
    one = [*result.pairs[:2], replace(result.pairs[2], difference=nan)]
    assert "Undefined: AP75." in words(svg_of(differences_chart(one, alpha=0.05)))
    assert "no class has objects" in words(svg_of(class_differences_chart([], alpha=0.05)))
    found = replace(result.joint.found, n_objects=0)
    assert "AP is undefined" in words(svg_of(joint_chart(replace(result.joint, found=found))))


def test_differences_have_signs_and_small_p_values_a_limit():
    assert [signed(value) for value in (0.0123, -0.5, -0.0001, float("nan"))] == [
        "+.012",
        "-.500",
        ".000",
        "n/a",
    ]
    assert [p_text(p) for p in (0.0004, 0.0005, 1.0)] == ["<.001", ".001", "1.000"]
    assert short("yolox_nano") == "yolox_nano"
    assert short("yolox_nano_640_coco_v1") == "yolox_na...coco_v1"
    assert len(short("x" * 90)) <= 18


def test_axes_write_negative_fractions_without_a_zero():
    read = texts(drawn("alike")["differences"])
    assert "−.1" in read
    assert not any(text.startswith(("−0.", "-0.")) for text in read)

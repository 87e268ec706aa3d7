"""Figures of comparisons compile for every result, and say what they show and leave out."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boxlens.report.charts.colours import FIRST, SECOND, UNDECIDED
from boxlens.report.described import describe
from boxlens.report.described.comparison.images import images_section
from boxlens.report.readers.figures import titled
from boxlens.studies.comparison.cases.discriminative import DiscriminativeChoice, discriminate
from boxlens.studies.comparison.leading_pairs import leading_pairs
from boxlens.wording import short
from report.drawn import colours, plan_of, svg_of, texts, whole_svg, words
from studies.comparison.compared import NASTY, WORLDS, compared

EVERY_FIGURE = {
    "league": ["group", "region", "window", "0.204", "0.201", "cannot be told apart"],
    "differences": ["AP50", "AR100", "← region better", "window better →", "Grey band"],
    "class_differences": ["vase", "sofa", "objects", "after Holm's adjustment"],
    "image_scores": ["by falling difference", "window is better on 88, region on 108"],
    "p_curve": ["α = 0.05", "threshold t", "images", "They do not"],
    "joint": ["better in each image", "region + hits", "together, by an oracle", "only region"],
    "strengths": ["all objects", "size: small", "difference in recall", "The 30 of 87 groups"],
    "annotation_gain": ["by disputed share", "best possible", "errors of all detectors", "random"],
}


def plots_of(result):
    return {plot.name: plot for _, plot in describe(result).plots()}


@cache
def drawn(world):
    """By name; of three detectors one pair and what is of all."""
    others = ("window_region", "window_window_half")
    figures = plan_of(compared(world)).figures
    shown = [one for one in figures if not one.name.endswith(others)]
    return {one.name: whole_svg(one, 400, 640) for one in shown}


@pytest.mark.parametrize("world", WORLDS)
def test_every_figure_compiles_and_writes_nothing_undefined(world):
    assert all(svg.startswith("<svg") for svg in drawn(world).values())


@pytest.mark.parametrize("figure", EVERY_FIGURE)
def test_a_figure_says_what_it_shows(figure):
    read = words(drawn("alike")[figure])
    assert not [label for label in EVERY_FIGURE[figure] if label not in read]


def test_what_cannot_be_drawn_is_told_with_its_reason():
    left_out = {world: plan_of(compared(world)).left_out for world in WORLDS}
    assert left_out["alike"] == ()
    (ten,) = left_out["ten images"]
    assert ten.why == "too few images: 10, at least 20 are needed"
    (same,) = left_out["same"]
    assert same.why == "the scores agree on every image: the test set is too easy"


def test_three_detectors_have_figures_of_every_pair_and_of_all_together():
    names = [one.name for one in plan_of(compared("three")).figures]
    assert len(names) == len(set(names)) == 1 + 3 * 5 + 3
    assert "p_curve_together" in names
    assert "differences_window_region" in names


def test_only_decided_differences_are_coloured():
    result = compared("alike")
    decided = [row for row in result.pairs if row.p_holm < 0.05]
    painted = colours(drawn("alike")["differences"])
    assert (FIRST in painted) == any(row.difference.value > 0 for row in decided)
    none = replace(result, pairs=tuple(replace(row, p_holm=1.0) for row in result.pairs))
    svg = svg_of(plots_of(none)["differences"].draw())
    marks = re.findall(r'<path[^>]*aria-roledescription="point"[^>]*>', svg)
    assert marks
    assert not any(FIRST in mark or SECOND in mark for mark in marks)
    assert any(UNDECIDED in mark for mark in marks)


def test_many_classes_are_cut_to_the_clearest_and_that_is_said():
    result = compared("alike")
    many = tuple(
        replace(row, name=f"{row.name} {copy}", difference=replace(row.difference, se=0.01 + copy))
        for copy in range(5)
        for row in result.classes
    )
    plot = plots_of(replace(result, classes=many))["class_differences"]
    shown = [text for text in texts(svg_of(plot.draw())) if re.fullmatch(r"[a-z]+ \d", text)]
    assert len(shown) == 30
    assert {f"{row.name} 0" for row in result.classes} <= set(shown)
    assert "the 30 with the largest differences in standard errors" in plot.legend
    # In the order of the difference, from the first detector's best down.
    of_name = {row.name: row.difference.value for row in many}
    assert [of_name[name] for name in shown] == sorted(map(of_name.get, shown), reverse=True)


def test_the_p_curve_marks_t0_and_what_lies_below_the_edge():
    read = words(drawn("apart")["p_curve"])
    assert "t0 = 0.000" in read
    assert "They do: t0 = 0.000, 200 of 200 images kept" in read
    assert "below a millionth are drawn at the lower edge" in read


def test_a_late_t0_is_marked_where_it_lies():
    rng = np.random.default_rng(4)
    first = rng.random(60)
    second = first + rng.normal(0, 0.01, 60)
    second[:25] -= 0.3
    second[25:45] += 0.05 + rng.random(20) / 5
    late = discriminate(("a", "b"), np.stack([first, second]), DiscriminativeChoice())
    result = replace(compared("alike"), discriminative=(late,))
    svg = svg_of(plots_of(result)["p_curve"].draw())
    assert ("t0 = " in words(svg)) == (not np.isnan(late.t0))


def of_scores(first, second):
    scores = np.stack([np.asarray(first, float), np.asarray(second, float)])
    result = replace(compared("alike"), image_scores=scores)
    section = images_section(result, leading_pairs(result))
    return next(part for part in section.parts if part.name == "image_scores")


def test_thousands_of_images_become_cells_and_means():
    rng = np.random.default_rng(0)
    plot = of_scores(rng.random(5000), rng.random(5000))
    assert "the darker, the more images" in plot.legend
    assert "means of up to 34 neighbours" in plot.legend
    assert len(svg_of(plot.draw())) < 300_000


def test_images_without_a_score_are_counted():
    legend = of_scores([0.5, np.nan, 0.25], [0.25, 0.5, 0.25]).legend
    assert "Of 2 images window is better on 1, region on 0; they are equal on 1." in legend
    assert "Skipped because they have no score: 1." in legend
    assert of_scores([np.nan] * 3, [np.nan] * 3).absent.startswith("no image has a score")


def test_a_league_shows_twenty_and_says_so():
    result = compared("alike")
    league = result.league

    def plot_of(rows):
        return plots_of(replace(result, league=replace(league, rows=rows)))["league"]

    others = [
        replace(league.rows[0], name=f"a detector with a long name, version {at}")
        for at in range(23)
    ]
    plot = plot_of((*league.rows, *others))
    labels = [text for text in texts(svg_of(plot.draw())) if "..." in text]
    assert len(labels) == len(set(labels)) == 18
    assert "The best 20 of 25." in plot.legend
    unknown = replace(league.rows[0].score, value=np.nan)
    nothing = tuple(replace(row, score=unknown) for row in league.rows)
    assert "Undefined for 1 more." in plot_of((league.rows[0], nothing[1])).legend
    assert plot_of(nothing).absent == "AP is undefined"


def test_detectors_with_names_that_are_cut_alike_keep_their_own_bars():
    result = compared("alike")
    joint = result.joint
    names = tuple(f"the same long beginning {at} the same long end" for at in range(2))
    single = tuple(
        replace(row, name=name) for row, name in zip(joint.rankings.single, names, strict=True)
    )
    renamed = replace(joint, detectors=names, rankings=replace(joint.rankings, single=single))
    read = texts(svg_of(plots_of(replace(result, joint=renamed))["joint"].draw()))
    assert sum(text.startswith("the same lo") and "..." in text for text in read) == 3
    for row in single:
        assert f"{row.metrics['AP']:.3f}" in read


def test_names_that_look_like_code_stay_names():
    plots = plots_of(compared("nasty"))
    read = words(svg_of(titled(plots["joint"])))
    assert short(f"only {NASTY[0]}", 25) in read
    read = words(svg_of(titled(plots["image_scores"])))
    assert short(NASTY[1]) in read
    assert short(f"{NASTY[0]} better", 24) in read


def test_nothing_to_compare_is_said():
    result = compared("alike")
    nan = replace(result.pairs[0].difference, value=np.nan, low=np.nan, high=np.nan)
    pairs = tuple(replace(row, difference=nan) for row in result.pairs)
    plots = plots_of(replace(result, pairs=pairs, classes=()))
    assert plots["differences"].absent == "every metric is undefined"
    assert plots["class_differences"].absent == "no class has objects that count"
    one = (*result.pairs[:2], replace(result.pairs[2], difference=nan))
    assert "Undefined: AP75." in plots_of(replace(result, pairs=one))["differences"].legend
    nothing = replace(result.joint, found=replace(result.joint.found, n_objects=0))
    absent = plots_of(replace(result, joint=nothing))["joint"].absent
    assert absent == "there are no objects that count"


def test_long_names_are_cut_in_the_middle():
    assert short("yolox_nano") == "yolox_nano"
    assert short("yolox_nano_640_coco_v1") == "yolox_na...coco_v1"
    assert len(short("x" * 90)) <= 18


def test_axes_write_fractions_with_a_leading_zero():
    read = texts(drawn("alike")["differences"])
    assert "−0.1" in read
    assert not any(text.startswith(("−.", ".")) for text in read)

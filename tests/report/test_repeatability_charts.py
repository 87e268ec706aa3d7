"""Figures of repeatability show what the results hold, level by level and by size."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.repeatability import levels_by_method, strongest_level
from boxlens.report.described import describe
from boxlens.studies.proposals.repeatability.choice import RepeatabilityChoice
from report.drawn import records, size, study_figures, svg_of, texts, words
from report.proposal_results import (
    METHODS,
    every_perturbation,
    nothing_followed,
    one_perturbation,
    repeatability_of,
)


def curves(result):
    return result.figures()["repeatability"]


def test_every_perturbation_is_drawn_and_nothing_undefined_written():
    read = []
    for figure in study_figures(describe(every_perturbation())).figures:
        svg = svg_of(figure.draw())
        assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", words(svg))
        width, height = size(svg)
        assert width <= 720
        assert height <= 760
        read += texts(svg)
    assert {FAMILIES[name].title for name in FAMILY_NAMES} <= set(read)
    assert {"0.5", "1", "2", "lossless", "1000"} <= set(read)


def test_points_are_the_levels_of_the_published_figure():
    result = every_perturbation()
    rows = records(curves(result), "series")
    n_plotted = sum(len(FAMILIES[name].plotted) for name in FAMILY_NAMES)
    assert len(rows) == len(METHODS) * n_plotted
    blur = next(one for one in result.methods[5].families if one.family == "blur")
    shown = levels_by_method(result, "blur", {"edge-boxes"})["edge-boxes"]
    assert [one.level for one in shown] == [0, 1, 2, 3, 4, 8]
    assert len(shown) < len(blur.levels)
    assert {one.repeatability for one in shown} <= {row["y"] for row in rows}


def test_levels_that_were_asked_for_are_all_drawn():
    choice = RepeatabilityChoice(families=("blur", "scale"), levels={"blur": (0.2, 1.5)})
    result = repeatability_of(METHODS[:2], choice)
    shown = levels_by_method(result, "blur", {"uniform"})
    assert [one.level for one in shown["uniform"]] == [0.2, 1.5]
    assert "1.5 px" in {row["tip"]["level"] for row in records(curves(result), "series")}


def test_a_single_level_has_an_axis():
    choice = RepeatabilityChoice(families=("scale",), levels={"scale": (0.7,)})
    assert "0.7" in texts(svg_of(curves(repeatability_of(METHODS[:1], choice))))


def test_sizes_are_of_the_level_at_which_methods_repeat_least():
    result = every_perturbation()
    names = [one.name for one in result.methods]
    for family in result.choice.families:
        found = levels_by_method(result, family, names)
        level = strongest_level(found)
        means = {
            one.level: np.mean([of[at].repeatability for of in found.values()])
            for at, one in enumerate(next(iter(found.values())))
        }
        assert means[level] == min(means.values())
    rows = records(result.figures()["repeatability_by_size"], "series")
    assert {row["tip"]["size"] for row in rows} == {
        f"{at / 10:.1f} to {(at + 1) / 10:.1f}" for at in range(9)
    }


def test_where_nothing_was_proposed_no_figure_is_drawn():
    plan = study_figures(describe(nothing_followed()))
    assert not plan.figures
    assert len(plan.left_out) == 2


def test_one_method_and_one_perturbation_are_one_panel_without_a_key():
    chart = curves(one_perturbation())
    assert len({row["series"] for row in records(chart, "series")}) == 1
    named = replace(one_perturbation().methods[0], name="plain")
    spec = chart_json(curves(replace(one_perturbation(), methods=(named,))))
    assert not [row for rows in spec["datasets"].values() for row in rows if "end" in row]

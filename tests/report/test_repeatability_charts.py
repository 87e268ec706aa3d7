"""Figures of repeatability show what the results hold, level by level and by size."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from altair.utils.schemapi import debug_mode

from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from boxlens.proposals.repeatability.choice import RepeatabilityChoice
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.method_lines import method_styles
from boxlens.report.charts.repeatability_curves import (
    families_found,
    levels_by_method,
    repeatability_curves_chart,
)
from boxlens.report.charts.repeatability_sizes import repeatability_sizes_chart, strongest_level
from boxlens.report.planning.repeatability_figures import repeatability_figures
from report.drawn import records, size, svg_of, texts, words
from report.proposal_results import (
    METHODS,
    every_perturbation,
    nothing_followed,
    one_perturbation,
    repeatability_of,
)


@pytest.fixture(autouse=True)
def _unchecked():
    """Altair checks every part where all figures are drawn: of each chart it would take seconds."""
    with debug_mode(False):
        yield


def test_every_perturbation_is_drawn_and_nothing_undefined_written():
    read = []
    for figure in repeatability_figures(every_perturbation()).figures:
        with debug_mode(True):
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
    rows = records(repeatability_curves_chart(result), "repeatability")
    n_plotted = sum(len(FAMILIES[name].plotted) for name in FAMILY_NAMES)
    assert len(rows) == len(METHODS) * n_plotted
    blur = next(one for one in result.methods[5].families if one.family == "blur")
    shown = levels_by_method(result, "blur", method_styles(result.methods))["edge-boxes"]
    assert [one.level for one in shown] == [0, 1, 2, 3, 4, 8]
    assert len(shown) < len(blur.levels)
    assert {one.repeatability for one in shown} <= {row["repeatability"] for row in rows}


def test_levels_that_were_asked_for_are_all_drawn():
    choice = RepeatabilityChoice(families=("blur", "scale"), levels={"blur": (0.2, 1.5)})
    result = repeatability_of(METHODS[:2], choice)
    shown = levels_by_method(result, "blur", method_styles(result.methods))
    assert [one.level for one in shown["uniform"]] == [0.2, 1.5]
    assert "1.5 px" in {
        row.get("level") for row in records(repeatability_curves_chart(result), "x")
    }


def test_a_single_level_has_an_axis():
    choice = RepeatabilityChoice(families=("scale",), levels={"scale": (0.7,)})
    assert "0.7" in texts(svg_of(repeatability_curves_chart(repeatability_of(METHODS[:1], choice))))


def test_sizes_are_of_the_level_at_which_methods_repeat_least():
    result = every_perturbation()
    styles = method_styles(result.methods)
    for family in families_found(result):
        found = levels_by_method(result, family, styles)
        level = strongest_level(found)
        means = {
            one.level: np.mean([of[at].repeatability for of in found.values()])
            for at, one in enumerate(next(iter(found.values())))
        }
        assert means[level] == min(means.values())
    rows = records(repeatability_sizes_chart(result), "bin")
    assert {row["bin"] for row in rows} == {
        f"{at / 10:.1f} to {(at + 1) / 10:.1f}" for at in range(9)
    }
    assert not [row for row in rows if row["repeatability"] != row["repeatability"]]


def test_where_nothing_was_proposed_no_figure_is_drawn():
    plan = repeatability_figures(nothing_followed())
    assert not plan.figures
    assert len(plan.left_out) == 2
    for chart in (
        repeatability_curves_chart(nothing_followed()),
        repeatability_sizes_chart(nothing_followed()),
    ):
        assert records(chart, "text")[0]["text"] == ["no proposal could be followed"]


def test_one_method_and_one_perturbation_are_one_panel_without_a_key():
    chart = repeatability_curves_chart(one_perturbation())
    assert len({row["method"] for row in records(chart, "method")}) == 1
    named = replace(one_perturbation().methods[0], name="plain")
    spec = chart_json(repeatability_curves_chart(replace(one_perturbation(), methods=(named,))))
    assert not [row for rows in spec["datasets"].values() for row in rows if "end" in row]

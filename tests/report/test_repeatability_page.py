"""Figures, page and tables of repeatability show what the results hold."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from boxlens.report.described.repeatability import levels_by_method, strongest_level
from boxlens.studies.proposals.generators.training import BLIND
from boxlens.studies.proposals.repeatability.choice import RepeatabilityChoice
from report.drawn import page_without_figures, plan_of, records, spec_of, svg_of, texts
from report.proposal_results import (
    METHODS,
    every_perturbation,
    nothing_followed,
    one_perturbation,
    repeatability_of,
)
from report.test_page import Reader


def curves(result):
    return result.figures()["repeatability"]


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
    plan = plan_of(nothing_followed())
    assert not plan.figures
    assert len(plan.left_out) == 2


def test_one_method_and_one_perturbation_are_one_panel_without_a_key():
    chart = curves(one_perturbation())
    assert len({row["series"] for row in records(chart, "series")}) == 1
    named = replace(one_perturbation().methods[0], name="plain")
    spec = spec_of(curves(replace(one_perturbation(), methods=(named,))))
    assert not [row for rows in spec["datasets"].values() for row in rows if "end" in row]


def test_numbers_of_methods_are_in_the_page_and_in_the_tables():
    result = every_perturbation()
    shown = " ".join(Reader(page_without_figures(result)).text)
    tables = result.tables()
    method = result.methods[4]
    means = tables["families"].filter(method=method.name)["mean"].to_list()
    assert means == [one.mean for one in method.families]
    for value in (*means, method.mean):
        assert f"{value:.3f}" in shown
    blur = method.families[4]
    rows = tables["levels"].filter(method=method.name, family="blur")
    assert rows["repeatability"].to_list() == [one.repeatability for one in blur.levels]
    assert rows["n_boxes"].to_list() == [sum(one.n_boxes) for one in blur.levels]
    sizes = tables["sizes"].filter(method=method.name, family="blur", level=8.0)
    assert sizes["n_boxes"].to_list() == list(blur.levels[-1].n_boxes)
    assert sizes["repeatability"].null_count() >= 1


def test_methods_that_do_not_look_at_pictures_have_no_tile_and_stand_last():
    result = every_perturbation()
    page = page_without_figures(result)
    tiles = page[page.index('<dl class="tiles">') :].split("</dl>")[0]
    named = re.findall("<dt>repeatability, ([^<]+)</dt>", tiles)
    looking = [one for one in result.methods if one.name not in BLIND]
    best = sorted(looking, key=lambda one: one.mean, reverse=True)
    assert named == [one.name for one in best[:4]]
    table = page[page.index("<figcaption>Repeatability") :].split("</figure>")[0]
    rows = re.findall(r'<th scope="row">([^<]+)</th>', table)
    assert rows[: len(best)] == [one.name for one in best]
    assert set(rows[len(best) :]) == {f"{name} (blind)" for name in BLIND}
    blind = replace(result, methods=tuple(one for one in result.methods if one.name in BLIND))
    assert "repeatability, uniform" in page_without_figures(blind)


def test_pictures_that_were_not_searched_are_told():
    page = page_without_figures(every_perturbation())
    assert "a.jpg</th><td>it is no picture" in page
    assert every_perturbation().tables()["failed"]["file"].to_list() == ["a.jpg"]

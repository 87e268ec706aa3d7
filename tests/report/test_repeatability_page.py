"""What a study of repeatability leaves behind: the page, the tables and results.json agree."""

from __future__ import annotations

import re
from dataclasses import replace

from boxlens.studies.proposals.generators.training import BLIND
from report.proposal_results import every_perturbation
from report.test_page import Reader
from report.written_verbs import VERBS

page_without_figures = VERBS["proposals repeatability"].page_without_figures


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

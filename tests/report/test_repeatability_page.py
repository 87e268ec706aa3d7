"""What a study of repeatability leaves behind: the page, the tables and results.json agree."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import polars as pl
import pytest

from boxlens.proposals.generators.training import BLIND
from boxlens.proposals.repeatability.verdict import overall, repeatability_sentences
from boxlens.report.frames.repeatability_tables import repeatability_frames
from boxlens.report.notebook import html_of
from boxlens.report.pages.page import DrawnPlan
from boxlens.report.pages.repeatability_page import repeatability_page
from boxlens.report.planning.repeatability_figures import repeatability_figures
from boxlens.report.writing.write_proposals import write_repeatability
from report.proposal_results import REPEATABILITY_WORLDS, every_perturbation, one_perturbation
from report.test_page import Reader


def page_without_figures(result):
    drawn = DrawnPlan((), repeatability_figures(result).left_out)
    return repeatability_page(result, result.to_json(), drawn)


def test_every_file_is_there_and_the_page_is_whole(tmp_path):
    result = one_perturbation()
    told = write_repeatability(result, tmp_path, formats=())
    assert told == f"{tmp_path}/: report.html, results.json, 3 tables"
    stored = json.loads((tmp_path / "results.json").read_text())
    assert stored == json.loads(json.dumps(result.to_json()))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    reader = Reader(page)
    assert reader.open == []
    sections = [a["id"] for tag, a in reader.tags if tag == "section"]
    assert sections == reader.linked == ["summary", "methods", "curves", "method", "provenance"]
    shown = " ".join(reader.text)
    for text in repeatability_sentences(result):
        assert text in shown


@pytest.mark.parametrize("world", REPEATABILITY_WORLDS)
def test_every_result_has_a_page_and_tables(world):
    result = REPEATABILITY_WORLDS[world]()
    reader = Reader(page_without_figures(result))
    assert reader.open == []
    assert not {"nan", "None", "NaN"} & set(" ".join(reader.text).split())
    known = repeatability_frames(every_perturbation())
    for name, frame in repeatability_frames(result).items():
        assert frame.schema == known[name].schema
        for column in frame.select(pl.col(pl.Float64)):
            assert not column.is_nan().any()


def test_numbers_of_methods_are_in_the_page_and_in_the_tables():
    result = every_perturbation()
    shown = " ".join(Reader(page_without_figures(result)).text)
    tables = repeatability_frames(result)
    method = result.methods[4]
    means = tables["families"].filter(method=method.name)["mean"].to_list()
    assert means == [one.mean for one in method.families]
    for value in (*means, overall(method)):
        assert f"{value:.3f}".lstrip("0") in shown
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
    best = sorted(looking, key=overall, reverse=True)
    assert named == [one.name for one in best[:4]]
    table = page[page.index("<figcaption>Repeatability") :].split("</figure>")[0]
    rows = re.findall(r'<th scope="row">([^<]+)</th>', table)
    assert rows[: len(best)] == [one.name for one in best]
    assert set(rows[len(best) :]) == {f"{name} (does not look)" for name in BLIND}
    blind = replace(result, methods=tuple(one for one in result.methods if one.name in BLIND))
    assert "repeatability, uniform" in page_without_figures(blind)


def test_pictures_that_were_not_searched_are_told():
    page = page_without_figures(every_perturbation())
    assert "a.jpg: not searched, it is no picture." in page
    assert repeatability_frames(every_perturbation())["failed"]["file"].to_list() == ["a.jpg"]


def test_a_notebook_shows_the_kinds_of_change():
    html = html_of(one_perturbation())
    assert ">Blur<" in html
    assert "data:image/svg+xml" in html

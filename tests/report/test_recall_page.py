"""What a study of recall leaves behind: the page, the tables and results.json agree."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

import pytest

from boxlens.proposals.published import PUBLISHED
from boxlens.proposals.recall.verdict import recall_sentences
from boxlens.report.frames.recall_tables import recall_frames
from boxlens.report.notebook import html_of
from boxlens.report.pages.page import DrawnPlan
from boxlens.report.pages.recall_page import page_title, recall_page
from boxlens.report.planning.figure_plan import LeftOut
from boxlens.report.planning.recall_figures import DATASETS, recall_figures
from report.proposal_results import (
    NASTY,
    every_method,
    nasty,
    no_objects,
    one_method,
)
from report.test_page import Reader


def page_without_figures(result):
    drawn = DrawnPlan((), recall_figures(result).left_out)
    return recall_page(result, result.to_json(), drawn)


@pytest.fixture
def written(written_verb):
    return written_verb("proposals recall")


def test_what_was_published_stands_beside_the_same_budget_only():
    page = page_without_figures(every_method())
    assert "AR (VOC07, published)" in page
    first = page[page.index("Recall on coco_177") :].split("</figure>")[0]
    lines = [line for line in first.split("<tr>") if ">uniform<" in line]
    assert [str(PUBLISHED["uniform"].ar).lstrip("0") in line for line in lines] == [
        False,
        True,
        False,
    ]
    assert "AR (VOC07, published)" not in page_without_figures(nasty())


def test_tables_begin_with_the_method_that_finds_most():
    result = every_method()
    page = page_without_figures(result)
    for dataset in result.datasets:
        table = page[page.index(f"Recall on {dataset.name}") :].split("</figure>")[0]
        shown = dict.fromkeys(re.findall(r'<th scope="row">([^<]+)</th>', table))
        ordered = sorted(dataset.methods, key=lambda one: -one.chosen[-1].ar)
        assert list(shown) == [one.name for one in ordered]


def test_only_several_data_sets_have_a_section_of_their_own():
    of_sets = replace(every_method(), datasets=every_method().datasets[:1])
    assert "datasets" not in Reader(page_without_figures(of_sets)).linked
    drawn = DrawnPlan((), (LeftOut("AR", "undefined", DATASETS),))
    page = recall_page(every_method(), every_method().to_json(), drawn)
    assert "datasets" in Reader(page).linked


def test_a_title_lists_a_few_methods_and_counts_many():
    first = every_method().datasets[0]
    titles = [
        page_title(replace(every_method(), datasets=(replace(first, methods=first.methods[:n]),)))[
            0
        ]
        for n in (1, 2, 3, 4)
    ]
    assert titles == [
        "Proposals of uniform",
        "Proposals of uniform and gaussian",
        "Proposals of uniform, gaussian and sliding-window",
        "Proposals of 4 methods",
    ]


def test_figures_across_the_page_are_marked(written):
    page = (written[0] / "report.html").read_text(encoding="utf-8")
    assert page.count('<figure class="card wide"') == len(recall_figures(one_method()).figures)


def test_numbers_of_methods_are_in_the_page_and_in_the_tables():
    result = every_method()
    shown = " ".join(Reader(page_without_figures(result)).text)
    tables = recall_frames(result)
    methods = (
        tables["methods"].filter(dataset="coco_177", method="bing", budget=100).row(0, named=True)
    )
    one = result.datasets[0].methods[6].chosen[0]
    for key, value in (
        ("AR", one.ar),
        ("AR_low", one.ar_low),
        ("AR_coco", one.coco_ar),
        ("ABO", one.best_overlap),
        ("recall_0.75", one.recall[0.75]),
    ):
        assert methods[key] == value
        assert f"{value:.3f}".lstrip("0") in shown
    assert len(tables["budgets"]) == 20 * len(result.choice.curve_budgets())
    assert len(tables["curves"]) == 20 * 3 * 51
    sizes = tables["sizes"].filter(dataset="coco_177", of="objects")
    assert sizes["share"].to_list() == result.datasets[0].sizes.tolist()
    assert sizes["method"].null_count() == 10
    groups = tables["groups"].filter(by="size", method="bing", dataset="coco_177")
    assert groups["value"].to_list() == ["small", "medium", "large"]


def test_names_from_outside_are_text():
    page = page_without_figures(nasty())
    assert "<script>alert" not in page
    assert "<b>set" not in page
    for name in NASTY:
        assert escape(name) in page
    assert "<script>" not in html_of(nasty())


def test_a_notebook_shows_the_methods_by_their_recall():
    assert recall_sentences(no_objects())[0] in html_of(no_objects())

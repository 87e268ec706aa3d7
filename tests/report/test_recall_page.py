"""What a study of recall leaves behind: the page, the tables and results.json agree."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from boxlens.report.described import describe
from boxlens.report.readers.notebook import html_of
from boxlens.report.readers.terminal import study_text
from boxlens.studies.proposals.published import PUBLISHED
from boxlens.studies.proposals.recall.verdict import recall_sentences
from boxlens.wording import score
from report.drawn import page_without_figures
from report.proposal_results import NASTY, every_method, nasty, no_objects
from report.test_page import Reader


def table_of(page, caption):
    return page[page.index(f"<figcaption>{caption}") :].split("</figure>")[0]


def test_what_was_published_stands_beside_the_same_budget():
    result = every_method()
    table = table_of(page_without_figures(result), "Here and as published")
    lines = [line for line in table.split("<tr>") if ">uniform<" in line]
    here = [
        [at.ar for at in one.chosen if at.budget == 1000]
        for dataset in result.datasets
        for one in dataset.methods
        if one.name == "uniform"
    ]
    for line, (ar,) in zip(lines, here, strict=True):
        assert re.findall(r">([0-9.]+)</td>", line)[:2] == [
            score(ar),
            score(PUBLISHED["uniform"].ar),
        ]
    assert "as published" not in page_without_figures(nasty())


def test_tables_begin_with_the_method_that_finds_most():
    result = every_method()
    table = table_of(page_without_figures(result), "Recall of every method")
    shown = re.findall(r'<th scope="row">([^<]+)</th><td>([^<]+)</td>', table)
    assert list(dict.fromkeys(shown)) == [
        (one.name, dataset.name)
        for dataset in result.datasets
        for one in sorted(dataset.methods, key=lambda one: -one.chosen[-1].ar)
    ]


def test_only_several_data_sets_have_a_section_of_their_own():
    of_sets = replace(every_method(), datasets=every_method().datasets[:1])
    assert "datasets" not in [one.name for one, _ in describe(of_sets).plots()]
    assert "datasets" in [one.name for one, _ in describe(every_method()).plots()]


def test_a_title_lists_a_few_methods_and_counts_many():
    first = every_method().datasets[0]
    titles = [
        describe(
            replace(every_method(), datasets=(replace(first, methods=first.methods[:n]),))
        ).title
        for n in (1, 2, 4)
    ]
    assert titles == [
        "Proposals of uniform",
        "Proposals of gaussian and uniform",
        "Proposals of 4 methods",
    ]


def test_the_terminal_shows_few_classes_and_all_where_details_are_asked_for():
    study = describe(every_method())
    brief, whole = study_text(study), study_text(study, detail=True)
    caption = "AR by class, at most 10,000 proposals per image, coco_177, hardest first"
    assert f"{caption} (10 of 80 rows; all with -o DIR)" in brief
    assert "AR by truncated" in brief
    assert "VOC2007_test, hardest first" not in brief
    assert "AR by class, at most 10,000 proposals per image, VOC2007_test, hardest first\n" in whole
    assert "rahtu, seed 0" in whole
    assert "rahtu, seed 0" not in brief


def test_numbers_of_methods_are_in_the_page_and_in_the_tables():
    result = every_method()
    shown = " ".join(Reader(page_without_figures(result)).text)
    tables = result.tables()
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
        assert score(value) in shown
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

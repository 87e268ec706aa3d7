"""The page stands alone: nothing is fetched, everything is escaped, all is said."""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from operator import itemgetter

import numpy as np
import pytest

from boxlens.report.described import describe
from boxlens.report.pages.markup import table
from boxlens.report.study import SCORE, SHARE, TEXT, Column, Table, table_of
from report.drawn import study_figures
from report.toy_diagnosis import NASTY_NAMES, toy_diagnosis

FETCHING = ("src", "href", "srcset", "action", "data", "poster", "background", "formaction")
VOID = {"meta", "img", "br", "link", "hr", "input"}


class Reader(HTMLParser):
    """Tags with attributes, text outside of scripts, and whether every tag is closed."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.scripts, self.styles = [], [], [], []
        # What the navigation leads to, in its order.
        self.linked = []
        self.open = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "a" and "nav" in self.open:
            self.linked.append(dict(attributes)["href"].removeprefix("#"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        {"script": self.scripts, "style": self.styles}.get(inside, self.text).append(data)


def figures_of(result):
    return study_figures(describe(result))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    toy_diagnosis(NASTY_NAMES).save(folder, figures="none")
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reader(page):
    return Reader(page)


def test_names_from_outside_are_text(page, reader):
    assert "<script>alert" not in page
    shown = " ".join(reader.text)
    assert all(name in shown for name in NASTY_NAMES)
    n_own = len(figures_of(toy_diagnosis(NASTY_NAMES)).figures)
    # One specification a figure, the options, the bundle, and our own.
    assert len([tag for tag, _ in reader.tags if tag == "script"]) == n_own + 3


def test_the_page_leads_to_its_methods(reader):
    inside = {a["href"] for tag, a in reader.tags if tag == "a"}
    assert {"#content", "#guide-diagnose", "#guide-sensitivity"} <= inside


def test_only_scripts_of_known_hashes_may_run(page, reader):
    policy = next(a["content"] for tag, a in reader.tags if tag == "meta" and "http-equiv" in a)
    assert "unsafe-eval" not in policy
    assert "script-src 'sha256-" in policy
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    code = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    hashes = {b64encode(sha256(text.encode()).digest()).decode() for text in code}
    assert len(code) == 2
    assert hashes == allowed
    assert not any(name.startswith("on") for _, a in reader.tags for name in a)


def test_every_figure_has_its_specification_title_and_reading(page, reader):
    shown = unescape(" ".join(reader.text))
    for figure in figures_of(toy_diagnosis(NASTY_NAMES)).figures:
        found = re.search(f'id="spec-{figure.name}">(.*?)</script>', page)
        spec = json.loads(found.group(1))
        assert "vega-lite" in spec["$schema"]
        assert "title" not in spec
        assert figure.title in shown
        assert figure.reading in shown


def test_parameters_and_notices_are_shown(reader):
    shown = " ".join(reader.text)
    document = toy_diagnosis(NASTY_NAMES).to_json()
    assert all(name in shown for name in document["parameters"])
    assert all(notice["message"] in shown for notice in document["notices"])


def test_tables_sort_by_numbers_and_leave_the_undefined_without_one():
    forms = {"name": TEXT, "AP": SCORE, "share": SHARE}
    html = table(table_of("", "x & y", forms, [("a<b", 0.125, 1 / 3), ("c", None, math.nan)]))
    assert "a&lt;b" in html
    assert "x &amp; y" in html
    assert html.count("data-value=") == 2
    assert 'data-value="0.125">0.125<' in html
    assert html.count(">-<") == 2
    assert html.count('<button type="button">') == 3
    assert html.count('<button type="button" class="copy" aria-label="Copy table: x &amp; y">') == 1
    assert '<table class="sortable" aria-label="x &amp; y">' in html
    assert "checkbox" not in html


def test_of_many_columns_some_are_shown_at_a_click():
    columns = [
        Column("", "name", itemgetter(0), TEXT),
        Column("", "words", itemgetter(3), TEXT, further=True),
        Column("", "AP", itemgetter(1)),
        Column("", "more", itemgetter(2), further=True),
    ]
    html = table(Table("", "t", [("a", 0.125, 0.25, "b")], columns))
    assert '<label><input type="checkbox"> 2 more columns</label>' in html
    assert html.count('class="number further"') == 2
    assert html.count('class="further"') == 2
    assert [html.index(f">{name}<") for name in ("name", "AP", "words", "more")] == sorted(
        html.index(f">{name}<") for name in ("name", "AP", "words", "more")
    )


def test_captions_of_tables_do_not_scroll_with_them(reader):
    assert "caption" not in {tag for tag, _ in reader.tags}
    tables = [a for tag, a in reader.tags if tag == "figure" and "table" in a.get("class", "")]
    named = [a for tag, a in reader.tags if tag == "table" and "aria-label" in a]
    assert len(tables) == len(named) > 0
    scrolling = [a for tag, a in reader.tags if tag == "div" and a.get("class") == "scrolling"]
    # With those of the guide.
    assert len(scrolling) == len([1 for tag, _ in reader.tags if tag == "table"])


def test_findings_show_their_mean_over_all_orders(reader):
    shown = " ".join(" ".join(reader.text).split())
    findings = toy_diagnosis(NASTY_NAMES).verdict.findings
    assert findings
    for row in findings:
        assert " ".join(row.sentence.split()) in shown


def test_sizes_have_curves_of_their_own_where_there_are_such_objects():
    result = toy_diagnosis()
    plan = figures_of(result)
    names = {figure.name for figure in plan.figures}
    told = " ".join(f"{one.title}, {one.why}" for one in plan.left_out)
    for column, area in enumerate(result.coco_analyze.areas[1:], start=1):
        undefined = math.isnan(result.coco_analyze.mean_ap[-1, column])
        assert (f"pr_areas_{area}" in names) != undefined
        assert ("no object is" in told) or not undefined
    relative = replace(
        result,
        dataset=replace(result.dataset, relative=True),
        coco_analyze=replace(
            result.coco_analyze,
            mean_ap=np.where([True, False, False, False], result.coco_analyze.mean_ap, np.nan),
        ),
    )
    left_out = [one.why for one in figures_of(relative).left_out]
    assert left_out.count("sizes in pixels are not known") == 3

"""The guide inside reports and the app: methods are there, links resolve, nothing raw gets through."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from boxlens.errors import ParameterError
from boxlens.report.pages import guide
from boxlens.report.pages.guide import guide_page, has_method, method, pages
from shared_data import ROOT

ANALYSES = ("evaluate", "diagnose", "sensitivity", "compare", "disagree", "gate", "reconcile")
VOID = {"br", "hr"}


class Markup(HTMLParser):
    """What a piece of HTML has: elements in order, ids, addresses; fails where it is not nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value)
            if name in {"href", "src"}:
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def headings(self) -> list[int]:
        return [int(tag[1]) for tag in self.tags if re.fullmatch("h[1-6]", tag)]


def of_text(monkeypatch: pytest.MonkeyPatch, tmp_path, text: str) -> None:
    """A guide with the one page `page`, and an empty one beside it."""
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    (tmp_path / "other.md").write_text("# Other\n\n## Method\n\n### Deep\n\nText.\n")
    monkeypatch.setattr(guide, "_folder", lambda: tmp_path)
    guide._headings.cache_clear()


def test_pages_are_those_of_the_guide_with_the_index_first():
    assert pages()[0] == "index"
    assert set(pages()) == {path.stem for path in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_says_how_it_counts(name: str):
    found = Markup(method(name))
    assert has_method(name)
    assert "p" in found.tags
    assert "h1" not in found.tags
    assert "h2" not in found.tags


@pytest.mark.parametrize("name", pages())
def test_a_page_is_plain_markup(name: str):
    found = Markup(guide_page(name))
    assert found.tags[0] == "h1"
    assert found.tags.count("h1") == 1
    assert not {"script", "style", "img", "iframe"} & set(found.tags)
    assert found.attributes <= {"id", "href", "class", "tabindex", "start"}
    assert len(set(found.ids)) == len(found.ids)
    levels = found.headings()
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_every_link_of_every_page_leads_somewhere():
    ids = {name: set(Markup(guide_page(name)).ids) for name in pages()}
    lost = []
    for name in pages():
        for link in Markup(guide_page(name)).links:
            page, _, heading = link.partition("#")
            if (heading or page) and heading not in {"", *ids.get(page or name, ())}:
                lost.append((name, link))
            if page and page not in ids:
                lost.append((name, link))
    assert lost == []


def test_methods_in_one_document_link_to_one_another_and_nowhere_else():
    found = {name: Markup(method(name, embedded=ANALYSES)) for name in ANALYSES}
    ids = [one for markup in found.values() for one in markup.ids]
    assert len(set(ids)) == len(ids)
    known = {f"#{one}" for one in ids} | {f"#guide-{name}" for name in ANALYSES}
    links = {link for markup in found.values() for link in markup.links}
    assert links
    assert links <= known


@pytest.mark.parametrize("name", ANALYSES)
def test_a_method_alone_links_only_into_itself(name: str):
    found = Markup(method(name))
    assert set(found.links) <= {f"#{one}" for one in found.ids}
    assert all(one.startswith(f"guide-{name}-") for one in found.ids)


def test_headings_of_a_method_stand_below_those_of_its_surroundings():
    assert min(Markup(method("compare")).headings()) == 3


def test_a_method_ends_where_the_next_part_of_the_page_begins():
    assert "--replicates N" in guide_page("compare")
    assert "--replicates N" not in method("compare")


def test_raw_html_becomes_text_and_comments_vanish(monkeypatch, tmp_path):
    text = "# Page\n\n<!-- not run -->\n\n<script>alert(1)</script>\n\nA <b onclick='x'>b</b>.\n"
    of_text(monkeypatch, tmp_path, text)
    page = guide_page("page")
    assert set(Markup(page).tags) == {"h1", "p"}
    assert "&lt;script&gt;alert(1)" in page
    assert "not run" not in page


def test_links_that_lead_out_of_the_guide_become_their_text(monkeypatch, tmp_path):
    links = ("[a](https://example.org)", "[b](../x.md)", "[c](gone.md)", "[d](javascript:x)")
    of_text(monkeypatch, tmp_path, f"# Page\n\n{' '.join(links)} [e](other.md#deep)\n")
    assert Markup(guide_page("page")).links == ["other#deep"]


def test_a_link_to_a_heading_outside_the_other_method_leads_to_that_method(monkeypatch, tmp_path):
    text = "# Page\n\n## Method\n\n[a](other.md#other), [b](other.md#deep), [c](#page)\n"
    of_text(monkeypatch, tmp_path, text)
    embedded = Markup(method("page", embedded=["other"]))
    assert embedded.links == ["#guide-other", "#guide-other-deep"]
    assert Markup(method("page")).links == []


def test_a_heading_with_a_name_is_found_by_it(monkeypatch, tmp_path):
    of_text(monkeypatch, tmp_path, "# Page\n\n## 2.3 Some *title* { #m2-3 }\n\n[a](#m2-3)\n")
    page = guide_page("page")
    assert '<h2 id="m2-3">2.3 Some <em>title</em></h2>' in page
    assert Markup(page).links == ["#m2-3"]


def test_pictures_become_their_descriptions(monkeypatch, tmp_path):
    of_text(monkeypatch, tmp_path, "# Page\n\n![Some <b>figures</b>](figures/x.png)\n")
    assert "<p>(Some " in guide_page("page")
    assert set(Markup(guide_page("page")).tags) == {"h1", "p"}


def test_numbers_in_tables_are_aligned_without_styles():
    assert '<td class="number">' in guide_page("compare")
    assert "style=" not in guide_page("compare")


@pytest.mark.parametrize(
    "name", ["nothing", "../README", "adr/0001-kernel-doors", "", "/etc/passwd"]
)
def test_an_unknown_page_is_refused(name: str):
    with pytest.raises(ParameterError, match="has no page"):
        guide_page(name)


def test_a_page_without_a_method_is_refused():
    assert not has_method("formats")
    with pytest.raises(ParameterError, match="no section"):
        method("formats")

"""What every verb leaves behind: the page, the tables and results.json agree."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from altair.vegalite.v6.schema.core import Root

from boxlens.errors import ParameterError
from boxlens.report.charts.forms.choosing import GAP_LABEL
from boxlens.report.described import DESCRIBED, describe
from boxlens.report.readers.figures import drawn_plots, titled
from boxlens.report.readers.notebook import html_of
from boxlens.report.study import MOST_SENTENCES
from report.drawn import spec_of, svg_of, texts
from report.test_page import FETCHING, Reader
from report.written_verbs import VERBS
from shared_data import ROOT

WORLDS = [
    (name, world)
    for name, verb in VERBS.items()
    for world in verb.worlds
    if world not in verb.charts_only
]
every_verb = pytest.mark.parametrize("name", VERBS)
every_world = pytest.mark.parametrize(("name", "world"), WORLDS)


@every_verb
def test_every_file_is_there_and_named_in_the_line(name, written_verb):
    verb = VERBS[name]
    folder, told = written_verb(name)
    assert told == f"{folder}/: report.html, results.json, {verb.line}"
    listed = (folder / ".boxlens").read_text().splitlines()
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".boxlens"]
    assert sorted(listed) == sorted(path.relative_to(folder).as_posix() for path in files)
    result = verb.worlds[verb.written]()
    assert json.loads((folder / "results.json").read_text()) == json.loads(
        json.dumps(result.to_json())
    )
    tables = {path.stem for path in (folder / "tables").iterdir()}
    assert result.tables().keys() <= tables


@every_verb
def test_the_page_is_whole_in_order_and_fetches_nothing(name, written_verb):
    verb = VERBS[name]
    page = (written_verb(name)[0] / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    reader = Reader(page)
    assert reader.open == []
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    sections = [a["id"] for tag, a in reader.tags if tag == "section"]
    assert reader.linked == [*verb.sections, "method", "provenance"]
    assert [one for one in sections if one in reader.linked] == reader.linked
    inside = {a["href"][1:] for tag, a in reader.tags if tag == "a" and a["href"][0] == "#"}
    assert inside <= set(ids)
    ranks = [int(tag[1]) for tag, _ in reader.tags if re.fullmatch("h[1-6]", tag)]
    assert ranks[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(ranks))
    fetched = [
        value
        for tag, a in reader.tags
        for attribute, value in a.items()
        if attribute in FETCHING and not (tag == "a" and written_here(value))
    ]
    assert all(value.startswith("data:image/jpeg;base64,") for value in fetched)
    assert not {"link", "iframe", "object", "embed", "base"} & {tag for tag, _ in reader.tags}
    assert not any(word in style for style in reader.styles for word in ("url(", "@import"))
    policy = next(a["content"] for tag, a in reader.tags if tag == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'")


def written_here(link: str) -> bool:
    """A place in the page, or a figure beside it."""
    return link.startswith(("#", "figures/"))


@every_verb
def test_sentences_come_first_and_every_figure_is_explained(name, written_verb):
    verb = VERBS[name]
    result = verb.worlds[verb.written]()
    page = (written_verb(name)[0] / "report.html").read_text(encoding="utf-8")
    shown = " ".join(" ".join(Reader(page).text).split())
    places = [shown.index(text) for text in describe(result).sentences]
    assert places
    assert places == sorted(places)
    for plot in drawn_plots(describe(result)):
        assert plot.title in shown
        assert plot.reading in shown


@every_verb
def test_every_figure_follows_the_schema_and_writes_nothing_undefined(name):
    verb = VERBS[name]
    for plot in drawn_plots(describe(verb.worlds[verb.whole]())):
        spec = spec_of(titled(plot))
        json.dumps(spec, allow_nan=False)
        # Rows are the same throughout.
        few = {rows: found[:2] for rows, found in spec["datasets"].items()}
        Root.validate({**spec, "datasets": few})
        read = texts(svg_of(titled(plot)))
        assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", " ".join(read)), plot.name
        # Numbers along axes have a leading zero.
        assert not [text for text in read if re.match(r"[-\u2212+]?\.\d", text)], plot.name
        # The renderer cuts names with one sign, `short` with three dots in the middle.
        cut = [text for text in read if text.endswith("…") and text != GAP_LABEL]
        assert not cut, plot.name


@every_world
def test_every_result_has_a_page_and_tables(name, world):
    verb = VERBS[name]
    result = verb.worlds[world]()
    text = verb.page_without_figures(result)
    assert "<script>alert" not in text
    reader = Reader(text)
    assert reader.open == []
    shown = " ".join(reader.text)
    assert not re.search(r"\b(?:nan|NaN|None(?! of))\b", shown)
    for sentence in describe(result).sentences:
        assert sentence in shown
    known = verb.worlds[verb.whole]().tables()
    for table, frame in result.tables().items():
        same = [column for column in frame.columns if column in known[table].columns]
        assert same == frame.columns or verb.column_families
        assert frame.select(same).schema == known[table].select(same).schema, table
        for column in frame.select(pl.col(pl.Float64)):
            assert not column.is_nan().any()


@pytest.mark.parametrize(
    ("name", "asked", "refused"),
    [
        ("sensitivity", {"images": "."}, "SensitivityResult shows no pictures"),
        ("robustness", {"images": "."}, "shows the pictures it was made of"),
        ("diagnose", {"strict_coco": True}, "DiagnosisResult have no setting 'strict_coco'"),
        ("disagree", {"images_mb": -1}, "0 megabytes or more"),
    ],
)
def test_what_a_verb_does_not_have_is_refused(name, asked, refused, tmp_path):
    result = VERBS[name].worlds[VERBS[name].written]()
    with pytest.raises(ParameterError, match=refused):
        result.save(tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()


def test_every_result_is_looked_at():
    found = {type(verb.worlds[verb.written]()).__name__ for verb in VERBS.values()}
    assert found == DESCRIBED.keys()


@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if verb.guide])
def test_the_guide_names_every_column(name):
    verb = VERBS[name]
    guide = (ROOT / "docs" / f"{verb.guide}.md").read_text(encoding="utf-8")
    for table, frame in verb.documented(verb.worlds[verb.whole]()).tables().items():
        families = tuple(verb.column_families)
        single = [one for one in frame.columns if not one.startswith(families)]
        named = [table, *families, *(one for one in single if not one.endswith(families))]
        assert not [one for one in named if f"`{one}" not in guide], table


@every_verb
def test_a_notebook_shows_the_main_numbers_and_a_figure(name):
    verb = VERBS[name]
    html = html_of(verb.worlds[verb.written]())
    # Well formed, as everything inside is closed or empty.
    ET.fromstring(re.sub(r"(<img [^>]*)>", r"\1/>", html))
    assert "<table" in html
    assert not re.search(r"<script|<style|<link|https?://|\bon\w+=", html)
    # Colours come from the page around it, light or dark; only the figure has its own ground.
    assert "color:" not in html
    # A notebook is kept in version control.
    assert len(html) < 100_000
    shown = re.search(r'<img alt="[^"]{20,}" [^>]*src="data:image/svg\+xml', html)
    assert bool(shown) == (verb.written not in verb.undrawn)
    for text in verb.notebook:
        assert text in html
    for world in verb.undrawn:
        assert "data:image/svg+xml" not in html_of(verb.worlds[world]())


@every_world
def test_a_few_sentences_come_before_the_first_picture(name, world):
    study = describe(VERBS[name].worlds[world]())
    assert 1 <= len(study.sentences) <= MOST_SENTENCES

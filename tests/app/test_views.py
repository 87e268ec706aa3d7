from __future__ import annotations

import json
import random
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from app.page_elements import elements, form_pairs, links
from app.random_queries import random_pairs
from app.run_folders import write_run as write_small_run
from app.sites import ROOT, asked, site_of
from app.toy_run import random_content, save_run, write_run
from boxlens.app.pages.figure_links import MOST_LINKS, mark_links
from boxlens.app.pages.image_view import image_view
from boxlens.app.pages.overview import overview
from boxlens.app.pages.scene_view import canvas, drawn_boxes, scene
from boxlens.app.pages.views import compare_page, error_page, grid_page, image_page, overview_page
from boxlens.app.pages.words import kind_named, plain_number, small_number
from boxlens.app.selecting.query import parse_query
from boxlens.app.selecting.terms import QueryError
from boxlens.app.site import Site
from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """A run with names that strangers choose, and its content."""
    folder = tmp_path_factory.mktemp("toy")
    content = write_run(folder, seed=3)
    return site_of(folder), content


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return site_of(write_small_run(tmp_path_factory.mktemp("small") / "out"))


@pytest.fixture(scope="module")
def toy_pages(toy):
    """Every page there is, of the run of strangers."""
    return pages_of(toy[0])


def pages_of(site: Site) -> list[str]:
    several = len(site.run.detector_names) > 1
    queries = ("", "of=objects", "of=images", "show=boxes", "of=objects&show=boxes&sort=loss")
    return [
        overview_page(site),
        *(grid_page(site, asked(site, text)) for text in (*queries, "find=nowhere at all")),
        *(image_page(site, asked(site, text), row) for text in queries for row in range(4)),
        compare_page(site, []),
        *([compare_page(site, [("image", "1"), ("sort", "b")])] if several else []),
        error_page(site, 400, HOSTILE),
        error_page(None, 404, HOSTILE),
    ]


def test_no_page_holds_anything_the_policy_forbids_or_a_stranger_wrote_as_markup(toy_pages):
    for page in toy_pages:
        found = elements(page)
        scripts = [one for one in found if one.tag == "script"]
        assert all(
            one.attributes.get("src", "").startswith(f"{ROOT}static/")
            or one.attributes.get("type") == "application/json"
            for one in scripts
        )
        for one in found:
            assert one.tag != "style"
            assert not any(name == "style" or name.startswith("on") for name in one.attributes)
        assert HOSTILE not in page
    assert sum("alert(1)" in page for page in toy_pages) > 10


def test_every_script_element_with_data_is_whole_json(toy_pages):
    for page in toy_pages:
        for one in elements(page):
            if one.tag == "script" and one.attributes.get("type") == "application/json":
                json.loads("".join(one.texts))


def test_ids_are_unique_and_labels_name_fields_that_exist(toy_pages):
    for page in toy_pages:
        found = elements(page)
        ids = [one.attributes["id"] for one in found if "id" in one.attributes]
        assert len(ids) == len(set(ids))
        named = [
            one.attributes["for"]
            for one in found
            if one.tag in {"label", "output"} and "for" in one.attributes
        ]
        assert set(named) <= set(ids)
        headings = [one for one in found if one.tag == "h1"]
        assert len(headings) == 1
        assert sum(one.tag == "main" for one in found) == 1


def test_all_links_stay_below_the_root(toy_pages):
    for page in toy_pages[:-1]:
        for href in links(page):
            assert href.startswith((ROOT, "#")), href


def test_a_filter_form_sent_as_it_is_asks_for_the_same(toy):
    site, content = toy
    rng = random.Random(5)
    for _ in range(60):
        pairs = random_pairs(rng, content)
        try:
            query = parse_query(pairs, site.run)
            page = grid_page(site, query)
        except QueryError:
            continue
        again = parse_query(form_pairs(page, "filters"), site.run)
        first, second = (
            replace(one, page=1, detectors=one.detectors_of(site.run)) for one in (query, again)
        )
        assert first == second, pairs


def test_each_chip_takes_one_value_away_and_nothing_else(small):
    query = asked(small, "class=cat&class=dog&hoiem=loc&score=.1..&attribute.word=fog&sort=loss")
    page = grid_page(small, query)
    chips = [
        one
        for one in elements(page)
        if one.tag == "a" and (one.attributes.get("title") or "").startswith("Remove: ")
    ]
    assert [one.attributes["title"] for one in chips] == [
        "Remove: word: fog",
        "Remove: class: cat",
        "Remove: class: dog",
        "Remove: Hoiem: poorly placed",
        "Remove: score from 0.1",
    ]
    for chip in chips:
        left = asked(small, urlsplit(chip.attributes["href"]).query)
        assert len(left.pairs()) == len(query.pairs()) - 1
        assert set(left.pairs()) < set(query.pairs())


def test_links_of_tabs_paging_and_exports_are_valid_addresses(toy):
    site, content = toy
    rng = random.Random(6)
    for _ in range(20):
        try:
            query = parse_query([*random_pairs(rng, content), ("per", "12")], site.run)
            page = grid_page(site, query)
        except QueryError:
            continue
        for href in links(page):
            address = urlsplit(href)
            if address.path.removeprefix(ROOT).startswith(("images", "image/", "export.")):
                parse_query(parse_qsl(address.query, keep_blank_values=True), site.run)


def test_a_grid_without_any_rows_says_so_and_offers_to_remove_filters(small):
    page = grid_page(small, asked(small, "find=nowhere"))
    texts = [one.text for one in elements(page) if one.tag in {"h1", "h2"}]
    assert texts == ["0 detections in 0 images", "No results match these filters"]
    assert f"{ROOT}images" in links(page)


def test_cards_draw_the_boxes_of_the_selection(small):
    page = grid_page(small, asked(small, "class=cat"))
    cards = [one for one in elements(page) if one.tag == "svg" and one.has_class("scene")]
    query = asked(small, "class=cat")
    selection = small.selections.get(query)
    assert len(cards) == selection.n_images
    paths = [
        one.attributes["d"] for one in elements(page) if one.tag == "path" and one.has_class("edge")
    ]
    assert sum(path.count("z") for path in paths) == selection.n_rows


def test_stepping_visits_every_image_of_a_selection_once(toy):
    site, _ = toy
    query = asked(site, "sort=loss&score=.2..")
    wanted = site.selections.get(query).image_rows.tolist()
    row, seen = wanted[0], []
    assert image_view(site, query, row).steps.previous == ""
    while True:
        seen.append(row)
        view = image_view(site, query, row)
        if not view.steps.next:
            break
        address = urlsplit(view.steps.next)
        assert asked(site, address.query) == query
        row = int(address.path.rpartition("/")[2])
    assert seen == wanted


def test_the_way_back_leads_to_the_page_of_the_grid_with_the_image(toy):
    site, _ = toy
    for text in ("per=12", "per=12&show=boxes"):
        query = asked(site, text)
        for row in site.selections.get(query).image_rows.tolist():
            address = urlsplit(image_view(site, query, row).grid)
            page = grid_page(site, asked(site, address.query))
            assert any(urlsplit(href).path == f"{ROOT}image/{row}" for href in links(page))


def test_the_rows_that_a_query_picks_are_emphasised_and_shown_at_any_score(toy):
    site, _ = toy
    for text, letter in (("hoiem=sim&hoiem=bg", "d"), ("of=objects&hoiem=missed", "o")):
        query = asked(site, text)
        selection = site.selections.get(query)
        table = site.run.boxes(query.of)
        for row in selection.image_rows.tolist():
            picked = selection.rows[table.image_row[selection.rows] == row]
            lines = image_view(site, query, row).lines
            bold = {line.box.name for line in lines if line.matches}
            assert bold == {f"{letter}{one}" for one in picked}
            assert not any(line.hidden for line in lines if line.matches)


def test_without_filters_nothing_is_emphasised(toy):
    site, _ = toy
    for text in ("", "of=images", "of=objects"):
        assert not image_view(site, asked(site, text), 0).has_matches


def test_a_detection_is_hidden_exactly_below_its_detectors_cut(toy):
    site, _ = toy
    for row in range(len(site.run.images)):
        view = image_view(site, asked(site, ""), row)
        for line in view.lines:
            below = line.box.score < view.cuts.get(line.box.layer, -np.inf)
            assert line.hidden == below


def test_an_image_shows_every_object_once_and_every_detection(toy):
    site, content = toy
    for row in range(len(site.run.images)):
        names = [box.name for box in image_view(site, asked(site, ""), row).scene.boxes]
        n_truth = sum(one["image_row"] == row for one in content["objects"])
        n_found = sum(one["image_row"] == row for one in content["detections"])
        assert len(names) == len(set(names)) == n_truth // 2 + n_found


def test_a_canvas_of_unknown_size_holds_every_box(tmp_path):
    write_run(tmp_path, seed=8, sizes_known=0.0)
    site = site_of(tmp_path)
    for row in range(len(site.run.images)):
        whole = canvas(site, row)
        assert whole.width > 0
        assert whole.height > 0
        for table in (site.run.detections, site.run.objects):
            boxes = table.box[table.of_image(row)]
            assert (boxes[:, 0] + boxes[:, 2] <= whole.width + 1e-9).all()
            assert (boxes[:, 1] + boxes[:, 3] <= whole.height + 1e-9).all()


@pytest.mark.parametrize("sizes_known", [0.0, 1.0])
def test_boxes_that_are_fractions_are_drawn_on_the_scale_of_the_canvas(tmp_path, sizes_known):
    write_run(tmp_path, seed=9, relative=True, sizes_known=sizes_known)
    site = site_of(tmp_path)
    rows = site.run.detections.of_image(0)
    whole = canvas(site, 0)
    for row, box in zip(rows, drawn_boxes(site, "detections", rows, scheme="hoiem"), strict=True):
        x, y, w, h = site.run.detections.box[row]
        assert box.x == pytest.approx(x * whole.width)
        assert box.y == pytest.approx(y * whole.height)
        assert box.width == pytest.approx(w * whole.width)
        assert box.height == pytest.approx(h * whole.height)


def test_a_crop_shows_the_whole_box_inside_the_image(small):
    rows = np.arange(len(small.run.detections))
    for row in rows:
        image_row = int(small.run.detections.image_row[row])
        (box,) = drawn_boxes(small, "detections", [row], scheme="hoiem")
        seen = scene(small, image_row, [box], words="", near=box).seen
        assert seen.x <= box.x
        assert seen.y <= box.y
        assert seen.x + seen.width >= box.x + box.width
        assert seen.y + seen.height >= box.y + box.height
        assert seen.width / seen.height == pytest.approx(4 / 3)


def test_marks_become_links_once_each_with_the_largest_first():
    records = [
        {"select": "class=a%26b", "picked": "a & b: 7"},
        {"select": "class=c", "picked": "c: 1,200"},
        {"select": "class=c", "picked": "c: 1,200"},
        {"select": "of=objects&detector=1", "picked": "no number"},
    ]
    spec = {"layer": [{"data": {"values": records}}, {"hconcat": [{"data": {"values": []}}]}]}
    found = mark_links(spec, "/t/images", 0)
    assert [(one.words, one.count) for one in found] == [
        ("c", 1200),
        ("a & b", 7),
        ("no number", None),
    ]
    assert found[0].href == "/t/images?class=c&detector=0"
    assert parse_qsl(urlsplit(found[1].href).query) == [("class", "a&b"), ("detector", "0")]
    assert found[2].href == "/t/images?of=objects&detector=1"


def test_a_figure_of_very_many_marks_has_only_the_largest_as_links():
    records = [{"select": f"rank={n}..", "picked": f"from {n}: {n}"} for n in range(1, 900)]
    found = mark_links({"data": {"values": records}}, "i", None)
    assert [one.count for one in found] == list(range(899, 899 - MOST_LINKS, -1))


def test_every_link_of_a_figure_is_an_address_that_answers(small):
    view = overview(small)
    hrefs = [link.href for group in view.groups for one in group.figures for link in one.links]
    assert hrefs
    for href in hrefs:
        grid_page(small, asked(small, urlsplit(href).query))


def test_numbers_and_headings_are_those_of_the_report(tmp_path):
    content = random_content(random.Random(2), n_detections=(20, 20))
    tiles = [["AP50", "0.500"], ["undetected", "61%"]]
    content["about"] |= {"verdict": {"tiles": tiles, "numbers": [["AP50", 0.5]]}}
    save_run(tmp_path, content)
    path = tmp_path / "figures" / "figures.json"
    (figure,) = json.loads(path.read_text())
    name = content["about"]["detectors"][0]["name"]
    said = [("Scores", ""), ("Scores", name), (f"Errors: {name}", name)]
    figures = [{**figure, "heading": words, "detector": of} for words, of in said]
    path.write_text(json.dumps([*figures, figure]))
    view = overview(site_of(tmp_path))
    assert view.numbers == (("AP50", "0.500"), ("undetected", "61%"))
    titles = [one.title for one in view.groups]
    assert titles == ["Scores", f"Scores: {name}", f"Errors: {name}", "Errors"]


def test_a_run_that_says_little_about_itself_has_an_overview_all_the_same(tmp_path):
    content = random_content(random.Random(2), n_detections=(20,))
    content["about"] |= {"verdict": {"lead": None, "numbers": [["AP", None]]}, "notices": "none"}
    save_run(tmp_path, content)
    view = overview(site_of(tmp_path))
    assert view.lead == ""
    assert view.numbers == ()


def test_an_error_without_a_site_tells_nothing_of_a_run(small):
    page = error_page(None, 403, "The address lacks its token.")
    assert "small" not in page
    assert ROOT not in page
    assert "The address lacks its token." in page


def test_every_label_of_every_scheme_has_words_and_a_colour():
    for labels in (*DET_LABELS.values(), *GT_LABELS.values()):
        for label in labels:
            kind = kind_named(label)
            assert kind.label
            assert kind.colour.startswith("#")


def test_numbers_are_written_as_people_read_them():
    assert [plain_number(value) for value in (0.871, 1.0, 0.0, 12.34, 1234.5, np.nan)] == [
        *("0.871", "1", "0.000", "12.3", "1,234", ""),
    ]
    assert [small_number(value) for value in (0.000086, 0.25, 0.0, -0.0012, np.nan)] == [
        *("0.000086", "0.250", "0", "-0.0012", ""),
    ]

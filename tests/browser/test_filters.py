"""Every filter of the grid: set as a user sets it, kept in the address, counted as in the tables."""

from __future__ import annotations

import re

import httpx
import pytest

from browser.browsing import terms
from browser.counting import heading, picked
from browser.grid_form import controls, field, found, press_show, set_range, tick

# Fewer cards are drawn sooner.
FEW = "per=12"
OF_OBJECTS = ("attribute.", "characteristic.")
TICKED = {
    "detections": [
        [("class", "car")],
        [("class", "car"), ("class", "cup")],
        [("hoiem", "sim")],
        [("tide", "bkg"), ("tide", "dupe")],
        [("coco_analyze", "oth")],
        [("borji", "localization")],
        [("true_class", "(background)")],
        [("object_class", "cat")],
        [("size", "small")],
        [("attribute.occluded", "1")],
        [("attribute.pose", "Left")],
        [("characteristic.area", "XS"), ("characteristic.parts wheel", "wheel hidden")],
        [("class", "bottle"), ("tide", "loc"), ("size", "medium"), ("attribute.truncated", "0")],
    ],
    "objects": [
        [("class", "dog")],
        [("hoiem", "missed")],
        [("tide", "miss"), ("borji", "miss")],
        [("taken_for", "(background)")],
        [("undetected", "1")],
        [("size", "large")],
        [("attribute.occlusion", "high")],
        [("characteristic.truncation", "truncated"), ("undetected", "0")],
    ],
}
RANGES = {
    "detections": [
        ("score", "0.25", "0.5"),
        ("score", "0.6", ""),
        ("area", "", "900"),
        ("iou", "0.5", "0.75"),
        ("loss", "0.0001", ""),
        ("rank", "1", "10"),
        ("top", "", "1"),
        ("disagreement", "0.2", ""),
        ("attribute.visible_fraction", "0.1", "0.9"),
    ],
    "objects": [
        ("score", "", "0.3"),
        ("area", "1024", "9216"),
        ("iou", "0.8", ""),
        ("loss", "0.0001", ""),
        ("disagreement", "", "0.2"),
        ("attribute.occluded_fraction", "0.5", ""),
    ],
    "images": [("disagreement", "0.1", "0.3")],
}
CASES = [(of, case) for of, cases in TICKED.items() for case in cases]
SPANS = [(of, *case) for of, cases in RANGES.items() for case in cases]


def words(case) -> str:
    return re.sub(r"\W+", "-", str(case)).strip("-")


@pytest.mark.parametrize(("of", "ticked"), CASES, ids=map(words, CASES))
def test_what_is_ticked_is_in_the_address_and_counted(of, ticked, app, run, visits):
    page = visits.open(f"{app.address}images?of={of}&{FEW}")
    for term, value in ticked:
        tick(page, term, value)
    press_show(page)
    asked = terms(page)
    looks = {"of", "detector", "sort", "order", "show", "per"}
    assert [pair for pair in asked if pair[0] not in looks] == sorted(ticked, key=asked.index)
    assert found(page) == heading(of, picked(run, asked))
    for term, value in ticked:
        assert page.locator(f'#filters input[name="{term}"][value="{value}"]').is_checked()
    chips = page.get_by_role("list", name="Filters in use").locator("a:not(.all)")
    assert chips.count() == len(ticked) + (of == "objects")


@pytest.mark.parametrize(("of", "term", "low", "high"), SPANS, ids=map(words, SPANS))
def test_a_range_is_typed_into_two_fields(of, term, low, high, app, run, visits):
    page = visits.open(f"{app.address}images?of={of}&{FEW}")
    set_range(page, term, low, high)
    press_show(page)
    assert (term, f"{low}..{high}") in terms(page)
    assert found(page) == heading(of, picked(run, terms(page)))
    ends = page.locator(f'#filters input[name="{term}"] + .ends input')
    assert [end.input_value() for end in ends.all()] == [low, high]


@pytest.mark.parametrize("of", ["detections", "objects", "images"])
def test_images_are_found_by_name(of, app, run, visits):
    page = visits.open(f"{app.address}images?of={of}&{FEW}")
    page.get_by_label("Name or id of the image").fill("0017")
    page.keyboard.press("Enter")
    page.wait_for_url("**find=0017**")
    assert found(page) == heading(of, picked(run, terms(page)))


@pytest.mark.parametrize("of", ["detections", "objects"])
def test_a_detector_is_chosen(of, app, run, visits):
    page = visits.open(f"{app.address}images?of={of}&{FEW}")
    field(page, "detector", "0").uncheck()
    field(page, "detector", "1").check()
    press_show(page)
    assert [value for term, value in terms(page) if term == "detector"] == ["1"]
    assert found(page) == heading(of, picked(run, terms(page)))


def test_the_detector_whose_errors_sort_images_is_chosen(app, visits):
    page = visits.open(f"{app.address}images?of=images&sort=loss&{FEW}")
    page.get_by_label("Detector").select_option("region")
    press_show(page)
    assert ("detector", "1") in terms(page)


@pytest.mark.parametrize("of", ["detections", "objects", "images"])
def test_every_control_of_the_form_picks_what_the_tables_count(of, app, run, visits):
    page = visits.open(f"{app.address}images?of={of}&{FEW}")
    shown = controls(page)
    ranges = {term for term, value in shown if not value}
    tested = {term for kind, term, *_ in SPANS if kind == of}
    assert {term for term in ranges if not term.startswith("attribute.")} - {"find"} <= tested
    # Of the many attributes and characteristics one value each, of everything else all.
    one_each = dict(pair for pair in shown if pair[0].startswith(OF_OBJECTS) and pair[1])
    others = [pair for pair in shown if pair[1] and not pair[0].startswith(OF_OBJECTS)]
    assert of == "images" or (len(one_each) > 80 and len(others) > 50)
    with httpx.Client(base_url=app.address) as client:
        for pair in [*others, *one_each.items()]:
            asked = [("of", of), pair]
            rows = client.get("export.csv", params=asked).text.splitlines()
            assert len(rows) - 1 == len(picked(run, asked)), pair


def test_a_long_list_is_narrowed_by_typing(app, visits):
    page = visits.open(f"{app.address}images?{FEW}")
    group = page.locator("details.filter", has=page.locator("> summary", has_text="Class")).first
    if group.get_attribute("open") is None:
        group.locator("summary").click()
    group.get_by_role("searchbox").fill("CA")
    seen = group.locator(".choice:visible").all_inner_texts()
    assert seen
    assert all("ca" in text.lower() for text in seen)
    page.keyboard.press("Enter")
    assert "class=" not in page.url
    group.get_by_role("searchbox").fill("")
    assert group.locator(".choice:visible").count() > len(seen)


def test_chips_take_filters_away_one_by_one_and_all_at_once(app, run, visits):
    page = visits.open(f"{app.address}images?class=car&class=cup&tide=cls&score=0.2..&{FEW}")
    for name in ("car", "score"):
        chips = page.get_by_role("list", name="Filters in use")
        with page.expect_navigation():
            chips.locator("a:not(.all)", has_text=name).click()
        assert found(page) == heading("detections", picked(run, terms(page)))
    assert [pair for pair in terms(page) if pair[0] != "per"] == [("class", "cup"), ("tide", "cls")]
    with page.expect_navigation():
        page.get_by_role("link", name="remove all").click()
    assert page.get_by_role("list", name="Filters in use").count() == 0
    assert found(page) == heading("detections", run.detections)


def test_the_clear_button_keeps_what_is_looked_at(app, run, visits):
    page = visits.open(f"{app.address}images?of=objects&detector=1&undetected=1&{FEW}")
    with page.expect_navigation():
        page.get_by_role("link", name="Clear").click()
    assert found(page) == heading("objects", picked(run, [("of", "objects")]))


def test_tabs_keep_the_filters_that_still_mean_something(app, run, visits):
    page = visits.open(f"{app.address}images?class=car&score=0.2..0.6&{FEW}")
    for of in ("objects", "images", "detections"):
        tabs = page.get_by_role("navigation", name="What is shown")
        with page.expect_navigation():
            tabs.get_by_role("link", name=of).click()
        assert dict(terms(page)).get("of", "detections") == of
        assert found(page) == heading(of, picked(run, terms(page)))


def test_nothing_found_says_so_and_offers_a_way_back(app, run, visits):
    page = visits.open(f"{app.address}images?class=car&score=0.9999..")
    assert found(page) == "0 detections in 0 images"
    assert page.locator(".card").count() == 0
    with page.expect_navigation():
        page.locator(".empty a").click()
    assert found(page) == heading("detections", run.detections)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("class=unicorn", "unicorn"),
        ("score=high", "range"),
        ("colour=red", "colour"),
        ("sort=luck", "luck"),
    ],
)
def test_an_address_that_asks_amiss_is_explained(query, message, app, visits):
    visits.expected.append("status of 400")
    page = visits.open(f"{app.address}images?{query}")
    assert message in page.locator("main").inner_text()
    page.get_by_role("link", name="All images").click()
    page.wait_for_url("**/images")


def test_a_bad_range_in_the_form_is_explained_and_can_be_mended(app, visits):
    visits.expected.append("status of 400")
    page = visits.open(f"{app.address}images?{FEW}")
    set_range(page, "score", "0.9", "0.1")
    press_show(page)
    assert "0.9..0.1" in page.locator("main").inner_text()
    page.go_back()
    assert page.locator('input[name="score"] + .ends input').first.is_enabled()

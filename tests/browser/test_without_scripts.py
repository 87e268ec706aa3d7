"""With JavaScript off: the form, the links and the pictures still work."""

from __future__ import annotations

import pytest

from browser.browsing import terms
from browser.counting import heading, picked
from browser.grid_form import found, press_show, tick, unfold
from browser.places import PLACES, TROUBLES

OFF = {"java_script_enabled": False}
READABLE = [place for place in PLACES if place != "report"]


@pytest.mark.parametrize("place", READABLE)
def test_a_page_is_readable(place, app, visits):
    visits.expected += TROUBLES.get(place, [])
    page = visits.open(app.address + PLACES[place], **OFF)
    assert page.locator("h1").inner_text().strip()
    assert page.locator("main").inner_text().strip()


def test_the_form_filters(app, run, visits):
    page = visits.open(f"{app.address}images?per=12", **OFF)
    tick(page, "class", "car")
    tick(page, "tide", "cls")
    score = page.locator('#filters input[name="score"]')
    unfold(page, score)
    score.fill("0.2..0.5")
    press_show(page)
    assert {("class", "car"), ("tide", "cls"), ("score", "0.2..0.5")} <= set(terms(page))
    asked = [pair for pair in terms(page) if pair[1]]
    assert found(page) == heading("detections", picked(run, asked))


def test_order_and_layout_are_applied_by_a_button(app, run, visits):
    page = visits.open(f"{app.address}images?class=car", **OFF)
    page.locator("select[name=sort]").select_option("loss")
    page.locator("select[name=show]").select_option("boxes")
    page.locator("select[name=per]").select_option("12")
    with page.expect_navigation():
        page.get_by_role("button", name="Apply").click()
    assert page.locator(".card").count() == 12
    assert dict(terms(page))["sort"] == "loss"


def test_links_lead_from_the_overview_to_an_image_and_on(app, visits):
    page = visits.open(app.address, **OFF)
    with page.expect_navigation():
        page.locator("table.detectors a").first.click()
    with page.expect_navigation():
        page.get_by_role("navigation", name="Pages of the result").get_by_text("Next").click()
    with page.expect_navigation():
        page.locator(".card > a").first.click()
    assert page.locator("#stage .box").count() > 0
    with page.expect_navigation():
        page.get_by_role("link", name="Next").click()
    with page.expect_navigation():
        page.get_by_role("link", name="Back to the grid").click()
    assert page.locator(".card").count() > 0


def test_marks_have_links_where_figures_cannot_be_drawn(app, visits):
    page = visits.open(app.address, **OFF)
    details = page.locator("figure.figure details").first
    details.locator("summary").click()
    number = details.locator("tbody tr").first.locator(".number").inner_text()
    with page.expect_navigation():
        details.locator("a").first.click()
    assert found(page).startswith(f"{number} ")


def test_a_comparison_is_chosen_by_its_form(app, visits):
    page = visits.open(f"{app.address}compare", **OFF)
    page.locator("select[name=sort]").select_option("loss")
    with page.expect_navigation():
        page.get_by_role("button", name="Show").click()
    with page.expect_navigation():
        page.locator(".pair .over a").first.click()
    assert page.locator("svg.stage .box").count() > 0

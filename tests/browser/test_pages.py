"""Every page opens in chromium without a complaint, at any width, by day and by night."""

from __future__ import annotations

import pytest

from browser.browsing import DESKTOP, PHONE, draw_all_charts, fits_its_width
from browser.places import BLANK_PLACES, PLACES, TROUBLES

SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("place", BLANK_PLACES)
def test_a_page_opens_without_pictures_and_with_one_detector(place, size, blank_app, visits):
    page = visits.open(blank_app.address + BLANK_PLACES[place], size=SIZES[size])
    assert page.locator("image").count() == 0
    assert fits_its_width(page)


@pytest.mark.parametrize("size", SIZES)
def test_all_figures_of_the_overview_are_drawn_within_its_width(size, blank_app, solo_run, visits):
    page = visits.open(blank_app.address, size=SIZES[size])
    draw_all_charts(page)
    assert page.locator("svg.marks").count() == len(solo_run.figures)
    assert page.get_by_text("cannot be drawn").count() == 0
    assert fits_its_width(page)


@pytest.mark.parametrize("place", ["overview", "grid", "image", "compare", "pair", "error 400"])
def test_every_page_links_to_the_others(place, app, visits):
    visits.expected += TROUBLES.get(place, [])
    page = visits.open(app.address + PLACES[place])
    for words, path in (("Overview", ""), ("Images", "images?*"), ("Compare", "compare")):
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=words).click()
        page.wait_for_url(app.address + path)
        current = page.locator("nav [aria-current=page]")
        assert current.all_inner_texts() == [words]


def test_a_page_without_the_token_tells_nothing_of_the_run(app, visits):
    visits.expected.append("status of 403")
    page = visits.open(f"http://{app.host}/")
    text = page.locator("body").inner_text()
    assert text.strip()
    assert "window" not in text
    assert "ground_truth" not in text


def test_the_report_opens_inside_the_app(blank_app, solo_run, visits):
    page = visits.open(blank_app.address)
    with page.expect_navigation():
        page.get_by_role("link", name="Full report").click()
    draw_all_charts(page)
    assert page.locator("svg.marks").count() == len(solo_run.figures)


def test_every_link_of_the_guide_leads_to_a_page(app, visits):
    page = visits.open(app.address + "guide/")
    links = page.locator("main a[href]").evaluate_all("all => all.map((one) => one.href)")
    own = {link.partition("#")[0] for link in links if link.startswith(app.address)}
    assert len(own) > 5
    for link in sorted(own):
        answer = page.goto(link)
        assert answer.ok, link
        assert page.locator("h1").count() == 1, link

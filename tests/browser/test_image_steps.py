"""From image to image: keys, the way back to the grid, and addresses that keep the whole view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.browsing import expect
from browser.counting import picked
from browser.stage import shown

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGE = 3
QUERY = "detector=0&tide=bkg&class=cup&sort=score"


@pytest.fixture
def page(app, visits) -> Page:
    return visits.open(f"{app.address}image/{IMAGE}")


def test_keys_and_links_walk_through_the_selection(app, run, visits):
    rows = picked(run, [tuple(one.split("=")) for one in QUERY.split("&")])
    order = rows.sort("score", descending=True, maintain_order=True)["image_row"]
    images = order.unique(maintain_order=True).to_list()
    page = visits.open(f"{app.address}image/{images[0]}?{QUERY}")
    assert page.locator(".steps a", has_text="Previous").count() == 0
    at = 0
    for key, step in (("n", 1), ("ArrowRight", 1), ("p", -1), ("ArrowLeft", -1)):
        with page.expect_navigation():
            page.keyboard.press(key)
        at += step
        assert f"/image/{images[at]}?" in page.url
        assert page.locator(".head .soft").inner_text() == f"{at + 1} of {len(images)}"
    with page.expect_navigation():
        page.get_by_role("link", name="Next").click()
    assert f"/image/{images[1]}?" in page.url
    last = visits.open(f"{app.address}image/{images[-1]}?{QUERY}")
    last.keyboard.press("n")
    assert f"/image/{images[-1]}?" in last.url
    assert last.locator(".steps a", has_text="Next").count() == 0


def test_what_the_filters_pick_is_bold_whatever_its_score(app, run, visits):
    rows = picked(run, [tuple(one.split("=")) for one in QUERY.split("&")])
    image = int(rows["image_row"].value_counts().sort("count")["image_row"][-1])
    page = visits.open(f"{app.address}image/{image}?{QUERY}")
    n_picked = len(rows.filter(image_row=image))
    assert page.locator("#boxes tr.match:not([hidden])").count() == n_picked
    assert page.locator("#stage .box.match:not([hidden])").count() == n_picked


def test_escape_goes_back_to_the_page_of_the_grid(app, run, visits):
    page = visits.open(f"{app.address}images?of=images&per=12&page=3")
    with page.expect_navigation():
        page.locator(".card > a").nth(4).click()
    assert "/image/28?" in page.url
    with page.expect_navigation():
        page.keyboard.press("Escape")
    assert page.locator(".pages .at").inner_text() == "page 3 of 17"
    assert page.locator('.card > a[href*="/image/28?"]').count() == 1


def test_help_opens_by_key_and_button_and_closes_again(page):
    dialog = page.get_by_role("dialog", name="Keys")
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    page.keyboard.press("n")
    assert f"/image/{IMAGE}" in page.url
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert f"/image/{IMAGE}" in page.url
    page.get_by_role("button", name="Keys").click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_an_address_gives_the_same_view_to_somebody_else(app, visits):
    first = visits.open(f"{app.address}image/{IMAGE}?{QUERY}")
    first.keyboard.press("g")
    first.keyboard.press("l")
    first.locator('input[data-cut="1"]').fill("0.4")
    first.locator("#scheme").select_option(label="Borji")
    second = visits.open(first.url)
    for selector in ("#stage .box:not([hidden])", "#boxes tbody tr:not([hidden])"):
        names = [
            page.locator(selector).evaluate_all("all => all.map((one) => one.dataset.box)")
            for page in (first, second)
        ]
        assert names[0] == names[1]
    assert second.locator("#scheme").input_value() == first.locator("#scheme").input_value()
    assert not second.locator("#show-labels").is_checked()
    assert second.locator(".names text").count() == 0
    assert second.url == first.url


def test_what_is_shown_is_taken_along_to_the_next_image(page):
    page.keyboard.press("g")
    with page.expect_navigation():
        page.keyboard.press("n")
    assert shown(page, "truth") == 0
    assert not page.locator('input[data-layer="truth"]').is_checked()

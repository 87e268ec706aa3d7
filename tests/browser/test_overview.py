"""The overview: a click on a mark of a figure, or on its link, leads to the boxes it counts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from browser.browsing import expect, terms
from browser.counting import heading, picked
from browser.grid_form import found

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Kinds of marks: bars, parts of bars, cells of a matrix, points.
FIGURES = ("tide_errors", "fp_by_class", "confusion_matrix", "by_area")
# A record that tells a number.
COUNTS = re.compile(r'"picked": "[^"]*: [0-9,]+"')
# Elements know the row of data they stand for; the first that can be clicked on its middle.
CLICKABLE = """(chart) => {
  for (const mark of chart.querySelectorAll("svg.marks *")) {
    const datum = mark.__data__?.datum;
    if (!datum?.select || !/: [0-9,]+$/.test(datum.picked ?? "")) continue;
    mark.scrollIntoView({ block: "center", inline: "center" });
    const { x, y, width, height } = mark.getBoundingClientRect();
    for (const [across, down] of [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.9]]) {
      const at = { x: x + across * width, y: y + down * height };
      const top = document.elementFromPoint(at.x, at.y);
      if (top?.__data__?.datum === datum) return { ...at, picked: datum.picked };
    }
  }
  return null;
}"""


def chart_of(page: Page, run, name: str) -> Locator:
    titles = {one["name"]: number for number, one in enumerate(run.figures)}
    chart = page.locator(f'.chart[data-spec="figure-{titles[name]}"]')
    chart.scroll_into_view_if_needed()
    expect(chart).to_have_class(re.compile("drawn"))
    return chart


def number_of(picked_words: str) -> int:
    return int(picked_words.rpartition(": ")[2].replace(",", ""))


def number_found(page: Page) -> int:
    return int(found(page).split(" ")[0].replace(",", ""))


@pytest.mark.parametrize("name", FIGURES)
def test_a_click_on_a_mark_shows_exactly_what_it_counts(name, app, run, visits):
    page = visits.open(app.address)
    mark = chart_of(page, run, f"window_{name}").evaluate(CLICKABLE)
    assert mark, f"no mark of {name} can be clicked"
    page.mouse.move(mark["x"], mark["y"])
    expect(page.locator(".chart.pointing")).to_have_count(1)
    with page.expect_navigation():
        page.mouse.click(mark["x"], mark["y"])
    assert ("detector", "0") in terms(page)
    assert number_found(page) == number_of(mark["picked"]) > 0
    of = dict(terms(page)).get("of", "detections")
    assert found(page) == heading(of, picked(run, terms(page)))


def test_every_linked_figure_of_a_detector_leads_to_what_it_counts(blank_app, solo_run, visits):
    page = visits.open(blank_app.address)
    counted = [one["name"] for one in solo_run.figures if COUNTS.search(json.dumps(one["spec"]))]
    assert len(counted) > 20
    for name in counted:
        mark = chart_of(page, solo_run, name).evaluate(CLICKABLE)
        assert mark, f"no mark of {name} can be clicked"
        # In a tab of its own, so that the overview need not be drawn again.
        page.keyboard.down("Control")
        with page.context.expect_page() as opened:
            page.mouse.click(mark["x"], mark["y"])
        page.keyboard.up("Control")
        tab = opened.value
        assert number_found(tab) == number_of(mark["picked"]), name
        tab.close()


def test_links_beside_a_figure_lead_to_what_they_count(app, run, visits):
    page = visits.open(app.address)
    tables = page.locator("figure.figure details")
    assert tables.count() > 40
    n_checked = 0
    for lines in (tables.nth(at).locator("tbody tr") for at in range(0, tables.count(), 3)):
        for line in (lines.first, lines.last):
            number = line.locator(".number").text_content().replace(",", "")
            if not number:
                continue
            address = line.locator("a").evaluate("link => link.search")
            rows = app.get(f"export.csv{address}").text.splitlines()
            assert len(rows) - 1 == int(number), address
            n_checked += 1
    assert n_checked > 20


def test_links_are_reached_by_keyboard(app, run, visits):
    page = visits.open(app.address)
    details = page.locator("figure.figure details").first
    summary = details.locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    link = details.locator("a").first
    number = details.locator("tbody tr").first.locator(".number").inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert number_found(page) == int(number.replace(",", ""))


def test_a_mark_tells_what_it_is(app, run, visits):
    page = visits.open(app.address)
    mark = chart_of(page, run, "window_tide_errors").evaluate(CLICKABLE)
    page.mouse.move(mark["x"], mark["y"])
    tip = page.locator("#vg-tooltip-element.visible")
    expect(tip).to_be_visible()
    assert tip.inner_text().strip()


def test_the_verdict_and_the_numbers_of_the_run_are_told(app, run, visits):
    page = visits.open(app.address)
    verdict = page.get_by_role("region", name="Verdict")
    assert run.about["verdict"]["lead"] in verdict.inner_text()
    # Some may be folded away.
    assert verdict.locator("li").all_text_contents() == run.about["verdict"]["sentences"]
    names = page.locator("table.detectors tbody th").all_inner_texts()
    assert names == [one["name"] for one in run.about["detectors"]]
    for row, detector in enumerate(run.about["detectors"]):
        links = page.locator("table.detectors tbody tr").nth(row).locator("a")
        counts = []
        for link in links.all():
            address = link.evaluate("link => link.search")
            counts.append(len(app.get(f"export.csv{address}").text.splitlines()) - 1)
        missed = run.objects.filter(detector=detector["name"])["undetected"].sum()
        assert counts == [detector["n_detections"], missed]

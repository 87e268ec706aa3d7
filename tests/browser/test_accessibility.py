"""Every page opens without a complaint and fits; axe-core finds no serious fault, by day and night."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.browsing import DESKTOP, PHONE, draw_all_charts, fits_its_width
from browser.places import BLANK_PLACES, PLACES, TROUBLES

if TYPE_CHECKING:
    from playwright.sync_api import Page

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

GRAVE = {"serious", "critical"}
MOST_NODES = 5
SIZES = {"desktop": DESKTOP, "phone": PHONE}
DARKEST, LIGHTEST = 60, 200


def background(page: Page) -> list[int]:
    """Of the page, as red, green and blue."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return [int(part) for part in colour.strip("rgb()").split(",")]


def faults(page: Page, *rules: str, within_figures: bool = False) -> list[str]:
    """The grave ones, each with the elements that have it.

    Figures are the same by day and night and at any width: once is enough for their insides.
    """
    left_out = None if within_figures else {"exclude": [["svg.marks"]]}
    told = []
    settings = {"resultTypes": ["violations"]} | ({"runOnly": [*rules]} if rules else {})
    for one in axe.Axe().run(page, left_out, settings).response["violations"]:
        if one["impact"] not in GRAVE:
            continue
        head = f"{one['id']} ({one['impact']}): {one['help']}, {len(one['nodes'])} elements"
        nodes = [
            f"    {node['html'][:200]}\n      {node['failureSummary']}"
            for node in one["nodes"][:MOST_NODES]
        ]
        told.append("\n".join([head, *nodes]))
    return told


def faults_by_day_and_night(page: Page) -> str:
    """By night only colours differ."""
    by_day = faults(page)
    page.emulate_media(color_scheme="dark")
    by_night = [f"by night: {one}" for one in faults(page, "color-contrast")]
    return "\n".join([*by_day, *by_night])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("place", PLACES)
def test_a_page_of_the_app_fits_and_has_no_grave_fault(place, size, app, visits):
    visits.expected += TROUBLES.get(place, [])
    page = visits.open(app.address + PLACES[place], size=SIZES[size])
    assert page.locator("h1").count() == 1
    assert page.title().strip()
    assert fits_its_width(page)
    assert min(background(page)) > LIGHTEST
    # The report has tests of its own; the grid with filters has all that the grid has.
    told = "" if place in {"report", "grid"} else faults_by_day_and_night(page)
    assert not told, told
    page.emulate_media(color_scheme="dark")
    assert max(background(page)) < DARKEST


@pytest.mark.parametrize("place", ["image", "boxes", "compare"])
def test_a_page_without_pictures_has_no_grave_fault(place, blank_app, visits):
    page = visits.open(blank_app.address + BLANK_PLACES[place])
    told = faults_by_day_and_night(page)
    assert not told, told


def test_the_form_with_everything_unfolded_has_no_grave_fault(blank_app, visits):
    page = visits.open(f"{blank_app.address}images?per=12", dark=True)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    told = "\n".join(faults(page))
    assert not told, told


def test_help_and_a_chosen_box_have_no_grave_fault(app, visits):
    page = visits.open(f"{app.address}image/3")
    page.locator("#boxes tbody tr:not([hidden]) button").first.press("Enter")
    told = faults_by_day_and_night(page)
    page.get_by_role("button", name="Keys").click()
    told += faults_by_day_and_night(page)
    assert not told, told


def test_the_overview_with_all_figures_has_no_grave_fault(blank_app, visits):
    page = visits.open(blank_app.address)
    draw_all_charts(page)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    told = "\n".join(faults(page, within_figures=True))
    assert not told, told


def test_the_report_with_all_figures_has_no_grave_fault(solo_run, visits):
    page = visits.open((solo_run.folder / "report.html").as_uri(), offline=True)
    draw_all_charts(page)
    told = "\n".join(faults(page, within_figures=True))
    assert not told, told


def test_the_report_by_night_has_no_grave_fault(solo_run, visits):
    address = (solo_run.folder / "report.html").as_uri()
    page = visits.open(address, dark=True, offline=True)
    told = "\n".join(faults(page, "color-contrast"))
    assert not told, told


def test_the_report_of_two_detectors_has_no_grave_fault(run, visits):
    page = visits.open((run.folder / "report.html").as_uri(), size=PHONE, offline=True)
    told = "\n".join(faults(page))
    assert not told, told

"""The report from disk, with the network off: figures, tables, methods, print and phone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from browser.browsing import PHONE, Visits, draw_all_charts, expect, fits_its_width

if TYPE_CHECKING:
    from playwright.sync_api import Page

MARK = """(chart) => {
  for (const mark of chart.querySelectorAll("svg.marks path")) {
    if (!mark.__data__?.tooltip) continue;
    mark.scrollIntoView({ block: "center", inline: "center" });
    const { x, y, width, height } = mark.getBoundingClientRect();
    const at = { x: x + width / 2, y: y + height / 2 };
    if (document.elementFromPoint(at.x, at.y) === mark) return at;
  }
  return null;
}"""
KEPT_CLIPBOARD = """() => {
  window.kept = null;
  navigator.clipboard.writeText = async (text) => { window.kept = text; };
}"""
KEPT_SELECTION = """() => {
  window.kept = null;
  navigator.clipboard.writeText = () => Promise.reject(new Error("not here"));
  document.execCommand = () => { window.kept = document.activeElement.value; return true; };
}"""


@pytest.fixture
def address(run) -> str:
    return (run.folder / "report.html").as_uri()


@pytest.fixture
def page(address, visits) -> Page:
    return visits.open(address, offline=True)


def scores_table(page: Page):
    """A table with names and numbers."""
    return page.locator("figure.table", has=page.locator("th.number")).first


def cells(table, column: int) -> list[str | None]:
    return table.locator(f"tbody tr > :nth-child({column})").evaluate_all(
        "all => all.map((one) => one.dataset.value ?? null)"
    )


def test_all_figures_are_drawn_and_tell_what_they_show(page, run):
    charts = page.locator(".chart")
    assert charts.count() >= len(run.figures) > 50
    draw_all_charts(page)
    expect(page.locator(".chart svg.marks")).to_have_count(charts.count())
    assert page.get_by_text("cannot be drawn").count() == 0
    names = page.locator("svg.marks").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    assert all(names)
    chart = page.locator('.chart[data-name$="tide_errors"]').first
    at = chart.evaluate(MARK)
    page.mouse.move(at["x"], at["y"])
    tip = page.locator("#vg-tooltip-element.visible")
    expect(tip).to_be_visible()
    assert tip.inner_text().strip()


def test_the_verdict_comes_first(page, run):
    lead = run.about["verdict"]["lead"]
    assert page.locator(".lead").first.inner_text() == lead
    assert page.evaluate(
        """() => {
          const [lead, chart] = [".lead", ".chart"].map((one) => document.querySelector(one));
          return Boolean(lead.compareDocumentPosition(chart) & Node.DOCUMENT_POSITION_FOLLOWING);
        }"""
    )


@pytest.mark.parametrize("key", ["", "Enter", "Space"])
def test_a_table_is_sorted_by_click_and_by_keyboard(key, page):
    table = scores_table(page)
    heading = table.locator("thead th.number").first
    column = heading.evaluate("one => one.cellIndex") + 1
    for direction in ("descending", "ascending"):
        button = heading.get_by_role("button")
        button.press(key) if key else button.click()
        expect(heading).to_have_attribute("aria-sort", direction)
        values = [float(value) for value in cells(table, column) if value is not None]
        assert len(values) > 1
        assert values == sorted(values, reverse=direction == "descending")


def test_what_is_undefined_stays_below_whichever_way_is_sorted(page):
    tables = page.locator("figure.table", has=page.locator("tbody td.number:not([data-value])"))
    table = tables.first
    cell = table.locator("tbody td.number:not([data-value])").first
    column = cell.evaluate("one => one.cellIndex") + 1
    button = table.locator(f"thead th:nth-child({column}) button")
    for _ in range(2):
        button.evaluate("one => one.click()")
        values = cells(table, column)
        n_defined = sum(value is not None for value in values)
        assert all(value is not None for value in values[:n_defined])


@pytest.mark.parametrize("way", [KEPT_CLIPBOARD, KEPT_SELECTION], ids=["clipboard", "selection"])
def test_a_table_is_copied_with_tabs_between_its_cells(way, page):
    page.evaluate(way)
    table = scores_table(page)
    table.get_by_role("button", name="Copy").click()
    expect(page.locator("#spoken")).to_contain_text("Copied")
    lines = page.evaluate("window.kept").strip("\n").split("\n")
    n_columns = table.locator("thead th").count()
    assert len(lines) == table.locator("tr").count()
    assert {line.count("\t") for line in lines} == {n_columns - 1}
    assert lines[0].split("\t")[0] == table.locator("thead th").first.inner_text()
    shown = table.locator("tbody tr").first.locator("[data-value]").first
    assert shown.get_attribute("data-value") in lines[1].split("\t")


def test_a_table_arrives_on_the_clipboard(address, visits: Visits):
    page = visits.open(address, offline=True, permissions=["clipboard-read", "clipboard-write"])
    scores_table(page).get_by_role("button", name="Copy").click()
    expect(page.locator("#spoken")).to_contain_text("Copied")
    assert "\t" in page.evaluate("navigator.clipboard.readText()")


def test_how_it_is_counted_opens_the_method(page):
    link = page.get_by_role("link", name=re.compile("How it is counted")).first
    target = link.get_attribute("href")
    assert target.startswith("#")
    assert not page.locator(target).locator("xpath=ancestor-or-self::details[@open]").count()
    link.click()
    method = page.locator(target).locator("xpath=ancestor-or-self::details")
    expect(method.first).to_have_attribute("open", "")
    expect(page.locator(target)).to_be_in_viewport()


def test_every_link_within_the_page_leads_somewhere(page):
    dead = page.evaluate(
        """() => [...document.querySelectorAll("a[href^='#']:not(.vega-actions a)")]
          .map((one) => one.getAttribute("href").slice(1))
          .filter((name) => !document.getElementById(decodeURIComponent(name)))"""
    )
    assert dead == []


def test_a_figure_is_saved_from_the_page(page, tmp_path):
    chart = page.locator(".chart").first
    chart.locator("summary").click()
    with page.expect_download() as waiting:
        chart.get_by_role("link", name="Save as SVG").click()
    assert waiting.value.suggested_filename == f"{chart.get_attribute('data-name')}.svg"
    waiting.value.save_as(tmp_path / "figure.svg")
    assert "<svg" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_the_pictures_are_inside_the_page(page):
    pictures = page.locator(".crops img")
    assert pictures.count() > 10
    broken = pictures.evaluate_all(
        """async (all) => {
          await Promise.all(all.map((one) => { one.loading = "eager"; return one.decode(); }));
          return all.filter((one) => !one.naturalWidth || !one.alt).length;
        }"""
    )
    assert broken == 0


def test_print_shows_whole_tables_on_white(page):
    page.emulate_media(media="print", color_scheme="dark")
    clipped = page.locator(".scrolling").evaluate_all(
        "all => all.filter((one) => getComputedStyle(one).overflowX !== 'visible').length"
    )
    assert clipped == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").first.is_visible()
    assert not page.locator("button.copy").first.is_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_shows_it_without_scrolling_sideways(dark, solo_run, visits):
    address = (solo_run.folder / "report.html").as_uri()
    page = visits.open(address, size=PHONE, dark=dark, offline=True)
    draw_all_charts(page)
    assert fits_its_width(page)
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    channels = [int(one) for one in re.findall(r"\d+", colour)]
    assert (max(channels) < 60) == dark
    # Whoever reads without scripts sees the tables at least.
    plain = visits.open(address, size=PHONE, offline=True, java_script_enabled=False)
    assert plain.locator("table").count() > 3
    assert fits_its_width(plain)


def test_the_first_link_of_the_report_skips_to_the_content(page):
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    assert skip.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")

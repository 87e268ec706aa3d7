"""The grid's form as a user works it: unfolds what is folded, ticks, types, presses Show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def field(page: Page, term: str, value: str) -> Locator:
    return page.locator(f'#filters input[name="{term}"][value="{value}"]')


def unfold(page: Page, inner: Locator) -> None:
    """Clicks on the headings around something until it can be seen, the outermost first."""
    folded = inner.locator("xpath=ancestor::details[not(@open)]")
    while folded.count():
        folded.first.locator("> summary").click()
    labels = inner.locator("xpath=ancestor::div[contains(@class, 'labels-')]")
    if labels.count() and not labels.is_visible():
        number = labels.get_attribute("class").rpartition("-")[2]
        page.locator(f"#scheme-{number}").check()


def tick(page: Page, term: str, value: str) -> None:
    box = field(page, term, value)
    unfold(page, box)
    box.check()


def set_range(page: Page, term: str, low: str, high: str) -> None:
    """Types into the two fields that stand for one term."""
    ends = page.locator(f'#filters input[name="{term}"] + .ends input')
    unfold(page, ends.first)
    ends.first.fill(low)
    ends.last.fill(high)


def press_show(page: Page) -> None:
    with page.expect_navigation():
        page.locator("#filters button[type=submit]").click()


def found(page: Page) -> str:
    return page.locator("h1").inner_text()


def controls(page: Page) -> list[tuple[str, str]]:
    """Every term of the form, with every value that can be ticked; ranges have an empty one."""
    return [
        tuple(pair)
        for pair in page.evaluate(
            """() => [...document.querySelectorAll("#filters [name]")]
              .filter((one) => one.type !== "hidden" || one.dataset.range)
              .filter((one) => one.type !== "radio")
              .flatMap((one) => one.tagName === "SELECT"
                ? [...one.options].map((option) => [one.name, option.value])
                : [[one.name, one.type === "checkbox" ? one.value : ""]])"""
        )
    ]

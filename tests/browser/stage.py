"""The large picture of an image as a user sees it: what part, which boxes, which rows beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def view_box(page: Page, name: str = "stage") -> list[float]:
    return [float(part) for part in page.locator(f"#{name}").get_attribute("viewBox").split()]


def shown(page: Page, layer: str) -> int:
    return page.locator(f'#stage .box[data-layer="{layer}"]:not([hidden])').count()


def listed(page: Page) -> int:
    return page.locator("#boxes tbody tr:not([hidden])").count()


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

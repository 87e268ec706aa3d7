"""Pages in a real chromium, watched: whatever goes wrong in one, or leaves it, fails the test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urldefrag, urlsplit

import pytest

from running import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError

# A module that imports this one is skipped where there is no Playwright.
playwright_api = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need Playwright (dependency group test)"
)
expect = playwright_api.expect
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No name leads anywhere but to this machine.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
DESKTOP, PHONE = (1280, 900), (390, 844)
TIMEOUT_MS = 1000 * PATIENCE_S
expect.set_options(timeout=TIMEOUT_MS)
# A page that is left stops loading its pictures; a download ends the loading of a page.
LEFT = "net::ERR_ABORTED"


def chromium_path() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def chromium(path: str, profile: Path) -> Iterator[Contexts]:
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=[*FLAGS], downloads_path=profile
        )
        yield Contexts(browser)
        browser.close()


@dataclass
class Contexts:
    """One for all pages of the same settings: what pages load is kept, scripts are compiled once."""

    browser: Browser
    made: dict[str, BrowserContext] = field(default_factory=dict)

    def of(self, size: tuple[int, int], *, dark: bool, **settings: object) -> BrowserContext:
        asked = {
            "viewport": {"width": size[0], "height": size[1]},
            "color_scheme": "dark" if dark else "light",
            "reduced_motion": "reduce",
            "locale": "en-GB",
            "timezone_id": "UTC",
            **settings,
        }
        name = repr(sorted(asked.items()))
        if name not in self.made:
            self.made[name] = self.browser.new_context(**asked)
            self.made[name].set_default_timeout(TIMEOUT_MS)
        return self.made[name]


@dataclass
class Visits:
    """The pages of one test, closed at its end."""

    contexts: Contexts
    troubles: list[str] = field(default_factory=list)
    # Parts of the messages that a page is meant to bring about.
    expected: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    watched: list[BrowserContext] = field(default_factory=list)

    def open(
        self,
        address: str,
        *,
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        offline: bool = False,
        **settings: object,
    ) -> Page:
        """A new page at an address, when all that it names has come."""
        context = self.contexts.of(size, dark=dark, **settings)
        context.set_offline(offline)
        self.addresses.append(address)
        if context not in self.watched:
            self.watched.append(context)
            for event, listener in self._listeners().items():
                context.on(event, listener)
        page = context.new_page()
        page.goto(address)
        return page

    def close(self) -> None:
        """Fails where a page had a trouble that was not expected, or lacked one that was."""
        for context in self.watched:
            for page in context.pages:
                page.close()
            for event, listener in self._listeners().items():
                context.remove_listener(event, listener)
            context.set_offline(False)
        found = [one for one in self.troubles if not any(part in one for part in self.expected)]
        assert not found, "\n".join(found)
        for part in self.expected:
            assert any(part in one for one in self.troubles), f"expected, but not told: {part}"

    def _listeners(self) -> dict[str, Callable[..., None]]:
        return {
            "console": self._on_console,
            "weberror": self._on_error,
            "request": self._on_request,
            "requestfailed": self._on_failed,
        }

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.troubles.append(f"console {message.type}: {message.text}")

    def _on_error(self, problem: WebError) -> None:
        self.troubles.append(f"error in a script: {problem.error}")

    def _on_request(self, request: Request) -> None:
        if not any(is_allowed(request.url, address) for address in self.addresses):
            self.troubles.append(f"a request to elsewhere: {request.url}")

    def _on_failed(self, request: Request) -> None:
        if request.failure != LEFT:
            self.troubles.append(f"a failed request: {request.url}: {request.failure}")


def is_allowed(url: str, address: str) -> bool:
    """Only to the server of the first page; a page from disk may ask for itself alone."""
    asked, first = urlsplit(url), urlsplit(address)
    if asked.scheme in {"data", "blob"}:
        return True
    if first.scheme == "file":
        return urldefrag(url).url == urldefrag(address).url
    return (asked.scheme, asked.netloc) == (first.scheme, first.netloc)


def terms(page: Page) -> list[tuple[str, str]]:
    """The query of a page's address."""
    return parse_qsl(urlsplit(page.url).query, keep_blank_values=True)


def fits_its_width(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    return bool(
        page.evaluate(
            "document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth"
        )
    )


def draw_all_charts(page: Page) -> None:
    """Scrolls until every figure has come near and is drawn, then back to the top."""
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg.marks").first.wait_for(state="attached")
    page.evaluate("window.scrollTo(0, 0)")

"""Makes the screenshots of the guide: the report, the app and a notebook, of the demo's detectors.

    python scripts/make_screenshots.py [NAME ...]

Needs chromium and Playwright (dependency group test). Windows, colours, language and the app's
token are fixed, so that a picture changes only where what it shows has changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from guide_demo import FIGURES, boxlens, put_demo_files
from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

FILES = ("ground_truth.json", "window.json", "region.json")
DESKTOP, PHONE = (1280, 860), (390, 760)
TOKEN = "screenshots-of-the-guide"  # noqa: S105 - of a server that lives for seconds
QUALITY = 84
SETTLE_MS = 500
# Charts are drawn after the page has loaded, and push down what stands below.
DRAWN = """() => [...document.querySelectorAll(".chart")].every(
  (chart) => chart.querySelector("svg") || chart.getBoundingClientRect().top > innerHeight)"""
NOTEBOOK = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>Notebook</title>
<style>
body {{ margin: 24px 32px; font: 15px/1.5 "Liberation Sans", Arial, sans-serif; }}
.cell {{ display: grid; grid-template-columns: 4rem 1fr; gap: 6px 12px; margin-bottom: 10px; }}
.cell > span {{ color: #5b646b; font-family: monospace; text-align: right; padding-top: 9px; }}
pre {{ margin: 0; padding: 8px 12px; background: #f5f5f5; border: 1px solid #dddddd; }}
</style><body>
<div class="cell"><span>[1]:</span><pre>{code}</pre><span></span><div>{shown}</div></div>
</body></html>
"""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: of which place (see `main`), and what address below it."""

    name: str
    place: str
    address: str = ""
    size: tuple[int, int] = DESKTOP
    dark: bool = False
    # An element that is brought to the top.
    top: str = ""


# The car that is called truck and van, with balls for wheels: image 99 of the demo.
SHOTS = (
    Shot("report", "report"),
    Shot("report_figures", "report", top="#errors"),
    Shot("report_dark", "report", dark=True, top="#objects"),
    Shot("report_phone", "report", size=PHONE),
    Shot("app_overview", "app of one"),
    Shot("app_figures", "app of one", top="main h2"),
    Shot("app_grid", "app", "images?detector=0&tide=cls&sort=loss&show=boxes"),
    Shot("app_image", "app", "image/99?detector=0&tide=cls&score=0.3.."),
    Shot("app_compare", "app", "compare?a=0&b=1"),
    Shot("app_phone", "app", "images?of=objects&detector=0&undetected=1", size=PHONE, dark=True),
    Shot("notebook", "notebook", size=(1000, 660)),
)


def main(names: list[str]) -> None:
    wanted = [shot for shot in SHOTS if not names or shot.name in names]
    target = FIGURES / "screens"
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        put_demo_files(folder)
        written = ("--images", "images", "--figures", "svg")
        boxlens("report", *FILES, "-o", "both", *written, folder=folder)
        boxlens("diagnose", *FILES[:2], "-o", "one", *written, folder=folder)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        with served(folder, "both") as app, served(folder, "one") as app_of_one:
            places = {
                "report": (folder / "both" / "report.html").as_uri(),
                "app": app,
                "app of one": app_of_one,
                "notebook": notebook(folder).as_uri(),
            }
            for shot in wanted:
                take(browser, shot, places[shot.place] + shot.address, target)
        browser.close()


@contextmanager
def served(folder: Path, run: str) -> Iterator[str]:
    """The app over a run, and its address."""
    command = ["serve", run, "--images", "images", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "boxlens", *command, "--token", TOKEN],
        cwd=folder,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def notebook(folder: Path) -> Path:
    """What a notebook shows below a cell, in a page of its own."""
    import boxlens as package

    diagnosis = package.diagnose(folder / FILES[0], folder / FILES[1])
    code = 'import boxlens\n\nboxlens.diagnose("ground_truth.json", "window.json")'
    page = folder / "notebook.html"
    text = NOTEBOOK.format(code=code, shown=diagnosis._repr_html_())
    page.write_text(text, encoding="utf-8")
    return page


def take(browser: Browser, shot: Shot, address: str, folder: Path) -> None:
    width, height = shot.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    page = context.new_page()
    answer = page.goto(address, wait_until="networkidle")
    if answer is None or not answer.ok:
        sys.exit(f"{shot.name}: {address} cannot be shown")
    for _ in range(3):
        if shot.top:
            page.locator(shot.top).first.evaluate("element => element.scrollIntoView()")
        page.wait_for_function(DRAWN)
        page.wait_for_timeout(SETTLE_MS)
    raw = folder / f"{shot.name}.png"
    page.screenshot(path=raw, animations="disabled", caret="hide")
    context.close()
    picture = raw.with_suffix(".webp")
    Image.open(raw).convert("RGB").save(picture, quality=QUALITY, method=6)
    raw.unlink()
    print(f"{picture.name}: {picture.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])

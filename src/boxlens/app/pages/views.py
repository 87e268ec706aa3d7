"""The pages of the app as HTML: what is shown comes from a view, how from a template."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from boxlens import wording
from boxlens.app.pages.addresses import Link, address
from boxlens.app.pages.comparison_view import comparison_view, pair_view, parse_comparison
from boxlens.app.pages.grid import grid
from boxlens.app.pages.image_view import image_view
from boxlens.app.pages.overview import overview
from boxlens.app.pages.words import NO_ERROR, member
from boxlens.app.selecting.query import Query
from boxlens.app.site import Site

if TYPE_CHECKING:
    from jinja2 import Environment

STATUS_TITLES = {400: "Invalid address", 404: "Not found"}


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around every page; `root` is "" where no run is open."""

    root: str
    title: str
    run: str
    links: tuple[Link, ...]


def overview_page(site: Site) -> str:
    return _page(site, "overview", "Overview", view=overview(site))


def grid_page(site: Site, query: Query) -> str:
    view = grid(site, query)
    return _page(site, "grid", view.found, current="Images", view=view)


def image_page(site: Site, query: Query, image_row: int) -> str:
    view = image_view(site, query, image_row)
    return _page(site, "image", view.title, current="Images", view=view)


def compare_page(site: Site, pairs: Iterable[tuple[str, str]]) -> str:
    """Many images, or the one that the address names."""
    asked = parse_comparison(site.run, pairs)
    if asked.image is not None:
        one = pair_view(site, asked)
        return _page(site, "pair", one.title, current="Compare", view=one)
    view = comparison_view(site, asked)
    return _page(site, "compare", "Detectors side by side", current="Compare", view=view)


def guide_page(site: Site, name: str) -> str:
    """A page of the guide that the package carries, by its name."""
    from boxlens.report.pages.guide import guide_page as body

    # Written by us, and no raw HTML gets through the converter.
    return _page(site, "guide", "Guide", body=Markup(body(name)))  # noqa: S704


def error_page(site: Site | None, status: int, message: str) -> str:
    """Why there is nothing to see; without a site nothing of the run is shown."""
    title = STATUS_TITLES.get(status, f"Error {status}")
    if site is None:
        frame = Frame("", title, "", ())
        return (
            _environment()
            .get_template("error.html")
            .render(frame=frame, title=title, message=message)
        )
    return _page(site, "error", title, message=message)


def _page(
    site: Site, template: str, title: str, *, current: str | None = None, **shown: Any
) -> str:
    names = {
        "Overview": "",
        "Images": _costliest(site),
        "Compare": "compare",
        "Report": "report",
        "Guide": "guide/",
    }
    if len(site.run.detector_names) < 2:
        del names["Compare"]
    here = current or title
    links = tuple(Link(words, site.root + path, words == here) for words, path in names.items())
    frame = Frame(site.root, title, site.run.about["title"], links)
    return _environment().get_template(f"{template}.html").render(frame=frame, title=title, **shown)


def _costliest(site: Site) -> str:
    """What a look at the images starts with: the errors that cost most."""
    known = member(site.run.about["schemes"], "tide", dict).get("detections", ())
    errors = [("tide", label) for label in known if label not in NO_ERROR]
    return address("images", (*errors, ("sort", "loss")) if errors else ())


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("boxlens.app", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"script_json": _script_json, "score": wording.score}
    return made


def _script_json(value: Any) -> Markup:
    """For the inside of a script element; nothing in it can end the element."""
    from boxlens.report.charts.export import script_json

    return Markup(script_json(value))  # noqa: S704

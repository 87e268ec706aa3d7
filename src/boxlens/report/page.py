"""One self-contained HTML page about a result: it opens from disk and asks no network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from boxlens.report.charts.export import EMBED_OPTIONS, script_json, vega_bundle
from boxlens.report.markup import facts, notes, paragraph, section, table, text_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boxlens.report.figure_plan import Figure, LeftOut

# The browser itself refuses whatever is not in the page.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure, its Vega-Lite specification, and the formats of its files beside the page."""

    figure: Figure
    spec: dict[str, Any]
    formats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page, as the navigation names it."""

    name: str
    title: str
    parts: tuple[str, ...]


def page(title: tuple[str, str], about: str, sections: Sequence[Section]) -> str:
    """`title` is the detector and the data set."""
    shown = [part for part in sections if any(part.parts)]
    links = "".join(f'<li><a href="#{one.name}">{escape(one.title)}</a></li>' for one in shown)
    detector, dataset = map(escape, title)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<title>{detector} on {dataset}</title>
<style>
{_resource("page.css")}</style>
</head>
<body>
<header>
<h1>{detector} <span>on</span> {dataset}</h1>
{paragraph(about, "about")}</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main>
{"".join(section(one.name, one.title, *one.parts) for one in shown)}</main>
<footer>{paragraph("Made by Boxlens. The numbers are in results.json and tables/.")}</footer>
<script type="application/json" id="embed-options">{script_json(EMBED_OPTIONS)}</script>
<script>{vega_bundle()}</script>
<script>
{_resource("page.js")}</script>
</body>
</html>
"""


def figure_cards(
    drawn: Iterable[DrawnFigure], left_out: Iterable[LeftOut], section_name: str
) -> str:
    """The figures of one section, and why others are not there."""
    cards = "\n".join(_card(one) for one in drawn if one.figure.section == section_name)
    remarks = notes(
        f"{one.title}: not shown, {one.why}." for one in left_out if one.section == section_name
    )
    return (f'<div class="figures">\n{cards}\n</div>\n' if cards else "") + remarks


def _card(drawn: DrawnFigure) -> str:
    figure = drawn.figure
    spec, legend = _without_heading(drawn.spec)
    links = "".join(
        f'<a href="figures/{figure.name}.{ending}" download>{ending.upper()}</a>'
        for ending in drawn.formats
    )
    download = f"<footer>{links}</footer>" if links else ""
    return f"""<figure class="card" id="figure-{figure.name}">
<figcaption><h3>{escape(figure.title)}</h3>{paragraph(figure.reading, "reading")}</figcaption>
<div class="chart" data-spec="spec-{figure.name}" data-name="{figure.name}"
 data-title="{escape(figure.title)}"><noscript>Figures need JavaScript.</noscript></div>
{paragraph(legend, "legend")}{download}
<script type="application/json" id="spec-{figure.name}">{script_json(spec)}</script>
</figure>"""


def _without_heading(spec: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The page says the title itself; what stands below it becomes sentences that wrap."""
    texts = spec.get("usermeta", {})
    about, reading = texts.get("about", ""), texts.get("reading", "")
    if about and about[-1] not in ".!?":
        about += "."
    return {
        key: value for key, value in spec.items() if key != "title"
    }, f"{about} {reading}".strip()


def provenance_section(document: dict[str, Any]) -> Section:
    """Files and their hashes, parameters, version, and what was left out on the way."""
    made_from = document["provenance"]
    rows = [("ground truth", made_from["ground_truth"])]
    rows += [("detections", source) for source in made_from["detections"]]
    files_table = table(
        ["file", "path", "format", "bytes", "SHA-256"],
        [
            [
                text_cell(role),
                *(
                    text_cell(None if source is None else source[key])
                    for key in ("path", "format", "size_bytes", "sha256")
                ),
            ]
            for role, source in rows
        ],
        caption="Files",
    )
    parameters = [(name, _value(value)) for name, value in document["parameters"].items()]
    messages = [notice["message"] for notice in document["notices"]]
    return Section(
        "provenance",
        "Provenance",
        (
            files_table,
            "<h3>Parameters</h3>",
            facts([("boxlens", made_from["boxlens"]), *parameters]),
            f"<h3>Notices</h3>{notes(messages)}" if messages else "",
        ),
    )


def _value(value: Any) -> str:
    """A parameter as text; what is not chosen is found out from the data."""
    if value is None:
        return "from the data"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_value(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        parts = (":".join(map(str, one)) if isinstance(one, list) else str(one) for one in value)
        return ", ".join(parts) or "none"
    return str(value)


@cache
def _resource(name: str) -> str:
    return (files("boxlens.report") / name).read_text(encoding="utf-8")

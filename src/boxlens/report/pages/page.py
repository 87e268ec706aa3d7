"""One self-contained HTML page: it opens from disk and asks no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from boxlens.report.charts.export import EMBED_OPTIONS, script_json
from boxlens.report.charts.vega_script import vega_script
from boxlens.report.pages.markup import link, paragraph
from boxlens.report.study import Plot, Section


def page(title: tuple[str, str], about: str, sections: Sequence[tuple[Section, str]]) -> str:
    """`title` says who, and on which data set; every section stands beside its HTML."""
    links = "".join(f"<li>{link('#' + one.name, one.title)}</li>" for one, _ in sections)
    who, dataset = map(escape, title)
    scripts = (vega_script(), "\n" + _resource("page.js"))
    code = "\n".join(f"<script>{text}</script>" for text in scripts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(_policy(scripts))}">
<title>{who} on {dataset}</title>
<style>
{_resource("page.css")}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>{who} <span>on</span> {dataset}</h1>
{paragraph(about, "about")}</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="content" tabindex="-1">
{"".join(html for _, html in sections)}</main>
<footer>{paragraph("Made by Boxlens. The numbers are in results.json and tables/.")}</footer>
<p id="spoken" class="unseen" role="status"></p>
<script type="application/json" id="embed-options">{script_json(EMBED_OPTIONS)}</script>
{code}
</body>
</html>
"""


def _policy(scripts: Sequence[str]) -> str:
    """The browser itself refuses whatever is not in the page, and any script but these."""
    hashes = " ".join(
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def card(plot: Plot, spec: dict[str, Any], formats: Sequence[str]) -> str:
    """A figure with its words; `formats` are those of its files beside the page."""
    spec, legend = without_heading(spec)
    links = "".join(
        f'<a href="figures/{plot.name}.{ending}" download>{ending.upper()}</a>'
        for ending in formats
    )
    download = f'<p class="files">{links}</p>' if links else ""
    kind = "card wide" if plot.wide else "card"
    return f"""<figure class="{kind}" id="figure-{plot.name}">
<figcaption><h3>{escape(plot.title)}</h3>{paragraph(plot.reading, "reading")}</figcaption>
<div class="chart" data-spec="spec-{plot.name}" data-name="{plot.name}"
 data-title="{escape(plot.title)}"><noscript>Figures need JavaScript.</noscript></div>
{paragraph(legend, "legend")}{download}
<script type="application/json" id="spec-{plot.name}">{script_json(spec)}</script>
</figure>"""


def without_heading(spec: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The page says the title itself; what stands below it becomes sentences that wrap."""
    texts = spec.get("usermeta", {})
    about, reading = texts.get("about", ""), texts.get("reading", "")
    if about and about[-1] not in ".!?":
        about += "."
    return {
        key: value for key, value in spec.items() if key != "title"
    }, f"{about} {reading}".strip()


@cache
def _resource(name: str) -> str:
    return (files("boxlens.report.pages") / name).read_text(encoding="utf-8")

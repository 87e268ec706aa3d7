"""One self-contained HTML page about a result: it opens from disk and asks no network."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from boxlens.report.charts.export import EMBED_OPTIONS, script_json
from boxlens.report.charts.vega_script import vega_script
from boxlens.report.pages.guide import has_method, method
from boxlens.report.pages.markup import facts, link, notes, paragraph, table, text_cell
from boxlens.wording import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from boxlens.report.readers.figures import Figure, LeftOut

METHOD = "method"
_HEADING = re.compile(r"<(/?)h3\b")


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure, its Vega-Lite specification, and the formats of its files beside the page."""

    figure: Figure
    spec: dict[str, Any]
    formats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawnPlan:
    """All figures of a result, and those that cannot be drawn."""

    figures: tuple[DrawnFigure, ...]
    left_out: tuple[LeftOut, ...]

    def cards_of(self, names: Iterable[str]) -> str:
        """These figures side by side."""
        wanted = set(names)
        cards = "\n".join(_card(one) for one in self.figures if one.figure.name in wanted)
        return f'<div class="figures">\n{cards}\n</div>\n' if cards else ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page, as the navigation names it."""

    name: str
    title: str
    parts: tuple[str, ...] = ()
    # How to read it, in a sentence; and the page of the guide that says how it is counted.
    reading: str = ""
    guide: str = ""
    # One a detector, or one a question.
    inner: tuple[Section, ...] = ()

    @property
    def shown(self) -> bool:
        return any(self.parts) or any(one.shown for one in self.inner)


def page(title: tuple[str, str], about: str, sections: Sequence[Section]) -> str:
    """`title` says who, and on which data set; what comes last is where it came from."""
    *first, last = (part for part in sections if part.shown)
    shown = [*first, *_method(first), last]
    links = "".join(f"<li>{link('#' + one.name, one.title)}</li>" for one in shown)
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
{"".join(_section(one) for one in shown)}</main>
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


def _section(one: Section, level: int = 2) -> str:
    how = link(f"#guide-{one.guide}", "How it is counted") if _told(one.guide) else ""
    reading = f'<p class="reading">{escape(one.reading)} {how}</p>' if one.reading or how else ""
    inner = [part for part in one.inner if part.shown]
    choices = "".join(f"<li>{link('#' + part.name, part.title)}</li>" for part in inner)
    parts = [part for part in one.parts if part]
    return "\n".join(
        [
            f'<section id="{one.name}">',
            f"<h{level}>{escape(one.title)}</h{level}>",
            reading,
            f'<ul class="inner">{choices}</ul>' if len(inner) > 1 else "",
            *(parts if level == 2 else map(_deeper, parts)),
            *(_section(part, level + 1) for part in inner),
            "</section>\n",
        ]
    )


def _deeper(markup: str) -> str:
    """Headings below one of the third rank are of the fourth."""
    return _HEADING.sub(r"<\1h4", markup)


@cache
def _told(guide: str) -> bool:
    return bool(guide) and has_method(guide)


def _method(sections: Sequence[Section]) -> Iterator[Section]:
    """What the guide says about counting, for every page of it that a section names."""
    pages = tuple(dict.fromkeys(name for name in _guides(sections) if _told(name)))
    if pages:
        texts = "".join(
            f'<details id="guide-{name}"><summary>boxlens {name}</summary>\n'
            f'<div class="guide">{method(name, embedded=pages)}</div></details>\n'
            for name in pages
        )
        yield Section(METHOD, "Method", (texts,), "How every number of this page is counted.")


def _guides(sections: Sequence[Section]) -> Iterator[str]:
    for one in sections:
        yield one.guide
        yield from _guides(one.inner)


def _card(drawn: DrawnFigure) -> str:
    figure = drawn.figure
    spec, legend = without_heading(drawn.spec)
    links = "".join(
        f'<a href="figures/{figure.name}.{ending}" download>{ending.upper()}</a>'
        for ending in drawn.formats
    )
    download = f'<p class="files">{links}</p>' if links else ""
    kind = "card wide" if figure.wide else "card"
    return f"""<figure class="{kind}" id="figure-{figure.name}">
<figcaption><h3>{escape(figure.title)}</h3>{paragraph(figure.reading, "reading")}</figcaption>
<div class="chart" data-spec="spec-{figure.name}" data-name="{figure.name}"
 data-title="{escape(figure.title)}"><noscript>Figures need JavaScript.</noscript></div>
{paragraph(legend, "legend")}{download}
<script type="application/json" id="spec-{figure.name}">{script_json(spec)}</script>
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


def provenance_section(document: dict[str, Any]) -> Section:
    """Files and their hashes, parameters, version, and what was left out on the way."""
    made_from = document["provenance"]
    rows = [("ground truth", made_from["ground_truth"])]
    rows += [("detections", source) for source in made_from["detections"]]
    rows += [(source["what"], source) for source in made_from.get("others", [])]
    files_table = table(
        ["file", "path", "format", "bytes", "SHA-256"],
        [
            [
                text_cell(role),
                *(
                    text_cell(None if source is None else source[key])
                    for key in ("path", "format", "size_bytes")
                ),
                text_cell(None if source is None else hash_words(source)),
            ]
            for role, source in rows
        ],
        caption="Files",
    )
    parameters = [(name, parameter_text(value)) for name, value in document["parameters"].items()]
    messages = [notice["message"] for notice in document["notices"]]
    return Section(
        "provenance",
        "Provenance",
        (
            files_table if any(source is not None for _, source in rows) else "",
            "<h3>Parameters</h3>",
            facts([("boxlens", made_from["boxlens"]), *parameters]),
            f"<h3>Notices</h3>{notes(messages)}" if messages else "",
        ),
    )


def hash_words(source: Mapping[str, Any]) -> str:
    """The SHA-256 of an input, or why there is none."""
    return source["sha256"] or "changed since it was read"


def parameter_text(value: Any) -> str:
    """A parameter as text."""
    if value is None:
        return "not set"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {parameter_text(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        parts = (
            ":".join(map(parameter_text, one)) if isinstance(one, list) else parameter_text(one)
            for one in value
        )
        return ", ".join(parts) or "none"
    return number(value) if isinstance(value, float) else str(value)


@cache
def _resource(name: str) -> str:
    return (files("boxlens.report.pages") / name).read_text(encoding="utf-8")
